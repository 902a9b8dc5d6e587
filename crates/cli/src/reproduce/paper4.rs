//! The experiments of paper 4 (Schropp, "Projected Runge-Kutta methods for differential algebraic equations of index 3").
//!
//! The counts are those the paper prints. Errors of projected RADAU5, and its evaluations at given errors, come from
//! running the original program again, which gives the paper's counts; those with one digit are known no better.
//!
//! The pendulum has the force -u lambda of the paper's tables, not the printed -2 u lambda.

use alembert::State;
use alembert::method::Tableau;

use super::drift::{Drift, Levels};
use super::effort::{EffortTable, Printed, Rival};
use super::experiment::Experiment;
use super::modelled;
use super::orders::{Candidate, Orders};
use super::trajectory::{Coordinate, Trajectory};

/// The paper's [0, 20] and [0, 0.05].
const PENDULUM_END: f64 = 20.0;
const ANDREWS_END: f64 = 0.05;
/// rtol = atol of the paper's figures.
const FIGURE_TOLERANCE: f64 = 1e-8;

/// Every experiment, in the paper's order.
pub fn all() -> Vec<Box<dyn Experiment>> {
    let [fig2, fig3, fig5] = drifts();
    let [fig1, fig4] = trajectories();
    let [tab1, tab2] = tables();
    vec![
        Box::new(orders()),
        Box::new(fig1),
        Box::new(fig2),
        Box::new(fig3),
        Box::new(tab1),
        Box::new(fig4),
        Box::new(fig5),
        Box::new(tab2),
    ]
}

/// A tenth from each tolerance to the next.
fn decades() -> Vec<f64> {
    // Powers by their decimal text: the nearest number to each, as the tolerances of the tables are.
    [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12].to_vec()
}

fn tables() -> [EffortTable; 2] {
    let rivals = |known: [(f64, f64); 3]| known.map(|(error, evaluations)| Rival { error, evaluations }).to_vec();
    let printed = |tol, plain, projected, errors| Printed { tol, plain, projected, errors };
    let only_q = |error| [Some(error), None, None];
    [
        EffortTable {
            name: "4/tab1",
            title: "pendulum to t = 20: Radau IIA, 5 stages, beside the paper's RADAU5",
            problem: modelled::pendulum,
            t_end: PENDULUM_END,
            printed: vec![
                printed(1e-6, [2966, 276], [2580, 238], only_q(1e-4)),
                printed(1e-8, [6217, 570], [4996, 481], [Some(3.6e-6), Some(4.4e-6), Some(1.9e-3)]),
                printed(1e-10, [12979, 1124], [9963, 956], [None; 3]),
                printed(1e-12, [24531, 2225], [20576, 1912], [Some(4.2e-10), Some(4.7e-10), Some(8.7e-5)]),
            ],
            ladder: decades(),
            rivals: rivals([(1e-4, 2656.0), (1e-6, 6122.0), (1e-8, 13423.0)]),
            share: 0.45,
        },
        EffortTable {
            name: "4/tab2",
            title: "Andrews' mechanism to t = 0.05: Radau IIA, 5 stages, beside the paper's RADAU5",
            problem: modelled::andrews,
            t_end: ANDREWS_END,
            printed: vec![
                printed(1e-6, [2147, 138], [2073, 131], only_q(4e-3)),
                printed(1e-8, [3429, 241], [3251, 227], [None; 3]),
                printed(1e-10, [6098, 472], [5760, 447], [Some(6.0e-6), Some(3.5e-3), Some(0.64)]),
                printed(1e-12, [12078, 984], [11190, 926], only_q(4e-7)),
            ],
            ladder: decades(),
            rivals: rivals([(1e-4, 3055.0), (1e-5, 4879.0), (1e-6, 8638.0)]),
            share: 0.6,
        },
    ]
}

fn trajectories() -> [Trajectory; 2] {
    let coordinate = |index, name, symbol| Coordinate { index, name, symbol };
    [
        Trajectory {
            name: "4/fig1",
            title: "pendulum to t = 20, Radau IIA, 5 stages, tolerance 1e-8",
            problem: modelled::pendulum,
            t_end: PENDULUM_END,
            tol: FIGURE_TOLERANCE,
            limit: 1e-6,
            ordinate: "u",
            coordinates: vec![coordinate(0, "u1", "u₁"), coordinate(1, "u2", "u₂")],
            small: Vec::new(),
        },
        Trajectory {
            name: "4/fig4",
            title: "Andrews' mechanism to t = 0.05, Radau IIA, 5 stages, tolerance 1e-8",
            problem: modelled::andrews,
            t_end: ANDREWS_END,
            tol: FIGURE_TOLERANCE,
            limit: 1e-6,
            ordinate: "angle (rad)",
            coordinates: vec![
                coordinate(0, "beta", "β"),
                coordinate(1, "theta", "Θ"),
                coordinate(2, "gamma", "γ"),
                coordinate(3, "phi", "Φ"),
                coordinate(4, "delta", "δ"),
                coordinate(5, "omega", "Ω"),
                coordinate(6, "epsilon", "ε"),
            ],
            small: vec![2, 3, 4, 5, 6],
        },
    ]
}

/// The paper's d3 for the pendulum: the second derivative of g where the force is -u lambda.
fn pendulum_level(state: &State, lambda: &[f64]) -> f64 {
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    -2.0 * lambda[0] * square(&state.q) - 2.0 * state.q[1] + 2.0 * square(&state.v)
}

fn drifts() -> [Drift; 3] {
    let of_pendulum = |name, title, levels, rounding, smaller| Drift {
        name,
        title,
        problem: modelled::pendulum,
        t_end: PENDULUM_END,
        tol: FIGURE_TOLERANCE,
        levels,
        rounding,
        smaller,
    };
    [
        of_pendulum(
            "4/fig2",
            "pendulum: d1 and d2 of Radau IIA, 3 stages, tolerance 1e-8",
            Levels::PositionVelocity,
            vec![("d1", 1e-15), ("d2", 1e-15)],
            vec!["d1", "d2"],
        ),
        of_pendulum(
            "4/fig3",
            "pendulum: d3 of Radau IIA, 3 stages, tolerance 1e-8",
            Levels::Acceleration(pendulum_level),
            vec![("d3 reported", 1e-14)],
            Vec::new(),
        ),
        Drift {
            name: "4/fig5",
            title: "Andrews' mechanism: d1 and d2 of Radau IIA, 3 stages, tolerance 1e-8",
            problem: modelled::andrews,
            t_end: ANDREWS_END,
            tol: FIGURE_TOLERANCE,
            levels: Levels::PositionVelocity,
            // Lengths are a tenth, speeds ten and more: the rounding of sums of such terms.
            rounding: vec![("d1", 1e-15), ("d2", 1e-13)],
            smaller: vec!["d1", "d2"],
        },
    ]
}

fn orders() -> Orders {
    let candidate = |method, tableau, projected, steps: [u32; 4], orders: [f64; 4]| Candidate {
        method,
        tableau,
        projected,
        steps: steps.to_vec(),
        // Not a number: no claim.
        orders: orders.map(|order| Some(order).filter(|order| !order.is_nan())),
    };
    let none = f64::NAN;
    let (coarse, fine) = ([16, 32, 64, 128], [64, 128, 256, 512]);
    Orders {
        name: "4/orders",
        title: "pendulum to t = 2: orders with and without projection",
        problem: modelled::pendulum,
        t_end: 2.0,
        candidates: vec![
            candidate("Radau IIA 2", Tableau::radau_iia(2), true, fine, [3.0, 3.0, 1.0, 3.0]),
            candidate("Radau IIA 2", Tableau::radau_iia(2), false, fine, [3.0, 2.0, 1.0, none]),
            candidate("Radau IIA 3", Tableau::radau_iia(3), true, coarse, [5.0, 5.0, 2.0, 5.0]),
            candidate("Radau IIA 3", Tableau::radau_iia(3), false, coarse, [5.0, 3.0, 2.0, none]),
            candidate("Radau IA 3", Tableau::radau_ia(3), true, fine, [2.0, 2.0, 1.0, 2.0]),
            candidate("Radau IA 3", Tableau::radau_ia(3), false, fine, [3.0, 2.0, none, none]),
            candidate("Lobatto IIIC 3", Tableau::lobatto_iiic(3), true, coarse, [4.0, 4.0, 1.0, 4.0]),
            candidate("Lobatto IIIC 3", Tableau::lobatto_iiic(3), false, coarse, [4.0, 2.0, 1.0, none]),
        ],
        slack: [0.15, 0.15, 0.3, 0.15],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pendulum's table with a short ladder.
    fn small_table() -> EffortTable {
        let [mut table, _] = tables();
        table.printed.truncate(1);
        table.ladder = vec![1e-4, 1e-6, 1e-7];
        table.rivals.retain(|rival| rival.error == 1e-6);
        table
    }

    fn words(experiment: &dyn Experiment) -> (usize, String) {
        match experiment.run() {
            Ok(report) => (report.verdict.disagreements(), report.verdict.to_string()),
            Err(error) => (usize::MAX, error.to_string()),
        }
    }

    #[test]
    fn a_share_nobody_meets_disagrees() {
        let mut table = small_table();
        assert_eq!(words(&table).0, 0);
        table.share = 0.01;
        let (count, words) = words(&table);
        assert_eq!(count, 1);
        assert!(words.contains("disagrees: at error 1e-6 ") && words.contains("expected at most 0.01"), "{words}");
    }

    #[test]
    fn an_error_nobody_reaches_disagrees() {
        let mut table = small_table();
        table.rivals[0].error = 1e-20;
        let (count, words) = words(&table);
        assert_eq!(count, 1);
        assert!(words.contains("error 1e-20 was not reached"), "{words}");
    }

    #[test]
    fn a_wrong_order_disagrees() {
        let mut orders = orders();
        orders.candidates.truncate(1);
        orders.candidates[0].steps = vec![16, 32];
        assert_eq!(words(&orders).0, 0);
        orders.candidates[0].orders[0] = Some(4.0);
        let (count, words) = words(&orders);
        assert_eq!(count, 1);
        assert!(words.contains("Radau IIA 2 with projection, order of q: 2.9"), "{words}");
    }

    #[test]
    fn drift_beyond_rounding_disagrees() {
        let [mut fig2, _, _] = drifts();
        fig2.t_end = 1.0;
        fig2.rounding = vec![("d1", 1e-30), ("d7", 1.0)];
        let (count, words) = words(&fig2);
        assert_eq!(count, 2);
        assert!(words.contains("projected d1 grows to ") && words.contains("projected d7: not measured"), "{words}");
    }

    #[test]
    fn a_motion_that_ends_elsewhere_disagrees() {
        let [mut fig1, _] = trajectories();
        fig1.limit = 1e-30;
        let (count, words) = words(&fig1);
        assert_eq!(count, 2);
        assert!(words.contains("u1: error "), "{words}");
    }

    /// The paper's d3 vanishes on the exact solution.
    #[test]
    fn the_third_level_is_that_of_the_tables_force() {
        let exact = modelled::pendulum().reference_at(3.3);
        assert!(pendulum_level(&exact, &exact.lambda).abs() < 1e-13);
    }
}
