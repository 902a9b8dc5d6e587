//! Refusals: what is wrong with one tree is said in the same words where it stands among a hundred others.

use alembert::initial::{Guess, InitialError, Options, consistent, consistent_with};
use alembert::{Differentiated, Redundancy};

use super::forest::{Forest, Odd};

/// Numbers of a text rounded to two digits: where a search ends is not the same to the last one.
fn coarse(text: &str) -> String {
    let word = |word: &str| match word.trim_end_matches([',', ';']).parse::<f64>() {
        Ok(number) => format!("{number:.1e}"),
        Err(_) => word.to_owned(),
    };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn moved(mut guess: Guess, at: usize, x: [f64; 2], v: [f64; 2]) -> Guess {
    guess.q[at..at + 2].copy_from_slice(&x);
    guess.v[at..at + 2].copy_from_slice(&v);
    guess
}

/// The place of the last point of the tree in the middle.
fn last(forest: &Forest) -> usize {
    let k = forest.0.len() / 2;
    forest.place(k).0 + 2 * forest.0[k].points() - 2
}

/// Whether a refusal is the one that was expected.
type Expected = fn(&InitialError) -> bool;

#[test]
fn what_is_wrong_with_one_tree_is_said_in_the_same_words_among_many() {
    let is_redundant: fn(&InitialError) -> bool = |e| matches!(e, InitialError::Redundant { rows } if rows.len() == 1);
    let cases: [(Odd, Expected); 8] = [
        (Odd::Twice(0.0), is_redundant),
        (Odd::Twice(0.3), |e| matches!(e, InitialError::Contradictory { rows, .. } if rows.len() == 2)),
        (Odd::Wire(0.1), |e| matches!(e, InitialError::Unreachable { .. })),
        (Odd::Massless, |e| matches!(e, InitialError::MasslessDirection { .. })),
        (Odd::Negative, |e| matches!(e, InitialError::NegativeMass { .. })),
        (Odd::Distance, |e| matches!(e, InitialError::NoDerivative { .. })),
        (Odd::WithoutVelocity, |e| matches!(e, InitialError::WithoutVelocities { .. })),
        (Odd::Speed, |e| matches!(e, InitialError::NoGradient { .. })),
    ];
    for (odd, expected) in cases {
        for count in [5, 31, 101] {
            let forest = Forest::new(count, odd);
            let one = forest.middle();
            let tree = &one.0[0];
            let special = |forest: &Forest, guess: Guess| -> Guess {
                let (at, points) = (last(forest), tree.points());
                let before = match points {
                    1 => [tree.pivot(), 0.0],
                    _ => [guess.q[at - 2], guess.q[at - 1]],
                };
                let (x, v) = ([guess.q[at], guess.q[at + 1]], [guess.v[at], guess.v[at + 1]]);
                match odd {
                    // A distance of zero has no derivative, a speed of zero no direction.
                    Odd::Distance => moved(guess, at, before, v),
                    Odd::Speed => moved(guess, at, x, [0.0; 2]),
                    _ => guess,
                }
            };
            let off = if matches!(odd, Odd::Speed | Odd::Twice(_)) { 0.0 } else { 1e-3 };
            let alone = consistent(&one.system(), &special(&one, one.guess(off))).expect_err("something is wrong");
            assert!(expected(&alone), "{odd:?}: {alone}");
            let among = consistent(&forest.sparse(), &special(&forest, forest.guess(off)));
            let among = among.expect_err("something is wrong");
            assert_eq!(coarse(&among.to_string()), coarse(&alone.to_string()), "{odd:?}, {count} trees");
        }
    }
}

#[test]
fn too_much_that_must_not_move_is_told_in_the_same_words() {
    for count in [5, 101] {
        let forest = Forest::new(count, Odd::No);
        let one = forest.middle();
        let said = [(&forest, true), (&one, false)].map(|(forest, sparse)| {
            let at = last(forest);
            let options = Options { fixed_q: vec![at, at + 1], ..Options::default() };
            // The last point is out of reach, and must not move.
            let guess = forest.guess(0.0);
            let far = moved(guess.clone(), at, [guess.q[at] + 9.0, 0.0], [0.0; 2]);
            let found = match sparse {
                true => consistent_with(&forest.sparse(), &far, &options),
                false => consistent_with(&forest.system(), &far, &options),
            };
            let error = found.expect_err("out of reach");
            assert!(matches!(error, InitialError::FixedTooMuch { .. } | InitialError::Unreachable { .. }), "{error}");
            coarse(&error.to_string())
        });
        assert_eq!(said[0], said[1]);
    }
}

/// Redundant rods in a third of all trees: each is named, the later of the two.
#[test]
fn the_last_of_constraints_that_say_the_same_is_named() {
    for count in [3, 9, 150] {
        let mut forest = Forest::new(count, Odd::No);
        forest.0.iter_mut().step_by(3).for_each(|tree| tree.odd = Odd::Twice(0.0));
        let error = consistent(&forest.sparse(), &forest.guess(0.0)).expect_err("redundant");
        let InitialError::Redundant { rows } = &error else { panic!("{error}") };
        assert_eq!(rows.len(), count.div_ceil(3));
        for (row, tree) in rows.iter().zip(forest.0.iter().step_by(3)) {
            let points = tree.points();
            assert_eq!(row.row, format!("rod {points} of tree {}", tree.number));
            let [(on, coefficient)] = &row.on[..] else { panic!("{row}") };
            assert_eq!(*on, format!("rod {} of tree {}", points - 1, tree.number));
            // The copy has twice the derivative.
            assert!((coefficient - 2.0).abs() < 1e-6, "{row}");
        }
    }
}

struct Accepting(Forest);

impl alembert::Formulas for Accepting {
    fn dims(&self) -> alembert::Dims {
        self.0.dims()
    }
    fn patterns(&self) -> Option<alembert::Patterns> {
        None
    }
    fn mass<S: alembert::Scalar>(&self, t: S, q: &[S], mass: &mut [S]) {
        self.0.mass(t, q, mass);
    }
    fn inertia<S: alembert::Scalar>(&self, t: S, q: &[S], a: &[S], out: &mut [S]) -> alembert::Supplied {
        self.0.inertia(t, q, a, out)
    }
    fn force<S: alembert::Scalar>(&self, t: S, q: &[S], v: &[S], f: &mut [S]) {
        self.0.force(t, q, v, f);
    }
    fn holonomic<S: alembert::Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        self.0.holonomic(t, q, g);
    }
    fn redundancy(&self) -> Redundancy {
        Redundancy::LeastSquares
    }
    fn holonomic_name(&self, row: usize) -> String {
        self.0.holonomic_name(row)
    }
}

#[test]
fn redundant_rods_are_accepted_and_contradictions_refused_at_any_size() {
    for count in [5, 101, 500] {
        for (longer, accepted) in [(0.0, true), (1e-10, true), (1e-4, false), (0.3, false)] {
            let forest = Forest::new(count, Odd::Twice(longer));
            let guess = forest.guess(0.0);
            let lambda = vec![0.3; alembert::Formulas::dims(&forest).lambda];
            let at = alembert::Point { t: 0.0, q: &guess.q, v: &guess.v, lambda: &lambda, psi: &[] };
            let system = alembert::Detected::new(Accepting(forest.clone()), &[at]).expect("patterns are found");
            let found = consistent_with(&Differentiated::new(system), &guess, &Options::default());
            match found {
                Ok((state, report)) => {
                    assert!(accepted, "{count} trees, longer by {longer}");
                    assert_eq!(report.redundant.len(), 1);
                    // Of equal motions the one with the least sum of D mu^2: the forces of both rods are the same, and the copy
                    // has twice the derivative.
                    let (k, points) = (count / 2, forest.0[count / 2].points());
                    let rod = forest.place(k).1 + points - 1;
                    let (single, double) = (state.lambda[rod], 2.0 * state.lambda[rod + 1]);
                    assert!((single - double).abs() <= 1e-6 * single.abs(), "{single} {double}");
                }
                Err(error) => {
                    assert!(!accepted, "{count} trees, longer by {longer}: {error}");
                    let InitialError::Contradictory { rows, .. } = &error else { panic!("{error}") };
                    let tree = format!(" of tree {}", count / 2);
                    assert!(rows.iter().all(|row| row.name.ends_with(&tree)) && rows.len() == 2, "{error}");
                }
            }
        }
    }
}
