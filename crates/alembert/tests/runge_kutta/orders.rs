//! Orders at fixed steps: q, v, the method's own multipliers, and the reported ones.

use alembert::RungeKutta;
use alembert::method::{Projection, Tableau};
use alembert_problems::Problem;

use super::common::{distance, fixed, problem};
use super::systems;

/// Observed orders between `steps` and twice as many.
fn orders(p: &Problem, scheme: &RungeKutta, steps: usize, span: f64) -> [f64; 4] {
    let t_end = p.start.t + span;
    let exact = p.reference_at(t_end);
    let exact_mu = [exact.lambda.as_slice(), &exact.psi].concat();
    let errors = [steps, 2 * steps].map(|n| {
        let run = fixed(p, scheme, span / n as f64, t_end);
        let mu = [run.state.lambda.as_slice(), &run.state.psi].concat();
        let (q, v) = (distance(&run.state.q, &exact.q), distance(&run.state.v, &exact.v));
        [q, v, distance(&run.own_mu, &exact_mu), distance(&mu, &exact_mu)]
    });
    let orders = [0, 1, 2, 3].map(|i| (errors[0][i] / errors[1][i]).log2());
    println!(
        "{:>20} {} stages, {steps:3} steps: orders {:5.2} {:5.2} {:5.2} {:5.2}, errors {:.1e} {:.1e} {:.1e} {:.1e}",
        p.name,
        scheme.tableau().stages(),
        orders[0],
        orders[1],
        orders[2],
        orders[3],
        errors[1][0],
        errors[1][1],
        errors[1][2],
        errors[1][3]
    );
    orders
}

/// Each expected order within 0.15; the own multipliers of a coarse run within 0.4.
fn check(p: &Problem, scheme: &RungeKutta, steps: usize, span: f64, expected: [f64; 4]) {
    let orders = orders(p, scheme, steps, span);
    for (i, (order, expected)) in orders.into_iter().zip(expected).enumerate() {
        let slack = if i == 2 { 0.45 } else { 0.15 };
        assert!(expected.is_nan() || (order - expected).abs() < slack, "{}: {orders:?}", p.name);
    }
}

fn radau(stages: usize) -> RungeKutta {
    RungeKutta::radau(stages).expect("in range")
}

/// q, v and the reported multipliers 2s - 1; the method's own multipliers s - 1.
#[test]
fn projected_radau_is_superconvergent() {
    for (name, span, steps) in [
        ("pendulum", 1.0, 16),
        ("paper3", 1.0, 16),
        ("sleigh_bowl", 1.0, 16),
        ("rheonomic_pendulum", 1.0, 32),
        ("paper5_sphere", 0.4, 8),
    ] {
        check(&problem(name), &radau(2), 4 * steps, span, [3.0, 3.0, 1.0, 3.0]);
        check(&problem(name), &radau(3), steps, span, [5.0, 5.0, 2.0, 5.0]);
    }
    let none = f64::NAN;
    check(&problem("polar_oscillator"), &radau(2), 64, 1.0, [3.0, 3.0, none, none]);
    check(&problem("polar_oscillator"), &radau(3), 16, 1.0, [5.0, 5.0, none, none]);
}

/// A general rate that depends on q, with a constraint.
#[test]
fn rates_that_depend_on_q() {
    let p = systems::geared_pendulums();
    // The gearing is linear in the angles: the method's own multipliers lose nothing.
    check(&p, &radau(2), 64, 1.0, [3.0, 3.0, 3.0, 3.0]);
    check(&p, &radau(3), 8, 1.0, [5.0, 5.0, 5.0, 5.0]);
}

/// Where the reaction is nonlinear in lambda, squares of the stages' O(h^(s-1)) errors of lambda act on the motion:
/// order 2s - 2.
#[test]
fn nonlinear_reactions_cost_an_order() {
    let p = problem("paper1");
    check(&p, &radau(2), 128, 1.0, [2.0, 2.0, 1.0, 2.0]);
    check(&p, &radau(3), 32, 1.0, [4.0, 4.0, 2.0, 4.0]);
}

/// What the projection gives to v of stiffly accurate tableaus, and takes from q of others.
#[test]
fn projection_gives_and_takes() {
    let none = f64::NAN;
    let p = problem("sleigh_bowl");
    for (tableau, off, full) in [
        (Tableau::radau_iia(3), [5.0, 3.0, 2.0, none], [5.0, 5.0, 2.0, 5.0]),
        (Tableau::lobatto_iiic(3), [4.0, 2.0, 1.0, none], [4.0, 4.0, 1.0, 4.0]),
        (Tableau::radau_ia(3), [3.0, 2.0, none, none], [2.0, 2.0, 1.0, 2.0]),
        (Tableau::radau_ia(2), [2.0, 1.0, 0.0, none], [1.0, 1.0, 0.0, 1.0]),
        (Tableau::gauss(3), [4.0, 2.0, 0.0, none], [3.0, 3.0, 2.0, 3.0]),
    ] {
        for (projection, expected) in [(Projection::Off, off), (Projection::Full, full)] {
            let scheme = RungeKutta::with_tableau(tableau.clone()).with_projection(projection).allow_violations();
            check(&p, &scheme, 32, 1.0, expected);
        }
    }
}
