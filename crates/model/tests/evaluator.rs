//! Formulas against an evaluator that shares nothing with ours: 100 000 random trees, written as text, read back as a model.
//!
//! Values are those of the operations one by one, as written, to the last bit; a zero has no sign. Derivatives are
//! compared with dual numbers; where these themselves change much when the arguments change by 1e-13 (at poles, or where large
//! terms cancel) that change is the tolerance.

use alembert::{Answer, At, ConstrainedSystem, Quantity, State};
use alembert_model::Model;

#[path = "evaluator/dual.rs"]
mod dual;
#[path = "evaluator/tree.rs"]
mod tree;

use dual::{Dual, SPEED, is_plain, value};
use tree::{KNOTS, OWN, Random, Tree, text};

/// Trees in one model.
const TREES: usize = 40;

fn model(trees: &[Tree], section: &str) -> String {
    let formulas: Vec<String> = trees
        .iter()
        .enumerate()
        .map(|(k, tree)| match section {
            "outputs" => format!("o{k} = \"{}\"\n", text(tree)),
            "rates" => format!("o{k} = \"der({})\"\n", text(tree)),
            _ => format!("\"{}\",", text(tree)),
        })
        .collect();
    let formulas = formulas.concat();
    let (held, shown) = match section {
        "outputs" | "rates" => (String::new(), format!("[outputs]\n{formulas}")),
        _ => (format!("holonomic = [{formulas}]\nsolver = \"dense\"\n"), String::new()),
    };
    let own: String = OWN.iter().enumerate().map(|(i, body)| format!("\"f{i}(u, w)\" = \"{body}\"\n")).collect();
    format!(
        "format = 1\n[tables.tab]\nx = {:?}\ny = {:?}\nextrapolation = \"hold\"\n[functions]\n{own}[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\n{held}\
         [initial]\nx = {:?}\ny = {:?}\n\"x'\" = {:?}\n\"y'\" = {:?}\n{shown}[run]\nt_start = {:?}\nt_end = 9\n",
        KNOTS.map(|knot| knot.0),
        KNOTS.map(|knot| knot.1),
        START[1],
        START[2],
        SPEED[0],
        SPEED[1],
        START[0]
    )
}

const START: [f64; 3] = [0.25, 0.7, -1.3];
const POINTS: [[f64; 3]; 6] =
    [START, [0.0, 0.0, 0.0], [2.0, -3.5, 0.125], [1.0, 1e200, -1e-200], [8.0, 20.0, -20.0], [0.5, 1.0, 1.0]];

/// Trees with a value at the start, where every formula must have one.
fn trees(random: &mut Random, good: impl Fn(Dual) -> bool) -> Vec<Tree> {
    let mut found = Vec::new();
    while found.len() < TREES {
        let tree = random.tree(4);
        if good(value(&tree, START)) && is_plain(&tree) {
            found.push(tree);
        }
    }
    found
}

#[test]
fn values_are_those_of_the_operations_as_written() {
    let mut random = Random(7);
    let mut infinite = 0;
    for _ in 0..2500 {
        let trees = trees(&mut random, |start| start.x.is_finite());
        let file = model(&trees, "outputs");
        let model = Model::parse("values", &file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        for at in POINTS {
            let state = State {
                t: at[0],
                q: at[1..].to_vec(),
                v: vec![0.0; 2],
                a: vec![0.0; 2],
                lambda: Vec::new(),
                psi: Vec::new(),
            };
            let mut values = vec![0.0; TREES];
            model.outputs_into(&state, &mut values);
            for (tree, ours) in trees.iter().zip(&values) {
                let Dual { x: theirs, .. } = value(tree, at);
                infinite += usize::from(!theirs.is_finite());
                assert!(
                    *ours == theirs || (ours.is_nan() && theirs.is_nan()),
                    "{} at {at:?}: {ours:e} {theirs:e}",
                    text(tree)
                );
            }
        }
    }
    assert!(infinite > 1000, "{infinite} values that are not finite were among them");
}

#[test]
fn derivatives_are_those_of_dual_numbers() {
    let mut random = Random(11);
    let (mut compared, mut skipped) = (0, 0);
    for _ in 0..2500 {
        let trees = trees(&mut random, |start| start.x.is_finite() && start.d.iter().all(|d| d.is_finite()));
        let file = model(&trees, "holonomic");
        let model = Model::parse("derivatives", &file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let mut workspace = model.system.workspace();
        for at in [POINTS[0], POINTS[2], POINTS[4]] {
            let mut ours = vec![0.0; 2 * TREES];
            let point = At::new(at[0], &at[1..], &[0.0; 2]);
            model.system.evaluate(&point, &mut Answer::new(&mut [(Quantity::HolonomicQ, &mut ours)]), &mut workspace);
            for (tree, ours) in trees.iter().zip(ours.chunks(2)) {
                let theirs = value(tree, at);
                let near = [1e-13, -1e-13].map(|by| value(tree, at.map(|x| x * (1.0 + by))));
                for k in 0..2 {
                    let d = theirs.d[k];
                    let change = near.iter().fold(0.0, |max: f64, near| max.max((near.d[k] - d).abs()));
                    // Not a number, overflow, or a kink: dual numbers do not know either.
                    let size = theirs.m[k];
                    if !(theirs.x.is_finite() && size.is_finite() && change <= 1e-6 * d.abs().max(1e-280)) {
                        skipped += 1;
                        continue;
                    }
                    compared += 1;
                    let tolerance = 1e-11 * size + 20.0 * change + 1e-290;
                    assert!((ours[k] - d).abs() <= tolerance, "{} at {at:?}: {:e} {d:e}", text(tree), ours[k]);
                }
            }
        }
    }
    assert!(compared > skipped && compared > 200_000, "{compared} compared, {skipped} skipped");
}

/// `der` against the third part of the dual numbers, whose time moves on and takes x and y along.
#[test]
fn rates_are_those_of_dual_numbers() {
    let mut random = Random(13);
    let (mut compared, mut skipped) = (0, 0);
    for _ in 0..500 {
        let trees = trees(&mut random, |start| start.x.is_finite() && start.d.iter().all(|d| d.is_finite()));
        let file = model(&trees, "rates");
        // A rate may have no value where dual numbers have one: 0 times something infinite.
        let Ok(model) = Model::parse("rates", &file, &[]) else {
            skipped += TREES;
            continue;
        };
        for at in [POINTS[0], POINTS[2], POINTS[4]] {
            let state = State {
                t: at[0],
                q: at[1..].to_vec(),
                v: SPEED.to_vec(),
                a: vec![0.0; 2],
                lambda: Vec::new(),
                psi: Vec::new(),
            };
            let mut ours = vec![0.0; TREES];
            model.outputs_into(&state, &mut ours);
            for (tree, ours) in trees.iter().zip(ours) {
                let theirs = value(tree, at);
                let near = [1e-13, -1e-13].map(|by| value(tree, at.map(|x| x * (1.0 + by))));
                let d = theirs.d[2];
                let change = near.iter().fold(0.0, |max: f64, near| max.max((near.d[2] - d).abs()));
                let size = theirs.m[2];
                if !(theirs.x.is_finite() && size.is_finite() && change <= 1e-6 * d.abs().max(1e-280)) {
                    skipped += 1;
                    continue;
                }
                compared += 1;
                let tolerance = 1e-11 * size + 20.0 * change + 1e-290;
                assert!((ours - d).abs() <= tolerance, "{} at {at:?}: {ours:e} {d:e}", text(tree));
            }
        }
    }
    assert!(compared > skipped && compared > 20_000, "{compared} compared, {skipped} skipped");
}

/// The value and the derivative by x of one formula.
fn at(formula: &str, x: f64) -> [f64; 2] {
    let file = format!(
        "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\nholonomic = [\"{formula}\"]\n\
         [initial]\nx = {x:?}\ny = 1\n[run]\nt_end = 9\n"
    );
    let model = Model::parse("edge", &file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let (mut g, mut rows) = ([0.0], [0.0; 2]);
    let mut workspace = model.system.workspace();
    let q = [x, 1.0];
    let point = At::new(0.0, &q, &[0.0; 2]);
    let mut wanted = [(Quantity::Holonomic, &mut g[..]), (Quantity::HolonomicQ, &mut rows[..])];
    model.system.evaluate(&point, &mut Answer::new(&mut wanted), &mut workspace);
    [g[0], rows[0]]
}

#[test]
fn folding_changes_no_value_and_edges_are_as_documented() {
    assert_eq!(at("1e-200*(1e-200*x)*1e300", 1e200), [1e100, 1e-100]);
    assert_eq!(at("1e200*(1e200*(x*1e-200))*1e-200", 1.0), [1.0, 1.0]);
    // 1/cosh(20)^2, of which 1 - tanh(20)^2 has no digit.
    let [_, slope] = at("tanh(x)", 20.0);
    assert!((slope / 1.699_341_702_116_62e-17 - 1.0).abs() < 1e-13, "{slope:e}");
    // The inactive side of a kink has no slope, even where the root of what is left out is infinitely steep.
    assert_eq!(at("sqrt(max(0, -x))", 2.0), [0.0, 0.0]);
    assert_eq!(at("max(0, -x)^0.7 + x", 2.0), [2.0, 1.0]);
    assert_eq!(at("asin(min(1, x))*0 + asin(min(1, x))", 3.0), [std::f64::consts::FRAC_PI_2, 0.0]);
    let [_, slope] = at("sqrt(max(0, -x))", -4.0);
    assert_eq!(slope, -0.25);
    // Near 1, the slope of asin keeps its digits: 1/sqrt((1 - x)(1 + x)) with x = 1 - 2^-40.
    let x = 1.0 - 2f64.powi(-40);
    let [_, slope] = at("asin(x)", x);
    let exact = 1.0 / (2f64.powi(-40) * (2.0 - 2f64.powi(-40))).sqrt();
    assert!((slope / exact - 1.0).abs() < 1e-15, "{slope} {exact}");
}

#[test]
fn nothing_that_has_no_value_is_folded_away() {
    for formula in ["0*log(-1)", "log(-1)*0 + x", "0/0 + x", "x^0*sqrt(-1)"] {
        let file = format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"{formula}\"]\n[initial]\nx = 1\n[run]\nt_end = 1\n"
        );
        let mistakes = Model::parse("edge", &file, &[]).expect_err(formula).to_string();
        assert!(mistakes.contains("NaN"), "{formula}: {mistakes}");
    }
    // What has no value later has none, whatever it is multiplied with.
    let file = "format = 1\n[parameters]\nc = 0\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [0]\n[initial]\nx = 1\n\
                [outputs]\na = \"c*log(x)\"\nb = \"1/x - 1/x\"\nc0 = \"c/x\"\nd = \"0*x^2\"\n[run]\nt_end = 1\n";
    let model = Model::parse("edge", file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let mut out = [1.0; 4];
    model.outputs_into(
        &State { t: 0.0, q: vec![0.0], v: vec![0.0], a: vec![0.0], lambda: Vec::new(), psi: Vec::new() },
        &mut out,
    );
    assert!(out[..3].iter().all(|x| x.is_nan()) && out[3] == 0.0, "{out:?}");
}
