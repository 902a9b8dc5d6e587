//! How constraints follow from each other, in words that do not depend on how it was found out.
//!
//! Of constraints that say the same, any may be called superfluous. Here it is the last ones, in the order of the system: those
//! that follow from constraints before them. From vectors u with u A = 0 that span all dependences, a reduced set is made by elimination
//! from the last column on. Rows that are shared by no two vectors are told apart first, so that parts stay small.

use super::diagnosis::name;
use super::error::Dependence;
use crate::equations::Equations;

/// Combinations of rows of length 1 do not mention what is shorter.
pub(super) const MENTION: f64 = 1e-6;
/// A row with less than this share of the largest in a dependence is not called its result: the others would have large factors.
const SHARE: f64 = 0.1;

/// A row of length 1 as a combination of others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Combination {
    pub row: usize,
    pub on: Vec<(usize, f64)>,
}

/// The same dependences with the last rows as results, in their order.
pub(super) fn canonical(found: Vec<Combination>) -> Vec<Combination> {
    let mut all = Vec::with_capacity(found.len());
    for part in parts(found) {
        all.extend(reduced(part));
    }
    all.sort_unstable_by_key(|combination| combination.row);
    all
}

/// Dependences that share rows, directly or by way of others.
fn parts(found: Vec<Combination>) -> Vec<Vec<Combination>> {
    let mut of_row = std::collections::HashMap::new();
    let mut root: Vec<usize> = (0..found.len()).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    for (k, Combination { row, on }) in found.iter().enumerate() {
        for i in std::iter::once(row).chain(on.iter().map(|(i, _)| i)) {
            let other = *of_row.entry(*i).or_insert(k);
            let (a, b) = (find(&mut root, k), find(&mut root, other));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut parts: Vec<Vec<Combination>> = vec![Vec::new(); found.len()];
    for (k, combination) in found.into_iter().enumerate() {
        let r = find(&mut root, k);
        parts[r].push(combination);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn reduced(part: Vec<Combination>) -> Vec<Combination> {
    let mut members: Vec<usize> =
        part.iter().flat_map(|c| std::iter::once(c.row).chain(c.on.iter().map(|(i, _)| *i))).collect();
    members.sort_unstable();
    members.dedup();
    let place = |row: usize| members.binary_search(&row).unwrap_or(0);
    let mut vectors: Vec<Vec<f64>> = Vec::new();
    for Combination { row, on } in &part {
        let mut u = vec![0.0; members.len()];
        u[place(*row)] = 1.0;
        on.iter().for_each(|(i, c)| u[place(*i)] -= c);
        vectors.push(u);
    }
    let mut results: Vec<Option<usize>> = vec![None; vectors.len()];
    let largest = |u: &[f64]| u.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    // A second pass takes what the first was too choosy for.
    for share in [SHARE, 0.0] {
        for column in (0..members.len()).rev() {
            if results.contains(&Some(column)) {
                continue;
            }
            let open = (0..vectors.len()).filter(|k| results[*k].is_none());
            let relative = |k: usize| vectors[k][column].abs() / largest(&vectors[k]).max(f64::MIN_POSITIVE);
            let best = open.max_by(|a, b| relative(*a).total_cmp(&relative(*b)));
            let Some(best) = best.filter(|k| relative(*k) > share.max(MENTION)) else { continue };
            results[best] = Some(column);
            let pivot = vectors[best].clone();
            for (k, u) in vectors.iter_mut().enumerate() {
                let factor = u[column] / pivot[column];
                if k != best && factor != 0.0 {
                    u.iter_mut().zip(&pivot).for_each(|(u, p)| *u -= factor * p);
                    u[column] = 0.0;
                }
            }
        }
    }
    let express = |(u, result): (&Vec<f64>, &Option<usize>)| {
        let column = (*result)?;
        let coefficient = |i: usize| -u[i] / u[column];
        let on = (0..members.len()).filter(|i| *i != column && coefficient(*i).abs() > MENTION);
        Some(Combination { row: members[column], on: on.map(|i| (members[i], coefficient(i))).collect() })
    };
    vectors.iter().zip(&results).filter_map(express).collect()
}

/// Names of the rows, with coefficients of rows as they are: `scale` is their length.
pub(super) fn words(equations: &Equations, found: Vec<Combination>, scale: &[f64]) -> Vec<Dependence> {
    let express = |Combination { row, on }: Combination| Dependence {
        row: name(equations, row),
        on: on.into_iter().map(|(i, c)| (name(equations, i), c * scale[row] / scale[i])).collect(),
        in_vain: false,
    };
    canonical(found).into_iter().map(express).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rows_follow_from_those_before() {
        // Row 1 = row 0 + row 3, row 4 = 2 row 3, row 7 = row 6: 3 and 4 follow from 0 and 1, and 7 from 6.
        let found = vec![
            Combination { row: 1, on: vec![(0, 1.0), (3, 1.0)] },
            Combination { row: 3, on: vec![(4, 0.5)] },
            Combination { row: 6, on: vec![(7, 1.0)] },
            Combination { row: 9, on: vec![] },
        ];
        let expected = vec![
            Combination { row: 3, on: vec![(0, -1.0), (1, 1.0)] },
            Combination { row: 4, on: vec![(0, -2.0), (1, 2.0)] },
            Combination { row: 7, on: vec![(6, 1.0)] },
            Combination { row: 9, on: vec![] },
        ];
        assert_eq!(canonical(found), expected);
    }

    #[test]
    fn a_row_with_a_small_share_is_no_result() {
        let found = vec![Combination { row: 0, on: vec![(1, 1.0), (2, 1e-3)] }];
        let [Combination { row, .. }] = &canonical(found)[..] else { panic!("one") };
        assert_eq!(*row, 1);
    }
}
