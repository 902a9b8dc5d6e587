//! Every example model: it loads, its derivatives are right, it runs; and where the problem exists in Rust too, the equations
//! and the motion are the same.

mod common;

use std::fs;

use alembert::space::Space;
use alembert::{ConstrainedSystem, Point, check_derivatives, consistent};
use common::{folder, load, run_to};

fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the folder of models");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

/// A number in [-1, 1] that looks random.
fn noise(k: usize) -> f64 {
    ((k as f64 + 1.0) * 78.233).sin()
}

/// The start, moved a little so that nothing is zero by accident.
struct Place {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    psi: Vec<f64>,
}

impl Place {
    fn near(t: f64, q: &[f64], v: &[f64], lambda: &[f64], psi: &[f64]) -> Place {
        let moved = |x: &[f64], seed: usize, size: f64| -> Vec<f64> {
            x.iter().enumerate().map(|(i, x)| x + size * noise(seed + i)).collect()
        };
        Place {
            t: t + 0.01,
            q: moved(q, 0, 1e-2),
            v: moved(v, 10, 0.5),
            a: moved(&vec![0.0; v.len()], 20, 2.0),
            lambda: moved(lambda, 30, 1.0),
            psi: moved(psi, 40, 1.0),
        }
    }

    fn point(&self) -> Point<'_> {
        Point { t: self.t, q: &self.q, v: &self.v, lambda: &self.lambda, psi: &self.psi }
    }
}

#[test]
fn there_are_all_models_that_the_documentation_promises() {
    let names = names();
    for name in [
        "pendulum",
        "double_pendulum",
        "paper1",
        "spring_pendulum",
        "paper2",
        "rolling_disk",
        "paper3",
        "pendulum_paper4",
        "paper5_circle",
        "paper5_sphere",
        "andrews",
        "car_axis",
        "slider_crank",
        "slider_crank_flexible",
        "four_bar",
        "chaplygin_sleigh",
        "bouncing_pendulum",
        "chain",
        "swinging_atwood",
        "governor",
        "driven_crank",
        "parallelogram",
        "quarter_car",
        "switched_motor",
        "top",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
}

#[test]
fn derivatives_of_every_model_agree_with_differences() {
    for name in names() {
        // A soft rod: differences of the stiff one drown in rounding.
        let model = load(&name, if name == "slider_crank_flexible" { &[("young", "2e5")] } else { &[] });
        let guess = &model.guess;
        let mut place = Place::near(guess.t, &guess.q, &guess.v, &guess.lambda, &guess.psi);
        // Quaternions have length 1.
        let rotations = &model.system.description().rotations;
        Space::new(model.system.dims(), rotations, model.system.description().has_general_rate())
            .expect("fits")
            .normalise(&mut place.q)
            .expect("lengths");
        let report = check_derivatives(&model.system, place.point()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(report.is_ok(), "{name}: {report}");
    }
}

#[test]
fn every_model_runs_and_keeps_its_energy() {
    for name in names() {
        let model = load(&name, &[]);
        let start = consistent(&model.system, &model.guess).unwrap_or_else(|error| panic!("{name}: {error}"));
        let t_end = model.run.t_start + 0.5 * (model.run.t_end - model.run.t_start);
        let end = run_to(&model, t_end, 1e-8);
        assert!((end.t - t_end).abs() < 1e-12 * t_end.abs().max(1.0), "{name}");
        // Dissipation, drives and torques change the energy; the other models keep it.
        let driven = ["spring_pendulum", "governor", "driven_crank", "slider_crank_flexible", "bouncing_pendulum"];
        let more = ["quarter_car", "switched_motor", "ball_on_turntable", "tailgate", "stick_slip"];
        let driven = [&driven[..], &more].concat();
        if let (Some(before), Some(after)) = (model.energy(&start), model.energy(&end))
            && !driven.contains(&name.as_str())
        {
            assert!((after - before).abs() < 1e-5 * (1.0 + before.abs()), "{name}: {before} {after}");
        }
    }
}

mod same {
    use super::*;
    use alembert::{ConstrainedSystem, Equations};
    use alembert_problems::{Reference, by_name};

    /// Model file, problem, and where the problem's coordinates and constraints are in the model.
    type Pair = (&'static str, &'static str, Option<[Vec<usize>; 2]>);

    fn pairs() -> Vec<Pair> {
        // Bars x, y, theta by bar; here x of all bars, then y, then theta.
        let bars = 5;
        let q = (0..3 * bars).map(|k| k % 3 * bars + k / 3).collect();
        let g = (0..2 * bars).map(|k| k % 2 * bars + k / 2).collect();
        vec![
            ("pendulum", "pendulum_horizontal", None),
            ("pendulum_paper4", "pendulum", None),
            ("paper1", "paper1", None),
            ("spring_pendulum", "spring_pendulum", None),
            ("paper2", "paper2", None),
            ("rolling_disk", "rolling_disk", None),
            ("paper3", "paper3", None),
            ("paper5_circle", "paper5_circle", None),
            ("paper5_sphere", "paper5_sphere", None),
            ("andrews", "andrews", None),
            ("car_axis", "car_axis", None),
            ("slider_crank_flexible", "slider_crank", None),
            ("chaplygin_sleigh", "sleigh", None),
            ("rheonomic_pendulum", "rheonomic_pendulum", None),
            ("chain", "chain", Some([q, g])),
        ]
    }

    fn reordered(x: &[f64], order: Option<&[usize]>) -> Vec<f64> {
        order.map_or_else(|| x.to_vec(), |order| order.iter().map(|k| x[*k]).collect())
    }

    fn matrix(x: &[f64], rows: Option<&[usize]>, columns: Option<&[usize]>, width: usize) -> Vec<f64> {
        let mut lines: Vec<Vec<f64>> = x.chunks(width.max(1)).map(|row| reordered(row, columns)).collect();
        if let Some(rows) = rows {
            lines = rows.iter().map(|k| lines[*k].clone()).collect();
        }
        lines.concat()
    }

    /// Everything the integrators ask for, in the problem's order, each with its name.
    fn everything(
        system: &dyn ConstrainedSystem,
        at: &Place,
        order: Option<&[Vec<usize>; 2]>,
    ) -> Vec<(&'static str, Vec<f64>)> {
        let mut equations = Equations::new(system);
        let (dims, n) = (system.dims(), equations.tangent());
        let (nv, m) = (dims.v, dims.constraints());
        let (q, g) = (order.map(|order| order[0].as_slice()), order.map(|order| order[1].as_slice()));
        let zeros = |len: usize| vec![0.0; len];
        let (mut r, mut c) = (zeros(nv), zeros(m));
        equations.residual(at.point(), &at.a, &mut r, &mut c).expect("finite");
        let (mut stiffness, mut work) = (zeros(nv * n), zeros(nv * n));
        equations.residual_q(at.point(), &at.a, &mut stiffness, &mut work).expect("finite");
        let (mut damping, mut work) = (zeros(nv * nv), zeros(nv * nv));
        equations.residual_v(at.point(), &mut damping, &mut work).expect("finite");
        let (mut mass, mut bias) = (zeros(nv * nv), zeros(m));
        equations.mass(at.t, &at.q, &mut mass).expect("finite");
        equations.bias(at.t, &at.q, &at.v, &mut bias).expect("finite");
        let (mut g_q, mut velocity_q) = (zeros(dims.lambda * n), zeros(dims.lambda * n));
        equations.holonomic_q(at.t, &at.q, &mut g_q).expect("finite");
        equations.velocity_q(at.t, &at.q, &at.v, &mut velocity_q).expect("finite");
        let (mut k_q, mut k_v) = (zeros(dims.psi * n), zeros(dims.psi * nv));
        equations.nonholonomic_q(at.t, &at.q, &at.v, &mut k_q).expect("finite");
        equations.nonholonomic_v(at.t, &at.q, &at.v, &mut k_v).expect("finite");
        vec![
            ("residual", reordered(&r, q)),
            ("constraints", reordered(&c, g)),
            ("residual_q", matrix(&stiffness, q, q, n)),
            ("residual_v", matrix(&damping, q, q, nv)),
            ("mass", matrix(&mass, q, q, nv)),
            ("bias", reordered(&bias, g)),
            ("g_q", matrix(&g_q, g, q, n)),
            ("velocity_q", matrix(&velocity_q, g, q, n)),
            ("k_q", k_q),
            ("k_v", k_v),
        ]
    }

    /// The inverse of [`reordered`].
    fn restored(x: &[f64], order: Option<&[usize]>) -> Vec<f64> {
        let mut out = x.to_vec();
        for (value, k) in x.iter().zip(order.into_iter().flatten()) {
            out[*k] = *value;
        }
        out
    }

    #[test]
    fn equations() {
        for (file, name, order) in pairs() {
            let (model, problem) = (load(file, &[]), by_name(name).expect("a problem"));
            let start = &problem.start;
            let theirs = Place::near(start.t, &start.q, &start.v, &start.lambda, &start.psi);
            let q = |x: &[f64]| restored(x, order.as_ref().map(|order| order[0].as_slice()));
            let mine = Place {
                t: theirs.t,
                q: q(&theirs.q),
                v: q(&theirs.v),
                a: q(&theirs.a),
                lambda: restored(&theirs.lambda, order.as_ref().map(|order| order[1].as_slice())),
                psi: theirs.psi.clone(),
            };
            let expected = everything(&*problem.system, &theirs, None);
            let found = everything(&model.system, &mine, order.as_ref());
            for ((what, expected), (_, found)) in expected.iter().zip(&found) {
                assert_eq!(expected.len(), found.len(), "{file}: {what}");
                let size = expected.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
                for (k, (x, y)) in expected.iter().zip(found).enumerate() {
                    assert!((x - y).abs() < 2e-13 * size, "{file}: {what}[{k}] {x} {y}");
                }
            }
        }
    }

    #[test]
    fn start_and_motion() {
        for (file, name, order) in pairs() {
            let (model, problem) = (load(file, &[]), by_name(name).expect("a problem"));
            let order = order.as_ref().map(|order| order[0].as_slice());
            let start = reordered(&model.guess.q, order);
            for (x, y) in start.iter().zip(&problem.start.q) {
                assert!((x - y).abs() < 1e-14 * (1.0 + y.abs()), "{file}: start {x} {y}");
            }
            let whole = problem.t_end - problem.start.t;
            let share = if matches!(problem.reference, Reference::EndValue { .. }) { 1.0 } else { 0.25 };
            let t = problem.start.t + share * whole;
            let (end, reference) = (run_to(&model, t, 1e-10), problem.reference_at(t));
            for (x, y) in reordered(&end.q, order).iter().zip(&reference.q) {
                assert!((x - y).abs() < 1e-7 * (1.0 + y.abs()), "{file}: {x} {y} {:e}", x - y);
            }
        }
    }

    /// The papers' methods at the papers' kind of steps give the same digits from a file as from Rust, so the numbers that
    /// `alembert reproduce` checks are those of the files too.
    #[test]
    fn digits_of_the_papers_methods() {
        use alembert::{FixedSteps, Guess, Integrator, Tolerance, Unobserved};
        for file in ["paper1", "spring_pendulum", "paper2", "rolling_disk", "paper3", "paper5_circle"] {
            let (model, problem) = (load(file, &[]), by_name(file).expect("a problem"));
            let start = &problem.start;
            let guess = Guess::new(start.t, start.q.clone(), start.v.clone())
                .with_multipliers(start.lambda.clone(), start.psi.clone());
            let soi2 = ["spring_pendulum", "rolling_disk"].contains(&file);
            let method = match soi2 {
                true => alembert_model::run::MethodChoice::new("soi2", &Default::default()).expect("a method"),
                false => model.run.method.clone(),
            };
            let steps = alembert_model::run::Steps::Fixed { h: 0.01, pattern: vec![1.0 / 3.0, 2.0 / 3.0] };
            let scheme = method.scheme(&steps).expect("a scheme");
            let end = |system: &dyn ConstrainedSystem, guess: &Guess| {
                let start = consistent(system, guess).expect("a start");
                let control = FixedSteps::pattern(0.01, &[1.0 / 3.0, 2.0 / 3.0]).expect("steps");
                let tolerance = Tolerance::new(1e-12, 1e-12).expect("a tolerance");
                let mut integrator = Integrator::new(system, &start, &*scheme, control, tolerance).expect("a start");
                integrator.run(1.0, &mut Unobserved).expect("a run");
                integrator.state().clone()
            };
            let (mine, theirs) = (end(&model.system, &model.guess), end(&*problem.system, &guess));
            for (mine, theirs) in [
                (&mine.q, &theirs.q),
                (&mine.v, &theirs.v),
                (&mine.a, &theirs.a),
                (&mine.lambda, &theirs.lambda),
                (&mine.psi, &theirs.psi),
            ] {
                for (x, y) in mine.iter().zip(theirs) {
                    assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{file}: {x} {y} {:e}", x - y);
                }
            }
        }
    }

    #[test]
    fn exact_solutions() {
        for file in ["paper1", "paper2", "paper3", "paper5_circle", "paper5_sphere"] {
            let (model, problem) = (load(file, &[]), by_name(file).expect("a problem"));
            let t = 0.5 * (model.run.t_start + model.run.t_end);
            let (mine, theirs) = (model.exact(t).expect("known"), problem.reference_at(t));
            for (mine, theirs) in [
                (&mine.q, &theirs.q),
                (&mine.v, &theirs.v),
                (&mine.a, &theirs.a),
                (&mine.lambda, &theirs.lambda),
                (&mine.psi, &theirs.psi),
            ] {
                for (x, y) in mine.iter().zip(theirs) {
                    assert!((x - y).abs() < 1e-14 * (1.0 + y.abs()), "{file}: {x} {y}");
                }
            }
        }
    }
}

#[test]
fn a_longer_chain_is_a_setting() {
    let model = load("chain", &[("N", "20")]);
    assert_eq!((model.guess.q.len(), model.names.lambda.len()), (60, 40));
    assert_eq!(model.names.holonomic[19], "joint 20 x");
}

/// The balance of all models made of energies: dissipation, torques, drives and bounces included.
#[test]
fn energy_is_accounted_for() {
    use alembert::{ErrorControl, Integrator, Tolerance, Unobserved};
    for name in names() {
        let model = load(&name, &[]);
        let start = consistent(&model.system, &model.guess).unwrap_or_else(|error| panic!("{name}: {error}"));
        if model.energy(&start).is_none() {
            continue;
        }
        let steps = alembert_model::run::Steps::ByError { rtol: 1e-9, atol: Some(1e-9) };
        let scheme = alembert_model::run::MethodChoice::radau(5).expect("in range").scheme(&steps).expect("good");
        let tolerance = Tolerance::new(1e-9, 1e-9).expect("good");
        let span = 0.3 * (model.run.t_end - model.run.t_start);
        // The driven crank has no freedom left, so its steps are as long as they may be; work is a sum over steps.
        let control = ErrorControl::new().with_longest(span / 100.0).expect("a length");
        let mut integrator = Integrator::new(&model.system, &start, &*scheme, control, tolerance).expect("a start");
        for event in &model.events {
            integrator.add_event(event.watcher());
        }
        let t_end = model.run.t_start + span;
        model.sharpness(model.run.t_start, t_end).prepare(&mut integrator).expect("times");
        integrator.run(t_end, &mut Unobserved).unwrap_or_else(|error| panic!("{name}: {error}"));
        let balance = integrator.summary().energy.expect("a balance");
        let size = 1.0 + balance.kinetic.abs() + balance.start.abs() + balance.dissipated.abs();
        assert!(balance.largest < 1e-6 * size, "{name}: {balance:?}");
        match name.as_str() {
            "spring_pendulum" | "governor" => assert!(balance.dissipated > 1e-3, "{name}: {balance:?}"),
            "quarter_car" | "switched_motor" => {
                assert!(balance.input > 1.0 && balance.dissipated > 0.1, "{name}: {balance:?}")
            }
            "driven_crank" => assert!(balance.input > 1.0, "{name}: {balance:?}"),
            "bouncing_pendulum" => assert!(balance.events < -1e-3, "{name}: {balance:?}"),
            _ => {}
        }
    }
}

/// The same pendulum with a wall as in the library's examples: bounces at known times are tested there; here the file's event
/// must do what the library's does.
#[test]
fn an_event_of_a_file_is_one_of_the_library() {
    use alembert::{Direction, ErrorControl, Event, Integrator, RungeKutta, Tolerance, Unobserved};
    let model = load("bouncing_pendulum", &[]);
    let start = consistent(&model.system, &model.guess).expect("a start");
    let run = |event: Event<'_>| {
        let tolerance = Tolerance::new(1e-8, 1e-8).expect("good");
        let scheme = RungeKutta::default();
        let mut integrator =
            Integrator::new(&model.system, &start, &scheme, ErrorControl::new(), tolerance).expect("a start");
        integrator.add_event(event);
        integrator.run(3.0, &mut Unobserved).expect("a run");
        (integrator.state().clone(), integrator.occurrences().len())
    };
    let own = Event::new("wall", |state| state.q[0] + 0.2).with_direction(Direction::Falling).with_bounce(0.8);
    let (by_file, by_hand) = (run(model.events[0].watcher()), run(own));
    assert!(by_file.1 >= 2);
    assert_eq!(by_file.1, by_hand.1);
    // The library's has its normal by differences: roundings of an impact may choose other steps, not another motion.
    for (x, y) in by_file.0.q.iter().chain(&by_file.0.v).zip(by_hand.0.q.iter().chain(&by_hand.0.v)) {
        assert!((x - y).abs() < 1e-9, "{x} {y}");
    }
}
