//! Generalized-alpha-SOI2 (Jay & Negrut, "A second order extension of the generalized-alpha method for constrained
//! systems in mechanics", equation 14; without holonomic constraints it is Jay's nonholonomic method, equation 2.3).
//!
//! ```text
//! q1 = q0 o (h v0 + h^2 ((1/2-beta) a_al + beta a~))
//! v~ = v0 + h ((1-gamma) a_al + gamma a~)          v1 = v0 + h ((1-gamma) a_al + gamma a)
//! (1-am) M_{1+al} a~ + am M_al a_al = (1-af) F(t1,q1,v1,mu~) + af F0       0 = g(t1,q1),    0 = k(t1,q1,v~)
//! (1-am) M_{1+al} a  + am M_al a_al = (1-af) F(t1,q1,v1,mu ) + af F0       0 = g_t + G v1,  0 = k(t1,q1,v1)
//! ```
//!
//! F = f + r, mu = (lambda, psi), al = am - af; `a_al` approximates the acceleration at t0 + al h. The quantities with a
//! tilde are local to the step. When the step size changes, (15) moves `a_al` to its new time; the value "before" in (15)
//! is the one actually used.
//!
//! Departures: by default a step of more than twice the one before is refused, because with stiff modes alternating ratios
//! beyond 2.6 blow up at rho_infinity = 0; [`GeneralizedAlpha::with_largest_ratio`] allows more. A step shorter than the one
//! before by more than the same ratio takes `a_al = A + al h j` from consistent accelerations A instead of (15), which
//! extrapolates badly there.

mod coefficients;
mod step;
mod stepper;

pub use coefficients::Coefficients;

use super::{Accumulation, BadMethod, Method, Scheme, require};
use crate::equations::Equations;
use crate::tolerance::Tolerance;
use stepper::AlphaStepper;

/// Largest ratio of a step to the one before, unless the scheme allows more.
pub(super) const LARGEST_RATIO: f64 = 2.0;
/// Its relative room for rounding.
pub(super) const RATIO_SLACK: f64 = 1e-6;

/// The ratio, if it is one that steps can keep to.
pub(super) fn checked_ratio(ratio: f64) -> Result<f64, BadMethod> {
    require(ratio.is_finite() && ratio >= 1.0, "largest_ratio", ratio, "a number of at least 1; 2 is a good choice")?;
    Ok(ratio)
}

/// The first `a_al`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// `a_al = a_0`, as in the papers' experiments: accelerations and multipliers are first order until that is forgotten.
    A0,
    /// `a_al = a_0 + al h j_0` with the jerk from a short forward difference: second order from the first step.
    Jerk,
    /// The first step twice: once from `a_0`, then from `a_al = (1-al) a_0 + al a_1` with the consistent acceleration
    /// a_1 where the first pass ended. Second order from the first step, and safe when the start is stiff.
    #[default]
    Twice,
    /// `M_al a_al = (1-al) F_0 + al F_1`, equation (10) of paper 3, with the method's own multipliers in F = f + r: the first
    /// step repeated until it holds. Needs an invertible mass matrix.
    Implicit,
}

/// Which matrix multiplies `a_al`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassMatrix {
    /// M(t_al, q0 o h al v0), evaluated in each step.
    #[default]
    Recomputed,
    /// The matrix of the step before; step changes then use (16) for the product.
    Previous,
}

/// Generalized-alpha for holonomic and nonholonomic constraints, second order in q, v, a, lambda and psi.
///
/// rho_infinity = 1 is not covered by the convergence theorems: it is second order at constant steps in practice, but
/// alternating steps leave a, lambda and psi first order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlpha {
    /// alpha_m, alpha_f, beta, gamma.
    pub coefficients: Coefficients,
    /// How the first step begins.
    pub start: Start,
    /// Which mass matrix belongs to `a_al`.
    pub mass_matrix: MassMatrix,
    /// Whether `a_al` follows a change of the step size; without it accelerations and multipliers lose an order, and q, v
    /// too where velocities are free.
    pub step_change: bool,
    /// Whether the velocity level of the holonomic constraints is enforced (SOI2). Without it the method is the plain
    /// index-3 form: cheaper, but velocities leave the constraints. For comparison.
    pub velocity_level: bool,
    /// Where the accelerations and multipliers of the output come from.
    pub output: Output,
    /// How the two halves of a step are solved together.
    pub coupling: Coupling,
    /// Largest ratio of a step to the one before, at least 1.
    pub largest_ratio: f64,
}

/// How the two halves of a step are solved together: what is left out of Newton's matrix, and so how many iterations it
/// takes, never what they converge to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coupling {
    /// The cheapest that converges well; for small systems two matrices.
    #[default]
    Automatic,
    /// One matrix for both halves; good without damping.
    OneMatrix,
    /// One for each, in turn.
    TwoMatrices,
    /// One of twice the size, with nothing left out.
    Doubled,
}

/// Where the accelerations and multipliers of the output come from. Both are second order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// From the acceleration level at the new q and v, for systems of every size: constraints are met to rounding, and dead
    /// points, signs of the mass matrix and redundant constraints are watched. Its price is a factorisation a step.
    #[default]
    Consistent,
    /// The method's own: a moved to the time of q and v as by (15), and lambda, psi. Constraints are met to 8e-12 (relative),
    /// and dead points are not looked for. Under error control, with a `reaction` of one's own or with redundant constraints
    /// the output is consistent all the same, because these need the acceleration level in any case.
    Own,
}

impl GeneralizedAlpha {
    /// From the spectral radius at infinity, in [0, 1]: 0 damps most, 1 not at all.
    ///
    /// # Errors
    /// If rho is outside [0, 1].
    pub fn from_rho_infinity(rho: f64) -> Result<Self, BadMethod> {
        Coefficients::from_rho_infinity(rho).map(Self::from)
    }

    /// From HHT's alpha, in [-1/3, 0].
    ///
    /// # Errors
    /// If alpha is outside [-1/3, 0].
    pub fn from_hht(alpha: f64) -> Result<Self, BadMethod> {
        Coefficients::from_hht(alpha).map(Self::from)
    }

    /// Newmark's family; (1/4, 1/2) is the trapezoidal rule. Second order only with gamma = 1/2.
    ///
    /// # Errors
    /// If beta or gamma is not positive.
    pub fn from_newmark(beta: f64, gamma: f64) -> Result<Self, BadMethod> {
        Coefficients { alpha_m: 0.0, alpha_f: 0.0, beta, gamma }.checked().map(Self::from)
    }

    /// The same scheme with another start.
    pub fn with_start(self, start: Start) -> Self {
        GeneralizedAlpha { start, ..self }
    }

    /// The same scheme with another mass matrix at `a_al`.
    pub fn with_mass_matrix(self, mass_matrix: MassMatrix) -> Self {
        GeneralizedAlpha { mass_matrix, ..self }
    }

    /// The same scheme with or without the step-change formula.
    pub fn with_step_change(self, step_change: bool) -> Self {
        GeneralizedAlpha { step_change, ..self }
    }

    /// The same scheme with another output.
    pub fn with_output(self, output: Output) -> Self {
        GeneralizedAlpha { output, ..self }
    }

    /// The same scheme with another coupling of its halves.
    pub fn with_coupling(self, coupling: Coupling) -> Self {
        GeneralizedAlpha { coupling, ..self }
    }

    /// The same scheme with another limit on the ratio of a step to the one before. Steps that alternate between h and w h
    /// are stable without stiff modes for w < 6.85, 6.0, 6.17, 11.4 at rho_infinity = 0, 0.2, 0.5, 0.8, with stiff modes only
    /// for w < 2.60, 3.2, 4.8, 5.3.
    ///
    /// # Errors
    /// If the ratio is less than 1.
    pub fn with_largest_ratio(self, ratio: f64) -> Result<Self, BadMethod> {
        Ok(GeneralizedAlpha { largest_ratio: checked_ratio(ratio)?, ..self })
    }

    /// Whether the output is the method's own.
    fn is_light(&self, equations: &Equations) -> bool {
        // Without the velocity level, the multipliers of the acceleration level are of no use either way.
        let possible = equations.has_standard_reaction()
            && self.velocity_level
            && equations.dims().lambda > 0
            // The method's own multipliers need the factors of the acceleration level, see `Carry::mu`.
            && !equations.layout().is_softened();
        self.output == Output::Own && possible
    }

    /// The same scheme with or without the velocity level.
    pub fn with_velocity_level(self, velocity_level: bool) -> Self {
        GeneralizedAlpha { velocity_level, ..self }
    }
}

impl From<Coefficients> for GeneralizedAlpha {
    fn from(coefficients: Coefficients) -> Self {
        GeneralizedAlpha {
            coefficients,
            start: Start::default(),
            mass_matrix: MassMatrix::default(),
            step_change: true,
            velocity_level: true,
            output: Output::default(),
            coupling: Coupling::default(),
            largest_ratio: LARGEST_RATIO,
        }
    }
}

impl Scheme for GeneralizedAlpha {
    fn name(&self) -> &'static str {
        "generalized-alpha"
    }

    fn accumulation(&self) -> Accumulation {
        // Without the velocity level Newton's method sees g/h^2, and the rounding of g with it.
        let finest = if self.velocity_level { 1e-12 } else { 1e-6 };
        Accumulation { factor: 0.1, exponent: 1.5, finest }
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.coefficients.checked()?;
        checked_ratio(self.largest_ratio)?;
        if equations.has_general_rate() {
            return Err(BadMethod::Unsuited {
                method: self.name(),
                because: "its kinematics q' = U(t,q,v) are general",
                hint: "choose velocities with q' = v, or name `rotations`",
            });
        }
        Ok(Box::new(AlphaStepper::new(*self, equations, tolerance)))
    }
}
