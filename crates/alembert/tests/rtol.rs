//! One meaning of rtol: the error of a result is of the size of the tolerance, with every method; where rounding does not allow it, the
//! result says so.

use std::f64::consts::PI;

use alembert::method::{Accumulation, Scheme};
use alembert::verdict::Concern;
use alembert::{
    ErrorControl, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha, Integrator, RungeKutta, State, Tolerance, Unobserved,
    VariableBdf, consistent,
};
use alembert_problems::{Problem, by_name};

const SMOOTH: [&str; 9] = [
    "oscillator",
    "free_body",
    "pendulum",
    "andrews",
    "car_axis",
    "paper1",
    "rheonomic_pendulum",
    "heavy_top",
    "spatial_pendulum",
];

fn soi2() -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")
}

fn hht() -> HhtAlpha {
    HhtAlpha::new(-0.1).expect("in range")
}

fn prepare<'s>(problem: &'s Problem, scheme: &dyn Scheme, control: ErrorControl, tol: f64) -> Integrator<'s> {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    Integrator::new(&*problem.system, &start, scheme, control, tolerance).expect("suits")
}

/// Largest error of q and v at a few times, over tol (1 + size).
fn ratio(problem: &Problem, exact: &[State], scheme: &dyn Scheme, tol: f64) -> f64 {
    let mut integrator = prepare(problem, scheme, ErrorControl::new(), tol);
    let (mut error, mut size) = ([0.0_f64; 2], [1.0_f64; 2]);
    for exact in exact {
        integrator.run(exact.t, &mut Unobserved).unwrap_or_else(|e| panic!("{} {tol:e}: {e}", problem.name));
        let state = integrator.state();
        for (i, (x, y)) in [(&state.q, &exact.q), (&state.v, &exact.v)].into_iter().enumerate() {
            for (x, y) in x.iter().zip(y) {
                error[i] = error[i].max((x - y).abs());
                size[i] = size[i].max(1.0 + y.abs());
            }
        }
    }
    (error[0] / size[0]).max(error[1] / size[1]) / tol
}

#[test]
fn errors_are_of_the_size_of_the_tolerance() {
    let schemes: [(Box<dyn Scheme>, &[i32]); 4] = [
        (Box::new(soi2()), &[3, 4, 5]),
        (Box::new(hht()), &[3, 4, 5]),
        (Box::new(VariableBdf::new()), &[3, 5, 7, 8]),
        (Box::new(RungeKutta::default()), &[5, 7, 9]),
    ];
    let problems: Vec<Problem> = SMOOTH.iter().map(|name| by_name(name).expect("known")).collect();
    let exact: Vec<Vec<State>> = problems
        .iter()
        .map(|problem| {
            let (from, span) = (problem.start.t, problem.t_end - problem.start.t);
            (1..=4).map(|part| problem.reference_at(from + span * f64::from(part) / 4.0)).collect()
        })
        .collect();
    for (scheme, digits) in schemes {
        let mut ratios = Vec::new();
        for (problem, exact) in problems.iter().zip(&exact) {
            for digits in digits {
                let ratio = ratio(problem, exact, &*scheme, 10f64.powi(-digits));
                assert!(ratio < 30.0, "{} on {} at 1e-{digits}: {ratio}", scheme.name(), problem.name);
                ratios.push(ratio);
            }
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        assert!((0.05..3.0).contains(&median), "{}: median {median}, {ratios:?}", scheme.name());
    }
}

/// The tolerance of each step is what follows from that of the result: the same run, bit for bit.
#[test]
fn per_step_is_the_same_run_under_another_name() {
    let problem = by_name("pendulum").expect("known");
    let (tol, of_steps) = (1e-4, [0.1 * 1e-4_f64.powf(1.5), 0.3 * 1e-4_f64.powf(1.5), 0.1 * 1e-4_f64.powf(1.2)]);
    let schemes: [Box<dyn Scheme>; 3] = [Box::new(soi2()), Box::new(hht()), Box::new(VariableBdf::new())];
    for (scheme, of_steps) in schemes.iter().zip(of_steps) {
        let run = |control: ErrorControl, tol: f64| {
            let mut integrator = prepare(&problem, &**scheme, control, tol);
            integrator.run(2.0, &mut Unobserved).expect("runs");
            (integrator.state().q.clone(), integrator.stats().steps)
        };
        let ((q, steps), (named, count)) =
            (run(ErrorControl::new(), tol), run(ErrorControl::new().per_step(), of_steps));
        assert!(steps.abs_diff(count) <= 1, "{}: {steps} {count}", scheme.name());
        assert!(q.iter().zip(&named).all(|(x, y)| (x - y).abs() < 1e-9), "{}: {q:?} {named:?}", scheme.name());
        assert!(run(ErrorControl::new().per_step(), tol).1 < steps, "{}", scheme.name());
    }
}

/// Prescribed steps know no error: their tolerance is that of Newton's method, and stays what it is.
#[test]
fn prescribed_steps_are_what_they_were() {
    let problem = by_name("pendulum").expect("known");
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-12, 1e-12).expect("in range");
    let steps = FixedSteps::new(0.01).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &soi2(), steps, tolerance).expect("suits");
    integrator.run(1.0, &mut Unobserved).expect("runs");
    assert_eq!(integrator.summary().accumulation, Accumulation::NONE);
    assert_eq!(integrator.stats().steps, 100);
}

#[test]
fn a_tolerance_that_rounding_does_not_allow_is_told() {
    let problem = by_name("oscillator").expect("known");
    let schemes: [(Box<dyn Scheme>, f64, &str); 3] = [
        (Box::new(soi2()), 1e-8, "1e-8"),
        (Box::new(hht()), 5e-9, "5e-9"),
        (Box::new(VariableBdf::new()), 7e-10, "7e-10"),
    ];
    for (scheme, least, words) in schemes {
        let warning = |tol: f64| {
            let mut integrator = prepare(&problem, &*scheme, ErrorControl::new(), tol);
            integrator.run(1e-2 * PI, &mut Unobserved).expect("runs");
            let warnings = integrator.summary().warnings();
            warnings.into_iter().find(|warning| warning.concern == Concern::Rounding).map(|warning| warning.to_string())
        };
        assert_eq!(warning(least), None, "{}", scheme.name());
        let told = warning(0.1 * least).expect("too fine");
        assert!(told.contains("Radau") && told.contains(words) && told.contains(scheme.name()), "{told}");
    }
    let mut radau = prepare(&problem, &RungeKutta::default(), ErrorControl::new(), 1e-12);
    radau.run(1.0, &mut Unobserved).expect("runs");
    assert!(radau.summary().warnings().is_empty());
}
