//! The velocity half of a step: q_n stays, v_n and mu_n follow from
//!
//! ```text
//! M (P_v' + alpha (v_n - P_v)) = f(q_n, v_n) + r(mu_n),      0 = w = g_t + G q'(v_n),      0 = k(v_n)
//! ```
//!
//! For r = B mu and f without v that is v_n = v^ + M^-1 B (mu_n - mu^)/alpha: the projection of v^, **and** the multipliers
//! that belong to it. Projecting without updating mu would leave lambda one order low for ever.
//!
//! The force is taken along its slope from v^, where it balances: `f(q_n, v_n) ~ f(q_n, v^) - D (v_n - v^)`. Without D a stiff
//! damper would see every change of the defect c_n in v_n - v^ as motion, and steps would collapse. Where D is old and
//! (v_n - v^) matters to it, the force is evaluated at v_n.
//!
//! ```text
//! | M + D/alpha   -r_mu |
//! | C                   |
//! ```
//!
//! The factors of the position half serve as long as they contract. Old ones are renewed, from which the next steps profit as well.
//! Where even fresh ones do not serve, because springs are stiff, the matrix above is factored.

mod balance;
mod force;

use super::BdfCorrector;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::{Bordered, Kkt};
use crate::method::StepFailure;
use crate::method::bdf::formula::Formula;
use crate::method::bdf::history::Entry;
use crate::newton::{Newton, Policy};
use crate::system::{Dims, Point};
use crate::tolerance::Tolerance;
use balance::Balance;
use force::Force;

/// Effect of D (v_n - v^) on v, in units of the tolerance, from which on D may not be old.
const VISIBLE: f64 = 0.1;
/// How well the velocity half is solved. Constraints are met to rounding in any case.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::method::bdf) enum Accuracy {
    /// What Newton's method left of the equations of motion is made up for: multipliers to more digits than the tolerance
    /// of q and v asks for, at the price of a force or two.
    Multipliers,
    /// As the tolerance sees it: costs no force unless dampers are stiff.
    Tolerance,
}

/// v_n and mu_n, with room to find them.
pub(in crate::method::bdf) struct VelocityHalf {
    pub v: Vec<f64>,
    pub mu: Vec<f64>,
    pub kkt: Kkt,
    newton: Newton,
    /// The velocity where the force was evaluated, and M a^ - f there.
    base: Vec<f64>,
    load: Vec<f64>,
    /// M a^, or what Newton's method takes for it: f + r at v^ and mu^.
    rest: Vec<f64>,
    r_mu: Vec<f64>,
    reaction: Vec<f64>,
    constraint: Vec<f64>,
    change: Vec<f64>,
    rhs: Vec<f64>,
    /// v_n and mu_n to go back to.
    from: (Vec<f64>, Vec<f64>),
}

impl Keep for VelocityHalf {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.v, self.mu, self.kkt, self.newton, self.base, self.load, self.rest, self.r_mu)
    }
}

impl VelocityHalf {
    pub fn new(equations: &Equations) -> Self {
        let (dims, layout) = (equations.dims(), equations.layout());
        let (n, m) = (dims.v, dims.constraints());
        let linear = equations.has_standard_reaction();
        let policy = if linear { Policy::BDF_VELOCITY } else { Policy::BDF_VELOCITY_NONLINEAR };
        VelocityHalf {
            v: vec![0.0; n],
            mu: vec![0.0; m],
            kkt: Kkt::new(&layout.structure),
            newton: Newton::new(policy),
            base: vec![0.0; n],
            load: vec![0.0; n],
            rest: vec![0.0; n],
            r_mu: vec![0.0; layout.rows.len()],
            reaction: vec![0.0; n],
            constraint: vec![0.0; m],
            change: vec![0.0; n],
            rhs: vec![0.0; n + m],
            from: (vec![0.0; n], vec![0.0; m]),
        }
    }

    /// Forgets what it has learned.
    pub fn restart(&mut self) {
        self.newton.forget();
    }

    /// Solves after the position half in `step`. The `last` point says how far v^ and mu^ are off.
    pub fn solve(
        &mut self,
        equations: &mut Equations,
        step: &mut BdfCorrector,
        last: &Entry,
        tolerance: &Tolerance,
        accuracy: Accuracy,
    ) -> Result<(), StepFailure> {
        let (nl, holonomic) = (step.dims.lambda, step.blocks.layout.holonomic.len());
        let (w_v, k_v) = step.c_v.split_at_mut(holonomic);
        equations.holonomic_q(step.t, &step.q, &mut step.g_q)?;
        equations.velocity_v(step.t, &step.q, &step.v, &step.g_q, w_v)?;
        equations.nonholonomic_v(step.t, &step.q, &step.v, k_v)?;
        if nl == 0 && accuracy == Accuracy::Tolerance {
            // Both halves are the same.
            self.v.copy_from_slice(&step.v);
            self.mu.copy_from_slice(&step.iterate.mu);
            return Ok(());
        }
        self.guess(equations, step, last);
        // M a^ - f(v^) = r(mu^): the position half has converged.
        let (w_v, k_v) = step.c_v.split_at(holonomic);
        let (lambda, psi) = step.iterate.mu.split_at(nl);
        let hat = Point { t: step.t, q: &step.q, v: &step.v, lambda, psi };
        equations.reaction(hat, w_v, k_v, &mut self.load)?;
        self.base.copy_from_slice(&step.v);
        if accuracy == Accuracy::Tolerance {
            self.balance(equations, step)?;
            if !step.damped || (!step.stiff && self.seen(step, tolerance) < VISIBLE) {
                return Ok(());
            }
        }
        self.refine(equations, step, tolerance, accuracy)
    }

    /// Evaluates the force at v_n until it changes v_n no more.
    fn refine(
        &mut self,
        equations: &mut Equations,
        step: &mut BdfCorrector,
        tolerance: &Tolerance,
        accuracy: Accuracy,
    ) -> Result<(), StepFailure> {
        if accuracy == Accuracy::Multipliers && !step.stiff {
            step.inertia_into(equations, &mut self.rest)?;
        } else {
            // Stiff springs would turn Newton's last digit of q into a velocity.
            equations.force(step.t, &step.q, &step.v, &mut self.rest)?;
            for (rest, reaction) in self.rest.iter_mut().zip(&self.load) {
                *rest += reaction;
            }
        }
        let mut force = Force { half: self, equations, step, tolerance, unit: 0.0 };
        Newton::new(Policy::BDF_FORCE).solve(&mut force, true)?;
        Ok(())
    }

    /// What D (v_n - v^) does to v_n, in units of the tolerance.
    fn seen(&mut self, step: &mut BdfCorrector, tolerance: &Tolerance) -> f64 {
        let Dims { v: n, .. } = step.dims;
        let (top, damping) = (&step.blocks.layout.top, &step.blocks.damping);
        top.multiply(damping, &self.v, &mut self.rhs[..n]);
        top.multiply_add(-1.0, damping, &step.v, &mut self.rhs[..n]);
        self.rhs[n..].fill(0.0);
        step.mode.kkt.solve(&mut self.rhs);
        tolerance.norm_v(&self.rhs[..n], &step.v_scale, &step.sizes) / step.formula.alpha
    }

    /// Solves for v_n and mu_n with the force as it is along its slope.
    fn balance(&mut self, equations: &mut Equations, step: &mut BdfCorrector) -> Result<(), StepFailure> {
        self.from.0.copy_from_slice(&self.v);
        self.from.1.copy_from_slice(&self.mu);
        let mut newton = std::mem::replace(&mut self.newton, Newton::new(Policy::BDF_VELOCITY));
        let reuse = step.factored.is_some();
        let solved = newton.solve(&mut Balance { half: self, equations, step, own: false }, reuse);
        self.newton = newton;
        solved?;
        Ok(())
    }

    fn go_back(&mut self) {
        self.v.copy_from_slice(&self.from.0);
        self.mu.copy_from_slice(&self.from.1);
    }

    /// First guess of v_n and mu_n.
    fn guess(&mut self, equations: &Equations, step: &BdfCorrector, last: &Entry) {
        let Formula { alpha, defect, .. } = step.formula;
        for (i, v) in self.v.iter_mut().enumerate() {
            *v = step.v[i] - defect * last.shift[i];
        }
        for (i, mu) in self.mu.iter_mut().enumerate() {
            // A nonlinear reaction needs a guess on the right branch, and mu^ may be far off.
            *mu = if equations.has_standard_reaction() {
                step.iterate.mu[i] - alpha * defect * last.mu_shift[i]
            } else {
                step.past.mu[i]
            };
        }
    }

    /// Factors the matrix of this half at the present multipliers.
    fn factor(&mut self, equations: &mut Equations, step: &BdfCorrector) -> Result<(), StepFailure> {
        self.factor_with(equations, step, 1.0 / step.formula.alpha)
    }

    /// The same with another factor of D.
    fn factor_with(&mut self, equations: &mut Equations, step: &BdfCorrector, damping: f64) -> Result<(), StepFailure> {
        let nl = step.dims.lambda;
        let (w_v, k_v) = step.c_v.split_at(step.blocks.layout.holonomic.len());
        let (lambda, psi) = self.mu.split_at(nl);
        let hat = Point { t: step.t, q: &step.q, v: &step.v, lambda, psi };
        equations.reaction_mu(hat, w_v, k_v, &mut self.r_mu)?;
        self.kkt.factor(Bordered {
            top: &[(1.0, &step.mass), (damping, &step.blocks.damping)],
            border: (1.0, &self.r_mu),
            rows: &[(1.0, &step.c_v)],
            corner: None,
        })?;
        Ok(())
    }

    /// A U_v (v^ - v_0) + h A (U_t + U_q U) with Arevalo's A = M^-1 B (W M^-1 B)^-1 G, all at the position half's solution, which the
    /// velocity half has seen: the correction of (3.3) and (4.2) is its negative.
    pub fn normal_change(
        &mut self,
        equations: &mut Equations,
        step: &BdfCorrector,
        from: &Entry,
    ) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = step.dims;
        self.factor_with(equations, step, 0.0)?;
        self.rhs.fill(0.0);
        let holonomic = &step.blocks.layout.holonomic;
        let w_v = &step.c_v[..holonomic.len()];
        holonomic.multiply(w_v, &step.v, &mut self.rhs[n..n + nl]);
        holonomic.multiply_add(-1.0, w_v, &from.v, &mut self.rhs[n..n + nl]);
        // h G (U_t + U_q U) as a difference of U at the same v; the paper's U does not depend on q.
        if equations.has_general_rate() {
            let mut rate = vec![0.0; step.dims.q];
            for (t, q, sign) in [(step.t, &step.q, 1.0), (from.t, &from.q, -1.0)] {
                equations.rate(t, q, &step.v, &mut rate)?;
                let rhs = &mut self.rhs[n..n + nl];
                step.blocks.layout.holonomic_q.multiply_add(sign, &step.g_q, &rate, rhs);
            }
        }
        self.kkt.solve(&mut self.rhs);
        Ok(())
    }

    /// What [`normal_change`](Self::normal_change) found.
    pub fn change(&self) -> &[f64] {
        &self.rhs[..self.v.len()]
    }
}
