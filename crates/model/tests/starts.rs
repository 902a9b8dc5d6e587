//! Starts of model files: ordinary ones are never refused, and others with words.

mod common;

use alembert::initial::{InitialError, Options, consistent, consistent_with};
use alembert_model::Model;

fn parse(text: &str) -> Model {
    Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

fn refused(text: &str) -> InitialError {
    let model = parse(text);
    let error = consistent(&model.system, &model.guess).err().unwrap_or_else(|| panic!("accepted: {text}"));
    println!("{error}");
    error
}

/// xorshift64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % sides
    }
}

/// A chain as a user writes it: degrees, round numbers, energies or masses and forces.
fn chain(dice: &mut Dice) -> (String, usize) {
    let count = 2 + dice.roll(3);
    let energies = dice.roll(2) == 0;
    let (mut names, mut kinetic, mut potential) = (Vec::new(), Vec::new(), Vec::new());
    let (mut mass, mut force, mut rods, mut initial) = (Vec::new(), Vec::new(), Vec::new(), String::new());
    for i in 1..=count {
        let m = ["1", "1", "2", "0.5"][dice.roll(4)];
        let l = ["1", "1", "2", "0.5"][dice.roll(4)];
        let angle = ["0", "30", "45", "60", "90", "-30", "-90", "180"][dice.roll(8)];
        names.push(format!("\"x{i}\", \"y{i}\""));
        kinetic.push(format!("{m}*(x{i}'^2 + y{i}'^2)/2"));
        potential.push(format!("9.81*{m}*y{i}"));
        mass.push(format!("{m}, {m}"));
        force.push(format!("\"0\", \"-9.81*{m}\""));
        let (dx, dy) = if i == 1 {
            ("x1".to_owned(), "y1".to_owned())
        } else {
            (format!("(x{i} - x{})", i - 1), format!("(y{i} - y{})", i - 1))
        };
        rods.push(format!("\"{dx}^2 + {dy}^2 - {l}^2\""));
        let (from_x, from_y) =
            if i == 1 { (String::new(), String::new()) } else { (format!("x{} + ", i - 1), format!("y{} ", i - 1)) };
        initial +=
            &format!("x{i} = \"{from_x}{l}*sin({angle}*pi/180)\"\ny{i} = \"{from_y}-{l}*cos({angle}*pi/180)\"\n");
    }
    let motion = if energies {
        format!("kinetic = \"{}\"\npotential = \"{}\"", kinetic.join(" + "), potential.join(" + "))
    } else {
        format!("mass = [{}]\nforce = [{}]", mass.join(", "), force.join(", "))
    };
    let text = format!(
        "format = 1\nname = \"chain\"\n[variables]\ncoordinates = [{}]\n[equations]\n{motion}\nholonomic = [{}]\n[initial]\n{initial}[run]\nt_end = 1\n",
        names.join(", "),
        rods.join(", ")
    );
    (text, count)
}

#[test]
fn none_of_1000_chains_of_round_numbers_is_refused() {
    let mut dice = Dice(0x0dd_ba11_5eed);
    for _ in 0..1000 {
        let (text, count) = chain(&mut dice);
        let model = parse(&text);
        let (state, report) =
            consistent_with(&model.system, &model.guess, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert!(report.positions.moved < 1e-14 && report.rank == count, "{report:?}");
        // At rest rods pull across nothing: accelerations keep all lengths, d.(a_i - a_(i-1)) = 0.
        for i in 0..count {
            let part = |x: &[f64], k: usize| x[2 * i + k] - if i > 0 { x[2 * i - 2 + k] } else { 0.0 };
            let along = part(&state.q, 0) * part(&state.a, 0) + part(&state.q, 1) * part(&state.a, 1);
            assert!(along.abs() < 1e-11, "{along:e}: {text}");
        }
        // Newton's law for the whole chain: the support carries what the masses lack of free fall.
        let masses: Vec<f64> = (0..count).map(|i| mass_of(&model, i)).collect();
        for k in 0..2 {
            let lack: f64 =
                (0..count).map(|i| masses[i] * (state.a[2 * i + k] + if k == 1 { 9.81 } else { 0.0 })).sum();
            let support = -2.0 * state.lambda[0] * state.q[k];
            assert!((lack - support).abs() < 1e-10, "{lack} {support}: {text}");
        }
    }
}

fn mass_of(model: &Model, i: usize) -> f64 {
    use alembert::ConstrainedSystem;
    let n = model.system.dims().v;
    // Below the size of large systems matrices are dense, unless patterns are stated.
    let mut equations = alembert::Equations::dense(&model.system);
    let mut mass = vec![0.0; n * n];
    equations.mass(0.0, &model.guess.q, &mut mass).expect("finite");
    mass[2 * i * (n + 1)]
}

const PLANE: &str = "format = 1\nname = \"m\"\n[variables]\ncoordinates = [\"x\", \"y\"]\n";
const END: &str = "[run]\nt_end = 1\n";

#[test]
fn a_negative_mass_is_refused_unless_it_is_meant() {
    for (mass, share) in [("[1, -1]", "-1.000e0 along 1.000 y"), ("[[1, 2], [2, 1]]", "-7.500e-1 along")] {
        let model = |key: &str| {
            format!("{PLANE}[equations]\nmass = {mass}\nforce = [\"0\", \"1\"]\n{key}[initial]\nx = 0\ny = 0\n{END}")
        };
        let error = refused(&model(""));
        assert!(matches!(error, InitialError::NegativeMass { .. }) && error.to_string().contains(share), "{error}");
        let meant = parse(&model("indefinite_mass = true\n"));
        consistent(&meant.system, &meant.guess).unwrap_or_else(|e| panic!("{e}"));
    }
    // From an energy, too.
    let error =
        refused(&format!("{PLANE}[equations]\nkinetic = \"x'^2/2 - 3*y'^2/2\"\n[initial]\nx = 0\ny = 0\n{END}"));
    assert!(error.to_string().contains("negative mass -3.000e0 along 1.000 y"), "{error}");
}

#[test]
fn a_start_at_the_pivot_names_the_rod() {
    for rod in ["x^2 + y^2 - 4", "sqrt(x^2 + y^2) - 2", "hypot(x, y) - 2"] {
        let text = format!(
            "{PLANE}[equations]\nmass = [1, 1]\nforce = [\"0\", \"-9.81\"]\nholonomic = [{{ name = \"rod\", formula = \"{rod}\" }}]\n[initial]\nx = 0\ny = 0\n{END}"
        );
        let Ok(model) = Model::parse("model", &text, &[]) else { continue };
        let error = consistent(&model.system, &model.guess).expect_err("refused").to_string();
        println!("{error}");
        assert!(error.contains("the derivative of rod") && error.contains("start elsewhere"), "{error}");
        assert!(!error.contains("NaN") && !error.contains("contradict"), "{error}");
    }
}

#[test]
fn redundant_rows_of_a_file_are_accepted_as_long_as_they_agree() {
    let model = |rows: &str, redundant: &str| {
        format!(
            "{PLANE}[equations]\nmass = [1, 1]\nforce = [\"0\", \"-9.81\"]\nholonomic = [{rows}]\n{redundant}[initial]\nx = 1\ny = 0\n{END}"
        )
    };
    let accept = "redundant = \"least squares\"\n";
    for (second, good) in [("2*x - 2", true), ("x - 1 - 1e-9", true), ("x - 1 - 1e-6", false), ("x - 2", false)] {
        let rows = format!("{{ name = \"a\", formula = \"x - 1\" }}, {{ name = \"b\", formula = \"{second}\" }}");
        let text = model(&rows, accept);
        let parsed = parse(&text);
        match consistent(&parsed.system, &parsed.guess) {
            Ok(_) => assert!(good, "{second}"),
            Err(error) => {
                assert!(!good, "{second}: {error}");
                let words = error.to_string();
                assert!(words.contains("a = ") && words.contains("b = ") && !words.contains("LeastSquares"), "{words}");
            }
        }
    }
}
