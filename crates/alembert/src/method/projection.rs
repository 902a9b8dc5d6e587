//! Back onto the constraints after a step (Schropp, equations 2.7 and 2.8), with one (1,0,0) matrix near the new point:
//!
//! ```text
//! | M  -r_mu | (x)   (0)                            q <- q o x (q + U_v x under a general rate)   c = (g ; 0)
//! | C    0   | (.) = (-c)    repeated to rounding    v <- v + x                                    c = (g_t + G q' ; k)
//! ```

use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::newton::{Criterion, End, Levels, Pass, repeat};
use crate::state::State;
use crate::stats::Residuals;
use crate::system::{Dims, Point};
use crate::tolerance::largest;

/// What is projected after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Nothing: constraints drift. For comparison.
    Off,
    /// Velocities only, equation (2.8). Positions of a stiffly accurate tableau meet g = 0 as well as Newton's method
    /// solved it.
    Velocities,
    /// Positions and velocities to rounding, equation (2.7).
    #[default]
    Full,
}

/// Relative residuals that are left alone.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Corrections of one level at most; the matrix is taken at the unprojected point, so two or three are usual.
/// Corrections that shrink by less than a tenth are rounding, or lead nowhere.
const PASS: Pass = Pass { limit: 12, slow: 0.9 };

/// Projects states; keeps its buffers.
pub(crate) struct Projector {
    c: Vec<f64>,
    /// g_t, which does not move with v.
    g_t: Vec<f64>,
    q: Vec<f64>,
    /// Under a general rate only: the change of q, and U_v.
    dq: Vec<f64>,
    u_v: Vec<f64>,
    /// What the last projection of v took: time integrals of the multipliers.
    impulse: Vec<f64>,
}

impl Projector {
    pub fn new(equations: &Equations) -> Self {
        let (dims, m) = (equations.dims(), equations.dims().constraints());
        let general = equations.has_general_rate();
        let [dq, u_v] = if general { [equations.tangent(), equations.layout().rate.len()] } else { [0; 2] };
        Projector {
            c: vec![0.0; m],
            g_t: vec![0.0; dims.lambda],
            q: vec![0.0; dims.q],
            dq: vec![0.0; dq],
            u_v: vec![0.0; u_v],
            impulse: vec![0.0; m],
        }
    }

    /// The impulsive reaction (lambda ; psi) of the last projection of v.
    pub fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// Projects q and v of the state; its multipliers are used where the reaction is nonlinear in them. What is small is
    /// judged by the sizes of q, v and their changes in a time h.
    pub fn project(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        state: &mut State,
        projection: Projection,
        h: f64,
    ) -> Result<(), StepFailure> {
        let nl = equations.dims().lambda;
        if projection == Projection::Off || equations.dims().constraints() == 0 {
            return Ok(());
        }
        let State { t, q, v, a, lambda, psi } = state;
        let t = *t;
        let size = |x: &[f64]| largest(equations.bodies(x));
        let (scale_q, scale_v) = (size(q) + h * size(v), size(v) + h * size(a));
        level.evaluate_rows(equations, t, q, v)?;
        if projection == Projection::Full {
            level.restore_invariants(equations, t, q)?;
        }
        equations.share_mass(t, q, &mut level.mass)?;
        level.factor_blocks(equations, Point { t, q, v, lambda, psi })?;
        if projection == Projection::Full && nl > 0 {
            if !self.u_v.is_empty() {
                equations.rate_v(t, q, v, &mut self.u_v)?;
            }
            self.positions(equations, level, t, q, scale_q)?;
            level.renew_g_q(equations, t, q)?;
        }
        let projected = self.velocities(equations, level, t, q, v, scale_v);
        level.forget_g_q(equations);
        projected
    }

    /// Completes a state that an alpha method has solved to its tolerance: consistent a and multipliers, then q and v from
    /// there onto the constraints to rounding, with the same factors. What moves is below the tolerance.
    pub fn complete(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        state: &mut State,
        h: f64,
    ) -> Result<Residuals, StepFailure> {
        if equations.layout().is_softened() {
            // Off the constraints dependent ones contradict each other, and more so their accelerations.
            self.project(equations, level, state, Projection::Full, h)?;
        }
        let residuals = level.complete(equations, state)?;
        if residuals.position.max(residuals.velocity).max(residuals.nonholonomic) <= ROUNDING {
            return Ok(residuals);
        }
        let State { t, q, v, a, .. } = state;
        let size = |x: &[f64]| largest(equations.bodies(x));
        let (scale_q, scale_v) = (size(q) + h * size(v), size(v) + h * size(a));
        if residuals.position > ROUNDING {
            self.positions(equations, level, *t, q, scale_q)?;
            level.renew_g_q(equations, *t, q)?;
        }
        self.velocities(equations, level, *t, q, v, scale_v)?;
        let residuals = level.residuals(equations, state);
        level.forget_g_q(equations);
        Ok(residuals?)
    }

    fn positions(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        t: f64,
        q: &mut [f64],
        mut scale: f64,
    ) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = equations.dims();
        let end = repeat(&Criterion::ORDINARY, PASS, || {
            equations.holonomic(t, q, &mut self.c[..nl])?;
            let shift = &level.shift(&self.c[..nl])[..n];
            let dq = if self.u_v.is_empty() {
                shift
            } else {
                equations.layout().rate.multiply(&self.u_v, shift, &mut self.dq);
                &self.dq
            };
            self.q.copy_from_slice(q);
            equations.advance(&self.q, dq, q);
            // A state at zero has no size before it is moved.
            scale = scale.max(largest(equations.bodies(q)));
            // What is left is of second order in the displacement.
            let levels = Levels { rounding: 1e-9 * scale, ..levels(scale, largest(&self.c[..nl])) };
            Ok::<_, StepFailure>((largest(dq), levels))
        })?;
        projected(&end)
    }

    fn velocities(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        t: f64,
        q: &[f64],
        v: &mut [f64],
        mut scale: f64,
    ) -> Result<(), StepFailure> {
        let Dims { v: n, lambda: nl, .. } = equations.dims();
        self.impulse.fill(0.0);
        equations.holonomic_t(t, q, &mut self.g_t)?;
        let end = repeat(&Criterion::ORDINARY, PASS, || {
            let (w, k) = self.c.split_at_mut(nl);
            w.copy_from_slice(&self.g_t);
            equations.add_turning(t, q, v, level.g_q(), w)?;
            equations.nonholonomic(t, q, v, k)?;
            let (shift, shock) = level.shift(&self.c).split_at(n);
            for (v, x) in v.iter_mut().zip(shift) {
                *v += x;
            }
            for (impulse, p) in self.impulse.iter_mut().zip(shock) {
                *impulse += p;
            }
            scale = scale.max(largest(equations.bodies(v)));
            // The equations are linear in v or nearly so; the matrix differs from theirs by the displacement of q.
            // After a second correction their ratio tells what a third would be.
            let levels = Levels { rounding: 1e-12 * scale, enough: 1e-16 * scale, ..levels(scale, largest(&self.c)) };
            Ok::<_, StepFailure>((largest(shift), levels))
        })?;
        projected(&end)
    }
}

/// Corrections that no longer shrink are rounding, unless they are large; so are those of a `residual` that is rounding beside
/// constants of the order 1, where everything else is at zero.
fn levels(scale: f64, residual: f64) -> Levels {
    let exact = residual <= ROUNDING * (1.0 + scale);
    Levels { tolerable: if exact { f64::INFINITY } else { 1e-8 * scale }, ..Levels::default() }
}

fn projected(end: &End) -> Result<(), StepFailure> {
    if end.is_solution() {
        Ok(())
    } else {
        Err(StepFailure::Diverged { iterations: end.iterations, theta: end.theta.unwrap_or(f64::NAN) })
    }
}
