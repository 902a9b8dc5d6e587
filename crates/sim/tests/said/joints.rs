//! What joints say of a start: speeds that are held or refused, rough velocities, rods, curves, and what is told of them.

use alembert_model::Model;
use alembert_sim::check::check;
use alembert_sim::start::start;

use super::{model, run};

/// Two wheels in gear, 1 to 2, with something more for the first and the second wheel and hinge.
fn wheels(bodies: [&str; 2], hinges: [&str; 2], more: &str) -> String {
    format!(
        "format = 1\ndimension = 2\n[[bodies]]\nname = \"A\"\nmass = 1\ninertia = 1\n{}\n[[bodies]]\nname = \"B\"\nmass = 1\ninertia = 1\n\
         pose = {{ at = [3, 0] }}\n{}\n[[joints]]\nname = \"first\"\ntype = \"revolute\"\nof = [\"ground\", \"A\"]\n{}\n[[joints]]\n\
         name = \"second\"\ntype = \"revolute\"\nof = [\"ground(3, 0)\", \"B\"]\n{}\n[[joints]]\nname = \"mesh\"\ntype = \"gear\"\n\
         joints = [\"first\", \"second\"]\nradii = [1, 2]\n{more}\n[run]\nt_end = 1\n",
        bodies[0], bodies[1], hinges[0], hinges[1]
    )
}

fn refused(text: &str) -> String {
    Model::parse("model.toml", text, &[]).expect_err("a mistake").to_string()
}

#[test]
fn start_speeds_that_cannot_be_had_are_refused_by_the_names_of_joints() {
    let speed = "start = { speed = 1 }";
    let words = refused(&wheels(["", ""], [speed, speed], ""));
    assert!(
        words.contains("speeds of the start contradict each other: angle' of `first` is 1, and would be -2, angle' of `second` is 1, and would be -0.5"),
        "{words}"
    );
    assert!(words.contains("model.toml:15:8") && words.contains("hint: leave one of these speeds out"), "{words}");
    let motor = "[[drivers]]\nname = \"motor\"\njoint = \"second\"\nangle = \"3*t\"";
    let words = refused(&wheels(["", ""], [speed, ""], motor));
    assert!(
        words.contains("joints and drivers do not allow speeds of the start: angle' of `first` is 1, and would be -6"),
        "{words}"
    );
}

#[test]
fn speeds_of_joints_are_held_and_those_of_bodies_are_told_where_they_move() {
    let rough = "velocity = { angular = 4 }";
    let held = model(&wheels(["", rough], ["start = { speed = 1 }", ""], ""));
    let (state, begun) = start(&held).unwrap_or_else(|failure| panic!("{failure}"));
    let speeds = [state.v[2], state.v[5]];
    assert!((speeds[0] - 1.0).abs() < 1e-13 && (speeds[1] + 0.5).abs() < 1e-13, "{speeds:?}");
    assert_eq!(begun.lines(), ["start: B.angle' was given as 4 and moved to -0.5, by -4.50e0"]);
    assert!(begun.warnings().is_empty(), "velocities of bodies are rough");
    let words = check(&held).words;
    assert!(words.contains("B.angle' was given as 4") && !words.contains("as given\n"), "{words}");
    // Without a speed that is held the nearest velocities are taken, and told as well.
    let free = model(&wheels(["", rough], ["", ""], ""));
    let (_, begun) = start(&free).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(begun.lines()[0].starts_with("start: B.angle' was given as 4 and moved to 0.8"), "{:?}", begun.lines());
    // What fits is not moved.
    let fits =
        model(&wheels(["velocity = { angular = -8 }", rough], ["start = { speed = -8 }", "start = { speed = 4 }"], ""));
    let (_, begun) = start(&fits).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(begun.lines().is_empty() && check(&fits).words.contains("start: on the constraints as given"));
}

#[test]
fn speeds_that_formulas_move_are_told() {
    // A formula ties a trolley of the file to the wheel: both give way, by their inertia.
    let more = "[variables]\ncoordinates = [\"s\"]\n[equations]\nkinetic = \"s'^2/2\"\nholonomic = [\"s - A.angle\"]\n[initial]\ns = 0\n";
    let text = wheels(["", ""], ["start = { speed = 1 }", ""], more);
    let (_, begun) = start(&model(&text)).unwrap_or_else(|failure| panic!("{failure}"));
    let words = begun.lines().join("\n");
    assert!(words.contains("start: angle' of `first` was given as 1 and moved to 0.55555"), "{words}");
    assert!(begun.warnings().iter().any(|warning| warning.subject.contains("angle' of `first`")));
}

const BOOM: &str = r#"
format = 1
dimension = 2
gravity = [0, -9.81]
[[bodies]]
name = "boom"
mass = 10
inertia = 1
centre = [0.5, 0]
points = { eye = [0.6, 0] }
pose = { angle = 0.5 }
[[joints]]
name = "pin"
type = "revolute"
of = ["ground", "boom"]
[[joints]]
name = "rod"
type = "distance"
of = ["ground(0, -0.8)", "boom.eye"]
length = 1
[[drivers]]
name = "pump"
joint = "rod"
length = "1 + 0.1*sin(t)"
[outputs]
off = "rod.length - (1 + 0.1*sin(t))"
[results]
work = { integral = "pump.force*rod.length'" }
worst = { max = "abs(off)" }
apart = { max = "abs(pump.force - rod.force)" }
[run]
t_end = 2
rtol = 1e-9
"#;

#[test]
fn a_driver_makes_the_length_of_a_rod_a_function_of_time() {
    let trajectory = run(&model(BOOM));
    let value = |name: &str| super::result(&trajectory, name).0;
    assert!(value("worst") < 1e-12 && value("apart") < 1e-9, "{} {}", value("worst"), value("apart"));
    let energy = |at: usize| {
        let state = &trajectory.states[at];
        let [vx, vy, spin] = [state.v[0], state.v[1], state.v[2]];
        5.0 * (vx * vx + vy * vy) + 0.5 * spin * spin + 98.1 * state.q[1]
    };
    let gained = energy(trajectory.states.len() - 1) - energy(0);
    assert!((value("work") - gained).abs() < 1e-6 * gained.abs(), "{} {gained}", value("work"));
    let words = refused(&BOOM.replace("1 + 0.1*sin(t)\"\n[outputs]", "0.1*sin(t)\"\n[outputs]"));
    assert!(words.contains("the driven length of `rod` is 0 at the start, and must be positive"), "{words}");
}

#[test]
fn the_parameter_of_a_curve_is_a_name_with_a_rate() {
    for radius in ["1e-3", "1", "1000"] {
        let text = format!(
            "format = 1\ndimension = 2\n[parameters]\nR = {radius}\n[[bodies]]\nname = \"bead\"\nmass = 1\ninertia = 0\npose = {{ at = [\"-0.6*R\", \"0.7*R\"] }}\n\
             [[joints]]\nname = \"wire\"\ntype = \"point on curve\"\nof = [\"ground\", \"bead\"]\ncurve = [\"R*cos(s)\", \"R*sin(s)\"]\n\
             start = {{ \"parameter'\" = 2 }}\n[results]\noff = {{ max = \"abs(bead.x - R*cos(wire.parameter))/R\" }}\n\
             rate = {{ max = \"abs(wire.parameter' - 2)\" }}\nturned = {{ max = \"wire.parameter\" }}\n[run]\nt_end = 1\nrtol = 1e-9\natol = \"1e-9*R\"\n"
        );
        let trajectory = run(&model(&text));
        let value = |name: &str| super::result(&trajectory, name).0;
        assert!(value("off") < 1e-9 && value("rate") < 1e-6, "{radius}: {} {}", value("off"), value("rate"));
        let expected = f64::atan2(0.7, -0.6) + 2.0;
        assert!((value("turned") - expected).abs() < 1e-6, "{radius}: {} {expected}", value("turned"));
    }
}

#[test]
fn redundant_joints_are_refused_in_words_of_joints() {
    let shaft = |redundant: &str| {
        format!(
            "format = 1\n{redundant}\n[[bodies]]\nname = \"shaft\"\nmass = 1\ninertia = 1\npoints = {{ end = [0, 0, 1] }}\n[[joints]]\nname = \"A\"\ntype = \"revolute\"\n\
             of = [\"ground\", \"shaft\"]\naxis = \"z\"\n[[joints]]\nname = \"B\"\ntype = \"revolute\"\nof = [\"ground(0, 0, 1)\", \"shaft.end\"]\naxis = \"z\"\n\
             [run]\nt_end = 1\n"
        )
    };
    let failure = start(&model(&shaft("redundant = \"refused\""))).expect_err("redundant").to_string();
    assert!(failure.contains("hint: take `B` as") || failure.contains("hint: take `A` as"), "{failure}");
    assert!(failure.contains("at the top of the file") && !failure.contains("[equations]"), "{failure}");
    start(&model(&shaft(""))).expect("accepted");
}

#[test]
fn springs_whose_ends_meet_are_regular_or_refused_by_name() {
    let spring = |law: &str| {
        format!(
            "format = 1\ndimension = 2\n[[bodies]]\nname = \"A\"\nmass = 2\ninertia = 1\nvelocity = {{ at = [0.3, 0] }}\n[[forces]]\nname = \"cord\"\n\
             type = \"spring\"\nof = [\"ground\", \"A\"]\n{law}\n[run]\nt_end = 1\nrtol = 1e-9\n"
        )
    };
    let trajectory = run(&model(&spring("stiffness = 8\nrest = 0")));
    let last = trajectory.states.last().expect("rows");
    assert!((last.q[0] - 0.15 * 2.0_f64.sin()).abs() < 1e-8, "{}", last.q[0]);
    for law in ["stiffness = 8\nrest = 0\ndamping = 1", "stiffness = 8\nrest = 0.1", "law = \"8*length\""] {
        let words = refused(&spring(law));
        assert!(words.contains("the ends of `cord` are in one place at the start"), "{words}");
    }
}
