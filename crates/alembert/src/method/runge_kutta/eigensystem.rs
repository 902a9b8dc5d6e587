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
use super::rate::Rate;
use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::equations::Layout;
use crate::linear::{Bordered, Entry, Kkt, Pattern, Singular, Twin};
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

impl<S: Number> Keep for Eigensystem<S> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.kkt.keep(archive)?;
        let factored = self.kkt.is_factored();
        self.rate.as_mut().map_or(Ok(()), |rate| rate.keep(archive, factored))
    }
}

impl<S: Number> Eigensystem<S> {
    pub fn new(row: usize, tau: S, blocks: &Blocks) -> Self {
        let (n, m) = (blocks.dims.v, blocks.dims.constraints());
        let rate = (!blocks.u_v.is_empty()).then(|| Rate::new(blocks));
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
            let Layout { top_q, holonomic_q, nonholonomic_q, .. } = &blocks.layout;
            S::gather(&hats.rho[rows(nq)], &mut rate.column);
            rate.filter();
            add_product(top_q, &blocks.stiffness, &rate.column, ht, motion);
            add_product(holonomic_q, &blocks.g_q, &rate.column, -velocity, holonomic);
            add_product(nonholonomic_q, &blocks.k_q[holonomic_q.len()..], &rate.column, S::from(1.0), nonholonomic);
        }
        self.kkt.solve(&mut self.rhs);
        S::scatter(&self.rhs, &mut hats.x[rows(n + m)]);
        if let Some(rate) = &mut self.rate {
            rate.column.iter_mut().for_each(|column| *column = -*column);
            rate.add_moved(ht, &self.rhs[..n]);
            S::scatter(&rate.column, &mut hats.rho[rows(nq)]);
        }
    }
}

impl Eigensystem<f64> {
    /// Y x in place.
    pub fn filter_rate(&mut self, x: &mut [f64]) {
        if let Some(rate) = &mut self.rate {
            rate.column.copy_from_slice(x);
            rate.filter();
            x.copy_from_slice(&rate.column);
        }
    }

    /// out += factor Z x.
    pub fn add_moved(&mut self, factor: f64, x: &[f64], out: &mut [f64]) {
        match &mut self.rate {
            None => out.iter_mut().zip(x).for_each(|(out, x)| *out += factor * x),
            Some(rate) => {
                rate.column.copy_from_slice(out);
                rate.add_moved(factor, x);
                out.copy_from_slice(&rate.column);
            }
        }
    }
}

/// out += factor A x for the real values of a pattern.
fn add_product<S: Number>(pattern: &Pattern, values: &[f64], x: &[S], factor: S, out: &mut [S]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out += factor * pattern.row(i).fold(S::default(), |sum, (j, e)| sum + x[j] * values[e]);
    }
}
