//! Alpha methods under error control: the error is of the size of the tolerance, few steps are rejected.

#[path = "conformance/run.rs"]
mod run;

use std::collections::BTreeMap;
use std::sync::Mutex;

use alembert::method::Scheme;
use alembert::{ErrorControl, GeneralizedAlpha, HhtAlpha, Integrator, State, Stats, Tolerance, consistent};
use alembert_problems::{Problem, Reference};
use run::guess_of;

/// Largest error of q, relative to 1 + |q|, and what it cost.
fn controlled(scheme: &dyn Scheme, name: &str, tol: f64) -> (f64, Stats) {
    let problem = alembert_problems::by_name(name).expect("known");
    let start = consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let exact = references(&problem);
    let speed = exact.iter().flat_map(|state| &state.v).fold(1.0_f64, |max, v| max.max(v.abs()));
    let tolerance = Tolerance { rtol: tol, atol_q: tol, atol_v: tol * speed };
    let mut integrator =
        Integrator::new(&*problem.system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
    let mut error = 0.0_f64;
    let (t_end, mut between) = (exact[exact.len() - 1].t, State::clone(&start));
    for exact in &exact {
        // Not landing on these times leaves the steps alone.
        while integrator.state().t < exact.t - 1e-12 {
            integrator.step(t_end).unwrap_or_else(|e| panic!("{name} at {tol:e}: {e}"));
        }
        integrator.interpolate(exact.t, &mut between);
        let q = between.q.iter().zip(&exact.q);
        error = q.fold(error, |max, (x, y)| max.max((x - y).abs() / (1.0 + y.abs())));
    }
    (error, integrator.stats())
}

/// Known states, or those at a few times: at one alone an error may happen to pass through zero.
fn references(problem: &Problem) -> Vec<State> {
    static KNOWN: Mutex<BTreeMap<&str, Vec<State>>> = Mutex::new(BTreeMap::new());
    let span = problem.t_end - problem.start.t;
    let compute = || match &problem.reference {
        Reference::EndValue { states, .. } => states.clone(),
        _ => (1..=4).map(|k| problem.reference_at(problem.start.t + span * f64::from(k) / 4.0)).collect(),
    };
    KNOWN.lock().expect("not poisoned").entry(problem.name).or_insert_with(compute).clone()
}

#[test]
fn the_error_follows_the_tolerance() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.6).expect("in range");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let cases: [(&dyn Scheme, &str); 6] = [
        (&soi2, "sleigh_bowl"),
        (&soi2, "heavy_top"),
        (&soi2, "spring_pendulum"),
        (&soi2, "paper1"),
        (&hht, "spring_pendulum"),
        (&hht, "paper1"),
    ];
    for (scheme, name) in cases {
        let scaled: Vec<f64> = (3..=6)
            .map(|digits| {
                let tol = 10f64.powi(-digits);
                let (error, stats) = controlled(scheme, name, tol);
                assert!(stats.rejected * 20 <= stats.steps, "{name} at {tol:e}: {stats}");
                assert_eq!(stats.failed, 0, "{name} at {tol:e}: {stats}");
                assert!(stats.residuals.position.max(stats.residuals.velocity) < 1e-11, "{name}: {stats}");
                error / tol
            })
            .collect();
        let (least, most) = scaled.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
        assert!(most < 3.0 * least && most < 3.0, "{} on {name}: error / tol = {scaled:?}", scheme.name());
    }
}

/// Least and largest factor between the errors and the straight line through them, both axes logarithmic; and its slope.
fn line(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.log10(), y.log10())).collect();
    let n = points.len() as f64;
    let (cx, cy) = logarithms.iter().fold((0.0, 0.0), |(cx, cy), (x, y)| (cx + x / n, cy + y / n));
    let (mut top, mut bottom) = (0.0, 0.0);
    for (x, y) in &logarithms {
        top += (x - cx) * (y - cy);
        bottom += (x - cx) * (x - cx);
    }
    let slope = top / bottom;
    let off = logarithms.iter().map(|(x, y)| 10f64.powf(y - cy - slope * (x - cx)));
    let (least, most) = off.fold((f64::INFINITY, 0.0_f64), |(least, most), x| (least.min(x), most.max(x)));
    (least, most, slope)
}

#[test]
fn hard_problems_follow_the_tolerance_too() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.6).expect("in range");
    for name in ["andrews", "car_axis", "slider_crank", "rolling_disk"] {
        let points: Vec<(f64, f64)> = (3..=6)
            .map(|digits| {
                let tol = 10f64.powi(-digits);
                let (error, stats) = controlled(&soi2, name, tol);
                assert!(stats.rejected * 20 <= stats.steps, "{name} at {tol:e}: {stats}");
                assert_eq!(stats.failed, 0, "{name} at {tol:e}: {stats}");
                (tol, error)
            })
            .collect();
        let (least, most, slope) = line(&points);
        println!("{name}: slope {slope:.2}, from {least:.2} to {most:.2} of the line, {points:?}");
        assert!(slope > 0.9, "{name}: slope {slope}, {points:?}");
        assert!(points.iter().all(|(tol, error)| *error < 10.0 * tol), "{name}: {points:?}");
        assert!(least > 1.0 / 3.0 && most < 3.0, "{name}: {least} to {most} of the line, {points:?}");
    }
}

/// A first step of a fifth of the period: the estimate there is small by chance, the error is not.
#[test]
fn a_first_step_that_is_far_too_long_is_not_believed() {
    let problem = alembert_problems::by_name("pendulum_horizontal").expect("known");
    let start = consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    for tol in [1e-6, 1e-8] {
        let error = |control: ErrorControl| {
            let tolerance = Tolerance::new(tol, tol).expect("in range");
            let mut integrator =
                Integrator::new(&*problem.system, &start, &scheme, control, tolerance).expect("starts");
            integrator.run(1.0, &mut alembert::Unobserved).expect("runs");
            let exact = problem.reference_at(1.0);
            integrator.state().q.iter().zip(&exact.q).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()))
        };
        let (own, users) =
            (error(ErrorControl::new()), error(ErrorControl::new().with_first_step(0.5).expect("positive")));
        assert!(users < 3.0 * own, "{users:e} and {own:e} at {tol:e}");
    }
}
