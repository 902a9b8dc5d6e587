//! The experiments of the papers, with the numbers an independent prototype found for them.
//!
//! Errors are those of the corrected problems (the errata are in the problems' files). Paper 3's figures are run twice:
//! with the previous-step mass matrix, as printed, and with the recomputed one, which is the library's default.

use alembert::method::{BadMethod, Form, GeneralizedAlpha, HhtAlpha, MassMatrix, Scheme, Start};

use super::convergence::{Acceleration, Convergence, Expected, ExpectedOrder, Measure};
use super::experiment::Experiment;
use super::modelled;
use super::motion::Motion;
use super::paper4;
use super::paper5;

const Q: usize = 0;
const V: usize = 1;
const A: usize = 2;
const LAMBDA: usize = 3;
const PSI: usize = 4;

/// The papers' steps h/3 and 2h/3 in turn, as fractions of the mean step: our h is half of theirs.
const ALTERNATING: &[f64] = &[2.0 / 3.0, 4.0 / 3.0];
const CONSTANT: &[f64] = &[1.0];

/// Steps from `h`, each half the one before.
fn halving(h: f64, count: i32) -> Vec<f64> {
    (0..count).map(|k| h * 0.5f64.powi(k)).collect()
}

/// Expected errors at one h, in the order of the variables.
fn at(h: f64, errors: &[(usize, f64)]) -> Vec<Expected> {
    errors.iter().map(|&(variable, error)| Expected { h, variable, error }).collect()
}

fn orders(variables: &[usize], order: f64, tolerance: f64) -> Vec<ExpectedOrder> {
    variables.iter().map(|&variable| ExpectedOrder { variable, order, tolerance }).collect()
}

/// Every experiment, in the order of the papers.
pub fn all() -> Result<Vec<Box<dyn Experiment>>, BadMethod> {
    let ladders = [paper_1()?, paper_2()?, paper_3()?];
    let ladders = ladders.into_iter().flatten().map(|ladder| Box::new(ladder) as Box<dyn Experiment>);
    Ok(ladders.chain(paper4::all()).chain(paper5::all()).collect())
}

fn paper_1() -> Result<Vec<Convergence>, BadMethod> {
    let hht = HhtAlpha::new(-0.15)?.with_b(0.3)?.with_start(Start::A0);
    let first = |name, title, scheme: HhtAlpha, pattern, rungs, expected, orders| Convergence {
        name,
        title,
        problem: modelled::paper1,
        scheme: Box::new(scheme),
        acceleration: Acceleration::Applied,
        measure: Measure::EndNorm,
        pattern,
        t_end: 1.0,
        ladder: halving(0.1, rungs),
        expected,
        orders,
        motion: None,
    };
    let pendulum = |name, title, alpha: f64, measure, t_end, expected, motion| -> Result<Convergence, BadMethod> {
        Ok(Convergence {
            name,
            title,
            problem: modelled::spring_pendulum,
            scheme: Box::new(HhtAlpha::new(alpha)?.with_start(Start::A0)),
            acceleration: Acceleration::Applied,
            measure,
            pattern: CONSTANT,
            t_end,
            ladder: halving(0.02, 7),
            expected,
            orders: orders(&[Q], 2.0, 0.05),
            motion,
        })
    };
    Ok(vec![
        first(
            "1/fig5.1",
            "extended HHT-alpha (3.4), alpha -0.15, b 0.3, constant steps",
            hht,
            CONSTANT,
            6,
            [
                at(0.1, &[(Q, 7.468e-3), (V, 3.368e-2), (A, 6.462e-3)]),
                at(0.025, &[(Q, 4.647e-4), (V, 2.093e-3), (A, 3.935e-4)]),
                at(0.003125, &[(Q, 7.284e-6), (V, 3.270e-5), (A, 6.106e-6)]),
            ]
            .concat(),
            orders(&[Q, V, A, LAMBDA], 2.0, 0.05),
        ),
        first(
            "1/fig5.2",
            "extended HHT-alpha (3.5), R1 at the predicted position, alpha -0.15, b 0.3",
            hht.with_form(Form::Predicted),
            CONSTANT,
            6,
            [
                at(0.1, &[(Q, 6.502e-3), (V, 3.135e-2), (A, 6.257e-3)]),
                at(0.003125, &[(Q, 6.313e-6), (V, 3.028e-5), (A, 5.892e-6)]),
            ]
            .concat(),
            orders(&[Q, V, A, LAMBDA], 2.0, 0.05),
        ),
        first(
            "1/fig5.3",
            "extended HHT-alpha, steps 2h/3, 4h/3 without (2.3): order 1 only",
            hht.with_step_change(false),
            ALTERNATING,
            12,
            at(0.0001953125, &[(Q, 5.209e-6), (V, 1.740e-5), (A, 2.867e-6)]),
            orders(&[Q, V, A], 1.0, 0.1),
        ),
        first(
            "1/fig5.4",
            "extended HHT-alpha, steps 2h/3, 4h/3 with (2.3)",
            hht,
            ALTERNATING,
            6,
            [
                at(0.1, &[(Q, 1.009e-2), (V, 4.518e-2), (A, 7.989e-3)]),
                at(0.003125, &[(Q, 1.027e-5), (V, 4.391e-5), (A, 7.318e-6)]),
            ]
            .concat(),
            orders(&[Q, V, A], 2.0, 0.05),
        ),
        pendulum(
            "1/fig5.6",
            "HHT-alpha, pendulum with spring and damper, alpha 0, b 0: angle over [0, 4]",
            0.0,
            Measure::LargestOf(2),
            4.0,
            Vec::new(),
            Some(Motion { coordinate: 2, label: "angle y3 (rad)", suffix: "angle" }),
        )?,
        pendulum(
            "1/fig5.7",
            "HHT-alpha, pendulum with spring and damper, alpha 0, b 0: angle and rate at t = 2",
            0.0,
            Measure::Coordinate(2),
            2.0,
            [at(0.02, &[(Q, 1.677e-3), (V, 5.962e-4)]), at(0.0003125, &[(Q, 4.060e-7), (V, 6.296e-9)])].concat(),
            None,
        )?,
        pendulum(
            "1/fig5.8",
            "HHT-alpha, pendulum with spring and damper, alpha -0.3, b 0: angle and rate at t = 2",
            -0.3,
            Measure::Coordinate(2),
            2.0,
            [at(0.02, &[(Q, 2.529e-3), (V, 2.706e-3)]), at(0.0003125, &[(Q, 6.148e-7), (V, 7.557e-8)])].concat(),
            None,
        )?,
    ])
}

fn paper_2() -> Result<Vec<Convergence>, BadMethod> {
    let scheme = GeneralizedAlpha::from_rho_infinity(0.2)?.with_start(Start::A0);
    let experiment = |name, title, problem, t_end, rungs, expected| Convergence {
        name,
        title,
        problem,
        scheme: Box::new(scheme) as Box<dyn Scheme>,
        acceleration: Acceleration::Total,
        measure: Measure::EndNorm,
        pattern: CONSTANT,
        t_end,
        ladder: halving(0.1, rungs),
        expected,
        orders: orders(&[Q, V, A, PSI], 2.0, 0.05),
        motion: None,
    };
    Ok(vec![
        experiment(
            "2/fig7.1",
            "generalized-alpha, rho 0.2, nonholonomic, nonlinear in psi",
            modelled::paper2,
            1.0,
            6,
            [
                at(0.1, &[(Q, 2.395e-2), (V, 1.693e-1), (A, 7.302e-1), (PSI, 1.373e-1)]),
                at(0.003125, &[(Q, 2.110e-5), (V, 1.845e-4), (A, 1.693e-3), (PSI, 2.415e-4)]),
            ]
            .concat(),
        ),
        experiment(
            "2/fig7.2",
            "generalized-alpha, rho 0.2, rolling disk (corrected f4), t = 10",
            modelled::rolling_disk,
            10.0,
            12,
            at(0.003125, &[(Q, 1.340e-4), (V, 1.524e-4), (A, 4.513e-4), (PSI, 2.579e-3)]),
        ),
    ])
}

fn paper_3() -> Result<Vec<Convergence>, BadMethod> {
    let recomputed = GeneralizedAlpha::from_rho_infinity(0.2)?.with_start(Start::A0);
    let previous = recomputed.with_mass_matrix(MassMatrix::Previous);
    let experiment = |name, title, scheme: GeneralizedAlpha, rungs, expected, orders| Convergence {
        name,
        title,
        problem: modelled::paper3,
        scheme: Box::new(scheme),
        acceleration: Acceleration::Total,
        measure: Measure::EndNorm,
        pattern: ALTERNATING,
        t_end: 1.0,
        ladder: halving(0.1, rungs),
        expected,
        orders,
        motion: None,
    };
    let coarse = |lambda, psi| at(0.1, &[(Q, 1.974e-2), (V, 2.002e-2), (A, 4.566e-2), (LAMBDA, lambda), (PSI, psi)]);
    let fine = |lambda, psi| at(0.003125, &[(Q, 1.734e-5), (V, 1.759e-5), (A, 4.507e-5), (LAMBDA, lambda), (PSI, psi)]);
    let unmodified =
        |lambda, psi| at(0.003125, &[(Q, 1.568e-5), (V, 1.591e-5), (A, 5.423e-4), (LAMBDA, lambda), (PSI, psi)]);
    let second = || orders(&[Q, V, A, LAMBDA, PSI], 2.0, 0.05);
    let reduced = || [orders(&[Q, V], 2.0, 0.05), orders(&[A, LAMBDA, PSI], 1.0, 0.1)].concat();
    Ok(vec![
        experiment(
            "3/fig1",
            "SOI2, rho 0.2, steps 2h/3, 4h/3 with (15), (16), previous-step mass",
            previous,
            7,
            [coarse(3.046e-3, 8.366e-4), fine(4.844e-6, 1.054e-6)].concat(),
            second(),
        ),
        experiment(
            "3/fig1-recomputed",
            "SOI2, rho 0.2, steps 2h/3, 4h/3 with (15), recomputed mass",
            recomputed,
            7,
            [coarse(2.942e-3, 1.295e-3), fine(4.800e-6, 1.748e-6)].concat(),
            second(),
        ),
        experiment(
            "3/fig2",
            "SOI2, rho 0.2, steps 2h/3, 4h/3 unmodified, previous-step mass: order 1 in a, lambda, psi",
            previous.with_step_change(false),
            8,
            unmodified(5.722e-4, 2.075e-5),
            reduced(),
        ),
        experiment(
            "3/fig2-recomputed",
            "SOI2, rho 0.2, steps 2h/3, 4h/3 unmodified, recomputed mass: order 1 in a, lambda, psi",
            recomputed.with_step_change(false),
            8,
            unmodified(1.936e-4, 1.143e-5),
            reduced(),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Status;
    use crate::reproduce::summary::Summary;

    fn first_of_paper_3() -> Convergence {
        let mut experiment = paper_3().expect("valid methods").remove(0);
        experiment.ladder.truncate(3);
        experiment.expected.retain(|expected| expected.h == 0.1);
        experiment.orders.clear();
        experiment
    }

    /// The exit status and the words, as `reproduce` would give them.
    fn judged(experiment: &Convergence) -> (Status, String) {
        let outcome = experiment.run();
        let mut summary = Summary::default();
        summary.add(experiment.name, &outcome);
        let verdict = outcome.map(|report| report.verdict.to_string()).unwrap_or_else(|error| error.to_string());
        (summary.status(), format!("{verdict}{summary}"))
    }

    #[test]
    fn the_right_numbers_agree() {
        let (status, words) = judged(&first_of_paper_3());
        assert_eq!(status, Status::Agrees);
        assert_eq!(words, "5 of 5 errors agree to 3 digits\n1 of 1 experiments agree (5 numbers compared)");
    }

    #[test]
    fn a_wrong_number_disagrees() {
        let mut experiment = first_of_paper_3();
        experiment.expected[V].error *= 1.01;
        let (status, words) = judged(&experiment);
        assert_eq!(status, Status::Disagrees);
        assert_eq!(
            words,
            "4 of 5 errors agree to 3 digits\n  disagrees: error of v at h = 0.1: 2.002e-2, expected 2.022e-2\n\
             0 of 1 experiments agree (5 numbers compared); disagree: 3/fig1"
        );
    }

    #[test]
    fn a_wrong_order_disagrees() {
        let mut experiment = first_of_paper_3();
        experiment.orders = orders(&[Q], 1.0, 0.1);
        let (status, words) = judged(&experiment);
        assert_eq!(status, Status::Disagrees);
        assert!(words.contains("disagrees: order of q: 2.037, expected 1 within 0.1"), "{words}");
    }

    #[test]
    fn a_number_nobody_measured_disagrees() {
        let mut experiment = first_of_paper_3();
        experiment.expected[Q].h = 0.07;
        let (status, words) = judged(&experiment);
        assert_eq!(status, Status::Disagrees);
        assert!(words.contains("error of q at h = 0.07: not measured"), "{words}");
    }

    #[test]
    fn an_experiment_that_fails_is_no_agreement() {
        let mut experiment = first_of_paper_3();
        experiment.ladder = vec![-1.0];
        let (status, words) = judged(&experiment);
        assert_eq!(status, Status::Disagrees);
        assert!(words.ends_with("0 of 1 experiments agree (0 numbers compared); failed: 3/fig1"), "{words}");
    }

    #[test]
    fn names_are_unique_and_titles_fit_a_figure() {
        let all = all().expect("valid methods");
        for (i, experiment) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other.name() != experiment.name()));
            assert!(experiment.title().chars().count() <= 90, "{}", experiment.title());
        }
    }
}
