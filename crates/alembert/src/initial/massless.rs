//! Motions without inertia: z with M z = 0 and C z = 0, whose acceleration is not determined.
//!
//! The directions of M z = 0 are few and local, coordinates without mass mostly. They are found by the pivots of M that are zero; what
//! remains is whether the constraints tell them apart. Only directions that share constraints, directly or by way of others, are
//! looked at together:
//!
//! ```text
//! C (z_1 ... z_k) y = 0     a combination of them that no constraint sees
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::RANK_THRESHOLD;
use super::dependence::{Combination, MENTION, canonical};
use super::error::InitialError;
use super::projection::length;
use crate::equations::Equations;
use crate::linear::Ldl;
use crate::linear::rank::RowRank;

/// Entries of the mass matrix below this share of its largest are rounding errors of zero.
const NO_MASS: f64 = 1e-15;
/// Directions that share constraints and are looked at together; where there are more, the matrix of the accelerations tells by
/// itself whether one is free. The time of a dense factorisation grows with the cube of their number.
const MOST: usize = 2000;

/// Refuses motions z with C z = 0 and M z = 0.
pub(super) fn inertia(equations: &Equations, mass: &[f64], c: &[f64]) -> Result<(), InitialError> {
    let layout = equations.layout();
    let heaviest = mass.iter().fold(0.0_f64, |max, m| max.max(m.abs()));
    let mut ldl = Ldl::of_values(&layout.top, mass);
    ldl.factor(mass, NO_MASS * heaviest, RANK_THRESHOLD);
    let mut directions: Vec<Vec<(usize, f64)>> = ldl.null().collect();
    if directions.is_empty() {
        return Ok(());
    }
    directions.iter_mut().for_each(|z| z.sort_unstable_by_key(|(j, _)| *j));
    directions.sort_unstable_by_key(|z| z.last().map(|(j, _)| *j));
    let lists = layout.rows.transposed_lists();
    // What each direction does to the constraints, relative to the terms it is made of.
    let image = |z: &Vec<(usize, f64)>| -> BTreeMap<usize, f64> {
        let mut image = BTreeMap::new();
        let mut terms = 0.0_f64;
        for (j, z) in z {
            for &i in &lists[*j] {
                let entry = layout.rows.position(i as usize, *j).map_or(0.0, |e| c[e]) * z;
                *image.entry(i as usize).or_insert(0.0) += entry;
                terms = terms.max(entry.abs());
            }
        }
        image.retain(|_, x| x.abs() > RANK_THRESHOLD * terms);
        let size = length(&image.values().copied().collect::<Vec<_>>());
        image.values_mut().for_each(|x| *x /= size);
        image
    };
    let images: Vec<_> = directions.iter().map(image).collect();
    for part in parts(&images) {
        if part.len() > MOST {
            continue;
        }
        let seen: BTreeSet<usize> = part.iter().flat_map(|k| images[*k].keys().copied()).collect();
        let rows = part.iter().flat_map(|k| seen.iter().map(|i| images[*k].get(i).copied().unwrap_or(0.0)));
        let free = if seen.is_empty() {
            part.first().map(|_| Combination { row: 0, on: Vec::new() })
        } else {
            let rank = RowRank::new(&rows.collect::<Vec<f64>>(), seen.len(), RANK_THRESHOLD);
            let found = rank.dependences().into_iter().map(|(row, on)| Combination { row, on }).collect();
            canonical(found).into_iter().next()
        };
        if let Some(Combination { row, on }) = free {
            let mut z = BTreeMap::new();
            for (k, share) in std::iter::once((row, 1.0)).chain(on.into_iter().map(|(k, c)| (k, -c))) {
                // Images have unit length: directions are measured by them.
                let size = unit(&directions[part[k]], &lists, |i, j| layout.rows.position(i, j).map_or(0.0, |e| c[e]));
                for (j, x) in &directions[part[k]] {
                    *z.entry(*j).or_insert(0.0) += share * x / size;
                }
            }
            return Err(refusal(equations, &z));
        }
    }
    Ok(())
}

/// The length of C z; one where that is nothing.
fn unit(z: &[(usize, f64)], lists: &[Vec<u32>], c: impl Fn(usize, usize) -> f64) -> f64 {
    let mut image = BTreeMap::new();
    for (j, z) in z {
        lists[*j].iter().for_each(|&i| *image.entry(i).or_insert(0.0) += c(i as usize, *j) * z);
    }
    match length(&image.into_values().collect::<Vec<f64>>()) {
        size if size > 0.0 => size,
        _ => 1.0,
    }
}

fn refusal(equations: &Equations, z: &BTreeMap<usize, f64>) -> InitialError {
    let largest = z.values().fold(0.0_f64, |max, x| if x.abs() > max.abs() { *x } else { max });
    let parts = z.iter().filter(|(_, z)| (*z / largest).abs() > MENTION);
    let coordinates = parts.map(|(i, z)| (equations.system().coordinate_name(*i), z / largest)).collect();
    InitialError::MasslessDirection { coordinates }
}

/// Directions that share constraints.
fn parts(images: &[BTreeMap<usize, f64>]) -> Vec<Vec<usize>> {
    let mut root: Vec<usize> = (0..images.len()).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    let mut of_row = BTreeMap::new();
    for (k, image) in images.iter().enumerate() {
        for i in image.keys() {
            let other = *of_row.entry(*i).or_insert(k);
            let (a, b) = (find(&mut root, k), find(&mut root, other));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); images.len()];
    for k in 0..images.len() {
        let r = find(&mut root, k);
        parts[r].push(k);
    }
    parts.retain(|part| !part.is_empty());
    parts
}
