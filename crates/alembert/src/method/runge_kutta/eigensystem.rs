//! One eigenvalue tau of A, and its system of the size of one stage. Hats mark transformed stage vectors, T^-1 times
//! (R_1, ..., R_s) and so on:
//!
//! ```text
//! | M + h tau D + (h tau)^2 S   -r_mu | (dK^ )       ( R^            )
//! | G                                 | (dmu^)  = -  ( g^ / (h tau)^2 )
//! | K + h tau k_q                     |              ( k^ / (h tau)   )
//! ```
//!
//! Under a general rate q' = U(t,q,v) the stage rates P are unknowns too, with the residual rho = P - U. Then
//! dP = h tau Z dK - Y rho with Y = (I - h tau U_q)^-1 and Z = Y U_v, so that S, G, k_q above become S Z, G Z, k_q Z and
//! the right-hand side gains h tau S Y rho, G Y rho/(h tau), k_q Y rho.

use faer::c64;

use super::blocks::Blocks;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::linear::{Bordered, DenseSolver, Entry, Kkt, LinearSolver, Singular, Twin, keep_entries};
use crate::system::Dims;

/// A real eigenvalue acts on one transformed row, a complex one on two, two complex ones on four.
pub(in crate::method) trait Number: Entry + 'static {
    /// Rows taken.
    const ROWS: usize;
    fn join(first: f64, second: f64) -> Self;
    fn split(self) -> (f64, f64);
    /// The numbers whose parts are the rows of `x`.
    fn gather(x: &[f64], out: &mut [Self]);
    /// The reverse.
    fn scatter(from: &[Self], x: &mut [f64]);
}

impl Number for f64 {
    const ROWS: usize = 1;
    fn join(first: f64, _: f64) -> f64 {
        first
    }
    fn split(self) -> (f64, f64) {
        (self, 0.0)
    }
    fn gather(x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }
    fn scatter(from: &[f64], x: &mut [f64]) {
        x.copy_from_slice(from);
    }
}

impl Number for c64 {
    const ROWS: usize = 2;
    fn join(first: f64, second: f64) -> c64 {
        c64::new(first, second)
    }
    fn split(self) -> (f64, f64) {
        (self.re, self.im)
    }
    fn gather(x: &[f64], out: &mut [c64]) {
        let (first, second) = x.split_at(out.len());
        for ((out, re), im) in out.iter_mut().zip(first).zip(second) {
            *out = c64::new(*re, *im);
        }
    }
    fn scatter(from: &[c64], x: &mut [f64]) {
        let (first, second) = x.split_at_mut(from.len());
        for ((from, re), im) in from.iter().zip(first).zip(second) {
            (*re, *im) = (from.re, from.im);
        }
    }
}

/// Two complex eigenvalues at once. They are taken apart under a general rate, which needs the parts of one number.
impl Number for Twin {
    const ROWS: usize = 4;
    fn join(first: f64, second: f64) -> Twin {
        Twin::new(c64::new(first, second), c64::new(first, second))
    }
    fn split(self) -> (f64, f64) {
        (self.re[0], self.im[0])
    }
    fn gather(x: &[f64], out: &mut [Twin]) {
        let rows: [&[f64]; 4] = std::array::from_fn(|row| &x[row * out.len()..(row + 1) * out.len()]);
        for (i, out) in out.iter_mut().enumerate() {
            *out = Twin { re: [rows[0][i], rows[2][i]], im: [rows[1][i], rows[3][i]] };
        }
    }
    fn scatter(from: &[Twin], x: &mut [f64]) {
        let (first, second) = x.split_at_mut(2 * from.len());
        let ((a, b), (c, d)) = (first.split_at_mut(from.len()), second.split_at_mut(from.len()));
        for (i, from) in from.iter().enumerate() {
            (a[i], b[i], c[i], d[i]) = (from.re[0], from.im[0], from.re[1], from.im[1]);
        }
    }
}

/// Transformed stage vectors, one row a stage; a solve replaces residuals by corrections.
pub(in crate::method) struct Hats {
    /// (R^, g^, k^), then (dK^, dmu^); s by v and constraints.
    pub x: Vec<f64>,
    /// rho^, then dP^; s by q, empty where q' = v.
    pub rho: Vec<f64>,
}

pub(in crate::method) struct Eigensystem<S: Number> {
    /// First transformed row.
    row: usize,
    pub tau: S,
    pub kkt: Kkt<S>,
    /// A length h and -1/(h tau).
    reciprocal: (f64, S),
    rhs: Vec<S>,
    rate: Option<Rate<S>>,
}

/// Y, Z and their products with the blocks.
struct Rate<S: Number> {
    /// Factors of I - h tau U_q.
    solver: DenseSolver<S>,
    matrix: Vec<S>,
    column: Vec<S>,
    /// q by v.
    z: Vec<S>,
    /// S Z and (G Z; K), real and imaginary parts apart, because blocks are real.
    stiffness: [Vec<f64>; 2],
    rows: [Vec<f64>; 2],
    /// (0; k_q Z).
    rows_q: [Vec<f64>; 2],
}

impl<S: Number> Keep for Eigensystem<S> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.kkt.keep(archive)?;
        let Some(rate) = &mut self.rate else { return Ok(()) };
        keep_entries(&mut rate.matrix, archive)?;
        keep_entries(&mut rate.z, archive)?;
        keep!(archive; rate.stiffness, rate.rows, rate.rows_q)?;
        if archive.is_reading() && self.kkt.is_factored() {
            rate.solver.factor(&rate.matrix).map_err(|_| BadCheckpoint::Corrupt)?;
        }
        Ok(())
    }
}

impl<S: Number> Eigensystem<S> {
    pub fn new(row: usize, tau: S, blocks: &Blocks) -> Self {
        let (n, m, nq) = (blocks.dims.v, blocks.dims.constraints(), blocks.nq);
        let pair = |len: usize| [vec![0.0; len], vec![0.0; len]];
        let rate = (!blocks.u_v.is_empty()).then(|| Rate {
            solver: DenseSolver::new(nq),
            matrix: vec![S::default(); nq * nq],
            column: vec![S::default(); nq],
            z: vec![S::default(); nq * n],
            stiffness: pair(n * n),
            rows: pair(m * n),
            rows_q: pair(m * n),
        });
        let kkt = Kkt::new(&blocks.layout.structure);
        Eigensystem { row, tau, kkt, reciprocal: (0.0, S::default()), rhs: vec![S::default(); n + m], rate }
    }

    /// Factors for a step of length h.
    pub fn factor(&mut self, h: f64, blocks: &Blocks) -> Result<(), Singular> {
        let (one, ht) = (S::from(1.0), self.tau * h);
        let Blocks { mass, damping, stiffness, r_mu, c_v, k_q, .. } = blocks;
        let Some(rate) = &mut self.rate else {
            return self.kkt.factor(Bordered {
                top: &[(one, mass), (ht, damping), (ht * ht, stiffness)],
                border: (1.0, r_mu),
                rows: &[(one, c_v), (if blocks.dims.psi > 0 { ht } else { S::default() }, k_q)],
                corner: None,
            });
        };
        rate.prepare(ht, blocks)?;
        // The unit that turns real blocks into imaginary parts; zero for a real eigenvalue.
        let unit = S::join(0.0, 1.0);
        let ([s_re, s_im], [g_re, g_im], [k_re, k_im]) = (&rate.stiffness, &rate.rows, &rate.rows_q);
        self.kkt.factor(Bordered {
            top: &[(one, mass), (ht, damping), (ht * ht, s_re), (ht * ht * unit, s_im)],
            border: (1.0, r_mu),
            rows: &[(one, g_re), (unit, g_im), (ht, k_re), (ht * unit, k_im)],
            corner: None,
        })
    }

    /// The smallest multipliers that do the same as `mu`, in this mode's rows of both; wrong by a share of the softness.
    pub fn least_multipliers(&mut self, blocks: &Blocks, mu: &[f64], least: &mut [f64]) {
        let (n, m) = (blocks.dims.v, blocks.dims.constraints());
        let rows = self.row * m..(self.row + S::ROWS) * m;
        let (motion, multipliers) = self.rhs.split_at_mut(n);
        S::gather(&mu[rows.clone()], multipliers);
        motion.fill(S::default());
        for (i, mu) in multipliers.iter_mut().enumerate() {
            let mu = std::mem::take(mu);
            blocks.layout.rows.row(i).for_each(|(j, e)| motion[j] -= mu * blocks.r_mu[e]);
        }
        self.kkt.solve(&mut self.rhs);
        S::scatter(&self.rhs[n..], &mut least[rows]);
    }

    /// Replaces this mode's rows of the residuals by corrections.
    pub fn correct(&mut self, h: f64, blocks: &Blocks, hats: &mut Hats) {
        let Dims { v: n, lambda: nl, .. } = blocks.dims;
        let (m, nq, ht) = (blocks.dims.constraints(), blocks.nq, self.tau * h);
        let rows = |width: usize| self.row * width..(self.row + S::ROWS) * width;
        if self.reciprocal.0 != h {
            self.reciprocal = (h, S::from(-1.0) / ht);
        }
        let velocity = self.reciprocal.1;
        S::gather(&hats.x[rows(n + m)], &mut self.rhs);
        let (motion, constraints) = self.rhs.split_at_mut(n);
        let (holonomic, nonholonomic) = constraints.split_at_mut(nl);
        motion.iter_mut().for_each(|x| *x = -*x);
        nonholonomic.iter_mut().for_each(|x| *x *= velocity);
        let position = -(velocity * velocity);
        holonomic.iter_mut().for_each(|x| *x *= position);
        if let Some(rate) = &mut self.rate {
            S::gather(&hats.rho[rows(nq)], &mut rate.column);
            rate.solver.solve(&mut rate.column);
            add_product(&blocks.stiffness, &rate.column, ht, motion);
            add_product(&blocks.g_q, &rate.column, -velocity, holonomic);
            add_product(&blocks.k_q[nl * nq..], &rate.column, S::from(1.0), nonholonomic);
        }
        self.kkt.solve(&mut self.rhs);
        S::scatter(&self.rhs, &mut hats.x[rows(n + m)]);
        if let Some(rate) = &mut self.rate {
            for (column, z) in rate.column.iter_mut().zip(rate.z.chunks_exact(n.max(1))) {
                *column = ht * row_times(z, &self.rhs[..n]) - *column;
            }
            S::scatter(&rate.column, &mut hats.rho[rows(nq)]);
        }
    }
}

impl Eigensystem<f64> {
    /// Y x in place.
    pub fn filter_rate(&mut self, x: &mut [f64]) {
        if let Some(rate) = &mut self.rate {
            rate.solver.solve(x);
        }
    }

    /// out += factor Z x.
    pub fn add_moved(&self, factor: f64, x: &[f64], out: &mut [f64]) {
        match &self.rate {
            None => out.iter_mut().zip(x).for_each(|(out, x)| *out += factor * x),
            Some(rate) => add_product(&rate.z, x, factor, out),
        }
    }
}

impl<S: Number> Rate<S> {
    fn prepare(&mut self, ht: S, blocks: &Blocks) -> Result<(), Singular> {
        let (Dims { v: n, lambda: nl, psi: np, .. }, nq) = (blocks.dims, blocks.nq);
        for i in 0..nq {
            for j in 0..nq {
                let unit = S::from(if i == j { 1.0 } else { 0.0 });
                self.matrix[j * nq + i] = unit - ht * blocks.u_q[i * nq + j];
            }
        }
        self.solver.factor(&self.matrix)?;
        for j in 0..n {
            for i in 0..nq {
                self.column[i] = S::from(blocks.u_v[i * n + j]);
            }
            self.solver.solve(&mut self.column);
            for i in 0..nq {
                self.z[i * n + j] = self.column[i];
            }
        }
        product(&blocks.stiffness, &self.z, n, nq, &mut self.stiffness, 0);
        product(&blocks.g_q, &self.z, n, nq, &mut self.rows, 0);
        self.rows[0][nl * n..].copy_from_slice(&blocks.c_v[nl * n..]);
        if np > 0 {
            product(&blocks.k_q[nl * nq..], &self.z, n, nq, &mut self.rows_q, nl * n);
        }
        Ok(())
    }
}

fn row_times<S: Number>(row: &[S], x: &[S]) -> S {
    row.iter().zip(x).fold(S::default(), |sum, (a, x)| sum + *a * *x)
}

/// out += factor A x for a real row-major A.
fn add_product<S: Number>(a: &[f64], x: &[S], factor: S, out: &mut [S]) {
    for (row, out) in a.chunks_exact(x.len()).zip(out) {
        *out += factor * row.iter().zip(x).fold(S::default(), |sum, (a, x)| sum + *x * *a);
    }
}

/// A Z with a real A (any rows by nq) and Z (nq by n), parts apart, written from `offset` on.
fn product<S: Number>(a: &[f64], z: &[S], n: usize, nq: usize, out: &mut [Vec<f64>; 2], offset: usize) {
    for (i, row) in a.chunks_exact(nq).enumerate() {
        for j in 0..n {
            let sum = row.iter().enumerate().fold(S::default(), |sum, (k, a)| sum + z[k * n + j] * *a);
            let (re, im) = sum.split();
            out[0][offset + i * n + j] = re;
            out[1][offset + i * n + j] = im;
        }
    }
}
