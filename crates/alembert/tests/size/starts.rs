//! Starts: a tree among others is repaired to where it is repaired alone, whatever is closest and whatever must not move.

use alembert::initial::{Metric, Options, consistent_with};

use super::forest::{Forest, Odd};

/// Largest difference of two vectors.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| f64::max(max, (x - y).abs()))
}

/// Options for a forest, and for tree k of it.
fn options(forest: &Forest, which: usize) -> Options {
    let n = 2 * forest.0.iter().map(|tree| tree.points()).sum::<usize>();
    // By tree and coordinate, so that a tree alone has the same.
    let each = |value: fn(usize, usize) -> bool| -> Vec<usize> {
        let mut all = Vec::new();
        for (k, tree) in forest.0.iter().enumerate() {
            let first = forest.place(k).0;
            all.extend((0..2 * tree.points()).filter(|j| value(tree.number, *j)).map(|j| first + j));
        }
        all
    };
    match which {
        0 => Options::default(),
        1 => Options { metric: Metric::Identity, ..Options::default() },
        2 => {
            let mut weights = vec![1.0; n];
            each(|_, j| j % 3 == 1).into_iter().for_each(|j| weights[j] = 4.0);
            each(|tree, j| (tree + j) % 5 == 2).into_iter().for_each(|j| weights[j] = 0.01);
            Options { metric: Metric::Weights(weights), ..Options::default() }
        }
        _ => {
            // The horizontal place of the last point of every other tree, and the horizontal velocity of the first of others.
            let fixed_q = each(|tree, j| tree % 2 == 0 && j == 0);
            let fixed_v = each(|tree, j| tree % 3 == 0 && j == 0);
            Options { fixed_q, fixed_v, ..Options::default() }
        }
    }
}

#[test]
fn a_tree_among_others_starts_as_it_does_alone() {
    // 10 are dense all the same, 30 are sparse with 150 velocities at most, 100 with 250.
    for count in [3, 30, 100] {
        let forest = Forest::new(count, Odd::No);
        for off in [0.0, 1e-3, 0.15] {
            for which in 0..4 {
                let guess = forest.guess(off);
                let found = consistent_with(&forest.sparse(), &guess, &options(&forest, which));
                let (state, report) = found.unwrap_or_else(|e| panic!("{count} trees, {off}, {which}: {e}"));
                assert!(report.motion_residual < 1e-13, "{report:?}");
                let limit = if off == 0.0 { 1e-13 } else { 1e-9 };
                for (k, tree) in forest.0.iter().enumerate().step_by(1 + count / 12) {
                    let one = Forest(vec![tree.clone()]);
                    let (alone, own) = consistent_with(&one.system(), &one.guess(off), &options(&one, which))
                        .unwrap_or_else(|e| panic!("{tree:?}: {e}"));
                    let (q, rod) = forest.place(k);
                    let part = q..q + alone.q.len();
                    let rods = rod..rod + alone.lambda.len();
                    let what = format!("{tree:?} of {count}, off by {off}, options {which}");
                    assert!(
                        apart(&state.q[part.clone()], &alone.q) <= limit,
                        "{what}: q {:e}",
                        apart(&state.q[part], &alone.q)
                    );
                    assert!(apart(&state.v[part.clone()], &alone.v) <= 10.0 * limit, "{what}: v");
                    assert!(apart(&state.a[part], &alone.a) <= 1e3 * limit, "{what}: a");
                    assert!(apart(&state.lambda[rods], &alone.lambda) <= 1e3 * limit, "{what}: lambda");
                    assert_eq!(
                        report.positions.metric == Metric::Identity,
                        own.positions.metric == Metric::Identity,
                        "{what}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_must_not_move_does_not_move() {
    let forest = Forest::new(100, Odd::No);
    let (guess, options) = (forest.guess(0.1), options(&forest, 3));
    assert!(!options.fixed_q.is_empty() && !options.fixed_v.is_empty());
    let (state, report) = consistent_with(&forest.sparse(), &guess, &options).expect("room is left");
    assert!(options.fixed_q.iter().all(|&j| state.q[j] == guess.q[j]));
    assert!(options.fixed_v.iter().all(|&j| state.v[j] == guess.v[j]));
    assert!(report.positions.residual_after < 1e-12 && report.positions.moved > 0.1, "{report:?}");
}

/// One rod: the closest point of a circle is known.
#[test]
fn the_closest_place_is_found_in_a_large_system() {
    let mut forest = Forest::new(200, Odd::No);
    for tree in &mut forest.0 {
        tree.mass.truncate(1);
        tree.length.truncate(1);
    }
    let guess = forest.guess(0.3);
    let (state, _) = consistent_with(&forest.sparse(), &guess, &Options::default()).expect("close");
    for (k, tree) in forest.0.iter().enumerate() {
        let pivot = tree.pivot();
        let (x, y) = (guess.q[2 * k] - pivot, guess.q[2 * k + 1]);
        let share = tree.length[0] / x.hypot(y);
        let exact = [pivot + share * x, share * y];
        assert!(
            apart(&state.q[2 * k..2 * k + 2], &exact) < 1e-9,
            "{tree:?}: {:?} {exact:?}",
            &state.q[2 * k..2 * k + 2]
        );
        // What is left of the velocity is along the circle.
        let (cos, sin) = (exact[0] - pivot, exact[1]);
        let across = (guess.v[2 * k + 1] * cos - guess.v[2 * k] * sin) / tree.length[0].powi(2);
        assert!(apart(&state.v[2 * k..2 * k + 2], &[-across * sin, across * cos]) < 1e-9, "{tree:?}");
    }
}
