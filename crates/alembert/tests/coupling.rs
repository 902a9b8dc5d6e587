//! The ways to solve both halves of a SOI2 step together: all lead to the same motion, and each needs no more iterations
//! than its matrix should. A wrong block of a matrix changes nothing but the iterations.

use alembert::method::{Coupling, Output};
use alembert::{
    Dims, ErrorControl, FixedSteps, Functions, GeneralizedAlpha, Guess, Integrator, State, Tolerance, Unobserved,
    consistent,
};
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

/// Two bars of masses 1 and 2 that hang from each other, in Cartesian coordinates and without patterns, with a damper at the end of
/// each and one between them.
fn damped_bars(damping: f64) -> Functions<'static> {
    Functions::new(Dims { q: 4, v: 4, lambda: 2, psi: 0 })
        .mass(|_, _, mass| {
            for (i, m) in [1.0, 1.0, 2.0, 2.0].into_iter().enumerate() {
                mass[5 * i] = m;
            }
        })
        .force(move |_, _, v, force| {
            for i in 0..2 {
                let between = damping * (v[2 + i] - v[i]);
                force[i] = between - 0.1 * v[i];
                force[2 + i] = -between - 0.3 * v[2 + i];
            }
            force[1] -= 9.81;
            force[3] -= 2.0 * 9.81;
        })
        .holonomic(|_, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
            g[1] = (q[2] - q[0]).powi(2) + (q[3] - q[1]).powi(2) - 1.0;
        })
}

/// The end of a swing of 100 steps and its iterations.
fn damped_swing(system: &Functions, coupling: Coupling, output: Output, fixed: bool) -> (State, u64) {
    let guess = Guess::new(0.0, vec![0.8, -0.6, 1.6, -1.2], vec![0.6, 0.8, 1.2, 1.6]);
    let start = consistent(system, &guess).expect("consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let scheme = soi2.with_output(output).with_coupling(coupling);
    let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
    let mut integrator = if fixed {
        let steps = FixedSteps::new(1e-3).expect("positive");
        Integrator::new(system, &start, &scheme, steps, tolerance).expect("suits")
    } else {
        Integrator::new(system, &start, &scheme, ErrorControl::default(), tolerance).expect("suits")
    };
    let what = format!("{coupling:?}, {output:?}, fixed {fixed}");
    integrator.run(0.1, &mut Unobserved).unwrap_or_else(|e| panic!("{what}: {e}"));
    (integrator.state().clone(), integrator.stats().iterations)
}

#[test]
fn dense_systems_with_dampers_can_be_solved_in_every_way() {
    for damping in [0.5, 50.0] {
        let system = damped_bars(damping);
        for fixed in [true, false] {
            for output in [Output::Own, Output::Consistent] {
                let (reference, most) = damped_swing(&system, Coupling::TwoMatrices, output, fixed);
                for coupling in [Coupling::Automatic, Coupling::OneMatrix, Coupling::Doubled] {
                    if coupling == Coupling::OneMatrix && damping > 1.0 {
                        // It is for weak damping only.
                        continue;
                    }
                    let (state, iterations) = damped_swing(&system, coupling, output, fixed);
                    let apart = state.q.iter().zip(&reference.q).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                    let what = format!("{damping}, {coupling:?}, {output:?}, fixed {fixed}");
                    assert!(apart < 1e-8, "{what}: {apart:e}");
                    // Nothing is left out of the doubled matrix, and little of the two.
                    assert!(
                        coupling == Coupling::OneMatrix || iterations <= most + most / 10,
                        "{what}: {iterations}, {most}"
                    );
                }
            }
        }
    }
}
