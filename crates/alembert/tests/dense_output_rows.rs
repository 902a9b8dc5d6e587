//! Rows between steps: as accurate as the steps, without steps of their own; landed on where that cannot be, and said so.

use std::ops::ControlFlow;

use alembert::Quantity;
use alembert::method::Scheme;
use alembert::{
    Accepted, ConsistentState, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess,
    HhtAlpha, Integrator, Observer, RungeKutta, Scalar, State, Stats, Tolerance, VariableBdf, consistent,
};
use alembert_problems::chain::{self, Joints};
use alembert_problems::kinked_pendulum::{self, Force};
use alembert_problems::reference::{Settings, integrate_through};
use alembert_problems::{Problem, Reference, Start, by_name};

/// The steps and the rows of a run.
#[derive(Default)]
struct Log {
    steps: Vec<State>,
    rows: Vec<State>,
}

impl Observer for Log {
    fn on_step(&mut self, step: &mut Accepted) -> ControlFlow<()> {
        self.steps.push(step.state.clone());
        ControlFlow::Continue(())
    }
    fn on_row(&mut self, state: &State) -> ControlFlow<()> {
        self.rows.push(state.clone());
        ControlFlow::Continue(())
    }
}

/// The methods with error control; the stages of Radau as the program chooses them.
fn schemes(tol: f64) -> Vec<Box<dyn Scheme>> {
    let stages = if tol > 0.5e-4 { 3 } else { 5 + 2 * usize::from(tol < 0.5e-9) };
    let mut schemes: Vec<Box<dyn Scheme>> = vec![Box::new(RungeKutta::radau(stages).expect("in range"))];
    if tol > 1e-7 {
        schemes.push(Box::new(VariableBdf::new()));
        schemes.push(Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")));
        schemes.push(Box::new(HhtAlpha::new(-0.1).expect("in range")));
    }
    schemes
}

fn start_of(problem: &Problem) -> ConsistentState {
    let Start { t, q, v, lambda, psi } = problem.start.clone();
    consistent(&*problem.system, &Guess::new(t, q, v).with_multipliers(lambda, psi)).expect("consistent")
}

fn integrator<'p>(problem: &'p Problem, scheme: &dyn Scheme, tol: f64) -> Option<Integrator<'p>> {
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    Integrator::new(&*problem.system, &start_of(problem), scheme, ErrorControl::new(), tolerance).ok()
}

fn run(problem: &Problem, scheme: &dyn Scheme, tol: f64, rows: &[f64]) -> Option<(Log, Stats)> {
    let (mut log, mut integrator) = (Log::default(), integrator(problem, scheme, tol)?);
    integrator.show_at(rows).expect("numbers");
    integrator.run(problem.t_end, &mut log).expect("reaches the end");
    assert_eq!(log.rows.len(), rows.len());
    assert!(log.rows.iter().zip(rows).all(|(row, t)| (row.t - t).abs() <= 1e-12 * t.abs()));
    let counts = integrator.stats().rows;
    assert_eq!(counts.between + counts.landed, rows.len() as u64);
    Some((log, integrator.stats()))
}

/// Largest errors of q, v, a and the multipliers over tol (1 + size).
fn errors(problem: &Problem, states: &[State], tol: f64) -> [f64; 4] {
    let times: Vec<f64> = states.iter().map(|state| state.t).collect();
    let exact = match &problem.reference {
        Reference::Exact(solution) | Reference::Reduced(solution) => times.iter().map(|t| solution(*t)).collect(),
        _ => integrate_through(&*problem.system, &problem.start, &times, Settings::default(), 10_000_000)
            .expect("has a reference"),
    };
    let (mut errors, mut sizes) = ([0.0_f64; 4], [0.0_f64; 4]);
    for (state, exact) in states.iter().zip(&exact) {
        let parts = [
            (&state.q, &exact.q, 0),
            (&state.v, &exact.v, 1),
            (&state.a, &exact.a, 2),
            (&state.lambda, &exact.lambda, 3),
            (&state.psi, &exact.psi, 3),
        ];
        for (found, exact, part) in parts {
            for (x, y) in found.iter().zip(exact) {
                (errors[part], sizes[part]) = (errors[part].max((x - y).abs()), sizes[part].max(y.abs()));
            }
        }
    }
    [0, 1, 2, 3].map(|part| errors[part] / (tol * (1.0 + sizes[part])))
}

/// Equal distances that have nothing to do with the steps.
fn grid(problem: &Problem, count: usize) -> Vec<f64> {
    let length = problem.t_end - problem.start.t;
    (1..count).map(|k| problem.start.t + length * k as f64 / (count as f64 + 0.37)).collect()
}

/// Rows against steps: at most three times their errors, or the tolerance, and hardly a step more.
fn check(name: &str, problem: &Problem, tol: f64, count: usize) {
    for scheme in schemes(tol) {
        let Some((plain, without)) = run(problem, &*scheme, tol, &[]) else { continue };
        let Some((log, with)) = run(problem, &*scheme, tol, &grid(problem, count)) else { continue };
        let thin = |states: &[State]| -> Vec<State> { states.iter().step_by(1 + states.len() / 60).cloned().collect() };
        let (steps, rows) = (errors(problem, &thin(&plain.steps), tol), errors(problem, &thin(&log.rows), tol));
        let what = format!("{name}, {} at {tol:e}", scheme.name());
        println!("{what}: {steps:.2?} {rows:.2?}, {} and {} steps, {:?}", without.steps, with.steps, with.rows);
        assert!(with.steps as f64 <= 1.05 * without.steps as f64, "{what}: {} and {} steps", without.steps, with.steps);
        for (part, row) in rows.into_iter().enumerate() {
            assert!(row <= 3.0 * steps[part].max(1.0), "{what}: {part} is off by {row}, at steps by {}", steps[part]);
        }
        assert!(
            with.residuals.position.max(with.residuals.velocity).max(with.residuals.nonholonomic) < 1e-12,
            "{what}"
        );
    }
}

#[test]
fn rows_of_pendulums_are_as_accurate_as_steps() {
    let mut pendulum = by_name("pendulum").expect("known");
    pendulum.t_end = 4.0;
    for tol in [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12] {
        check("pendulum", &pendulum, tol, 57);
    }
    let double = chain::planar(2, Joints::default());
    for tol in [1e-3, 1e-5, 1e-9, 1e-10] {
        check("double pendulum", &double, tol, 43);
    }
}

#[test]
fn rows_of_rotating_and_rolling_bodies_are_as_accurate_as_steps() {
    for (name, t_end) in [("heavy_top", 0.05), ("rolling_disk", 2.0), ("polar_oscillator", 2.0), ("sleigh_bowl", 1.0)] {
        let mut problem = by_name(name).expect("known");
        problem.t_end = problem.start.t + t_end;
        for tol in [1e-4, 1e-6, 1e-9, 1e-10] {
            check(name, &problem, tol, 41);
        }
    }
}

#[test]
fn rows_of_fast_mechanisms_are_as_accurate_as_steps() {
    for (name, t_end) in [("andrews", 0.02), ("car_axis", 0.3)] {
        let mut problem = by_name(name).expect("known");
        problem.t_end = problem.start.t + t_end;
        for tol in [1e-5, 1e-9, 1e-10] {
            check(name, &problem, tol, 41);
        }
    }
}

#[test]
fn rows_beside_kinks_are_as_accurate_as_steps() {
    let forces = [
        Force::Kink { k: 5.0, d: 0.1 },
        Force::Jump { c: 2.0, d: 0.1 },
        Force::Switched { c: 2.0, at: 0.777 },
        Force::Stop { k: 1e5, d: -0.3 },
    ];
    for force in forces {
        let mut problem = kinked_pendulum::new(force);
        problem.t_end = 1.0;
        for tol in [1e-5, 1e-8, 1e-10] {
            let scheme = &*schemes(tol)[0];
            let plain = run(&problem, scheme, tol, &[]).expect("fits").0;
            let rows = run(&problem, scheme, tol, &grid(&problem, 50)).expect("fits").0.rows;
            let (steps, rows) = (errors(&problem, &plain.steps, tol), errors(&problem, &rows, tol));
            // Accelerations that jump are off by the jump beside it, however small the error of its time.
            for part in 0..2 {
                let (row, step) = (rows[part], steps[part].max(1.0));
                assert!(row <= 3.0 * step, "{force:?} at {tol:e}: {part} is off by {row}, at steps by {step}");
            }
        }
    }
}

/// A mass on a stiff spring that swings about the origin; z follows on a surface.
struct Spring {
    k: f64,
}

impl Formulas for Spring {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for i in 0..3 {
            mass[4 * i] = S::from(1.0);
        }
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        let r = (q[0] * q[0] + q[1] * q[1]).sqrt();
        let pull = (r - 1.0) * self.k / r;
        (force[0], force[1]) = (-q[0] * pull, -q[1] * pull - 9.81);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[2] - q[0] * q[1];
    }
}

fn spring(k: f64) -> Problem {
    Problem {
        name: "spring",
        title: "a mass on a stiff spring",
        system: Box::new(Differentiated::new(Spring { k })),
        start: Start { t: 0.0, q: vec![1.0, 0.0, 0.0], v: vec![0.0; 3], lambda: vec![0.0], psi: vec![] },
        t_end: 0.5,
        reference: Reference::Integrated(Settings { relative: 1e-13, absolute: 1e-13 }),
        energy: None,
    }
}

#[test]
fn stiff_steps_end_at_their_rows_and_say_so() {
    let (problem, tol) = (spring(1e6), 1e-6);
    let scheme = RungeKutta::default();
    let rows = grid(&problem, 60);
    let (plain, without) = run(&problem, &scheme, tol, &[]).expect("fits");
    let (log, with) = run(&problem, &scheme, tol, &rows).expect("fits");
    assert!(with.rows.landed > 20 && with.rows.retries > 0, "{:?} in {} steps", with.rows, without.steps);
    let (steps, found) = (errors(&problem, &plain.steps, tol), errors(&problem, &log.rows, tol));
    for part in 0..4 {
        assert!(found[part] <= 3.0 * steps[part].max(1.0), "{found:?} at rows, {steps:?} at steps");
    }
    let mut integrator = integrator(&problem, &scheme, tol).expect("fits");
    integrator.show_at(&rows).expect("numbers");
    integrator.run(problem.t_end, &mut alembert::observer::Unobserved).expect("reaches the end");
    let words = integrator.summary().to_string();
    assert!(words.contains("at which steps had to end") && words.contains("to end at a row"), "{words}");
    // Prescribed steps cannot end elsewhere.
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let fixed = FixedSteps::new(0.02).expect("positive");
    let mut integrator =
        Integrator::new(&*problem.system, &start_of(&problem), &scheme, fixed, tolerance).expect("starts");
    integrator.show_at(&rows).expect("numbers");
    integrator.run(problem.t_end, &mut Log::default()).expect("reaches the end");
    let Stats { rows: counts, steps, .. } = integrator.stats();
    assert!(counts.coarse > 0 && counts.landed == 0 && steps == 25, "{counts:?} {steps}");
    assert!(integrator.summary().to_string().contains("less accurate than these"));
}

#[test]
fn five_hundred_rows_cost_no_step() {
    let problem = chain::planar(2, Joints::default());
    let scheme = RungeKutta::default();
    let (_, without) = run(&problem, &scheme, 1e-9, &[]).expect("fits");
    let (_, with) = run(&problem, &scheme, 1e-9, &grid(&problem, 500)).expect("fits");
    let forces = |stats: &Stats| stats.evaluations.of(Quantity::Force);
    println!("{} steps, {} forces; with rows {} and {}", without.steps, forces(&without), with.steps, forces(&with));
    assert_eq!(with.steps, without.steps);
    // One at each row, and at most four passes over four places in each step.
    assert!(forces(&with) <= forces(&without) + 500 + 16 * with.steps);
}

#[test]
fn a_restored_run_shows_the_same_rows() {
    for problem in [chain::planar(2, Joints::default()), spring(1e6), by_name("heavy_top").expect("known")] {
        let rows: Vec<f64> = grid(&problem, 80);
        let begin = |t: f64| {
            let mut integrator = integrator(&problem, &RungeKutta::default(), 1e-6).expect("fits");
            integrator.show_at(&rows).expect("numbers");
            let mut log = Log::default();
            if t > 0.0 {
                integrator.limit(alembert::Limits { attempts: Some(9), ..Default::default() });
                integrator.run(problem.t_end, &mut log).expect_err("the limit");
                integrator.limit(alembert::Limits::default());
            }
            (integrator, log)
        };
        let (mut one, mut all) = begin(1.0);
        let checkpoint = one.checkpoint().expect("can be saved");
        let shown = all.rows.len();
        let (mut other, mut rest) = begin(0.0);
        other.restore(&checkpoint).expect("fits");
        one.run(problem.t_end, &mut all).expect("reaches the end");
        other.run(problem.t_end, &mut rest).expect("reaches the end");
        assert!(!rest.rows.is_empty() && all.rows[shown..] == rest.rows, "{}", problem.title);
        assert_eq!(one.stats(), other.stats(), "{}", problem.title);
    }
}

#[test]
fn rows_do_not_allocate() {
    for problem in [chain::planar(3, Joints::default()), by_name("sleigh_bowl").expect("known"), spring(1e6)] {
        let mut integrator = integrator(&problem, &RungeKutta::default(), 1e-6).expect("fits");
        integrator.show_at(&grid(&problem, 200)).expect("numbers");
        let (mut taken, mut rows) = (Vec::with_capacity(1000), 0);
        struct Count<'c>(&'c mut Vec<u64>, &'c mut u64);
        impl Observer for Count<'_> {
            fn on_step(&mut self, _: &mut Accepted) -> ControlFlow<()> {
                self.0.push(crate::counting::allocations());
                ControlFlow::Continue(())
            }
            fn on_row(&mut self, _: &State) -> ControlFlow<()> {
                *self.1 += 1;
                ControlFlow::Continue(())
            }
        }
        integrator.run(problem.t_end, &mut Count(&mut taken, &mut rows)).expect("reaches the end");
        // Room is made when it is first needed.
        let (first, last) = (taken[taken.len() / 2], taken[taken.len() - 1]);
        assert!(rows == 199 && last == first, "{}: {} allocations, {rows} rows", problem.title, last - first);
    }
    assert!(crate::counting::allocations() > 0, "the counter counts");
}

#[test]
fn rows_that_are_not_numbers_are_refused_and_those_outside_ignored() {
    let problem = by_name("pendulum").expect("known");
    let mut integrator = integrator(&problem, &RungeKutta::default(), 1e-6).expect("fits");
    assert_eq!(integrator.show_at(&[0.1, f64::NAN]).expect_err("not a number").index, 1);
    // Twice the same, before the start, at it, in no order, at the end and beyond.
    integrator.show_at(&[0.5, 0.25, 0.5, -1.0, 0.0, 1.0, 7.0]).expect("numbers");
    let mut log = Log::default();
    integrator.run(1.0, &mut log).expect("reaches the end");
    let times: Vec<f64> = log.rows.iter().map(|row| row.t).collect();
    assert_eq!(times, [0.25, 0.5, 1.0]);
    assert_eq!(log.rows[2], *integrator.state());
}

#[test]
fn rows_equally_far_apart_are_those_of_a_list() {
    let problem = by_name("pendulum").expect("known");
    let run = |rows: &dyn Fn(&mut Integrator)| {
        let mut integrator = integrator(&problem, &RungeKutta::default(), 1e-6).expect("fits");
        rows(&mut integrator);
        let mut log = Log::default();
        integrator.run(1.0, &mut log).expect("reaches the end");
        (log.rows, integrator.stats())
    };
    let list: Vec<f64> = (1..=33).map(|k| 0.03 * f64::from(k)).collect();
    let listed = run(&|integrator| integrator.show_at(&list).expect("numbers"));
    let even = run(&|integrator| integrator.show_every(0.0, 0.03, 33).expect("numbers"));
    assert!(listed.0.len() == 33 && listed == even);
    // Both together, in any order.
    let both = run(&|integrator| {
        integrator.show_every(0.0, 0.03, 33).expect("numbers");
        integrator.show_at(&[0.3, 0.5]).expect("numbers");
    });
    let turned = run(&|integrator| {
        integrator.show_at(&[0.3, 0.5]).expect("numbers");
        integrator.show_every(0.0, 0.03, 33).expect("numbers");
    });
    assert!(both.0.len() == 34 && both == turned);
    let mut integrator = integrator(&problem, &RungeKutta::default(), 1e-6).expect("fits");
    for (from, every, place) in [(f64::NAN, 1.0, 0), (0.0, 0.0, 1), (0.0, -1.0, 1), (0.0, f64::INFINITY, 1)] {
        assert_eq!(integrator.show_every(from, every, 3).expect_err("no times").index, place);
    }
    assert_eq!(integrator.show_every(0.0, 1e308, 30).expect_err("too late").index, 2);
}
