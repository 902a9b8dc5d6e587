//! What a step may pass over: poles, masses that change their sign, constraints that jump, friction that sticks, pulses.
//! Every case with every method, at times that are known; and right models next to them, which must not be stopped.

use alembert::integrator::IntegrateError;
use alembert::method::StepFailure;
use alembert::{ErrorControl, Integrator, State, Tolerance, consistent};
use alembert_model::Model;
use alembert_model::run::{MethodChoice, Parameters, Steps};

const METHODS: [&str; 4] = ["radau", "bdf", "soi2", "hht"];
const TOLERANCE: f64 = 1e-6;

struct Ran {
    end: Result<(), IntegrateError>,
    state: State,
    /// Ends of steps.
    times: Vec<f64>,
}

/// Runs a model as the program does.
fn run(method: &str, text: &str) -> Ran {
    let text = format!("format = 1\n{text}");
    let model = Model::parse("model", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let steps = Steps::ByError { rtol: TOLERANCE, atol: None };
    let scheme =
        MethodChoice::new(method, &Parameters::default()).and_then(|method| method.scheme(&steps)).expect("a scheme");
    let start = consistent(&model.system, &model.guess).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let tolerance = Tolerance::relative(TOLERANCE).expect("in range");
    let mut control = ErrorControl::new();
    if let Some(longest) = model.run.h_max {
        control = control.with_longest(longest).expect("positive");
    }
    let mut integrator = Integrator::new(&model.system, &start, &*scheme, control, tolerance).expect("starts");
    let t_end = model.run.t_end;
    model.sharpness(0.0, t_end).prepare(&mut integrator).expect("times");
    integrator.land_on(&model.run.land_on).expect("times");
    integrator.jump_at(&model.run.jumps_at).expect("times");
    let mut times = vec![integrator.state().t];
    let end = loop {
        match integrator.step(t_end) {
            Ok(accepted) => times.push(accepted.state.t),
            Err(error) => break Err(error),
        }
        assert!(times.len() < 1_000_000, "{method} does not come to an end: {text}");
        if t_end - integrator.state().t <= 1e-12 * t_end {
            break Ok(());
        }
    };
    Ran { end, state: integrator.state().clone(), times }
}

/// A point on a line.
fn line(mass: &str, force: &str, x: f64, v: f64, t_end: f64) -> String {
    format!(
        "[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [\"{mass}\"]\nforce = [\"{force}\"]\n[initial]\nx = {x}\n\
         \"x'\" = {v}\n[run]\nt_end = {t_end}\n"
    )
}

/// A point in the plane under a constraint of its own, of either kind.
fn plane(force: &str, constraint: &str, start: [f64; 4], rest: &str) -> String {
    let [x, y, vx, vy] = start;
    format!(
        "[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [\"1\", \"1\"]\nforce = [{force}]\n{constraint}\n\
         [initial]\nx = {x}\ny = {y}\n\"x'\" = {vx}\n\"y'\" = {vy}\n[run]\n{rest}\n"
    )
}

/// The run must stop near a time, with words in its message.
fn stops(method: &str, text: &str, t: f64, slack: f64, words: &[&str]) -> IntegrateError {
    let ran = run(method, text);
    let Err(error) = ran.end else { panic!("{method} passes over it: {text}") };
    let told = error.to_string();
    assert!((ran.state.t - t).abs() <= slack, "{method} stops at {} instead of {t}: {told}", ran.state.t);
    for word in words {
        assert!(told.contains(word), "{method}: no `{word}` in: {told}");
    }
    assert!(told.contains("hint: "), "{told}");
    error
}

#[test]
fn poles_end_the_motion() {
    // x'' = c/(x - 1/2): v^2 = v0^2 + 2 c ln|1 - 2x|, the way to the pole by quadrature.
    let cases = [
        (line("1", "1/(x - 0.5)", 0.0, 10.0, 2.0), 0.050_515_807_8),
        (line("1", "1e-3/(x - 0.5)", 0.0, 1.0, 2.0), 0.500_501_507_5),
        // Uniform but for a pole that nothing feels from afar.
        (line("1", "-1e-9/(x - 0.5)^3", 1.0, -1.0, 2.0), 0.5 - 1e-9_f64.sqrt()),
        // A pole in time, and one of tan.
        (line("2", "-x + 1/(t - 0.7)", 1.0, 0.0, 2.0), 0.7),
        (line("1", "1e-3*tan(t)", 1.0, 0.0, 4.0), std::f64::consts::FRAC_PI_2),
    ];
    for method in METHODS {
        for (text, t) in &cases {
            stops(method, text, *t, 2e-5, &["goes to infinity", "x'"]);
        }
    }
}

#[test]
fn masses_that_change_their_sign_are_named() {
    let constrained = plane("\"0\", \"-9.81\"", "holonomic = [\"x^2 + y^2 - 1\"]", [1.0, 0.0, 0.0, 0.0], "t_end = 3")
        .replace("mass = [\"1\", \"1\"]", "mass = [\"1 - t\", \"1\"]");
    let second = plane("\"-x\", \"-y\"", "", [1.0, 1.0, 0.0, 0.0], "t_end = 3")
        .replace("mass = [\"1\", \"1\"]", "mass = [[\"2\", \"t\"], [\"t\", \"1\"]]");
    let cases = [
        (line("1 - t", "-x", 1.0, 0.0, 2.0), 1.0, "x'"),
        // x x'' = -1 from rest at 1: v = -sqrt(-2 ln x), and x = 0 at sqrt(pi/2).
        (line("x", "-1", 1.0, 0.0, 2.0), (std::f64::consts::PI / 2.0).sqrt(), "x'"),
        (constrained, 1.0, "x'"),
        // 2 - t^2 is the determinant.
        (second, std::f64::consts::SQRT_2, "y'"),
    ];
    for method in METHODS {
        for (text, t, name) in &cases {
            stops(method, text, *t, 1e-4, &["the mass matrix changes its sign", name]);
        }
    }
    // Meant: only the way through zero is refused.
    let meant = line("1 - t", "-x", 1.0, 0.0, 2.0).replace("[initial]", "indefinite_mass = true\n[initial]");
    stops("radau", &meant, 1.0, 1e-9, &["the mass matrix changes its sign"]);
}

#[test]
fn constraints_that_jump_are_named() {
    let rod = "holonomic = [{ name = \"rod\", formula = \"x^2 + y^2 - 1 - 0.9*sign(t - 1)\" }]";
    let lift = "holonomic = [{ name = \"lift\", formula = \"y - abs(t - 1)\" }]";
    // In q: x moves with speed 1 and meets a step, or a corner, at x = 1.
    let stair = "holonomic = [{ name = \"stair\", formula = \"y - sign(x - 1)\" }]";
    let corner = "holonomic = [{ name = \"corner\", formula = \"y - 0.01*max(0, x - 1)\" }]";
    let short = 0.1_f64.sqrt();
    let gravity = "\"0\", \"-9.81\"";
    for method in METHODS {
        let told =
            stops(method, &plane(gravity, rod, [short, 0.0, 0.0, 0.0], "t_end = 2"), 1.0, 1e-9, &["rod", "jumps"]);
        assert!(told.to_string().contains("1.800e0"), "{told}");
        stops(method, &plane(gravity, lift, [0.0, 1.0, 0.5, -1.0], "t_end = 2"), 1.0, 1e-9, &["lift", "impact"]);
        stops(
            method,
            &plane(gravity, stair, [0.0, -1.0, 1.0, 0.0], "t_end = 2"),
            1.0,
            1e-9,
            &["stair", "jumps by 2.0"],
        );
        stops(method, &plane(gravity, corner, [0.0, 0.0, 1.0, 0.0], "t_end = 2"), 1.0, 1e-9, &["corner", "impact"]);
    }
    for method in ["radau", "bdf", "soi2"] {
        let drive = "nonholonomic = [{ name = \"drive\", formula = \"x' - sign(t - 1)\" }]";
        stops(method, &plane(gravity, drive, [0.0, 0.0, -1.0, 0.0], "t_end = 2"), 1.0, 1e-9, &["drive", "impact"]);
    }
    // An impact that is meant: named, it is made.
    for method in METHODS {
        let text = plane(gravity, lift, [0.0, 1.0, 0.5, -1.0], "t_end = 2\njumps_at = [1]");
        let ran = run(method, &text);
        assert!(ran.end.is_ok(), "{method}: {:?}", ran.end);
        assert!(
            (ran.state.q[0] - 1.0).abs() < 1e-9 && (ran.state.v[1] - 1.0).abs() < 1e-9,
            "{method}: {:?}",
            ran.state
        );
    }
}

#[test]
fn sliding_is_recognised() {
    // x'' = -x - 5 sign x' from 20 comes to rest at x = 0 after two half periods.
    let spring = line("1", "-x - 5*sign(x')", 20.0, 0.0, 20.0);
    let stop = line("2", "-10*sign(x')", 0.0, 5.0, 5.0);
    // x = 5 - 4 cos t until the speed of the belt, 4 sin t = 1.
    let belt = line("1", "-x - 5*sign(x' - 1)", 1.0, 0.0, 20.0);
    // Two bodies, of which the first comes to rest while the second goes on.
    let two = plane("\"-5*sign(x')\", \"-3*sign(y')\"", "", [0.0, 0.0, 5.0, 6.0], "t_end = 5");
    for method in METHODS {
        for (text, t) in [(&spring, 2.0 * std::f64::consts::PI), (&stop, 1.0), (&belt, 0.25_f64.asin()), (&two, 1.0)] {
            // A velocity that comes to be exactly zero, where `sign` is zero too, stays so: that is right.
            let ran = run(method, text);
            let rests = ran.state.v[0].abs() < 1e-6 && (ran.state.q[0] - 2.5).abs() < 1e-6;
            if text == &stop && rests && ran.end.is_ok() {
                continue;
            }
            // The second body then goes on to its own rest.
            let t = if text == &two && rests && ran.state.t > 1.5 { 2.0 } else { t };
            let error = stops(method, text, t, 2e-3, &["slides along a surface", "x'", "tanh"]);
            assert!(matches!(error, IntegrateError::Sliding { .. }), "{error}");
            let steps = run(method, text).times.iter().filter(|time| **time > t - 1e-3).count();
            assert!(steps <= 2000, "{method}: {steps} steps");
        }
    }
}

#[test]
fn right_models_are_left_alone() {
    let quiet = |force: &str, x: f64, v: f64| line("1", force, x, v, 10.0);
    let cases = [
        // Removable: 0/0 at x = 0, which is passed all the time.
        quiet("-sin(x)/x*x", 1.0, 0.0),
        quiet("-sin(5*x)/x", 0.3, 0.0),
        // Turned back by a pole.
        quiet("1/(x - 2)^3 - 3*x", 0.0, 3.0),
        quiet("-tan(x)", 0.0, 1.0),
        // Kinks and jumps in q, friction that never sticks or is smooth.
        quiet("-10*x - 3*abs(x)", 1.0, 0.0),
        quiet("-10*x - 2*sign(x)", 1.0, 0.0),
        quiet("-10*x - 0.1*sign(x') + 20*cos(2*t)", 1.0, 0.0),
        quiet("-x - 5*tanh(x'/1e-3)", 1.0, 3.0),
        // A contact.
        quiet("-9.81 + 1e4*max(0, -x)", 0.5, 0.0),
        // Stiff, and fast but resolved.
        quiet("-1e6*(x - sin(t)) - 2e3*(x' - cos(t))", 0.0, 1.0),
        quiet("-400*x", 1.0, 0.0),
        // Masses that vary.
        line("2 + sin(t)", "-x", 1.0, 0.0, 10.0),
        line("1e-6 + x^2", "-x", 1.0, 0.0, 1.0),
    ];
    for method in METHODS {
        for text in &cases {
            let ran = run(method, text);
            assert!(ran.end.is_ok(), "{method}: {}\n{text}", ran.end.expect_err("an error"));
        }
        // Corners that are round enough: continuous velocities.
        let smooth = "holonomic = [{ name = \"ramp\", formula = \"y - max(0, t - 1)^2\" }]";
        let text = plane("\"0\", \"-9.81\"", smooth, [0.0, 0.0, 1.0, 0.0], "t_end = 2");
        let ran = run(method, &text);
        assert!(ran.end.is_ok(), "{method}: {:?}", ran.end);
        assert!((ran.state.v[1] - 2.0).abs() < 1e-6, "{method}: {:?}", ran.state);
    }
}

#[test]
fn pulses_and_kinks_in_time_are_landed_on() {
    let sqrt_pi = std::f64::consts::PI.sqrt();
    // (force, impulse, when): v = impulse and x = impulse (5 - t) at the end.
    let cases = [
        ("1e4*exp(-((t - 2.00015)/2e-5)^2)", 0.2 * sqrt_pi, 2.00015),
        ("1e6*exp(-((t - 2)/1e-6)^2)", sqrt_pi, 2.0),
        ("5e3*(sign(t - 2) - sign(t - 2.0001))", 1.0, 2.00005),
        ("1e7*max(0, 1 - abs((t - 3.1)/1e-7))", 1.0, 3.1),
        ("1e9/(1 + ((t - 1.7)/1e-9)^2)^2", std::f64::consts::FRAC_PI_2, 1.7),
        ("1e6*(tanh((t - 2)/1e-7) - tanh((t - 2.000001)/1e-7))", 2.0, 2.000_000_5),
        ("sign(t - 1)", 3.0, f64::NAN),
        ("abs(t - 1)", 8.5, f64::NAN),
        ("max(0, min(1, 10*(t - 3)))", 1.95, f64::NAN),
    ];
    for method in METHODS {
        let most = if method == "radau" { 1e-5 } else { 1e-3 };
        for (force, impulse, when) in cases {
            let ran = run(method, &line("1", force, 0.0, 0.0, 5.0));
            assert!(ran.end.is_ok(), "{method}, {force}: {:?}", ran.end);
            let error = (ran.state.v[0] - impulse).abs() / impulse;
            assert!(error < most, "{method}, {force}: v = {} instead of {impulse}", ran.state.v[0]);
            let x = impulse * (5.0 - when);
            let error = (ran.state.q[0] - x).abs() / x;
            assert!(when.is_nan() || error < most, "{method}, {force}: x = {} instead of {x}", ran.state.q[0]);
        }
        // Between kinks the force is a polynomial that Radau integrates exactly.
        if method == "radau" {
            let v = run(method, &line("1", "sign(t - 1) + abs(t - 2) + max(0, t - 3)", 0.0, 0.0, 5.0)).state.v[0];
            assert!((v - (3.0 + 6.5 + 2.0)).abs() < 1e-11, "{v}");
        }
    }
}

#[test]
fn what_is_sharp_is_said() {
    let sharp = |force: &str| {
        let text = format!("format = 1\n{}", line("1", force, 0.0, 0.0, 5.0));
        Model::parse("model", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}")).sharpness(0.0, 5.0)
    };
    for smooth in ["-x", "sin(7*t) + exp(-t)", "t^3 - 2*t", "tanh(t - 2)*x", "1/(1 + t^2)", "x*sign(x') + cos(t)"] {
        let found = sharp(smooth);
        assert!(found.words().is_empty(), "{smooth}: {found:?}");
    }
    let found = sharp("x*sign(t - 1)");
    assert_eq!(found.kinks, [(1.0_f64.next_down(), 1.0_f64.next_up())]);
    assert!(found.words()[0].contains("the force on `x'`"), "{:?}", found.words());
    let found = sharp("sign(sin(3*t))");
    let expected: Vec<f64> = (1..=4).map(|k| f64::from(k) * std::f64::consts::PI / 3.0).collect();
    assert_eq!(found.kinks.len(), expected.len());
    for ((_, kink), expected) in found.kinks.iter().zip(expected) {
        assert!((kink - expected).abs() < 1e-14, "{kink} {expected}");
    }
    let found = sharp("1e4*exp(-((t - 2.00015)/2e-5)^2)");
    let [window] = &found.windows[..] else { panic!("{found:?}") };
    assert!(window.from < 2.0001 && window.to > 2.0002 && window.to - window.from < 1e-3, "{window:?}");
}

#[test]
fn times_and_the_longest_step_are_kept() {
    let text = format!(
        "{}h_max = \"1/7\"\nland_on = [0.3, \"0.1 + 0.5\"]\njumps_at = [1.25]\n",
        line("1", "0", 0.0, 1.0, 2.0)
    );
    for method in METHODS {
        let ran = run(method, &text);
        assert!(ran.end.is_ok());
        for t in [0.3, 0.6, 1.25_f64.next_down()] {
            assert!(ran.times.contains(&t), "{method}: {t} not in {:?}", ran.times);
        }
        let longest = ran.times.windows(2).fold(0.0_f64, |max, pair| max.max(pair[1] - pair[0]));
        assert!(longest <= 1.0 / 7.0 + 1e-12, "{method}: {longest}");
    }
}

#[test]
fn failures_are_what_they_say() {
    let error = stops("radau", &line("1", "1/(x - 0.5)", 0.0, 10.0, 2.0), 0.0505, 1e-4, &[]);
    let IntegrateError::StepTooSmall { cause: alembert::integrator::Obstacle::Failure(failure), blame, .. } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(*failure, StepFailure::Pole { coordinate: 0 });
    assert_eq!(blame.as_deref(), Some("x'"));
}
