//! What a model says of its equations, written into a file and read back, gives the same numbers.

mod common;

use std::fs;

use alembert::space::Space;
use alembert::{At, ConstrainedSystem, Quantity, State};
use alembert_model::source::NoFiles;
use alembert_model::{Explanation, Model};
use common::{Beside, folder};

/// Forces with every function that has a name in the graph but none in files, and conditions of all kinds.
const KINKED: &str = r#"
format = 1
[variables]
coordinates = ["x", "y", "e1"]
[definitions]
gap = "sqrt(x^2 + y^2) - 1.5"
[equations]
mass = [["2 + x^2", "x*y", 0], ["x*y", "1 + y^2/3", 0], [0, 0, "exp(-t)"]]
force = [
    "step(x - 0.1, 0.7)*x' - max(gap, 0)^3*(2 - -x)/(3*y/x) + 1e-9*x^-3 - 2^(-x)^2",
    "if(x < 0 or not (y >= 0.2 and x != y), -abs(y)^1.5, min(x, y, 0.3))*y' - hypot(x, y) + mod(t, 0.3)",
    "smoothstep(e1, -1, 1)*floor(3*x) - clamp(y, 0, 0.4)*atan2(y, x)*1e2 - (x - (y - e1)) - sign(x)*round(4*y)",
]
holonomic = ["max(x, 0.3)*y - abs(e1)*sin(t)"]
nonholonomic = ["x'*y - y'*x*t + 0.2*e1'"]
[initial]
x = 0.5
y = 0.6
e1 = 0.7
[run]
t_end = 1
"#;

/// Velocities that are not rates.
const GENERAL: &str = r#"
format = 1
[variables]
coordinates = ["x", "c[1..2]"]
velocities = ["u", "w"]
[equations]
mass = [2, "1 + x^2"]
force = ["-x", "-c[1]*w"]
holonomic = ["c[1]^2 + c[2]^2 - 1"]
velocities = ["u", "-c[2]*w*u", "c[1]*w*u"]
[initial]
x = 0.5
c = [0.6, 0.8]
[run]
t_end = 1
"#;

/// The file with its equations as they were explained.
fn read_back(text: &str, formulas: &Explanation, n: usize) -> String {
    let replaced =
        ["[definitions]", "[equations]", "[exact]", "[outputs]", "[[events]]", "[functions]", "[results]", "[view]"];
    let (mut written, mut kept) = (String::new(), true);
    for line in text.lines() {
        if line.starts_with('[') {
            kept = !replaced.iter().any(|section| line.starts_with(section));
        }
        // An input that a formula gives is a definition.
        let defined = formulas.named.iter().any(|(name, _)| line.split_once(" = ").is_some_and(|(key, _)| key == name));
        if kept && !defined {
            written += &format!("{line}\n");
        }
    }
    let list = |texts: Vec<&str>| texts.iter().map(|text| format!("    \"{text}\",\n")).collect::<String>();
    let mut entries: Vec<String> = formulas.named.iter().map(|(name, text)| format!("{name} = \"{text}\"\n")).collect();
    written += &format!("[definitions]\n{}", entries.concat());
    written += "[equations]\nmass = [\n";
    for row in &formulas.rows {
        let mut entries = vec!["0"; n];
        row.mass.iter().for_each(|(j, text)| entries[*j] = text);
        written += &format!("[\n{}],\n", list(entries));
    }
    written += &format!("]\nforce = [\n{}]\n", list(formulas.rows.iter().map(|row| &*row.force).collect()));
    written += &format!("reaction = [\n{}]\n", list(formulas.rows.iter().map(|row| &*row.reaction).collect()));
    written += &format!("holonomic = [\n{}]\n", list(formulas.holonomic.iter().map(|row| &*row.formula).collect()));
    written +=
        &format!("nonholonomic = [\n{}]\n", list(formulas.nonholonomic.iter().map(|row| &*row.formula).collect()));
    if !formulas.rates.is_empty() {
        written += &format!("velocities = [\n{}]\n", list(formulas.rates.iter().map(String::as_str).collect()));
    }
    entries.clear();
    for (i, row) in formulas.rows.iter().enumerate() {
        entries.push(format!("row_{i} = \"{} - ({})\"\n", row.left, row.right));
    }
    entries.extend(formulas.states.iter().enumerate().map(|(i, (_, rate))| format!("state_{i} = \"{rate}\"\n")));
    for (i, row) in formulas.holonomic.iter().enumerate() {
        entries.push(format!(
            "rate_{i} = \"{}\"\nsecond_{i} = \"{}\"\n",
            row.rate.as_deref().expect("a rate"),
            row.acceleration
        ));
    }
    for (i, row) in formulas.nonholonomic.iter().enumerate() {
        entries.push(format!("psi_rate_{i} = \"{}\"\n", row.acceleration));
    }
    written + "[outputs]\n" + &entries.concat()
}

fn ask(model: &Model, quantity: Quantity, at: &At, size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size];
    model.system.single(quantity, at, &mut out, &mut model.system.workspace());
    out
}

/// Numbers that agree but for rounding: sums are written in another order.
fn compare(what: &str, one: &[f64], other: &[f64]) {
    assert_eq!(one.len(), other.len(), "{what}");
    let size = one.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
    for (one, other) in one.iter().zip(other) {
        assert!((one - other).abs() <= 1e-11 * size || (one.is_nan() && other.is_nan()), "{what}: {one} {other}");
    }
}

fn check(name: &str, text: &str) {
    let settings = ("N".to_owned(), "4".to_owned());
    let settings: &[(String, String)] = if text.contains("\nN = ") { &[settings] } else { &[] };
    let (model, formulas) =
        Model::explain(name, text, settings, &Beside, usize::MAX).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    // Variables of first order stand behind the coordinates and velocities, and are not rows of motion.
    let (bodies, q, v) = (model.names.v.len(), model.guess.q.len(), model.guess.v.len());
    let (lambda, psi) = (model.names.lambda.len(), model.names.psi.len());
    let written = read_back(text, &formulas, bodies);
    // Derivatives by q have a column for each velocity, or, under a general rate, for each coordinate.
    let columns = if formulas.rates.is_empty() { v } else { q };
    let rotations = &model.system.description().rotations;
    let space = Space::new(model.system.dims(), rotations, !formulas.rates.is_empty()).expect("fits");
    let again =
        Model::parse_with(name, &written, settings, &Beside).unwrap_or_else(|mistakes| panic!("{mistakes}\n{written}"));
    for k in 0..4 {
        let moved = |x: &[f64], seed: f64, size: f64| -> Vec<f64> {
            x.iter()
                .enumerate()
                .map(|(i, x)| x + size * ((i as f64 + seed + 10.0 * f64::from(k)) * 78.233).sin())
                .collect()
        };
        let guess = &model.guess;
        let mut state = State {
            t: guess.t + 0.1 + 0.17 * f64::from(k),
            q: moved(&guess.q, 1.0, 0.01 + 0.05 * f64::from(k)),
            v: moved(&guess.v, 2.0, 0.5),
            a: moved(&vec![0.0; v], 3.0, 2.0),
            lambda: moved(&guess.lambda, 4.0, 1.0),
            psi: moved(&guess.psi, 5.0, 1.0),
        };
        // Quaternions have length 1.
        space.normalise(&mut state.q).expect("lengths");
        let State { t, q: x, v: u, a, lambda: l, psi: p } = &state;
        let at = At { t: *t, q: x, v: u, a, lambda: l, psi: p, ..At::default() };
        for (quantity, size) in [
            (Quantity::Mass, v * v),
            (Quantity::Force, v),
            (Quantity::Reaction, v),
            (Quantity::Holonomic, lambda),
            (Quantity::HolonomicQ, lambda * columns),
            (Quantity::Nonholonomic, psi),
            (Quantity::NonholonomicV, psi * v),
        ] {
            compare(
                &format!("{name}: {quantity:?}"),
                &ask(&model, quantity, &at, size),
                &ask(&again, quantity, &at, size),
            );
        }
        let mut outputs = vec![0.0; again.names.outputs.len()];
        again.outputs_into(&state, &mut outputs);
        let (rows, rest) = outputs.split_at(bodies);
        compare(&format!("{name}: rows"), &ask(&model, Quantity::Residual, &at, v)[..bodies], rows);
        let (rates, rest) = rest.split_at(formulas.states.len());
        compare(&format!("{name}: states"), &ask(&model, Quantity::Force, &at, v)[bodies..bodies + rates.len()], rates);
        // Rates by hand from the parts: G q' + g_t, G a + bias where velocities are rates, K a + bias.
        let (g_q, k_v) = (
            ask(&model, Quantity::HolonomicQ, &at, lambda * columns),
            ask(&model, Quantity::NonholonomicV, &at, psi * v),
        );
        let (g_t, bias) =
            (ask(&model, Quantity::HolonomicT, &at, lambda), ask(&model, Quantity::HolonomicBias, &at, lambda));
        let k_bias = ask(&model, Quantity::NonholonomicBias, &at, psi);
        let rate = if formulas.rates.is_empty() { u.clone() } else { ask(&model, Quantity::Rate, &at, q) };
        let by = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
        let (first, second) = rest.split_at(2 * lambda);
        for (i, row) in g_q.chunks(columns).enumerate() {
            compare(&format!("{name}: rate {i}"), &[by(row, &rate) + g_t[i]], &first[2 * i..=2 * i]);
            if formulas.rates.is_empty() {
                compare(&format!("{name}: second {i}"), &[by(row, a) + bias[i]], &first[2 * i + 1..2 * i + 2]);
            }
        }
        for (i, row) in k_v.chunks(v).enumerate() {
            compare(&format!("{name}: nonholonomic {i}"), &[by(row, a) + k_bias[i]], &second[i..=i]);
        }
    }
}

#[test]
fn equations_can_be_read_back() {
    check("kinked", KINKED);
    check("general", GENERAL);
    let mut models = 0;
    for file in fs::read_dir(folder()).expect("the folder of models") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = fs::read_to_string(&path).expect("a text");
            check(&path.display().to_string(), &text);
            models += 1;
        }
    }
    assert!(models >= 20);
}

#[test]
fn a_pendulum_is_what_books_say() {
    let text = fs::read_to_string(folder().join("pendulum.toml")).expect("a model");
    let (_, formulas) = Model::explain("pendulum", &text, &[], &NoFiles, 10).expect("a model");
    let rows: Vec<String> = formulas.rows.iter().map(|row| format!("{} = {}", row.left, row.right)).collect();
    assert_eq!(rows, ["x'' = -2*x*lambda", "y'' = -9.81 - 2*y*lambda"]);
    let rod = &formulas.holonomic[0];
    assert_eq!(rod.formula, "x^2 + y^2 - 1");
    assert_eq!(rod.rate.as_deref(), Some("2*x*x' + 2*y*y'"));
}
