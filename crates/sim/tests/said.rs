//! What a file says of its start, its run, its outputs and its results, against exact answers.

#[path = "said/joints.rs"]
mod joints;
#[path = "said/results.rs"]
mod results;
#[path = "said/runs.rs"]
mod runs;
#[path = "said/starts.rs"]
mod starts;

use alembert_model::Model;
use alembert_sim::{Alone, End, Trajectory, simulate};

fn model(text: &str) -> Model {
    model_with(text, &[])
}

fn model_with(text: &str, settings: &[(&str, &str)]) -> Model {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Model::parse("model.toml", text, &settings).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn run(model: &Model) -> Trajectory {
    let trajectory = simulate(model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(matches!(trajectory.end, End::Reached | End::Event(_)), "{:?}", trajectory.end);
    trajectory
}

fn result(trajectory: &Trajectory, name: &str) -> (f64, Option<f64>) {
    let found = trajectory.results.iter().find(|outcome| outcome.name == name).expect("a result of this name");
    (found.value, found.t)
}

const CRANK: &str = r#"
format = 1
name = "slider-crank"
[parameters]
r = 0.3
l = 1.0
phi0 = 0.7
w = 10
[variables]
coordinates = ["phi", "x", "y", "s"]
[equations]
kinetic = "(0.1*phi'^2 + 2*x'^2 + 2*y'^2 + 0.5*s'^2)/2"
holonomic = [
  { name = "pin x", formula = "x - r*cos(phi)" },
  { name = "pin y", formula = "y - r*sin(phi)" },
  { name = "rod", formula = "(s - x)^2 + y^2 - l^2" },
]
[initial]
phi = "phi0"
x = 0.2
y = 0.1
s = 1.1
"phi'" = "w"
[start]
fixed = ["phi", "phi'"]
[run]
t_end = 0.1
"#;

const SPRING: &str = r#"
format = 1
[parameters]
m = 2
k = 50
l0 = 1
[variables]
coordinates = ["x", "y"]
[definitions]
d = "sqrt(x^2 + y^2)"
[equations]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "k*(d - l0)^2/2 + 9.81*m*y"
[initial]
x = 0.9
y = 0.5
[start]
equilibrium = true
[run]
t_end = 2
"#;

/// x = sin(w t): everything about it is known.
fn oscillator(results: &str, more: &str) -> String {
    format!(
        "format = 1\n[parameters]\nw = 3\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"-w^2*x\"]\n\
         [initial]\nx = 0\n\"x'\" = \"w\"\n[outputs]\nE = {{ formula = \"(x'^2 + w^2*x^2)/2\", unit = \"J\", label = \"energy\" }}\n\
         [results]\n{results}\n[run]\nt_end = 2\nrtol = 1e-8\n{more}\n"
    )
}

const PENDULUM: &str = r#"
format = 1
[parameters]
m = 3
l = 2
[variables]
coordinates = ["x", "y"]
[equations]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "9.81*m*y"
holonomic = [{ name = "rod", formula = "x^2 + y^2 - l^2" }]
[initial]
x = "l"
y = 0
[outputs]
F = { reaction = "rod", at = ["x", "y"], unit = "N", label = "rod force" }
along = { reaction = ["rod"], at = ["y"] }
[results]
pull = { max = "F" }
[run]
t_end = 2
rtol = 1e-8
columns = ["y", "F", "F_x", "F_y", "along"]
"#;
