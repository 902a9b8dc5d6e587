//! Is the mass matrix admissible? The kinetic energy z^T M z / 2 must not be negative for any z, whatever the constraints; massless
//! coordinates are legal. Only the symmetric part of M has a say in it. A coordinate with next to no mass of its own that shares
//! some with others (a pointer, which its constraint moves along) makes M indefinite, and is legal too: there only
//! motions count that the constraints allow.
//!
//! ```text
//! P^T (M + M^T)/2 P = | L |  | L^T  X^T |     rows scaled by their diagonal; pivots are the largest diagonal entries left
//!                     | X |  |       S  |     S: no positive diagonal left. It must be zero: otherwise
//! z = (-L^-T X^T s ; s),  s^T S s < 0         is a motion with negative kinetic energy
//! ```
//!
//! The matrix is taken apart into blocks that share no coordinate, bodies mostly. The pivots of a large block stay on their
//! diagonal in an order that keeps the factors sparse; the signs they have are the same.

use std::collections::HashMap;

use super::error::InitialError;
use super::metric::Weight;
use super::projection::length;
use super::rows::{Frame, Rows};
use super::{Metric, RANK_THRESHOLD};
use crate::equations::{Equations, Layout};
use crate::linear::rank::RowRank;
use crate::linear::{Ldl, Pattern};

/// What is below this share of a unit diagonal is rounding; also an energy of that share.
const ROUNDING: f64 = 1e-10;
/// Entries below this share of the largest are zeros.
const NO_MASS: f64 = 1e-15;
/// Negative diagonal entries below this share are rounding.
const CANCELLED: f64 = 1e-13;
/// A negative energy is one if it is more than this share of what the masses of the coordinates would have.
const CLEAR: f64 = 1e-9;
/// A coordinate that shares this many times the mass it has (geometric mean with the other) is a pointer.
const SHARED: f64 = 1e3;
/// Largest block that is factored as a dense one, with pivots from anywhere on its diagonal; the time grows with its cube.
const BLOCK: usize = 300;
/// Steps of conjugate gradients along sparse constraints.
const STEPS: usize = 200;
/// Shares of a motion below this are not mentioned.
const MENTION: f64 = 1e-3;

/// Refuses a mass matrix that gives some motion a negative kinetic energy, unless the system asks for it. Pointers are left out:
/// whether there are any is returned.
pub(super) fn definite(equations: &Equations, mass: &[f64]) -> Result<bool, InitialError> {
    if equations.description().indefinite_mass {
        return Ok(false);
    }
    let top = &equations.layout().top;
    let pointers = pointers(top, mass);
    match negative(top, mass, &pointers) {
        Some((z, energy)) => Err(refusal(equations, z, energy)),
        None => Ok(pointers.contains(&true)),
    }
}

/// The same for the motions that the constraints `c` allow, pointers included.
pub(super) fn definite_along(equations: &Equations, mass: &[f64], c: &[f64]) -> Result<(), InitialError> {
    let layout = equations.layout();
    let found = if layout.structure.is_sparse() { along_sparse(layout, mass, c) } else { along_dense(layout, mass, c) };
    match found {
        Some((z, energy)) => Err(refusal(equations, z.into_iter().enumerate().collect(), energy)),
        None => Ok(()),
    }
}

/// By all directions that the constraints allow.
fn along_dense(layout: &Layout, mass: &[f64], c: &[f64]) -> Option<(Vec<f64>, f64)> {
    let n = layout.top.rows();
    let mut rows = vec![0.0; layout.rows.rows() * n];
    for (i, row) in rows.chunks_exact_mut(n.max(1)).enumerate() {
        layout.rows.row(i).for_each(|(j, e)| row[j] = c[e]);
        let size = length(row);
        row.iter_mut().for_each(|x| *x /= if size > 0.0 { size } else { 1.0 });
    }
    let basis = RowRank::new(&rows, n, RANK_THRESHOLD).null_space();
    let k = basis.len();
    let product = |z: &[f64]| {
        let mut y = vec![0.0; n];
        layout.top.multiply(mass, z, &mut y);
        y
    };
    let images: Vec<Vec<f64>> = basis.iter().map(|z| product(z)).collect();
    let energy = |i: usize| basis[i / k].iter().zip(&images[i % k]).map(|(z, y)| z * y).sum::<f64>();
    let reduced: Vec<f64> = (0..k * k).map(energy).collect();
    let (y, energy) = negative(&Pattern::dense(k, k), &reduced, &vec![false; k])?;
    let share = |j: usize| y.iter().map(|(i, y)| y * basis[*i][j]).sum::<f64>();
    Some(((0..n).map(share).collect(), energy))
}

/// By conjugate gradients along the constraints, which meet a direction of negative energy in their first steps if there is a
/// considerable one.
fn along_sparse(layout: &Layout, mass: &[f64], c: &[f64]) -> Option<(Vec<f64>, f64)> {
    let n = layout.top.rows();
    let heaviest = mass.iter().fold(0.0_f64, |max, m| max.max(m.abs()));
    let own = |i: usize| match layout.top.position(i, i).map_or(0.0, |e| mass[e].abs()) {
        m if m > NO_MASS * heaviest => m,
        _ => heaviest,
    };
    let weights: Vec<f64> = (0..n).map(own).collect();
    let weight = Weight::new(&Metric::Weights(weights), &layout.top, mass, n, &[]);
    let frame = Frame::new(&layout.rows, weight, &layout.structure);
    let mut rows = Rows::new(&frame, c, RANK_THRESHOLD);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut r: Vec<f64> = (0..n).map(|i| (1.0 + 1.7 * i as f64).sin() * frame.weight.diagonal(i)).collect();
    let mut z = rows.split(&r).0;
    let (mut p, mut image) = (z.clone(), vec![0.0; n]);
    let mut square = dot(&r, &z);
    for _ in 0..STEPS.min(n) {
        image.fill(0.0);
        layout.top.multiply_add(0.5, mass, &p, &mut image);
        layout.top.multiply_transposed_add(0.5, mass, &p, &mut image);
        let (curvature, size) = (dot(&p, &image), frame.weight.product(&p, &p));
        if curvature < -CLEAR * size {
            return Some((p, curvature));
        }
        if square <= 0.0 || curvature <= ROUNDING * size {
            return None;
        }
        let step = square / curvature;
        r.iter_mut().zip(&image).for_each(|(r, y)| *r -= step * y);
        z = rows.split(&r).0;
        let before = std::mem::replace(&mut square, dot(&r, &z));
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + square / before * *p);
    }
    None
}

fn refusal(equations: &Equations, z: Vec<(usize, f64)>, energy: f64) -> InitialError {
    let largest = z.iter().fold(0.0_f64, |max, (_, z)| if z.abs() > max.abs() { *z } else { max });
    let name = |i: usize| equations.system().coordinate_name(i);
    let shares = z.iter().filter(|(_, z)| (z / largest).abs() > MENTION);
    let coordinates = shares.map(|(i, z)| (name(*i), z / largest)).collect();
    InitialError::NegativeMass { coordinates, mass: energy / (largest * largest) }
}

/// Coordinates that have next to no mass of their own beside what they share with others.
fn pointers(top: &Pattern, mass: &[f64]) -> Vec<bool> {
    let heaviest = mass.iter().fold(0.0_f64, |max, m| max.max(m.abs()));
    let own: Vec<f64> = (0..top.rows()).map(|i| top.position(i, i).map_or(0.0, |e| mass[e].abs())).collect();
    let mut found = vec![false; own.len()];
    for i in 0..own.len() {
        for (j, e) in top.row(i) {
            let shared = mass[e].abs();
            if i != j && shared > NO_MASS * heaviest && shared > SHARED * (own[i] * own[j]).sqrt() {
                found[if own[i] <= own[j] { i } else { j }] = true;
            }
        }
    }
    found
}

/// A motion (coordinates and their shares) with z^T M z < 0, and that number; without the coordinates left out.
fn negative(top: &Pattern, mass: &[f64], left_out: &[bool]) -> Option<(Vec<(usize, f64)>, f64)> {
    let heaviest = mass.iter().fold(0.0_f64, |max, m| max.max(m.abs()));
    // A difference of moments of inertia may be zero but for its rounding.
    let least = |i: usize, j: usize| if i == j { CANCELLED } else { NO_MASS };
    let entry = |i: usize, j: usize| {
        let value = |i: usize, j: usize| top.position(i, j).map_or(0.0, |e| mass[e]);
        let m = 0.5 * (value(i, j) + value(j, i));
        if m > NO_MASS * heaviest || m < -least(i, j) * heaviest { m } else { 0.0 }
    };
    if let Some(i) = (0..top.rows()).find(|i| entry(*i, *i) < 0.0) {
        return Some((vec![(i, 1.0)], entry(i, i)));
    }
    for block in blocks(top, mass, heaviest, left_out) {
        // Units: coordinates with mass of their own have mass one.
        let scale = |i: &usize| match entry(*i, *i).abs() {
            m if m > 0.0 => m.sqrt(),
            _ => heaviest.sqrt(),
        };
        let scales: Vec<f64> = block.iter().map(scale).collect();
        let found = if block.len() <= BLOCK {
            let size = block.len();
            let cell = |k: usize| entry(block[k / size], block[k % size]) / (scales[k / size] * scales[k % size]);
            direction((0..size * size).map(cell).collect(), size)
        } else {
            let place: HashMap<usize, usize> = block.iter().enumerate().map(|(k, i)| (*i, k)).collect();
            let entries = block.iter().enumerate().flat_map(|(k, i)| {
                top.row(*i).filter_map(|(j, _)| place.get(&j)).flat_map(move |l| [(k, *l), (*l, k)]).collect::<Vec<_>>()
            });
            let size = block.len();
            let pattern = Pattern::from_entries(size, size, entries.chain((0..size).map(|k| (k, k))));
            let cell = |k: usize, l: usize| entry(block[k], block[l]) / (scales[k] * scales[l]);
            let values: Vec<f64> = (0..size).flat_map(|k| pattern.row(k).map(move |(l, _)| cell(k, l))).collect();
            let mut ldl = Ldl::of_values(&pattern, &values);
            ldl.factor(&values, 0.0, ROUNDING);
            ldl.negatives().next().map(|negative| ldl.direction(negative))
        };
        if let Some(z) = found {
            let z: Vec<(usize, f64)> = block.iter().zip(&scales).zip(z).map(|((i, s), z)| (*i, z / s)).collect();
            let shares: HashMap<usize, f64> = z.iter().copied().collect();
            let row = |i: usize| top.row(i).map(|(j, e)| mass[e] * shares.get(&j).unwrap_or(&0.0)).sum::<f64>();
            let energy = z.iter().map(|(i, x)| x * row(*i)).sum::<f64>();
            let terms = z.iter().map(|(i, x)| x * x * entry(*i, *i).abs()).sum::<f64>();
            // A motion that is free but for rounding has no energy of either sign.
            if energy < -CLEAR * terms || terms == 0.0 {
                return Some((z, energy));
            }
        }
    }
    None
}

/// Coordinates joined by entries.
fn blocks(top: &Pattern, mass: &[f64], heaviest: f64, left_out: &[bool]) -> Vec<Vec<usize>> {
    let n = top.rows();
    let mut root: Vec<usize> = (0..n).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    for i in 0..n {
        for (j, e) in top.row(i) {
            if mass[e].abs() > NO_MASS * heaviest && !left_out[i] && !left_out[j] {
                let (a, b) = (find(&mut root, i), find(&mut root, j));
                root[a.max(b)] = a.min(b);
            }
        }
    }
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); n];
    for i in (0..n).filter(|i| !left_out[*i]) {
        let r = find(&mut root, i);
        found[r].push(i);
    }
    found.retain(|block| !block.is_empty());
    found
}

/// A direction of negative energy of a symmetric matrix with diagonal entries 1, 0 or -1.
fn direction(mut s: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut rank = 0;
    // Right-looking, in place: `s` of rows that are pivots holds the factor L.
    while rank < n {
        let pivot = (rank..n).max_by(|a, b| s[order[*a] * (n + 1)].total_cmp(&s[order[*b] * (n + 1)])).unwrap_or(rank);
        let d = s[order[pivot] * (n + 1)];
        if d <= ROUNDING {
            break;
        }
        order.swap(rank, pivot);
        let p = order[rank];
        for &i in &order[rank + 1..] {
            s[i * n + p] /= d.sqrt();
        }
        for (a, &i) in order[rank + 1..].iter().enumerate() {
            for &j in &order[rank + 1..][..=a] {
                let change = s[i * n + p] * s[j * n + p];
                s[i * n + j] -= change;
                if i != j {
                    s[j * n + i] = s[i * n + j];
                }
            }
        }
        s[p * n + p] = d.sqrt();
        rank += 1;
    }
    let rest = &order[rank..];
    // Of what is left: a negative diagonal entry, or an entry beside zeros.
    let diagonal = rest.iter().copied().min_by(|a, b| s[a * (n + 1)].total_cmp(&s[b * (n + 1)]));
    let pairs = rest.iter().flat_map(|i| rest.iter().map(move |j| (*i, *j))).filter(|(i, j)| i != j);
    let pair = pairs.max_by(|a, b| s[a.0 * n + a.1].abs().total_cmp(&s[b.0 * n + b.1].abs()));
    let mut z = vec![0.0; n];
    match (diagonal, pair) {
        (Some(i), _) if s[i * (n + 1)] < -ROUNDING => z[i] = 1.0,
        (_, Some((i, j))) if s[i * n + j].abs() > ROUNDING => (z[i], z[j]) = (1.0, -s[i * n + j].signum()),
        _ => return None,
    }
    for k in (0..rank).rev() {
        let p = order[k];
        let sum: f64 = order[k + 1..].iter().map(|i| s[i * n + p] * z[*i]).sum();
        z[p] = -sum / s[p * n + p];
    }
    Some(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(m: &[f64], n: usize) -> Option<f64> {
        negative(&Pattern::dense(n, n), m, &vec![false; n]).map(|(z, energy)| {
            let z: Vec<f64> = (0..n).map(|i| z.iter().find(|(j, _)| *j == i).map_or(0.0, |(_, z)| *z)).collect();
            let again: f64 = (0..n * n).map(|k| m[k] * z[k / n] * z[k % n]).sum();
            assert!((again - energy).abs() <= 1e-12 * energy.abs(), "{again} {energy}");
            energy
        })
    }

    #[test]
    fn negative_energies_are_found_and_zero_is_none() {
        assert!(of(&[1.0, 0.0, 0.0, -1.0], 2).is_some_and(|e| e < 0.0));
        assert!(of(&[1.0, 2.0, 2.0, 1.0], 2).is_some_and(|e| e < 0.0));
        assert!(of(&[0.0, 1.0, 1.0, 0.0], 2).is_some_and(|e| e < 0.0));
        // Not symmetric: 1 and -1 beside each other have no energy together.
        assert!(of(&[1.0, 5.0, -5.0, 1.0], 2).is_none());
        for semidefinite in [[1.0, 1.0, 1.0, 1.0], [0.0; 4], [1.0, 0.0, 0.0, 0.0], [1e-30, 0.0, 0.0, 1e30]] {
            assert!(of(&semidefinite, 2).is_none(), "{semidefinite:?}");
        }
    }

    #[test]
    fn a_long_block_is_searched() {
        let n = 400;
        let pattern = Pattern::from_entries(n, n, (0..n).flat_map(|i| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)]));
        for (beside, found) in [(0.3, false), (0.49, false), (0.501, true), (0.8, true)] {
            let mut mass = vec![0.0; pattern.len()];
            (0..n).for_each(|i| pattern.row(i).for_each(|(j, e)| mass[e] = if i == j { 1.0 } else { beside }));
            assert_eq!(negative(&pattern, &mass, &vec![false; n]).is_some(), found, "{beside}");
        }
    }
}
