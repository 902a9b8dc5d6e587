//! Impacts of model files: moving and curved surfaces with exact answers, jumps, and what is refused by name.

use alembert::integrator::IntegrateError;
use alembert::{ErrorControl, Integrator, Occurrence, RungeKutta, State, Tolerance, Unobserved, consistent};
use alembert_model::Model;

/// A model of `equations` with `events`, run to `t_end`.
fn run(equations: &str, events: &str, t_end: f64) -> (Result<(), IntegrateError>, Vec<Occurrence>, State) {
    let text = format!("format = 1\n{equations}\n{events}\n[run]\nt_end = {t_end}\nrtol = 1e-11\n");
    let model = Model::parse("impact", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let start = consistent(&model.system, &model.guess).expect("consistent");
    let tolerance = Tolerance::new(1e-11, 1e-11).expect("in range");
    let mut integrator =
        Integrator::new(&model.system, &start, &RungeKutta::default(), ErrorControl::new(), tolerance).expect("starts");
    for event in &model.events {
        integrator.add_event(event.watcher());
    }
    let outcome = integrator.run(t_end, &mut Unobserved).map(|_| ());
    (outcome, integrator.occurrences().to_vec(), integrator.state().clone())
}

/// A mass on a line.
fn line(mass: f64, gravity: f64, y: f64, v: f64) -> String {
    format!(
        "[variables]\ncoordinates = [\"y\"]\n[equations]\nkinetic = \"{mass}*y'^2/2\"\n\
         potential = \"{mass}*{gravity}*y\"\n[initial]\ny = {y}\n\"y'\" = {v}\n"
    )
}

/// A point in the plane.
fn plane(x: [f64; 2], v: [f64; 2]) -> String {
    format!(
        "[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"0*x\"\n\
         [initial]\nx = {}\ny = {}\n\"x'\" = {}\n\"y'\" = {}\n",
        x[0], x[1], v[0], v[1]
    )
}

fn bounce(name: &str, formula: &str, direction: &str, restitution: f64) -> String {
    format!(
        "[[events]]\nname = \"{name}\"\nformula = \"{formula}\"\ndirection = \"{direction}\"\naction = \"bounce\"\n\
         restitution = {restitution}\n"
    )
}

#[test]
fn a_wall_at_speed_one_sends_a_body_at_rest_off_at_two() {
    for (formula, direction) in [
        ("y - (t - 0.5)", "falling"),
        ("y - (t - 0.5)", "any"),
        ("(t - 0.5) - y", "rising"),
        ("3e4*(y - (t - 0.5))", "any"),
    ] {
        for mass in [1e-6, 1.0, 1e6] {
            let (outcome, impacts, state) =
                run(&line(mass, 0.0, 0.0, 0.0), &bounce("wall", formula, direction, 1.0), 2.0);
            assert!(outcome.is_ok() && impacts.len() == 1, "{formula}: {outcome:?} {impacts:?}");
            assert!((impacts[0].t - 0.5).abs() < 1e-14 && (state.v[0] - 2.0).abs() < 1e-12, "{formula}: {state:?}");
            assert!((state.q[0] - 3.0).abs() < 1e-11, "{formula}: {state:?}");
        }
    }
}

#[test]
fn a_ball_of_any_radius_has_the_right_normal() {
    // A point that passes the centre at the distance r/2 hits at 30 degrees from the line of its motion and is turned by
    // 180 - 60 degrees. Still, and in the frame of a ball that moves to the side.
    for r in [1e-6, 1e-3, 1.0, 1e6] {
        for w in [0.0, 0.25] {
            let formula = format!("sqrt((x - {}*t)^2 + y^2) - {r}", w * r);
            let model = plane([0.5 * r, 5.0 * r], [w * r, -r]);
            let (outcome, impacts, state) = run(&model, &bounce("ball", &formula, "falling", 1.0), 8.0);
            assert!(outcome.is_ok() && impacts.len() == 1, "{r}: {outcome:?}");
            let t = 5.0 - 0.75_f64.sqrt();
            assert!((impacts[0].t - t).abs() < 1e-10, "{r}: {}", impacts[0].t - t);
            let exact = [w + 0.75_f64.sqrt(), 0.5];
            for (v, exact) in state.v.iter().zip(exact) {
                assert!((v / r - exact).abs() < 1e-9, "{r} {w}: {} {exact}", v / r);
            }
        }
    }
}

#[test]
fn platforms_and_cams_are_left_with_the_relative_velocity_turned_round() {
    let surfaces = [
        ("0.1*sin(5*t)", 1.0),
        ("0.02*cos(9*t) + 0.1*t", 0.9),
        ("0.05*sin(3*t)^3", 1.0),
        ("0.1*(1 - cos(4*t))", 0.95),
        ("max(0, 0.2 - 0.3*t)", 0.9),
        ("0.3*exp(-t)*sin(10*t)", 1.0),
    ];
    let height = |k: usize, t: f64| match k {
        0 => (0.1 * (5.0 * t).sin(), 0.5 * (5.0 * t).cos()),
        1 => (0.02 * (9.0 * t).cos() + 0.1 * t, -0.18 * (9.0 * t).sin() + 0.1),
        2 => (0.05 * (3.0 * t).sin().powi(3), 0.45 * (3.0 * t).sin().powi(2) * (3.0 * t).cos()),
        3 => (0.1 * (1.0 - (4.0 * t).cos()), 0.4 * (4.0 * t).sin()),
        4 => ((0.2 - 0.3 * t).max(0.0), if 0.2 - 0.3 * t > 0.0 { -0.3 } else { 0.0 }),
        _ => {
            let (s, c) = (10.0 * t).sin_cos();
            (0.3 * (-t).exp() * s, 0.3 * (-t).exp() * (10.0 * c - s))
        }
    };
    for (k, (surface, e)) in surfaces.into_iter().enumerate() {
        let formula = format!("y - ({surface})");
        let (outcome, impacts, _) = run(&line(2.0, 9.81, 1.0, 0.0), &bounce("platform", &formula, "falling", e), 6.0);
        assert!(outcome.is_ok() && impacts.len() >= 6, "{surface}: {outcome:?} {}", impacts.len());
        // Each flight is a parabola from impact to impact, and each impact the law.
        let (mut t, mut y, mut v) = (0.0, 1.0, 0.0);
        for impact in &impacts {
            let s = impact.t - t;
            let (there, speed) = height(k, impact.t);
            assert!((y + v * s - 0.5 * 9.81 * s * s - there).abs() < 1e-9, "{surface}: {impact:?}");
            let arriving = v - 9.81 * s;
            assert!((impact.after.v[0] - (speed - e * (arriving - speed))).abs() < 1e-8, "{surface}: {impact:?}");
            assert!(arriving < speed, "{surface}");
            // Between impacts it was above.
            for j in 1..50 {
                let s = s * f64::from(j) / 50.0;
                assert!(y + v * s - 0.5 * 9.81 * s * s > height(k, t + s).0 - 1e-9, "{surface} {t}");
            }
            (t, y, v) = (impact.t, there, impact.after.v[0]);
        }
    }
}

#[test]
fn what_comes_to_rest_on_a_moving_surface_says_so() {
    for (surface, e) in [
        ("0", 0.5),
        ("3*t", 0.5),
        ("2*t^2", 0.0),
        ("2*t^2", 0.6),
        ("0.01*sin(12*t)", 0.0),
        ("0.01*sin(12*t)", 0.4),
        ("0.02*(1 - cos(10*t))", 0.2),
        ("-10*t", 0.5),
    ] {
        let formula = format!("y - ({surface})");
        let (outcome, impacts, state) =
            run(&line(1.0, 9.81, 1.0, 0.0), &bounce("table", &formula, "falling", e), 200.0);
        let error = outcome.expect_err("comes to rest").to_string();
        assert!(
            error.contains("event `table` happens again and again") && error.contains("\nhint: "),
            "{surface}: {error}"
        );
        assert!(impacts.len() >= 10 && state.t < 120.0, "{surface}: {state:?}");
    }
}

#[test]
fn a_start_on_a_floor_does_not_fall_through() {
    let floor = bounce("floor", "y", "falling", 0.8);
    let (outcome, ..) = run(&line(1.0, 9.81, 0.0, 0.0), &floor, 1.0);
    assert!(outcome.expect_err("at rest").to_string().contains("event `floor` happens again and again at t = 0"));
    let (outcome, impacts, state) = run(&line(1.0, 0.0, 0.0, -1.0), &floor, 1.0);
    assert!(outcome.is_ok() && impacts.len() == 1 && (state.q[0] - 0.8).abs() < 1e-12, "{state:?}");
}

#[test]
fn a_constraint_that_drives_a_body_through_a_surface_ends_the_run() {
    let model = "[variables]\ncoordinates = [\"x\"]\nmultipliers = [\"l\"]\n[equations]\nkinetic = \"x'^2/2\"\npotential = \"0*x\"\n\
                 holonomic = [\"x - 1 + t\"]\n[initial]\nx = 1\n\"x'\" = -1\n";
    let (outcome, _, state) = run(model, &bounce("stop", "x", "falling", 1.0), 2.0);
    let error = outcome.expect_err("nothing can give way").to_string();
    assert!(error.starts_with("event `stop` at t = 1") && error.contains("still closes"), "{error}");
    assert!(state.t < 1.0 + 1e-9, "{state:?}");
}

#[test]
fn jumps_count_only_where_the_file_says_so() {
    // A point that goes round the circle once in 2 pi.
    let circle = "[variables]\ncoordinates = [\"x\", \"y\"]\nmultipliers = [\"l\"]\n[equations]\n\
                  kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"0*x\"\nholonomic = [\"(x^2 + y^2 - 1)/2\"]\n\
                  [initial]\nx = 1\ny = 0\n\"y'\" = 1\n";
    let pi = std::f64::consts::PI;
    for (formula, crossings, jumps) in [
        ("atan2(y, x)", vec![2.0 * pi], vec![pi, 3.0 * pi]),
        ("sign(x)", vec![], vec![0.5 * pi, 1.5 * pi, 2.5 * pi]),
        ("1/x", vec![], vec![0.5 * pi, 1.5 * pi, 2.5 * pi]),
        ("sign(x) + 0.5*x", vec![], vec![0.5 * pi, 1.5 * pi, 2.5 * pi]),
        ("tanh(1e9*x)", vec![0.5 * pi, 1.5 * pi, 2.5 * pi], vec![]),
        ("sqrt(abs(x))*x/abs(x)", vec![0.5 * pi, 1.5 * pi, 2.5 * pi], vec![]),
    ] {
        for counted in [false, true] {
            let event = format!("[[events]]\nformula = \"{formula}\"\naction = \"continue\"\njumps = {counted}\n");
            let (outcome, events, _) = run(circle, &event, 9.5);
            assert!(outcome.is_ok(), "{formula}: {outcome:?}");
            let mut expected = crossings.clone();
            expected.extend(jumps.iter().filter(|_| counted));
            expected.sort_by(f64::total_cmp);
            let found: Vec<f64> = events.iter().map(|event| event.t).collect();
            assert_eq!(found.len(), expected.len(), "{formula}: {found:?}");
            assert!(found.iter().zip(&expected).all(|(t, exact)| (t - exact).abs() < 1e-7), "{formula}: {found:?}");
        }
    }
}

#[test]
fn an_event_that_sets_what_is_no_number_names_itself_and_the_velocity() {
    let event =
        "[[events]]\nname = \"kick\"\nformula = \"x - 0.5\"\naction = \"set\"\nset = { \"y'\" = \"sqrt(0.2 - x)\" }\n";
    let (outcome, _, state) = run(&plane([0.0, 0.0], [1.0, 0.0]), event, 1.0);
    let error = outcome.expect_err("not a number").to_string();
    assert!(error.starts_with("event `kick` at t = 0.5") && error.contains("(at y') to NaN"), "{error}");
    assert!((state.t - 0.5).abs() < 1e-12);
    let event =
        "[[events]]\nname = \"kick\"\nformula = \"x - 0.5\"\naction = \"set\"\nset = { \"x'\" = \"1/(x' - 1)\" }\n";
    let (outcome, ..) = run(&plane([0.0, 0.0], [1.0, 0.0]), event, 1.0);
    let error = outcome.expect_err("infinite").to_string();
    assert!(error.contains("event `kick`") && error.contains("(at x') to"), "{error}");
}

#[test]
fn a_corner_of_two_walls_is_left_by_both() {
    let walls = bounce("side", "x + 0.1*t", "falling", 1.0) + &bounce("floor", "y", "falling", 0.5);
    // Both are met at t = 1.
    let (outcome, impacts, state) = run(&plane([0.9, 1.0], [-1.0, -1.0]), &walls, 2.0);
    assert!(outcome.is_ok(), "{outcome:?}");
    let names: Vec<&str> = impacts.iter().map(|impact| impact.name.as_str()).collect();
    assert!(names.contains(&"side") && names.contains(&"floor"), "{names:?}");
    assert!((state.v[0] - 0.8).abs() < 1e-11 && (state.v[1] - 0.5).abs() < 1e-11, "{:?}", state.v);
}
