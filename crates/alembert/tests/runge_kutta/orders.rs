//! Orders at fixed steps.

use alembert::RungeKutta;
use alembert::method::{Projection, Tableau};

use crate::common::{distance, fixed, problem};

/// Observed orders of q, v, the method's own multipliers and the reported ones, between the last two of the steps.
fn orders(name: &str, scheme: &RungeKutta, steps: &[usize], span: f64) -> [f64; 4] {
    let p = problem(name);
    let t_end = p.start.t + span;
    let exact = p.reference_at(t_end);
    let exact_mu = [exact.lambda.as_slice(), &exact.psi].concat();
    let mut errors = Vec::new();
    for &n in steps {
        let run = fixed(&p, scheme, span / n as f64, t_end);
        let mu = [run.state.lambda.as_slice(), &run.state.psi].concat();
        errors.push([
            distance(&run.state.q, &exact.q),
            distance(&run.state.v, &exact.v),
            distance(&run.own_mu, &exact_mu),
            distance(&mu, &exact_mu),
        ]);
    }
    let (coarse, fine) = (errors[errors.len() - 2], errors[errors.len() - 1]);
    let ratio = (steps[steps.len() - 1] as f64 / steps[steps.len() - 2] as f64).log2();
    let orders = [0, 1, 2, 3].map(|i| (coarse[i] / fine[i]).log2() / ratio);
    println!(
        "{name:>14} s={} {:5.2} {:5.2} {:5.2} {:5.2}  errors {:.1e} {:.1e} {:.1e} {:.1e}",
        scheme.tableau().stages(),
        orders[0], orders[1], orders[2], orders[3], fine[0], fine[1], fine[2], fine[3]
    );
    orders
}

fn radau(stages: usize) -> RungeKutta {
    RungeKutta::radau(stages).expect("in range")
}

#[test]
fn projected_radau() {
    for (name, span, two, three) in [
        ("pendulum", 1.0, [64, 128], [16, 32]),
        ("paper1", 1.0, [64, 128], [16, 32]),
        ("paper3", 1.0, [64, 128], [16, 32]),
        ("sleigh_bowl", 1.0, [64, 128], [16, 32]),
        ("rheonomic_pendulum", 1.0, [64, 128], [32, 64]),
        ("paper5_sphere", 0.4, [32, 64], [8, 16]),
        ("polar_oscillator", 1.0, [64, 128], [16, 32]),
    ] {
        orders(name, &radau(2), &two, span);
        orders(name, &radau(3), &three, span);
    }
}

#[test]
fn others() {
    for name in ["pendulum", "sleigh_bowl"] {
        for (label, tableau) in [
            ("radau iia 2", Tableau::radau_iia(2)),
            ("radau iia 3", Tableau::radau_iia(3)),
            ("radau ia 2", Tableau::radau_ia(2)),
            ("radau ia 3", Tableau::radau_ia(3)),
            ("lobatto 3", Tableau::lobatto_iiic(3)),
            ("lobatto 4", Tableau::lobatto_iiic(4)),
            ("gauss 2", Tableau::gauss(2)),
            ("gauss 3", Tableau::gauss(3)),
        ] {
            for projection in [Projection::Off, Projection::Full] {
                print!("{label} {projection:?} ");
                let scheme = RungeKutta::with_tableau(tableau.clone()).with_projection(projection).allow_violations();
                orders(name, &scheme, &[32, 64], 1.0);
            }
        }
    }
}
