//! The ways to solve both halves of a SOI2 step together: all lead to the same motion, and each needs no more iterations
//! than its matrix should. A wrong block of a matrix changes nothing but the iterations.

use alembert::method::{Coupling, Output};
use alembert::{FixedSteps, GeneralizedAlpha, Guess, Integrator, State, Tolerance, Unobserved, consistent};
use alembert_problems::long_chain::{self, Loads};

const BARS: usize = 30;

/// The end of a swing of 40 steps, its iterations and linearisations.
fn swing(loads: Loads, h: f64, coupling: Coupling) -> (State, u64, u64) {
    let problem = long_chain::new(BARS, loads);
    // A whip: each bar turns faster than the one before, so that Gamma matters.
    let mut v = problem.start.v.clone();
    let (mut tip, q) = ([0.0; 2], &problem.start.q);
    for (i, v) in v.chunks_exact_mut(3).enumerate() {
        let ((sin, cos), spin) = (q[3 * i + 2].sin_cos(), 4.0 * (1.0 + (i as f64).sin()));
        let turn = [-0.5 * sin * spin, 0.5 * cos * spin];
        v.copy_from_slice(&[tip[0] + turn[0], tip[1] + turn[1], spin]);
        tip = [tip[0] + 2.0 * turn[0], tip[1] + 2.0 * turn[1]];
    }
    let start = consistent(&*problem.system, &Guess::new(0.0, q.clone(), v)).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let scheme = soi2.with_output(Output::Own).with_coupling(coupling);
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, tolerance).expect("suits");
    integrator.run(40.0 * h, &mut Unobserved).unwrap_or_else(|e| panic!("{coupling:?}: {e}"));
    let stats = integrator.stats();
    (integrator.state().clone(), stats.iterations, stats.linearizations)
}

#[test]
fn each_way_takes_its_iterations_and_leads_to_the_same_motion() {
    let free = Loads::default();
    let stiff = Loads { stiffness: 1e4, damping: 1e2, coriolis: 1.0, follower: 5.0 };
    // Most iterations and linearisations; without damping two matrices leave nothing out either.
    let cases = [
        (free, 1e-3, vec![(Coupling::TwoMatrices, 180, 17), (Coupling::OneMatrix, 210, 25)]),
        (free, 4e-3, vec![(Coupling::TwoMatrices, 235, 40), (Coupling::OneMatrix, 420, 260)]),
        (stiff, 1e-3, vec![(Coupling::TwoMatrices, 185, 11)]),
        (stiff, 4e-3, vec![(Coupling::TwoMatrices, 245, 17)]),
    ];
    for (loads, h, others) in cases {
        let (_, most, dear) = others[0];
        let (reference, iterations, linearizations) = swing(loads, h, Coupling::Doubled);
        let doubled = format!("{loads:?}, h = {h}, doubled: {iterations} and {linearizations}");
        assert!(iterations <= most && linearizations <= dear, "{doubled}");
        for (coupling, most, dear) in others.into_iter().chain([(Coupling::Automatic, most, 60)]) {
            let (state, iterations, linearizations) = swing(loads, h, coupling);
            let other = format!("{loads:?}, h = {h}, {coupling:?}: {iterations} and {linearizations}");
            assert!(iterations <= most && linearizations <= dear, "{other}");
            let apart = state.q.iter().zip(&reference.q).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(apart < 1e-8, "{other}, {apart:e}");
        }
    }
}
