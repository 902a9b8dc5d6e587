//! Linear tables of coordinates and velocities: steps end at their knots, and pieces are held in between.

use std::f64::consts::PI;

use alembert::{
    At, ConstrainedSystem, ErrorControl, Integrator, Named, Quantity, State, Stats, Supplied, Switch, Tolerance,
    Unobserved, consistent,
};
use alembert_model::Model;
use alembert_model::run::{MethodChoice, Parameters, Steps};

const METHODS: [(&str, f64); 4] = [("radau", 1e-9), ("bdf", 1e-8), ("soi2", 1e-5), ("hht", 1e-5)];

/// A point on a line under a force with a table.
fn line(table: &str, force: &str, x: f64, v: f64, rest: &str) -> Model {
    let text = format!(
        "format = 1\n[tables.law]\n{table}\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [\"1\"]\nforce = [\"{force}\"]\n\
         [initial]\nx = {x}\n\"x'\" = {v}\n[run]\nt_end = 10\n{rest}\n"
    );
    Model::parse("model", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

fn run(model: &Model, method: &str, rtol: f64, t: f64) -> (State, Stats) {
    let steps = Steps::ByError { rtol, atol: None };
    let scheme =
        MethodChoice::new(method, &Parameters::default()).and_then(|method| method.scheme(&steps)).expect("a scheme");
    let start = consistent(&model.system, &model.guess).expect("consistent");
    let tolerance = Tolerance::relative(rtol).expect("in range");
    let mut integrator =
        Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.run(t, &mut Unobserved).unwrap_or_else(|error| panic!("{method}: {error}"));
    (integrator.state().clone(), integrator.stats())
}

fn off(state: &State, (x, v): (f64, f64), tol: f64) -> f64 {
    (state.q[0] - x).abs().max((state.v[0] - v).abs()) / tol
}

/// Stiffness 9 on the left and 4 on the right, from the middle with speed 1: half a sine of each.
const SPRINGS: &str = "x = [-1, 0, 1]\ny = [9, 0, -4]\nextrapolation = \"linear\"";

#[test]
fn two_springs_of_a_table_are_two_sines() {
    let model = line(SPRINGS, "law(x)", 0.0, 1.0, "");
    let period = PI / 2.0 + PI / 3.0;
    let exact = |t: f64| match t % period {
        s if s < PI / 2.0 => ((2.0 * s).sin() / 2.0, (2.0 * s).cos()),
        s => {
            let s = s - PI / 2.0;
            (-(3.0 * s).sin() / 3.0, -(3.0 * s).cos())
        }
    };
    for (method, tol) in METHODS {
        for t in [3.0, 10.0] {
            let (state, stats) = run(&model, method, tol, t);
            let passed = 2.0 * (t / period).floor() + f64::from(u8::from(t % period > PI / 2.0));
            assert_eq!(stats.switches, passed as u64, "{method} to {t}");
            assert!(off(&state, exact(t), tol) < 20.0, "{method} to {t}: {}", off(&state, exact(t), tol));
        }
    }
    // Left to the error of steps it is the same motion, with more of them.
    let (_, held) = run(&model, "radau", 1e-9, 10.0);
    let (state, free) = run(&line(SPRINGS, "law(x)", 0.0, 1.0, "smooth = true"), "radau", 1e-9, 10.0);
    assert!(off(&state, exact(10.0), 1e-9) < 1e4 && free.switches == 0 && held.steps < free.steps);
}

#[test]
fn ends_that_hold_are_switches() {
    // From rest at 1.5: a constant force to x = 1, a quarter of a swing of frequency 2 to x = 0, free flight beyond.
    for kind in ["linear", "pchip", "spline"] {
        let table = format!("x = [0, 1]\ny = [0, -4]\nkind = \"{kind}\"\nextrapolation = \"hold\"");
        let model = line(&table, "law(x)", 1.5, 0.0, "");
        let exact = (-8.0_f64.sqrt() * (2.0 - 0.5 - PI / 8.0), -8.0_f64.sqrt());
        for (method, tol) in METHODS {
            let (state, stats) = run(&model, method, tol, 2.0);
            assert_eq!(stats.switches, 2, "{kind} by {method}");
            assert!(off(&state, exact, tol) < 20.0, "{kind} by {method}: {}", off(&state, exact, tol));
        }
    }
}

/// (9 max(0, -x) - 4 max(0, x)) (1 + max(0, v)/5) at knots of x and v: bilinear between them.
const SURFACE: &str =
    "x = [-1, 0, 1]\ny = [-2, 0, 5]\nz = [[9, 9, 18], [0, 0, 0], [-4, -4, -8]]\nextrapolation = \"linear\"";

#[test]
fn a_bilinear_table_is_the_formula_that_it_is_made_of() {
    let formula = line(SPRINGS, "(9*max(0, -x) - 4*max(0, x))*(1 + max(0, x')/5)", 0.0, 1.0, "");
    let table = line(SURFACE, "law(x, x')", 0.0, 1.0, "");
    for (method, tol) in METHODS {
        let (exact, passed) = run(&formula, method, tol, 10.0);
        let (state, stats) = run(&table, method, tol, 10.0);
        let off = off(&state, (exact.q[0], exact.v[0]), tol);
        assert!(
            off < 20.0 && stats.switches == passed.switches,
            "{method}: {off} {} {}",
            stats.switches,
            passed.switches
        );
        assert!(stats.switches > 10, "{method}: {}", stats.switches);
    }
}

#[test]
fn which_tables_switch_and_what_they_are_called() {
    let model = line(SPRINGS, "law(x) + law(x)*x' + x*law(2*x)", 0.5, 0.0, "");
    assert_eq!(model.system.description().switches, [Switch::Whole; 2]);
    assert_eq!(model.system.name(Named::Switch, 0), "`law(x)` in the force on `x'`");
    assert_eq!(line(SURFACE, "law(x, x')", 0.5, 0.0, "").system.description().switches, [Switch::Whole; 2]);
    // Smooth ones do not, nor does a single line, nor what depends on t alone.
    let count = |table: &str, force: &str| line(table, force, 0.5, 0.0, "").system.description().switches.len();
    assert_eq!(count(&format!("{SPRINGS}\nkind = \"spline\""), "law(x)"), 0);
    assert_eq!(count("x = [0, 1]\ny = [0, 1]", "law(x)"), 0);
    assert_eq!(count(SPRINGS, "law(t) - x"), 0);
    assert_eq!(count(&SPRINGS.replace("linear", "hold"), "law(x)"), 3);
    assert_eq!(line(SPRINGS, "law(x)", 0.5, 0.0, "smooth = true").system.description().switches.len(), 0);
}

#[test]
fn values_do_not_change_where_nothing_is_held() {
    let periodic = "x = [0, 0.25, 1, 1.5]\ny = [1, 3, -2, 1]\nextrapolation = \"periodic\"";
    let uneven = "x = [-3, -1.75, 0, 0.5, 3]\ny = [1, 3, -2, 1, 0.1]\nextrapolation = \"linear\"";
    let forces = ["law(x)", "law(x + x'/2)*x", "-law(law(x))"];
    let cases = [periodic, uneven, &uneven.replace("linear", "hold")].map(str::to_owned);
    let cases = cases.iter().flat_map(|table| forces.iter().map(move |force| (table.as_str(), *force)));
    for (table, force) in cases.chain([(SURFACE, "law(x, x')"), (SURFACE, "law(x', x*x')")]) {
        let (held, free) = (line(table, force, 0.3, 0.1, ""), line(table, force, 0.3, 0.1, "smooth = true"));
        assert!(!held.system.description().switches.is_empty(), "{force}");
        for (i, j) in (-16..=16).flat_map(|i| (-16..=16).map(move |j| (i, j))) {
            // Many of them at knots, and beyond the ends.
            let (q, v) = ([f64::from(i) / 4.0], [f64::from(j) / 4.0]);
            let at = At::new(0.0, &q, &v);
            for quantity in [Quantity::Force, Quantity::ForceQ, Quantity::ForceV] {
                let value = |model: &Model| {
                    let mut out = [0.0];
                    assert_eq!(model.system.ask(quantity, &at, &mut out), Supplied::Yes);
                    out[0]
                };
                let (one, other) = (value(&held), value(&free));
                assert!(
                    (one - other).abs() <= 1e-13 * (1.0 + one.abs()),
                    "{table} {force} at {q:?} {v:?}, {quantity:?}: {one} {other}"
                );
            }
        }
    }
}
