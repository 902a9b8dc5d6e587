//! One run, and its largest errors at a few times: at a single time an error may happen to pass through zero.

#![allow(dead_code)] // several test binaries share this file, and each uses its part

#[path = "../common/forms.rs"]
mod forms;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use alembert::method::Scheme;
use alembert::{Accepted, FixedSteps, Guess, Integrator, State, Stats, Tolerance};
use alembert_problems::{Problem, by_name};
use forms::Form;

/// Where errors are measured, as fractions of the run.
const SAMPLES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

pub const CONSTANT: &[f64] = &[1.0];
pub const ALTERNATING: &[f64] = &[2.0 / 3.0, 4.0 / 3.0];
/// 1/4 and 3/4 of two mean steps; 2/11, 3/11 and 6/11 of three.
pub const QUARTERS: &[f64] = &[0.5, 1.5];
pub const ELEVENTHS: &[f64] = &[6.0 / 11.0, 9.0 / 11.0, 18.0 / 11.0];

/// What is measured: the reported state, all at t_n.
pub const NAMES: [&str; 5] = ["q", "v", "a", "lambda", "psi"];
pub type Errors = [Option<f64>; NAMES.len()];

pub fn guess_of(problem: &Problem) -> Guess {
    let start = &problem.start;
    Guess::new(start.t, start.q.clone(), start.v.clone()).with_multipliers(start.lambda.clone(), start.psi.clone())
}

/// The problem called `name`; "... sparse" is the one of that name with patterns and sparse matrices.
pub fn problem(name: &str) -> Problem {
    let Some(dense) = name.strip_suffix(" sparse") else { return by_name(name).expect("known") };
    let Problem { system, start, t_end, title, reference, energy, name } = by_name(dense).expect("known");
    let system = Box::new(Form::sparse(system, &start.q));
    Problem { name, title, system, start, t_end, reference, energy }
}

fn run(
    scheme: &dyn Scheme,
    name: &str,
    h: f64,
    pattern: &[f64],
    tolerance: f64,
    mut look: impl FnMut(&Problem, &Accepted),
) -> Stats {
    let problem = problem(name);
    let start = alembert::consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let t_end = start.t + problem.t_end.min(1.0);
    let steps = FixedSteps::pattern(h, pattern).expect("positive");
    let tolerance = Tolerance::new(tolerance, tolerance).expect("in range");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("starts");
    integrator
        .run(t_end, &mut |step: &Accepted| {
            if SAMPLES.iter().any(|part| (step.state.t - start.t - part * (t_end - start.t)).abs() < 1e-9) {
                look(&problem, step);
            }
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|e| panic!("{} on {name}: {e}", scheme.name()));
    integrator.stats()
}

/// The reference, computed once for each problem and time.
fn reference(problem: &Problem, t: f64) -> State {
    static KNOWN: Mutex<BTreeMap<(&str, u64), State>> = Mutex::new(BTreeMap::new());
    let key = (problem.name, (t * 1e9).round() as u64);
    if let Some(state) = KNOWN.lock().expect("not poisoned").get(&key) {
        return state.clone();
    }
    let state = problem.reference_at((t * 1e9).round() * 1e-9);
    KNOWN.lock().expect("not poisoned").insert(key, state.clone());
    state
}

pub fn stats(scheme: &dyn Scheme, name: &str, h: f64, pattern: &[f64], tolerance: f64) -> Stats {
    run(scheme, name, h, pattern, tolerance, |_, _| {})
}

pub fn errors(scheme: &dyn Scheme, name: &str, h: f64, pattern: &[f64]) -> Errors {
    let mut errors: Errors = [None; NAMES.len()];
    run(scheme, name, h, pattern, 1e-13, |problem, step| {
        let exact = reference(problem, step.state.t);
        let state = step.state;
        let pairs = [
            (&state.q, &exact.q),
            (&state.v, &exact.v),
            (&state.a, &exact.a),
            (&state.lambda, &exact.lambda),
            (&state.psi, &exact.psi),
        ];
        for (error, (x, y)) in errors.iter_mut().zip(pairs).filter(|(_, (x, _))| !x.is_empty()) {
            let distance = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            *error = Some(error.unwrap_or(0.0).max(distance));
        }
    });
    errors
}
