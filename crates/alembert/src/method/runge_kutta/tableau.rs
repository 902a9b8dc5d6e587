//! Butcher tableaus (c, A, b), computed from their defining conditions and checked:
//!
//! ```text
//! B(p): sum_j b_j c_j^(k-1) = 1/k            k = 1..p
//! C(q): sum_j a_ij c_j^(k-1) = c_i^k/k       k = 1..q, the stage order
//! D(r): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k
//! ```
//!
//! The order is at least min(p, q+r+1, 2q+2). Projected Runge-Kutta methods for index 3 (Schropp, section 2) need
//!
//! ```text
//! (B1) A invertible    (B2) |R(inf)| < 1, R(inf) = 1 - b^T A^-1 1    (B3) order >= q + 1, q >= 2
//! ```

use std::fmt;
use std::sync::OnceLock;

use super::polynomial::{self, lagrange, lagrange_integral, lagrange_integrals};
use crate::advice::{Advised, displayed};
use crate::linear::{DenseSolver, LinearSolver};

/// Largest defect of a condition that holds.
const DEFECT: f64 = 1e-11;
/// Conditions are tested up to this index.
const HIGHEST: usize = 24;

/// The coefficients of a Runge-Kutta method.
#[derive(Clone, Debug, PartialEq)]
pub struct Tableau {
    c: Vec<f64>,
    /// Row-major.
    a: Vec<f64>,
    b: Vec<f64>,
}

/// A condition of convergence that a tableau does not meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Violation {
    /// (B1): A has no inverse.
    Singular,
    /// (B2): |R(inf)| is not below 1.
    Undamped {
        /// R(inf).
        at_infinity: f64,
    },
    /// (B3): the stage order is below 2, or the order not above it.
    LowOrder {
        /// Order.
        order: usize,
        /// Stage order.
        stage_order: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Singular => write!(f, "(B1) the matrix A of the tableau has no inverse"),
            Violation::Undamped { at_infinity } => {
                write!(f, "(B2) |R(inf)| = {} is not below 1: errors of the multipliers persist", at_infinity.abs())
            }
            Violation::LowOrder { order, stage_order } => write!(
                f,
                "(B3) order {order} and stage order {stage_order}: the stage order must be at least 2, the order above it"
            ),
        }
    }
}

/// Numbers that are no tableau.
#[derive(Clone, Debug, PartialEq)]
pub enum BadTableau {
    /// There is no stage.
    Empty,
    /// Lengths do not fit the number of stages.
    Shape {
        /// Stages, the length of c.
        stages: usize,
        /// Length of A, which must be stages^2.
        a: usize,
        /// Length of b, which must be stages.
        b: usize,
    },
    /// A number is not finite.
    NotFinite,
    /// The weights do not sum to 1: the method does not converge.
    Inconsistent {
        /// Their sum.
        sum: f64,
    },
}

impl Advised for BadTableau {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadTableau::Empty => write!(f, "the tableau has no stages"),
            BadTableau::Shape { stages, a, b } => {
                write!(f, "a tableau of {stages} stages has {a} coefficients in A and {b} in b")
            }
            BadTableau::NotFinite => write!(f, "a coefficient of the tableau is not a finite number"),
            BadTableau::Inconsistent { sum } => write!(f, "the weights b sum to {sum}"),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            BadTableau::Empty | BadTableau::NotFinite => None,
            BadTableau::Shape { .. } => Some("A is a row-major square, b has one weight a stage".to_owned()),
            BadTableau::Inconsistent { .. } => Some("they must sum to 1".to_owned()),
        }
    }
}

displayed!(BadTableau);

impl Tableau {
    /// A tableau of your own; A is row-major.
    ///
    /// # Errors
    /// If the lengths differ, a number is not finite, or b does not sum to 1.
    pub fn new(c: Vec<f64>, a: Vec<f64>, b: Vec<f64>) -> Result<Self, BadTableau> {
        let stages = c.len();
        if stages == 0 {
            return Err(BadTableau::Empty);
        }
        if a.len() != stages * stages || b.len() != stages {
            return Err(BadTableau::Shape { stages, a: a.len(), b: b.len() });
        }
        if !c.iter().chain(&a).chain(&b).all(|x| x.is_finite()) {
            return Err(BadTableau::NotFinite);
        }
        let sum: f64 = b.iter().sum();
        if (sum - 1.0).abs() > DEFECT {
            return Err(BadTableau::Inconsistent { sum });
        }
        Ok(Tableau { c, a, b })
    }

    /// Collocation at the given nodes: C(s) and B(s).
    fn collocation(c: Vec<f64>) -> Self {
        let a = c.iter().flat_map(|place| lagrange_integrals(&c, 0.0, *place)).collect();
        let b = lagrange_integrals(&c, 0.0, 1.0);
        Tableau { c, a, b }
    }

    /// Radau IIA with s >= 1 stages: order 2s - 1, stage order s, stiffly accurate.
    pub fn radau_iia(stages: usize) -> Self {
        // The default method: many integrators of one program use it, and short runs would notice.
        static KNOWN: [OnceLock<Tableau>; 16] = [const { OnceLock::new() }; 16];
        let make = || Self::collocation(polynomial::RADAU_RIGHT.nodes(stages.max(1)));
        KNOWN.get(stages).map_or_else(make, |known| known.get_or_init(make).clone())
    }

    /// Gauss with s >= 1 stages: order 2s, stage order s, |R(inf)| = 1.
    pub fn gauss(stages: usize) -> Self {
        Self::collocation(polynomial::GAUSS.nodes(stages.max(1)))
    }

    /// Radau IA with s >= 1 stages: order 2s - 1, stage order s - 1. A follows from D(s) applied to Lagrange's basis.
    pub fn radau_ia(stages: usize) -> Self {
        let c = polynomial::RADAU_LEFT.nodes(stages.max(1));
        let s = c.len();
        let b = lagrange_integrals(&c, 0.0, 1.0);
        let a = (0..s * s)
            .map(|ij| {
                let (i, j) = (ij / s, ij % s);
                b[j] / b[i] * lagrange_integral(&c, i, c[j], 1.0)
            })
            .collect();
        Tableau { c, a, b }
    }

    /// Lobatto IIIC with s >= 2 stages: order 2s - 2, stage order s - 1, stiffly accurate. A has b_1 in its first column
    /// and satisfies C(s-1).
    pub fn lobatto_iiic(stages: usize) -> Self {
        let c = polynomial::LOBATTO.nodes(stages.max(2));
        let s = c.len();
        let b = lagrange_integrals(&c, 0.0, 1.0);
        let mut a = vec![b[0]; s * s];
        for i in 0..s {
            for j in 1..s {
                let inner = &c[1..];
                a[i * s + j] = lagrange_integral(inner, j - 1, 0.0, c[i]) - b[0] * lagrange(inner, j - 1, c[0]);
            }
        }
        Tableau { c, a, b }
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.c.len()
    }

    /// Times of the stages in units of the step.
    pub fn c(&self) -> &[f64] {
        &self.c
    }

    /// The matrix, row-major.
    pub fn a(&self) -> &[f64] {
        &self.a
    }

    /// The weights.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// Largest p with B(p).
    pub fn quadrature_order(&self) -> usize {
        leading(|k| {
            let sum: f64 = self.b.iter().zip(&self.c).map(|(b, c)| b * c.powi(k as i32 - 1)).sum();
            (sum - 1.0 / k as f64).abs() <= DEFECT
        })
    }

    /// Largest q with C(q): the stage order.
    pub fn stage_order(&self) -> usize {
        let s = self.stages();
        leading(|k| {
            (0..s).all(|i| {
                let row = &self.a[i * s..(i + 1) * s];
                let sum: f64 = row.iter().zip(&self.c).map(|(a, c)| a * c.powi(k as i32 - 1)).sum();
                (sum - self.c[i].powi(k as i32) / k as f64).abs() <= DEFECT
            })
        })
    }

    /// Largest r with D(r).
    pub fn adjoint_order(&self) -> usize {
        let s = self.stages();
        leading(|k| {
            (0..s).all(|j| {
                let sum: f64 = (0..s).map(|i| self.b[i] * self.c[i].powi(k as i32 - 1) * self.a[i * s + j]).sum();
                (sum - self.b[j] * (1.0 - self.c[j].powi(k as i32)) / k as f64).abs() <= DEFECT
            })
        })
    }

    /// The classical order that follows from B, C and D.
    pub fn order(&self) -> usize {
        let (p, q, r) = (self.quadrature_order(), self.stage_order(), self.adjoint_order());
        p.min(q + r + 1).min(2 * q + 2)
    }

    /// Whether the last stage is the end of the step.
    pub fn is_stiffly_accurate(&self) -> bool {
        let s = self.stages();
        self.c[s - 1] == 1.0 && self.a[(s - 1) * s..].iter().zip(&self.b).all(|(a, b)| (a - b).abs() <= DEFECT)
    }

    /// Whether no two stages are at the same time, so that stage values define a polynomial.
    pub(super) fn has_distinct_nodes(&self) -> bool {
        self.c.iter().enumerate().all(|(i, x)| self.c[..i].iter().all(|y| (x - y).abs() > 1e-6))
    }

    /// b^T A^-1, if A is invertible.
    pub(super) fn end_weights(&self) -> Option<Vec<f64>> {
        let s = self.stages();
        let mut solver = DenseSolver::new(s);
        // A^T x = b; the solver is column-major, so that row-major A is A^T to it.
        solver.factor(&self.a).ok()?;
        let mut x = self.b.clone();
        solver.solve(&mut x);
        x.iter().all(|x| x.is_finite()).then_some(x)
    }

    /// R(inf) = 1 - b^T A^-1 1, if A is invertible.
    pub fn at_infinity(&self) -> Option<f64> {
        self.end_weights().map(|x| 1.0 - x.iter().sum::<f64>())
    }

    /// The conditions (B1) to (B3) that are not met.
    pub fn violations(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        match self.at_infinity() {
            None => violations.push(Violation::Singular),
            Some(at_infinity) if at_infinity.abs() >= 1.0 - DEFECT => {
                violations.push(Violation::Undamped { at_infinity });
            }
            Some(_) => {}
        }
        let (order, stage_order) = (self.order(), self.stage_order());
        if stage_order < 2 || order <= stage_order {
            violations.push(Violation::LowOrder { order, stage_order });
        }
        violations
    }
}

/// How many of the conditions 1, 2, ... hold without a gap.
fn leading(holds: impl Fn(usize) -> bool) -> usize {
    (1..=HIGHEST).take_while(|k| holds(*k)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(x: &[f64], y: &[f64]) {
        assert_eq!(x.len(), y.len());
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() < 1e-15, "{x} {y}");
        }
    }

    #[test]
    fn published_coefficients_come_out() {
        let radau = Tableau::radau_iia(2);
        close(radau.c(), &[1.0 / 3.0, 1.0]);
        close(radau.a(), &[5.0 / 12.0, -1.0 / 12.0, 0.75, 0.25]);
        let r = 6.0_f64.sqrt();
        let radau = Tableau::radau_iia(3);
        close(radau.c(), &[(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0]);
        #[rustfmt::skip]
        close(radau.a(), &[
            (88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0,
            (296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0,
            (16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0,
        ]);
        close(Tableau::radau_ia(2).a(), &[0.25, -0.25, 0.25, 5.0 / 12.0]);
        let lobatto = Tableau::lobatto_iiic(3);
        #[rustfmt::skip]
        close(lobatto.a(), &[
            1.0 / 6.0, -1.0 / 3.0, 1.0 / 6.0,
            1.0 / 6.0, 5.0 / 12.0, -1.0 / 12.0,
            1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0,
        ]);
        close(Tableau::gauss(1).a(), &[0.5]);
    }

    #[test]
    fn orders_are_those_of_the_families() {
        for s in 1..=9 {
            let radau = Tableau::radau_iia(s);
            assert_eq!((radau.order(), radau.stage_order(), radau.adjoint_order()), (2 * s - 1, s, s - 1), "IIA {s}");
            assert!(radau.is_stiffly_accurate() && radau.at_infinity().expect("invertible").abs() < 1e-12);
            assert_eq!(radau.violations().is_empty(), s >= 2);
            let radau = Tableau::radau_ia(s);
            assert_eq!((radau.order(), radau.stage_order(), radau.adjoint_order()), (2 * s - 1, s - 1, s), "IA {s}");
            let gauss = Tableau::gauss(s);
            assert_eq!((gauss.order(), gauss.stage_order(), gauss.adjoint_order()), (2 * s, s, s), "Gauss {s}");
            assert!(matches!(gauss.violations()[0], Violation::Undamped { .. }));
            if s >= 2 {
                let lobatto = Tableau::lobatto_iiic(s);
                assert_eq!(
                    (lobatto.order(), lobatto.stage_order(), lobatto.adjoint_order()),
                    (2 * s - 2, s - 1, s - 1),
                    "IIIC {s}"
                );
                assert!(lobatto.is_stiffly_accurate());
            }
        }
    }

    #[test]
    fn nonsense_is_refused_and_violations_are_named() {
        assert_eq!(Tableau::new(vec![], vec![], vec![]), Err(BadTableau::Empty));
        assert!(matches!(Tableau::new(vec![1.0], vec![1.0, 2.0], vec![1.0]), Err(BadTableau::Shape { .. })));
        assert_eq!(Tableau::new(vec![1.0], vec![f64::NAN], vec![1.0]), Err(BadTableau::NotFinite));
        assert_eq!(Tableau::new(vec![1.0], vec![1.0], vec![2.0]), Err(BadTableau::Inconsistent { sum: 2.0 }));
        let explicit = Tableau::new(vec![0.0, 0.5], vec![0.0, 0.0, 0.5, 0.0], vec![0.0, 1.0]).expect("a tableau");
        assert_eq!(explicit.violations()[0], Violation::Singular);
    }
}
