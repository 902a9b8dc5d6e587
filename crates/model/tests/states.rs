//! States of first order, discrete variables and inputs, against exact solutions of linear systems.

use alembert::catalogue::Value;
use alembert::{
    ConstrainedSystem, ErrorControl, FixedSteps, Integrator, State, Tolerance, Unobserved, check_derivatives,
    consistent,
};
use alembert_model::Model;
use alembert_model::run::{MethodChoice, Parameters, Steps};

mod exponential;

use exponential::Linear;

const METHODS: [&str; 4] = ["radau", "bdf", "soi2", "hht"];

/// A motor with a PI controller: an angle, a speed, a current and the integral of the error of the speed.
const MOTOR: &str = r#"
format = 1
[parameters]
J = 0.02
b = 0.1
k = 0.5
R = 1.2
L = 0.05
P = 4
I = 9
[variables]
coordinates = ["phi"]
[inputs]
wanted = 2
[states]
"i'" = "(P*(wanted - phi') + z - R*i - k*phi')/L"
"z'" = "I*(wanted - phi')"
[equations]
mass = ["J"]
force = ["k*i - b*phi'"]
[initial]
phi = 0.2
"phi'" = 0.5
i = 0.3
[run]
t_end = 1
"#;

/// The same for (phi, phi', i, z, wanted).
fn motor() -> Linear<5> {
    let [j, b, k, r, l, p, i] = [0.02, 0.1, 0.5, 1.2, 0.05, 4.0, 9.0];
    Linear([
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, -b / j, k / j, 0.0, 0.0],
        [0.0, (-p - k) / l, -r / l, 1.0 / l, p / l],
        [0.0, -i, 0.0, 0.0, i],
        [0.0; 5],
    ])
}

fn parse(text: &str) -> Model {
    Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

fn scheme(name: &str, steps: &Steps) -> Box<dyn alembert::method::Scheme> {
    let method = match (name, steps) {
        ("radau", Steps::Fixed { .. }) => MethodChoice::radau(3),
        ("hht index2", _) => MethodChoice::new("hht", &Parameters::default().with("form", Value::Word("index2"))),
        _ => MethodChoice::new(name, &Parameters::default()),
    };
    let method = method.expect("in the table");
    method.scheme(steps).unwrap_or_else(|bad| panic!("{name}: {bad}"))
}

/// The largest errors of the motor along a run with prescribed steps: of phi, phi', i and z.
fn errors_along(model: &Model, name: &str, h: f64, pattern: &[f64], t_end: f64) -> [f64; 4] {
    let steps = Steps::Fixed { h, pattern: pattern.to_vec() };
    let start = consistent(&model.system, &model.guess).expect("a start");
    let tolerance = Tolerance::relative(1e-13).expect("a tolerance");
    let control = FixedSteps::pattern(h, pattern).expect("steps");
    let mut integrator =
        Integrator::new(&model.system, &start, &*scheme(name, &steps), control, tolerance).expect(name);
    let (linear, mut worst) = (motor(), [0.0_f64; 4]);
    while integrator.state().t < t_end {
        integrator.step(t_end).unwrap_or_else(|error| panic!("{name}: {error}"));
        let state = integrator.state();
        let exact = linear.after(state.t, [0.2, 0.5, 0.3, 0.0, 2.0]);
        for (worst, (x, y)) in worst.iter_mut().zip(motion(state).into_iter().zip(exact)) {
            *worst = worst.max((x - y).abs());
        }
    }
    worst
}

fn controlled<'m>(model: &'m Model, name: &str, rtol: f64, atol: Option<f64>) -> Integrator<'m> {
    let steps = Steps::ByError { rtol, atol };
    let start = consistent(&model.system, &model.guess).expect("a start");
    let tolerance = steps.tolerance().expect("a tolerance");
    Integrator::new(&model.system, &start, &*scheme(name, &steps), ErrorControl::new(), tolerance).expect(name)
}

fn motion(state: &State) -> [f64; 4] {
    [state.q[0], state.v[0], state.v[1], state.v[2]]
}

fn largest_error(found: &[f64], exact: &[f64]) -> f64 {
    found.iter().zip(exact).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}

#[test]
fn every_method_integrates_states_with_its_order() {
    let model = parse(MOTOR);
    // Radau IIA with 3 stages has order 5, BDF at fixed steps 2, the alpha methods 2.
    for (name, order, h) in [("radau", 5.0, 0.015), ("bdf", 2.0, 0.002), ("soi2", 2.0, 0.004), ("hht", 2.0, 0.004)] {
        for pattern in [&[1.0][..], &[1.2, 0.8]] {
            let [coarse, fine] = [h, h / 2.0].map(|h| errors_along(&model, name, h, pattern, 0.3));
            for (i, what) in ["phi", "phi'", "i", "z"].into_iter().enumerate() {
                let found = (coarse[i] / fine[i]).log2();
                assert!(
                    (found - order).abs() < 0.05 * order,
                    "{name} {pattern:?}: {what} has order {found:.2}, errors {:.2e} and {:.2e}",
                    coarse[i],
                    fine[i]
                );
            }
        }
    }
}

#[test]
fn errors_of_states_meet_the_tolerance_in_every_method() {
    let model = parse(MOTOR);
    let exact = motor().after(1.0, [0.2, 0.5, 0.3, 0.0, 2.0]);
    for name in METHODS {
        for (rtol, atol) in [(1e-4, Some(1e-4)), (1e-6, Some(1e-6)), (1e-5, None)] {
            let mut integrator = controlled(&model, name, rtol, atol);
            integrator.run(1.0, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
            let error = largest_error(&motion(integrator.state()), &exact);
            // States and velocities are of order 1 to 10 here.
            assert!(error < 60.0 * rtol, "{name} at {rtol:e}, {atol:?}: {error:e}");
        }
    }
}

#[test]
fn states_alone_set_the_steps_where_they_are_what_moves() {
    // A body at rest, and an oscillator made of states: without error control of states steps would be as long as the run.
    let text = "format = 1\n[variables]\ncoordinates = [\"x\"]\n[states]\n\"u'\" = \"20*w\"\n\"w'\" = \"-20*u\"\n\
        [equations]\nmass = [1]\nforce = [0]\n[initial]\nx = 1\nu = 1\n[run]\nt_end = 3\n";
    let model = parse(text);
    for name in METHODS {
        let mut integrator = controlled(&model, name, 1e-5, Some(1e-5));
        integrator.run(3.0, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
        let state = integrator.state();
        let exact = [60.0_f64.cos(), -60.0_f64.sin()];
        let error = largest_error(&state.v[1..], &exact);
        assert!(error < 2e-3, "{name}: {error:e} in {} steps", integrator.stats().steps);
        assert_eq!(state.q[0], 1.0, "{name}");
    }
}

#[test]
fn stiff_actuators_are_no_matter() {
    // An actuator with the time constant tau pushes a mass on a spring; tau -> 0 is the force itself.
    let text = |tau: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[states]\n\"f'\" = \"(cos(t) - f)/{tau}\"\n[equations]\n\
             mass = [1]\nforce = [\"f - x - 0.2*x'\"]\n[initial]\nx = 1\n[run]\nt_end = 5\n"
        )
    };
    for tau in [1e-6, 1e-3] {
        let model = parse(&text(&format!("{tau}")));
        // (x, x', f, cos t, sin t).
        let linear = Linear([
            [0.0, 1.0, 0.0, 0.0, 0.0],
            [-1.0, -0.2, 1.0, 0.0, 0.0],
            [0.0, 0.0, -1.0 / tau, 1.0 / tau, 0.0],
            [0.0, 0.0, 0.0, 0.0, -1.0],
            [0.0, 0.0, 0.0, 1.0, 0.0],
        ]);
        let exact = linear.after(5.0, [1.0, 0.0, 0.0, 1.0, 0.0]);
        for name in METHODS {
            for atol in [Some(1e-5), None] {
                let mut integrator = controlled(&model, name, 1e-5, atol);
                integrator.run(5.0, &mut Unobserved).unwrap_or_else(|error| panic!("{name}, {tau}: {error}"));
                let state = integrator.state();
                let error = largest_error(&[state.q[0], state.v[0], state.v[1]], &exact[..3]);
                let steps = integrator.stats().steps;
                assert!(error < 1e-3 && steps < 4000, "{name}, {tau:e}, {atol:?}: {error:e} in {steps} steps");
            }
        }
    }
}

#[test]
fn states_act_on_constrained_systems_and_are_left_alone_by_constraints() {
    // A pendulum with a motor whose torque follows a command, and a rolling coordinate whose speed a state prescribes.
    let text = r#"
format = 1
[variables]
coordinates = ["x", "y", "s"]
[inputs]
command = 1.5
[states]
"m'" = "(command - m)/0.3 - 0.5*x'"
"w'" = "-2*(w - 0.7)"
[equations]
mass = [1, 1, 2]
force = ["-m*y", "m*x - 9.81", "0"]
holonomic = ["x^2 + y^2 - 1"]
nonholonomic = ["s' - w"]
[initial]
x = 1
y = 0
s = 0
w = 0.2
m = 4
[run]
t_end = 1
"#;
    let model = parse(text);
    let names: Vec<&str> = model.names.states.iter().map(String::as_str).collect();
    assert_eq!(names, ["m", "w", "command"]);
    let start = consistent(&model.system, &model.guess).expect("a start");
    // The speed follows the state, and not the state the speed.
    assert_eq!((start.v[2], start.v[4]), (0.2, 0.2));
    let report = check_derivatives(
        &model.system,
        alembert::Point {
            t: 0.1,
            q: &[0.6, 0.8, 0.1, 0.0, 0.0, 0.0],
            v: &[0.8, -0.6, 0.4, 1.0, 0.4, 2.0],
            lambda: &[1.0],
            psi: &[0.3],
        },
    );
    assert!(report.as_ref().is_ok_and(|report| report.is_ok()), "{report:?}");
    // By an angle: x = cos p, y = sin p, p'' = m - 9.81 cos p, s by integration of w.
    let reference = exponential::runge_kutta(1e-4, 1.0, [0.0, 0.0, 4.0, 0.2, 0.0], |[p, dp, m, w, _]| {
        [dp, m - 9.81 * p.cos(), (1.5 - m) / 0.3 + 0.5 * p.sin() * dp, -2.0 * (w - 0.7), w]
    });
    let [p, dp, m, w, s] = reference;
    let exact = [p.cos(), p.sin(), s, -p.sin() * dp, p.cos() * dp, w, m, w];
    // HHT-alpha has one kind of constraint at a time.
    for name in &METHODS[..3] {
        let mut integrator = controlled(&model, name, 1e-7, Some(1e-7));
        integrator.run(1.0, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
        let state = integrator.state();
        let found = [&state.q[..3], &state.v[..5]].concat();
        let error = largest_error(&found, &exact);
        assert!(error < 2e-5, "{name}: {error:e}");
        assert!((state.v[2] - state.v[4]).abs() < 1e-9, "{name}: the constraint");
        assert_eq!(state.v[5], 1.5, "{name}: the input");
        // The reaction pushes the body, m s'' = -psi, and not the state.
        assert!((state.psi[0] + 2.0 * -2.0 * (w - 0.7)).abs() < 1e-4, "{name}: {}", state.psi[0]);
    }
    let forms = [("nonholonomic = [\"s' - w\"]", "hht", 0..2), ("holonomic = [\"x^2 + y^2 - 1\"]", "hht index2", 2..3)];
    for (gone, name, of) in forms {
        let model = parse(&text.replace(gone, ""));
        let mut integrator = controlled(&model, name, 1e-6, Some(1e-6));
        integrator.run(1.0, &mut Unobserved).unwrap_or_else(|error| panic!("hht: {error}"));
        let state = integrator.state();
        let error = largest_error(&state.q[of.clone()], &exact[of.clone()]);
        let states = largest_error(&state.v[4..5], &[w]);
        assert!(error < 2e-4 && states < 1e-5, "hht, {of:?}: {error:e} {states:e}");
    }
}

#[test]
fn inputs_are_given_while_it_runs() {
    let model = parse(MOTOR);
    let wanted = &model.inputs[0];
    assert_eq!((model.inputs.len(), wanted.name.as_str()), (1, "wanted"));
    let linear = motor();
    let mut exact = [0.2, 0.5, 0.3, 0.0, 2.0];
    for (t, value) in [(0.4, -1.0), (0.55, 3.0), (1.0, 0.0)] {
        let before: f64 = if t == 0.4 {
            0.0
        } else if t == 0.55 {
            0.4
        } else {
            0.55
        };
        exact = linear.after(t - before, exact);
        exact[4] = value;
    }
    for name in METHODS {
        let mut integrator = controlled(&model, name, 1e-6, Some(1e-6));
        for (t, value) in [(0.4, -1.0), (0.55, 3.0), (1.0, 0.0)] {
            integrator.run(t, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
            wanted.set(&mut integrator, value).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(integrator.state().v[3], value, "{name}");
        }
        let error = largest_error(&motion(integrator.state()), &exact);
        assert!(error < 1e-4, "{name}: {error:e}");
        // The acceleration and the rates are those after the jump.
        let rates = linear.rate(exact);
        assert!((integrator.state().a[2] - rates[3]).abs() < 1e-3, "{name}");
        assert!(wanted.set(&mut integrator, f64::NAN).is_err(), "{name}");
    }
}

#[test]
fn inputs_are_set_before_the_first_step_and_kept_by_checkpoints() {
    let model = parse(MOTOR);
    let run = |integrator: &mut Integrator| integrator.run(0.5, &mut Unobserved).map(|_| ()).expect("a run");
    let mut integrator = controlled(&model, "radau", 1e-6, Some(1e-6));
    model.inputs[0].set(&mut integrator, 7.0).expect("an input");
    let saved = integrator.checkpoint().expect("a checkpoint");
    run(&mut integrator);
    let error = largest_error(&motion(integrator.state()), &motor().after(0.5, [0.2, 0.5, 0.3, 0.0, 7.0]));
    assert!(error < 1e-4, "{error:e}");
    let mut again = controlled(&model, "radau", 1e-6, Some(1e-6));
    again.restore(&saved).expect("the same model");
    run(&mut again);
    assert_eq!(again.state(), integrator.state());
}

#[test]
fn events_change_discrete_variables() {
    // A heater by two-point control: x' = on - x, on between 0.3 and 0.6. By hand the times are logarithms.
    let text = r#"
format = 1
[variables]
coordinates = ["x"]
[discrete]
on = 1
count = 0
[states]
"T'" = "on - T"
[equations]
mass = [1]
force = [0]
[initial]
x = 0
[[events]]
name = "hot"
formula = "T - 0.6"
direction = "rising"
action = "set"
set = { on = 0, count = "count + 1" }
[[events]]
name = "cold"
formula = "T - 0.3"
direction = "falling"
action = "set"
set = { on = 1, count = "count + 1" }
[run]
t_end = 4
"#;
    let model = parse(text);
    // From 0 to 0.6 with on = 1, then down by half, then up from 0.7 to 0.4 below 1, and so on.
    let mut times = vec![-(0.4_f64.ln())];
    while times.len() < 5 {
        let last = times[times.len() - 1];
        times.push(last + 2.0_f64.ln());
        times.push(last + 2.0_f64.ln() + (0.7_f64 / 0.4).ln());
    }
    times.retain(|t| *t < 4.0);
    for name in METHODS {
        let mut integrator = controlled(&model, name, 1e-7, Some(1e-7));
        for event in &model.events {
            integrator.add_event(event.watcher());
        }
        integrator.run(4.0, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Between and at the ends of steps they are what they were, to the last bit.
        let mut inside = integrator.state().clone();
        let t = integrator.state().t;
        integrator.interpolate(t - 1e-3, &mut inside);
        assert_eq!(inside.v[2..], integrator.state().v[2..], "{name}");
        let found: Vec<f64> = integrator.occurrences().iter().map(|event| event.t).collect();
        assert_eq!(found.len(), times.len(), "{name}: {found:?} {times:?}");
        let error = largest_error(&found, &times);
        assert!(error < 2e-5, "{name}: {error:e}");
        assert_eq!(integrator.state().v[3], times.len() as f64, "{name}: the count");
    }
}

#[test]
fn large_states_do_not_loosen_constraints_nor_tolerances() {
    // A pressure of 1e7 beside a pendulum of length 1.
    let text = r#"
format = 1
[variables]
coordinates = ["x", "y"]
[states]
"p'" = "(1e7*(1 + sin(t)) - p)/0.1"
[equations]
mass = [1, 1]
force = ["1e-7*p", "-9.81"]
holonomic = ["x^2 + y^2 - 1"]
[initial]
x = 1
y = 0
p = 1e7
[run]
t_end = 2
"#;
    let model = parse(text);
    let [p, dp, pressure] = exponential::runge_kutta(1e-4, 2.0, [0.0, 0.0, 1.0, 0.0], |[p, dp, f, t]| {
        [dp, -f * p.sin() - 9.81 * p.cos(), (1.0 + t.sin() - f) / 0.1, 1.0]
    })[..3] else {
        panic!("three numbers");
    };
    for name in METHODS {
        for atol in [Some(1e-6), None] {
            let mut integrator = controlled(&model, name, 1e-6, atol);
            integrator.run(2.0, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
            let state = integrator.state();
            let error = largest_error(
                &[&state.q[..2], &state.v[..2]].concat(),
                &[p.cos(), p.sin(), -p.sin() * dp, p.cos() * dp],
            );
            assert!(error < 3e-4, "{name}, {atol:?}: {error:e}");
            assert!((state.v[2] - 1e7 * pressure).abs() < 1e3, "{name}: {} {pressure}", state.v[2]);
            let length = (state.q[0].powi(2) + state.q[1].powi(2) - 1.0).abs();
            let slope = (state.q[0] * state.v[0] + state.q[1] * state.v[1]).abs();
            assert!(length < 1e-12 && slope < 1e-11, "{name}, {atol:?}: {length:e} {slope:e}");
            let sizes = integrator.summary().typical;
            assert!(sizes.q.iter().all(|(_, size)| *size < 100.0), "{name}: {sizes:?}");
        }
    }
}

#[test]
fn states_of_large_models_are_sparse() {
    // A chain of carts, each pushed by an actuator of its own and all of them by one input.
    let text = r#"
format = 1
[parameters]
N = 60
[variables]
coordinates = ["x[1..N]"]
[inputs]
u = 0.1
[states]
"f'" = "(u - f[i] - 0.5*x[i]')/0.01 for i in 1..N"
[definitions]
s = ["0 for i in 0..0", "x[i] for i in 1..N", "0 for i in N+1..N+1"]
[equations]
mass = ["1 for i in 1..N"]
force = ["100*(s[i-1] - 2*s[i] + s[i+1]) + f[i] for i in 1..N"]
solver = "SOLVER"
[initial]
x = "0.01*sin(i) for i in 1..N"
[run]
t_end = 0.5
"#;
    let end = |solver: &str, name: &str| {
        let model = parse(&text.replace("SOLVER", solver));
        let mut integrator = controlled(&model, name, 1e-8, Some(1e-8));
        integrator.run(0.5, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(integrator.is_sparse(), solver == "sparse", "{name}");
        assert_eq!(model.system.description().patterns.is_some(), solver == "sparse");
        integrator.state().clone()
    };
    let reference = end("dense", "radau");
    for name in ["radau", "bdf", "soi2"] {
        let state = end("sparse", name);
        let bodies = |state: &State| [&state.q[..60], &state.v[..]].concat();
        let error = largest_error(&bodies(&state), &bodies(&reference));
        assert!(error < 1e-5, "{name}: {error:e}");
    }
}

#[test]
fn energies_that_states_change_are_balanced() {
    // A spring whose rest length is a state: the actuator does work.
    let text = "format = 1\n[variables]\ncoordinates = [\"x\"]\n[states]\n\"l'\" = \"cos(3*t)\"\n[equations]\n\
        kinetic = \"x'^2/2\"\npotential = \"8*(x - l)^2/2\"\ndissipation = \"0.3*x'^2/2\"\n[initial]\nx = 1\n[run]\nt_end = 3\n";
    let model = parse(text);
    let mut integrator = controlled(&model, "radau", 1e-9, Some(1e-9));
    integrator.run(3.0, &mut Unobserved).expect("a run");
    let energy = integrator.energy().expect("energies");
    assert!(energy.input.abs() > 0.1, "{energy:?}");
    assert!(energy.defect().abs() < 1e-7, "{energy:?}");
}
