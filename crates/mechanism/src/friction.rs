//! Friction of joints: what users give, and whether it has a solution.
//!
//! ```text
//! P = mu N,   N = sqrt(sum (w lambda)^2)         of the joint's own multipliers: forces w = 1, moments w = 1/arm
//! lambda = lambda_0 + P lambda_1                 lambda_0 without friction, lambda_1 what friction of P = 1 adds at full slip
//! P^2 = mu^2 |a + P b|^2,   a = w lambda_0, b = w lambda_1
//! ```
//!
//! Where mu |b| < 1 there is exactly one P >= 0. Beyond, friction holds more than it is pressed with: only where it relieves the joint
//! (a.b < 0, and enough) is there a P at all. Otherwise the joint is self-locking, and no acceleration solves its equations.

use alembert::{At, ConstrainedSystem, Pattern, Quantity};

use crate::analysis::dense::{Dense, PivotedQr};
use crate::error::{BuildError, Fault};
use crate::load::Pressed;
use crate::mechanism::Mechanism;
use crate::row::Level;

/// Larger mechanisms are not looked at: decisions are made with dense matrices. The integrator refuses what has no solution, too.
const LARGEST: usize = 900;
/// Velocities times this slip fully.
const FULL: f64 = 1e9;
/// Pivots below this share of the largest say that reactions are not unique.
const DEPENDENT: f64 = 1e-14;

/// Coulomb's friction in a joint, smooth through rest: mu N u/sqrt(u^2 + speed^2) against the slip u.
///
/// N is what the joint's reactions press with: the whole force of a hinge or ball, the force across a guide; moments count where an
/// `arm` is given over which the joint takes them up. A `preload` is added to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// The coefficient.
    pub mu: f64,
    /// Where a joint that turns slides: the radius of the bearing or ball.
    pub radius: f64,
    /// Slip below which friction fades.
    pub speed: f64,
    /// The distance over which moments are taken up as pairs of forces: half the length of a bearing or guide. None: they do not press.
    pub arm: Option<f64>,
    /// A force that presses always.
    pub preload: f64,
}

impl Friction {
    /// Of a coefficient; slip is smoothed below 1 mm/s, and there is neither radius, arm nor preload.
    pub fn new(mu: f64) -> Self {
        Friction { mu, radius: 0.0, speed: 1e-3, arm: None, preload: 0.0 }
    }

    /// With the radius of a bearing.
    #[must_use]
    pub fn radius(self, radius: f64) -> Self {
        Friction { radius, ..self }
    }

    /// With another speed below which it fades.
    #[must_use]
    pub fn speed(self, speed: f64) -> Self {
        Friction { speed, ..self }
    }

    /// With moments that press over an arm.
    #[must_use]
    pub fn arm(self, arm: f64) -> Self {
        Friction { arm: Some(arm), ..self }
    }

    /// With a force that presses always.
    #[must_use]
    pub fn preload(self, preload: f64) -> Self {
        Friction { preload, ..self }
    }

    /// What is wrong with it, of a joint that turns or does not.
    pub(crate) fn mistake(&self, turns: bool) -> Option<String> {
        let good = |x: f64| x.is_finite() && x >= 0.0;
        let Friction { mu, radius, speed, arm, preload } = *self;
        if !(good(mu) && good(radius) && good(preload)) {
            return Some("friction has a coefficient, a radius and a preload that are not negative".to_owned());
        }
        if !(good(speed) && speed > 0.0) {
            return Some("friction fades below a positive speed".to_owned());
        }
        if arm.is_some_and(|arm| !(good(arm) && arm > 0.0)) {
            return Some("moments press over a positive arm".to_owned());
        }
        (turns && radius == 0.0).then(|| "friction of a joint that turns needs the radius of its bearing".to_owned())
    }
}

fn spread(pattern: &Pattern, values: &[f64], first: usize, rows: usize, mut put: impl FnMut(usize, usize, f64)) {
    let base = pattern.start(first);
    for i in first..first + rows {
        for (j, e) in pattern.row(i) {
            put(i, j, values[e - base]);
        }
    }
}

impl Mechanism {
    /// Whether friction that grows with reactions has a solution where the mechanism starts, which must be [closed](Self::close).
    /// Mechanisms of more than some hundred unknowns are not looked at.
    ///
    /// # Errors
    /// With the name of a joint that is self-locking, or whose reaction is not unique.
    pub fn check_friction(&self) -> Result<(), BuildError> {
        let guess = self.guess();
        let fast: Vec<f64> = guess.v.iter().map(|v| FULL * v).collect();
        let rubbing = self.assembly.rubbing(&At::new(guess.t, &guess.q, &fast));
        let dims = self.assembly.dims();
        if rubbing.is_empty() || dims.v + dims.constraints() > LARGEST {
            return Ok(());
        }
        let name = |pressed: &Pressed| self.named()[pressed.constraint].to_owned();
        let (qr, scale) = self.acceleration_matrix();
        let solution = |mut side: Vec<f64>| {
            side.iter_mut().zip(&scale).for_each(|(x, s)| *x *= s);
            let mut x = qr.shortest(&side);
            x.iter_mut().zip(&scale).for_each(|(x, s)| *x *= s);
            x
        };
        if qr.rank < dims.v + dims.constraints() {
            let not_unique = self.mobility().not_unique;
            let found = rubbing.iter().map(|(pressed, _)| name(pressed)).find(|name| not_unique.contains(name));
            let name = found.unwrap_or_else(|| name(&rubbing[0].0));
            return Err(BuildError { name, fault: Fault::NotUnique });
        }
        let free = solution(self.acceleration_side());
        // Where a joint rests, any slip says what friction would do; both directions count then.
        let some: Vec<f64> = (0..dims.v).map(|i| FULL * (1.0 + 0.37 * (i % 7) as f64)).collect();
        let any = self.assembly.rubbing(&At::new(guess.t, &guess.q, &some));
        for ((pressed, force), (_, other)) in rubbing.iter().zip(&any) {
            let rests = force.iter().all(|x| *x == 0.0);
            let mut side = if rests { other.clone() } else { force.clone() };
            side.resize(dims.v + dims.constraints(), 0.0);
            let added = solution(side);
            let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
            let (_, rows) = self.assembly.joint_rows(pressed.constraint);
            for ((row, index), w) in rows.zip(&pressed.weights) {
                if row.level == Level::Position {
                    let (a, b) = (w * free[dims.v + index], w * added[dims.v + index]);
                    (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
                }
            }
            let gain = pressed.mu * bb.sqrt();
            let solvable = |ab: f64| ab < 0.0 && pressed.mu.powi(2) * ab * ab >= aa * (gain * gain - 1.0);
            let pressing = aa.sqrt() > pressed.floor;
            if gain >= 1.0 && pressing && !solvable(ab) && !(rests && solvable(-ab)) {
                return Err(BuildError { name: name(pressed), fault: Fault::SelfLocking(gain) });
            }
        }
        Ok(())
    }

    /// (M G^T K^T ; G 0 ; K 0), factorised, with its rows and columns in units in which masses and constraints are near one: which unknowns depend on
    /// others must not depend on kilograms and metres. The units are in the second part.
    fn acceleration_matrix(&self) -> (PivotedQr, Vec<f64>) {
        let (dims, guess) = (self.assembly.dims(), self.guess());
        let size = dims.v + dims.constraints();
        let mut whole = Dense::zeros(size, size);
        let at = At::new(guess.t, &guess.q, &guess.v);
        if let Some(patterns) = &self.assembly.description().patterns {
            let ask = |quantity: Quantity, count: usize| {
                let mut values = vec![0.0; count];
                let _supplied = self.assembly.ask(quantity, &at, &mut values);
                values
            };
            let (top, rows) = (&patterns.top, &patterns.rows);
            let mass = ask(Quantity::Mass, top.len());
            spread(top, &mass, 0, dims.v, |i, j, x| whole.row_mut(i)[j] = x);
            let split = rows.start(dims.lambda);
            let holonomic = ask(Quantity::HolonomicQ, split);
            let nonholonomic = ask(Quantity::NonholonomicV, rows.len() - split);
            let mut put = |i: usize, j: usize, x: f64| {
                whole.row_mut(dims.v + i)[j] = x;
                whole.row_mut(j)[dims.v + i] = x;
            };
            spread(rows, &holonomic, 0, dims.lambda, &mut put);
            spread(rows, &nonholonomic, dims.lambda, dims.psi, &mut put);
        }
        let unit = |square: f64| if square > 0.0 { 1.0 / square.sqrt() } else { 1.0 };
        let mut scale: Vec<f64> = (0..dims.v).map(|j| unit(whole.row(j)[j])).collect();
        for i in dims.v..size {
            let square = whole.row(i).iter().zip(&scale).map(|(x, s)| (x * s).powi(2)).sum();
            scale.push(unit(square));
        }
        for i in 0..size {
            whole.row_mut(i).iter_mut().zip(&scale).for_each(|(x, s)| *x *= scale[i] * s);
        }
        (PivotedQr::new(whole, DEPENDENT), scale)
    }

    /// (f, -bias).
    fn acceleration_side(&self) -> Vec<f64> {
        let (dims, guess) = (self.assembly.dims(), self.guess());
        let at = At::new(guess.t, &guess.q, &guess.v);
        let mut side = vec![0.0; dims.v + dims.constraints()];
        let (force, bias) = side.split_at_mut(dims.v);
        let (holonomic, nonholonomic) = bias.split_at_mut(dims.lambda);
        let _supplied = self.assembly.ask(Quantity::Force, &at, force);
        let _supplied = self.assembly.ask(Quantity::HolonomicBias, &at, holonomic);
        let _supplied = self.assembly.ask(Quantity::NonholonomicBias, &at, nonholonomic);
        bias.iter_mut().for_each(|x| *x = -*x);
        side
    }
}
