//! Redundant constraints are named, all of them, with the combination of others that they are.

use alembert::initial::{Dependence, InitialError, consistent};
use alembert::{At, ConstrainedSystem, Differentiated, Guess, Quantity, Redundancy};

use super::four_bar::FourBar;
use super::train::Train;

/// What is said of the redundant constraints of a system.
fn refused(system: &dyn ConstrainedSystem, guess: &Guess) -> Vec<Dependence> {
    let error = consistent(system, guess).expect_err("redundant");
    assert!(error.to_string().contains("`Redundancy::LeastSquares`"), "{error}");
    let InitialError::Redundant { rows } = error else { panic!("{error}") };
    rows
}

/// Checks that rows are the combinations they are said to be, at the place of the guess, and each is named once.
fn check(dense: &dyn ConstrainedSystem, guess: &Guess, rows: &[Dependence]) {
    let (n, m) = (dense.dims().v, dense.dims().lambda);
    let mut g_q = vec![0.0; m * n];
    let _ = dense.ask(Quantity::HolonomicQ, &At::new(0.0, &guess.q, &[]), &mut g_q);
    let index = |name: &str| (0..m).find(|&i| dense.holonomic_name(i) == name).expect("a name of the system");
    let dependent: Vec<usize> = rows.iter().map(|dependence| index(&dependence.row)).collect();
    assert!(dependent.windows(2).all(|pair| pair[0] < pair[1]), "in order, and once: {dependent:?}");
    for (dependence, row) in rows.iter().zip(&dependent) {
        let mut rest = g_q[row * n..(row + 1) * n].to_vec();
        for (name, coefficient) in &dependence.on {
            let on = index(name);
            assert!(!dependent.contains(&on), "{dependence}");
            rest.iter_mut().zip(&g_q[on * n..]).for_each(|(rest, g)| *rest -= coefficient * g);
        }
        let left = super::largest(rest);
        assert!(left < 1e-6, "{dependence}: {left:e}");
    }
}

#[test]
fn every_bar_too_many_is_named() {
    for (beams, bars) in [(2, 3), (2, 4), (60, 3), (60, 4)] {
        let guess = Train::guess(beams);
        let train = Train::new(beams, bars, Redundancy::Refused);
        // Dense, and where there are enough beams, with sparse matrices.
        for system in [train.clone().system(), train.clone().sparse().system()] {
            let rows = refused(&system, &guess);
            assert_eq!(rows.len(), (bars - 2) * beams);
            assert!(rows.iter().all(|dependence| dependence.on.len() == 2), "{rows:?}");
            check(&train.clone().system(), &guess, &rows);
        }
    }
}

#[test]
fn every_bar_too_many_of_thousands_is_named() {
    let beams = 2000;
    let rows = refused(&Train::new(beams, 3, Redundancy::Refused).sparse().system(), &Train::guess(beams));
    assert_eq!(rows.len(), beams);
    for (k, dependence) in rows.iter().enumerate() {
        let beam = format!(" of beam {}", k + 1);
        assert!(dependence.row.ends_with(&beam) && dependence.on.len() == 2, "{dependence}");
        assert!(dependence.on.iter().all(|(name, _)| name.ends_with(&beam)), "{dependence}");
        // Coefficients of a straight line through three points.
        assert!((dependence.on.iter().map(|(_, coefficient)| coefficient).sum::<f64>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_constraint_that_follows_from_all_others_is_named_with_all_of_them() {
    for beams in [3, 100] {
        let train = Train { level: true, ..Train::new(beams, 2, Redundancy::Refused) };
        let guess = Train::guess(beams);
        let system: Differentiated<Train> = train.clone().sparse().system();
        let rows = refused(&system, &guess);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(rows[0].on.len(), 2 * beams, "{}", rows[0]);
        check(&train.system(), &guess, &rows);
    }
}

#[test]
fn hinges_with_parallel_axes_are_named() {
    let system = FourBar::system(5, Redundancy::Refused);
    let rows = refused(&system, &FourBar::guess());
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().all(|dependence| dependence.row.contains(" of hinge ")), "{rows:?}");
}

#[test]
fn a_reaction_of_its_own_leaves_redundant_constraints_refused() {
    let train = Train { own_reaction: true, ..Train::new(1, 3, Redundancy::LeastSquares) };
    assert_eq!(refused(&train.system(), &Train::guess(1)).len(), 1);
    // The same reaction with two bars is that of the library.
    let [own, standard] = [true, false].map(|own_reaction| {
        let train = Train { own_reaction, ..Train::new(1, 2, Redundancy::LeastSquares) };
        consistent(&train.system(), &Train::guess(1)).expect("regular")
    });
    assert!(super::difference(&own.lambda, &standard.lambda) < 1e-10);
}

#[test]
fn a_constraint_that_nearly_follows_from_others_is_not_named() {
    for beams in [3, 60] {
        let train = Train { level: true, lean: 1e-3, ..Train::new(beams, 2, Redundancy::Refused) };
        for system in [train.clone().system(), train.clone().sparse().system()] {
            let found = consistent(&system, &Train::guess(beams));
            assert!(found.is_ok(), "{beams} beams: {}", found.err().map(|e| e.to_string()).unwrap_or_default());
        }
    }
}
