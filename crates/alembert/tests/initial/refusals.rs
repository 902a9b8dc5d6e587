//! What cannot be repaired, and which names it is refused by.

use super::systems::*;
use alembert::initial::{Guess, InitialError, Level, Metric, Options, consistent, consistent_with};
use alembert::{Dims, Functions};

#[test]
fn fixing_too_much_names_the_fixed_and_the_constraints() {
    let start = Guess::new(0.0, vec![2.0, -1.3], vec![0.0; 2]);
    for fixed_q in [vec![0], vec![0, 1]] {
        let options = Options { fixed_q, ..Options::default() };
        match consistent_with(&pendulum(), &start, &options) {
            Err(InitialError::FixedTooMuch { level: Level::Position, fixed, rows }) => {
                assert_eq!((fixed[0].as_str(), rows[0].name.as_str()), ("x", "g[0]"));
            }
            other => panic!("{other:?}"),
        }
    }
    // Fixing everything is fine where nothing has to move.
    let met = Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 2.0]);
    let options = Options { fixed_q: vec![0, 1], fixed_v: vec![0, 1], ..Options::default() };
    let (state, _) = consistent_with(&pendulum(), &met, &options).unwrap();
    assert_eq!((&state.q, &state.v), (&met.q, &met.v));
}

#[test]
fn an_impossible_nonlinear_reaction_is_refused() {
    // Pushes with the force, so that nothing can hold the body.
    let one_sided = Functions::new(Dims { q: 1, v: 1, lambda: 1, psi: 0 })
        .mass(|_, _, mass| mass[0] = 1.0)
        .force(|_, _, _, force| force[0] = 1.0)
        .holonomic(|_, q, g| g[0] = q[0])
        .reaction(|at, r| r[0] = at.lambda[0] * at.lambda[0]);
    match error(&one_sided, &Guess::new(0.0, vec![0.0], vec![0.0])) {
        InitialError::MultipliersNotFound { starts, .. } => assert!(starts > 1),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_duplicated_constraint_is_redundant_and_both_are_named() {
    let system = plane(2, |_, q, g| {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        g[1] = -3.0 * g[0];
    });
    match error(&system, &Guess::new(0.0, vec![0.5, 0.6], vec![1.0, 0.0])) {
        InitialError::Redundant { rows } => {
            assert_eq!((rows.len(), rows[0].on.len()), (1, 1));
            let (other, coefficient) = &rows[0].on[0];
            let mut names = [rows[0].row.as_str(), other.as_str()];
            let expected = if names[0] == "g[1]" { -3.0 } else { -1.0 / 3.0 };
            assert!((coefficient - expected).abs() < 1e-9, "{coefficient}");
            names.sort_unstable();
            assert_eq!(names, ["g[0]", "g[1]"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_nonholonomic_row_can_depend_on_a_holonomic_one() {
    let dims = Dims { q: 2, v: 2, lambda: 1, psi: 1 };
    let system = closures(dims, &[1.0, 1.0], |_, q, g| g[0] = q[0] - 1.0).nonholonomic(|_, _, v, k| k[0] = 2.0 * v[0]);
    let start = Guess::new(0.0, vec![0.5, 0.6], vec![1.0, 0.0]);
    match error(&system, &start) {
        InitialError::Redundant { rows } => assert_eq!(rows.len(), 1),
        other => panic!("{other:?}"),
    }
    let system = system.nonholonomic(|_, _, v, k| k[0] = 2.0 * v[0] - 1.0);
    match error(&system, &start) {
        InitialError::Contradictory { level: Level::Velocity, rows } => {
            assert_eq!(rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["g[0]", "k[0]"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn contradictory_constraints_are_named_with_their_residuals() {
    let system = plane(3, |_, q, g| (g[0], g[1], g[2]) = (q[0], q[1] - 2.0, q[0] - 1.0));
    match error(&system, &Guess::new(0.0, vec![0.3, 0.0], vec![0.0; 2])) {
        InitialError::Contradictory { level: Level::Position, rows } => {
            assert_eq!(rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["g[0]", "g[2]"]);
            assert!((rows[0].residual - rows[1].residual - 1.0).abs() < 1e-12);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn constraints_that_do_not_meet_are_unreachable() {
    let system = plane(2, |_, q, g| (g[0], g[1]) = (q[0] * q[0] + q[1] * q[1] - 1.0, q[0] - 2.0));
    for guess in [vec![0.5, 0.6], vec![3.0, -2.0], vec![1.0, 0.0]] {
        match error(&system, &Guess::new(0.0, guess, vec![0.0; 2])) {
            InitialError::Unreachable { level: Level::Position, rows, closest } => {
                assert_eq!(rows.len(), 2);
                assert!(rows.iter().all(|row| row.residual.abs() > 0.01), "{rows:?}");
                assert!(closest[1].abs() < 0.1 && closest[0] > 1.0 && closest[0] < 2.0, "{closest:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_four_bar_closes_if_its_bars_are_long_enough() {
    // Joints (x, y) and (z, w) between pivots at 0 and (4, 0); the coupler has length 1.
    let four_bar = |crank: f64, rocker: f64| {
        closures(Dims { q: 4, v: 4, lambda: 3, psi: 0 }, &[1.0; 4], move |_, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - crank * crank;
            g[1] = (q[2] - q[0]).powi(2) + (q[3] - q[1]).powi(2) - 1.0;
            g[2] = (q[2] - 4.0).powi(2) + q[3] * q[3] - rocker * rocker;
        })
    };
    let start = Guess::new(0.0, vec![1.0, 1.0, 2.0, 1.5], vec![0.0, 1.0, 0.0, 0.0]);
    let (_, report) = consistent_with(&four_bar(2.0, 2.0), &start, &Options::default()).unwrap();
    assert!(report.positions.residual_after < 2e-15, "{report:?}");
    match error(&four_bar(1.0, 1.0), &start) {
        InitialError::Unreachable { level: Level::Position, rows, .. } => assert_eq!(rows.len(), 3),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_massless_free_coordinate_is_named() {
    let dims = Dims { q: 3, v: 3, lambda: 1, psi: 0 };
    let start = Guess::new(0.0, vec![0.0; 3], vec![0.0; 3]);
    let free = closures(dims, &[1.0, 0.0, 2.0], |_, q, g| g[0] = q[0] + q[2]);
    match error(&free, &start) {
        InitialError::MasslessDirection { coordinates } => assert_eq!(coordinates, [("y".to_string(), 1.0)]),
        other => panic!("{other:?}"),
    }
    let pair = closures(dims, &[1.0, 0.0, 0.0], |_, q, g| g[0] = q[1] + 2.0 * q[2]);
    match error(&pair, &start) {
        InitialError::MasslessDirection { coordinates } => {
            assert_eq!(coordinates[0], ("y".to_string(), 1.0));
            assert_eq!(coordinates[1].0, "z");
            assert!((coordinates[1].1 + 0.5).abs() < 1e-10);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_lengths_and_entries_are_located() {
    let good = || Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 1.0]);
    let wrong = |vector, expected, actual| InitialError::WrongLength { vector, expected, actual };
    assert_eq!(error(&pendulum(), &Guess { q: vec![1.0], ..good() }), wrong("q", 2, 1));
    assert_eq!(error(&pendulum(), &Guess { v: vec![1.0; 3], ..good() }), wrong("v", 2, 3));
    assert_eq!(error(&pendulum(), &good().with_multipliers(vec![1.0; 2], vec![])), wrong("lambda", 1, 2));
    assert_eq!(error(&pendulum(), &good().with_multipliers(vec![], vec![1.0])), wrong("psi", 0, 1));
    match error(&pendulum(), &Guess { v: vec![0.0, f64::NAN], ..good() }) {
        InitialError::BadEntry { vector: "v", entry: 1, value } => assert!(value.is_nan()),
        other => panic!("{other:?}"),
    }
    let late = error(&pendulum(), &Guess { t: f64::INFINITY, ..good() });
    assert!(matches!(late, InitialError::BadEntry { vector: "t", .. }));
    let refuse = |options: Options| consistent_with(&pendulum(), &good(), &options).expect_err("refused");
    let negative = refuse(Options { metric: Metric::Weights(vec![1.0, -1.0]), ..Options::default() });
    assert!(matches!(negative, InitialError::BadEntry { vector: "weights", entry: 1, .. }));
    let options = Options { metric: Metric::Weights(vec![1.0]), ..Options::default() };
    assert_eq!(refuse(options), wrong("weights", 2, 1));
    let options = Options { fixed_v: vec![2], ..Options::default() };
    assert_eq!(refuse(options), InitialError::NoSuchCoordinate { vector: "fixed_v", index: 2, count: 2 });
}

#[test]
fn a_function_that_is_not_finite_is_named() {
    let system = plane(1, |_, q, g| g[0] = q[0].sqrt() - 1.0);
    match error(&system, &Guess::new(0.5, vec![-1.0, 0.0], vec![0.0; 2])) {
        InitialError::Function(e) => assert_eq!((e.quantity.name(), e.entry, e.t), ("holonomic", 0, 0.5)),
        other => panic!("{other:?}"),
    }
    // On the way NaN only means a shorter step: the full Newton step from 9 to sqrt(x) = 0.5 leaves the domain.
    let system = plane(1, |_, q, g| g[0] = q[0].sqrt() - 0.5);
    let state = consistent(&system, &Guess::new(0.0, vec![9.0, 0.0], vec![0.0; 2])).unwrap();
    close(&state.q, &[0.25, 0.0], 1e-15);
}

#[test]
fn a_squared_constraint_has_no_derivative() {
    // A squared circle, and a circle without radius.
    let squared = plane(1, |_, q, g| g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0).powi(2));
    let point = plane(1, |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1]);
    for (system, guess) in
        [(&squared, [0.5, 0.6]), (&squared, [1.0, 0.0]), (&squared, [2.0, 3.0]), (&point, [0.3, 0.4])]
    {
        match error(system, &Guess::new(0.0, guess.to_vec(), vec![1.0, 0.3])) {
            InitialError::Redundant { rows } => assert!(rows[0].row == "g[0]" && rows[0].on.is_empty()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn constraints_that_touch_are_redundant() {
    let system = plane(2, |_, q, g| (g[0], g[1]) = (q[0] * q[0] + q[1] * q[1] - 1.0, q[0] - 1.0));
    match error(&system, &Guess::new(0.0, vec![0.3, 0.4], vec![1.0, 0.3])) {
        InitialError::Redundant { rows } => {
            assert_eq!((rows[0].row.as_str(), rows[0].on[0].0.as_str()), ("g[1]", "g[0]"))
        }
        other => panic!("{other:?}"),
    }
}
