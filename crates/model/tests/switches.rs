//! Kinks and jumps of formulas are located by themselves: which of them are switches, and how accurate runs across them are.

use std::f64::consts::PI;

use alembert::integrator::IntegrateError;
use alembert::{
    ConstrainedSystem, ErrorControl, FixedSteps, Integrator, State, Stats, Switch, Tolerance, Unobserved, consistent,
};
use alembert_model::Model;
use alembert_model::run::{MethodChoice, Parameters, Steps};

const METHODS: [(&str, f64); 4] = [("radau", 1e-9), ("bdf", 1e-8), ("soi2", 1e-5), ("hht", 1e-5)];

/// A point on a line under a force.
fn line(force: &str, x: f64, v: f64, rest: &str) -> Model {
    let text = format!(
        "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [\"1\"]\nforce = [\"{force}\"]\n[initial]\nx = {x}\n\
         \"x'\" = {v}\n[run]\nt_end = 10\n{rest}\n"
    );
    parse(&text)
}

fn parse(text: &str) -> Model {
    Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// The state at a time, by steps that a tolerance chooses.
fn run(model: &Model, method: &str, rtol: f64, t: f64) -> Result<(State, Stats), IntegrateError> {
    let steps = Steps::ByError { rtol, atol: None };
    let scheme =
        MethodChoice::new(method, &Parameters::default()).and_then(|method| method.scheme(&steps)).expect("a scheme");
    let start = consistent(&model.system, &model.guess).expect("consistent");
    let tolerance = Tolerance::relative(rtol).expect("in range");
    let mut integrator =
        Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("starts");
    model.sharpness(0.0, t).prepare(&mut integrator).expect("times");
    integrator.run(t, &mut Unobserved)?;
    Ok((integrator.state().clone(), integrator.stats()))
}

/// Names of the switches of a model.
fn switches(model: &Model) -> Vec<String> {
    let count = model.system.description().switches.len();
    (0..count).map(|k| model.system.name(alembert::Named::Switch, k)).collect()
}

#[test]
fn what_switches_is_known_by_its_formula_and_once() {
    let of = |force: &str| switches(&line(force, 0.5, 0.0, ""));
    assert_eq!(of("-3*abs(x - 0.25)"), ["`abs(x - 0.25)` in the force on `x'`"]);
    assert_eq!(of("-2*sign(x') - x"), ["`sign(x')` in the force on `x'`"]);
    // One surface, however it is written.
    assert_eq!(of("max(0, x) + abs(-x) + min(x, 0)*sign(x)").len(), 1);
    assert_eq!(of("max(x, x') + min(x', x)").len(), 1);
    assert_eq!(of("abs(abs(x) - 1)").len(), 2);
    // Of t alone they are times to land on, and of constants nothing.
    assert!(of("-x + sign(t - 1) + abs(-3)").is_empty());
    assert!(of("-x + exp(x)").is_empty());
    // Mixed ones are not known before.
    assert_eq!(of("max(x, sin(t))").len(), 1);
}

#[test]
fn only_what_moves_the_system_switches() {
    let text = |rest: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\nmultipliers = [\"lambda\"]\n[equations]\n{rest}\n\
             [initial]\nx = 1\ny = 0\n[outputs]\nlift = \"max(0, lambda)\"\nside = \"sign(x)\"\n[run]\nt_end = 1\n"
        )
    };
    let energies =
        "kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y + 50*max(0, -x)^2\"\nholonomic = [\"x^2 + y^2 - 1\"]";
    assert_eq!(switches(&parse(&text(energies))).len(), 1);
    // Outputs do not, and a kink in a constraint is refused where it is met, as before.
    let kinked = "mass = [\"1\", \"1\"]\nforce = [\"0\", \"-9.81\"]\nholonomic = [\"y - 0.2*abs(x)  + 0.2\"]";
    assert!(switches(&parse(&text(kinked))).is_empty());
    // A mass that depends on where the body is.
    let massive = "mass = [\"1 + max(0, x)\", \"1\"]\nforce = [\"0\", \"-9.81\"]\nholonomic = [\"x^2 + y^2 - 1\"]";
    assert_eq!(switches(&parse(&text(massive))), ["`max(0, x)` in the mass of `x'`"]);
}

#[test]
fn whole_numbers_are_switches_of_their_own() {
    let kinds = |force: &str| line(force, 0.5, 0.0, "").system.description().switches.clone();
    assert_eq!(kinds("-sign(x)"), [Switch::Sign]);
    assert_eq!(kinds("floor(x) + ceil(x) + x*floor(x)"), [Switch::Whole]);
    assert_eq!(kinds("floor(x) + sign(x)"), [Switch::Whole, Switch::Sign]);
    assert_eq!(kinds("round(x) + mod(x, 0.5)").len(), 2);
    assert_eq!(kinds("if(x > 1 and x' < 0, -x, 2*x)"), [Switch::Sign; 2]);
    assert!(line("-sign(x) + floor(x)", 0.5, 0.0, "smooth = true").system.description().switches.is_empty());
}

#[test]
fn stairs_and_conditions_are_as_accurate_as_smooth_forces() {
    // x'' = 0, 1, 2, ... between whole numbers, from x = 0.5 with speed 1, by hand; written in four ways.
    let exact = |t: f64| {
        let (mut now, mut x, mut v, mut a) = (0.0, 0.5_f64, 1.0_f64, 0.0_f64);
        loop {
            let rise = x.floor() + 1.0 - x;
            let span = if a == 0.0 { rise / v } else { ((v * v + 2.0 * a * rise).sqrt() - v) / a };
            if now + span >= t {
                let s = t - now;
                return (x + v * s + 0.5 * a * s * s, v + a * s);
            }
            (now, x, v, a) = (now + span, (x + rise).round(), v + a * span, a + 1.0);
        }
    };
    let (x, v) = exact(1.8);
    let stairs = ["floor(x)", "ceil(x) - 1", "round(x - 0.5)", "x - mod(x, 1)"];
    for force in stairs.into_iter().chain(["if(x < 1, 0, if(x < 2, 1, if(x < 3, 2, 3)))"]) {
        let model = line(force, 0.5, 1.0, "");
        for (method, tol) in METHODS {
            let (state, stats) = run(&model, method, tol, 1.8).expect("runs");
            let off = (state.q[0] - x).abs().max((state.v[0] - v).abs()) / (1.0 + x.max(v)) / tol;
            assert!(off < 10.0, "{force} by {method}: {off}");
            assert_eq!(stats.switches, x.floor() as u64, "{force} by {method}");
        }
    }
}

#[test]
fn a_spring_that_only_pushes_is_free_flight_and_half_a_sine() {
    // -9 max(0, -x) with speed 1 at the origin; two walls, at 0 and at 1.
    let model = line("9*max(0, -x) - 4*max(0, x - 1)", 0.0, 1.0, "");
    let period = 1.0 + PI / 2.0 + 1.0 + PI / 3.0;
    let exact = |t: f64| {
        let rest = t % period;
        let (a, b, c) = (1.0, 1.0 + PI / 2.0, 2.0 + PI / 2.0);
        match rest {
            s if s < a => (s, 1.0),
            s if s < b => (1.0 + (2.0 * (s - a)).sin() / 2.0, (2.0 * (s - a)).cos()),
            s if s < c => (1.0 - (s - b), -1.0),
            s => (-(3.0 * (s - c)).sin() / 3.0, -(3.0 * (s - c)).cos()),
        }
    };
    for (method, tol) in METHODS {
        let (state, stats) = run(&model, method, tol, 10.0).expect("runs");
        let (x, v) = exact(10.0);
        let off = (state.q[0] - x).abs().max((state.v[0] - v).abs()) / tol;
        assert!(off < 20.0, "{method}: {off}");
        // Two periods of four switches, and one more of the third.
        assert_eq!(stats.switches, 8 + u64::from(10.0 % period > 1.0), "{method}");
    }
}

#[test]
fn dry_friction_turns_round_and_sticks_by_name() {
    let model = line("-x - 0.08*sign(x')", 1.0, 0.0, "");
    for (method, tol) in METHODS {
        let (state, stats) = run(&model, method, tol, 3.5 * PI).expect("runs");
        // In the fourth swing, to the left: the amplitude is 1 - 7 mu about -mu.
        let (x, v) = (-0.08, 1.0 - 7.0 * 0.08);
        let off = (state.q[0] - x).abs().max((state.v[0] - v).abs()) / tol;
        assert!(off < 20.0, "{method}: {off} {state:?}");
        assert_eq!((stats.switches, stats.slides), (3, 0), "{method}");
        let error = run(&model, method, tol.max(1e-6), 30.0).expect_err("sticks");
        assert!(error.to_string().contains("where `sign(x')` in the force on `x'` switches"), "{method}: {error}");
    }
}

#[test]
fn errors_are_those_of_smooth_motions_in_files_too() {
    // A pendulum with a stop and a jump of the force, at tight tolerances against tighter ones with the other family of methods.
    let text = |rest: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\nmultipliers = [\"lambda\"]\n[equations]\n\
             kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y + 1e5/2*max(0, -0.3 - x)^2 + abs(x - 0.2)\"\n\
             holonomic = [\"x^2 + y^2 - 1\"]\n[initial]\nx = 1\ny = 0\n[run]\nt_end = 3\n{rest}\n"
        )
    };
    let (held, free) = (parse(&text("")), parse(&text("smooth = true")));
    let (exact, _) = run(&held, "radau", 1e-12, 3.0).expect("runs");
    // The same motion without switches, by brute force.
    let (brute, _) = run(&free, "radau", 1e-10, 3.0).expect("runs");
    assert!((exact.q[0] - brute.q[0]).abs() < 1e-8, "{} {}", exact.q[0], brute.q[0]);
    for tol in [1e-6, 1e-8, 1e-10] {
        let off = |state: &State| {
            let pairs = state.q.iter().chain(&state.v).zip(exact.q.iter().chain(&exact.v));
            pairs.fold(0.0_f64, |most, (x, y)| most.max((x - y).abs())) / 5.0 / tol
        };
        let (state, stats) = run(&held, "radau", tol, 3.0).expect("runs");
        let (other, ignored) = run(&free, "radau", tol, 3.0).expect("runs");
        assert!(off(&state) < 10.0, "{tol:e}: {}, {} without", off(&state), off(&other));
        assert!(stats.steps < ignored.steps, "{tol:e}: {} and {} steps", stats.steps, ignored.steps);
        assert!(stats.switches > 4 && ignored.switches == 0);
    }
}

#[test]
fn the_values_of_formulas_do_not_change_where_nothing_is_held() {
    let force = "max(x, 0.5*x') - 2*min(x', x*x) + abs(x - x') + 3*sign(x + x') - abs(abs(x) - 1)*max(0, 1 - x')";
    let (held, free) = (line(force, 0.3, 0.1, ""), line(force, 0.3, 0.1, "smooth = true"));
    assert!(held.system.description().switches.len() > 4);
    for i in -12..=12 {
        for j in -12..=12 {
            // Many of them on switches.
            let (q, v) = ([f64::from(i) / 4.0], [f64::from(j) / 4.0]);
            let at = alembert::At::new(0.0, &q, &v);
            for quantity in [alembert::Quantity::Force, alembert::Quantity::ForceQ, alembert::Quantity::ForceV] {
                let value = |model: &Model| {
                    let mut out = [f64::NAN];
                    assert_eq!(model.system.ask(quantity, &at, &mut out), alembert::Supplied::Yes);
                    out[0]
                };
                let (one, other) = (value(&held), value(&free));
                assert!((one - other).abs() <= 1e-14 * (1.0 + one.abs()), "{q:?} {v:?} {quantity:?}: {one} {other}");
            }
        }
    }
}

#[test]
fn prescribed_steps_end_at_switches_too() {
    let model = line("9*max(0, -x) - 4*max(0, x - 1)", 0.0, 1.0, "");
    let start = consistent(&model.system, &model.guess).expect("consistent");
    let scheme = alembert::RungeKutta::radau(3).expect("in range");
    let error = |h: f64| {
        let tolerance = Tolerance::relative(1e-12).expect("in range");
        let steps = FixedSteps::new(h).expect("positive");
        let mut run = Integrator::new(&model.system, &start, &scheme, steps, tolerance).expect("starts");
        run.run(2.0, &mut Unobserved).expect("runs");
        (run.state().q[0] - (1.0 + 2.0_f64.sin() / 2.0)).abs()
    };
    let order = (error(0.1) / error(0.025)).log2() / 2.0;
    assert!(order > 4.6, "order {order}");
}
