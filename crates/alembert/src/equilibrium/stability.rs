//! Whether an equilibrium is stable: the signs of the stiffness on the motions that the constraints allow.
//!
//! ```text
//! Y^T S Y x = square Y^T M Y x          C Y = 0;   S = d/dq (-f - r) with the multipliers of the equilibrium
//! ```
//!
//! A positive one is the square of a frequency, a negative one that of a rate at which the model falls, and zero a motion that nothing resists.
//! By the stiffness alone: dampers do not change the signs, forces without a potential may, and S is then not symmetric.

use std::fmt;

use super::descent::Descent;
use crate::equations::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::linear::rank::RowRank;
use crate::tolerance::largest;

/// The largest number of velocities: the matrices are dense here.
const MOST: usize = 400;
/// Below this share of the largest a number is zero.
const ZERO: f64 = 1e-12;
/// Up to this share of its entries a matrix is symmetric: it may be made of differences of differences.
const SYMMETRIC: f64 = 1e-5;
/// Pivots below this share of the largest belong to dependent constraints.
const DEPENDENT: f64 = 1e-10;
const SWEEPS: usize = 60;

/// What becomes of a model in equilibrium that is pushed a little.
#[derive(Clone, Debug, PartialEq)]
pub enum Stability {
    /// It comes back: the lowest circular frequency.
    Stable {
        /// In radians per unit of time.
        frequency: f64,
    },
    /// It stays where it is pushed, in so many directions, and comes back in the others.
    Neutral {
        /// How many.
        directions: usize,
    },
    /// It falls.
    Unstable {
        /// In how many directions.
        directions: usize,
        /// The fastest: deviations grow like exp(rate t).
        rate: f64,
    },
    /// Nothing can move.
    Rigid,
    /// It was not found out, for this reason.
    Unknown(&'static str),
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ways = |n: &usize| if *n == 1 { "1 direction".to_owned() } else { format!("{n} directions") };
        match self {
            Stability::Stable { frequency } => write!(f, "stable, the lowest frequency is {frequency:.4} rad/s"),
            Stability::Neutral { directions } => write!(f, "neutral in {}, stable in the others", ways(directions)),
            Stability::Unstable { directions, rate } => {
                write!(f, "unstable in {}, deviations grow like exp({rate:.4} t)", ways(directions))
            }
            Stability::Rigid => write!(f, "rigid: the constraints allow no motion"),
            Stability::Unknown(why) => write!(f, "stability not known: {why}"),
        }
    }
}

impl Stability {
    /// One word, for machines.
    pub fn name(&self) -> &'static str {
        match self {
            Stability::Stable { .. } => "stable",
            Stability::Neutral { .. } => "neutral",
            Stability::Unstable { .. } => "unstable",
            Stability::Rigid => "rigid",
            Stability::Unknown(_) => "unknown",
        }
    }
}

fn full(pattern: &Pattern, values: &[f64]) -> Vec<f64> {
    let n = pattern.columns();
    let mut out = vec![0.0; pattern.rows() * n];
    for i in 0..pattern.rows() {
        pattern.row(i).for_each(|(j, position)| out[i * n + j] = values[position]);
    }
    out
}

/// Y^T A Y.
fn reduced(a: &[f64], y: &[Vec<f64>]) -> Vec<f64> {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let n = y.first().map_or(0, Vec::len);
    let ay: Vec<Vec<f64>> = y.iter().map(|y| a.chunks_exact(n.max(1)).map(|row| dot(row, y)).collect()).collect();
    y.iter().flat_map(|x| ay.iter().map(move |ay| dot(x, ay))).collect()
}

/// The stability where a descent has ended, and if it is not stable the direction in which it falls.
pub(super) fn judge(equations: &mut Equations, at: &Descent) -> Result<(Stability, Option<Vec<f64>>), NotFinite> {
    let n = equations.dims().v;
    if n > MOST {
        return Ok((Stability::Unknown("the model has more than 400 velocities"), None));
    }
    let layout = equations.layout().clone();
    let blocks = at.blocks(equations)?;
    let mut c = full(&layout.rows, &blocks.rows);
    for row in c.chunks_exact_mut(n.max(1)) {
        let size = largest(row);
        row.iter_mut().filter(|_| size > 0.0).for_each(|x| *x /= size);
    }
    let y = RowRank::new(&c, n, DEPENDENT).null_space();
    let k = y.len();
    if k == 0 {
        return Ok((Stability::Rigid, None));
    }
    let mut s = reduced(&full(&layout.top, &blocks.stiffness), &y);
    let mass = reduced(&full(&layout.top, &blocks.mass), &y);
    let size = largest(&s);
    for i in 0..k {
        for j in 0..i {
            if (s[i * k + j] - s[j * k + i]).abs() > SYMMETRIC * size {
                return Ok((Stability::Unknown("forces have no potential near it"), None));
            }
            let middle = 0.5 * (s[i * k + j] + s[j * k + i]);
            (s[i * k + j], s[j * k + i]) = (middle, middle);
        }
    }
    let Some(l) = cholesky(&mass, k) else {
        return Ok((Stability::Unknown("the mass is not positive"), None));
    };
    // L^-1 S L^-T, by columns and then by rows.
    for _ in 0..2 {
        for column in 0..k {
            for i in 0..k {
                let known: f64 = (0..i).map(|j| l[i * k + j] * s[j * k + column]).sum();
                s[i * k + column] = (s[i * k + column] - known) / l[i * k + i];
            }
        }
        transpose(&mut s, k);
    }
    let vectors = jacobi(&mut s, k);
    let squares: Vec<f64> = (0..k).map(|i| s[i * k + i]).collect();
    let zero = ZERO * largest(&squares);
    let falling = squares.iter().filter(|square| **square < -zero).count();
    let still = squares.iter().filter(|square| square.abs() <= zero).count();
    let lowest = (0..k).min_by(|a, b| squares[*a].total_cmp(&squares[*b])).unwrap_or(0);
    if falling > 0 {
        // L^-T times the eigenvector, then back to velocities.
        let mut x: Vec<f64> = (0..k).map(|i| vectors[i * k + lowest]).collect();
        for i in (0..k).rev() {
            let known: f64 = (i + 1..k).map(|j| l[j * k + i] * x[j]).sum();
            x[i] = (x[i] - known) / l[i * k + i];
        }
        let direction = (0..n).map(|i| y.iter().zip(&x).map(|(y, x)| y[i] * x).sum()).collect();
        return Ok((Stability::Unstable { directions: falling, rate: (-squares[lowest]).sqrt() }, Some(direction)));
    }
    if still > 0 {
        return Ok((Stability::Neutral { directions: still }, None));
    }
    Ok((Stability::Stable { frequency: squares[lowest].sqrt() }, None))
}

fn transpose(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            a.swap(i * n + j, j * n + i);
        }
    }
}

/// L with A = L L^T; none if A is not positive definite.
fn cholesky(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let rest = a[i * n + j] - known;
            l[i * n + j] = if i == j { Some(rest).filter(|rest| *rest > 0.0)?.sqrt() } else { rest / l[j * n + j] };
        }
    }
    Some(l)
}

/// Jacobi's rotations: leaves eigenvalues on the diagonal of a symmetric matrix, returns eigenvectors as columns.
fn jacobi(a: &mut [f64], n: usize) -> Vec<f64> {
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
                // Relative to the diagonal, so that small eigenvalues beside large ones keep their digits.
                if apq == 0.0 || apq.abs() <= f64::EPSILON * (app.abs() * aqq.abs()).sqrt() {
                    continue;
                }
                turned = true;
                let theta = (aqq - app) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
                    (vectors[k * n + p], vectors[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
            }
        }
        if !turned {
            break;
        }
    }
    vectors
}
