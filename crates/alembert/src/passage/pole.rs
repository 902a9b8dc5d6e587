//! Poles of the force: near one the force grows with the inverse of the distance.

use super::{HALVINGS, Passage, rounding};
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::state::State;
use crate::tolerance::largest;

/// Distances from the pole, in shares of the way, at which forces are compared: the smaller one, and how much larger the other is.
const NEAR: f64 = 1e-7;
const FAR: f64 = 3e3;
/// How many times larger the force must be at the smaller distance. A pole of order 1 gives 3000. One of order 1/2, which
/// changes velocities only by a finite amount, gives 55, and a removable one (sin x/x) gives 1.
const GROWTH: f64 = 300.0;
/// The smaller distance in roundings of q and t.
const ROUNDINGS: f64 = 64.0;
/// Accelerations below this share of the largest are not looked at where their sign changes.
const CONSIDERABLE: f64 = 0.2;
/// A force that has grown by this factor has grown beyond all bounds.
const BOUNDLESS: f64 = 1e6;
/// How much larger the force must be where a pole would be.
const LARGER: f64 = 3.0;

impl Passage {
    /// The coordinate whose force goes to infinity at a share of the way, where something has changed its sign.
    pub(super) fn pole_at(
        &mut self,
        equations: &mut Equations,
        from: &State,
        to: &State,
        low: f64,
        high: f64,
    ) -> Option<usize> {
        let near = NEAR.max(ROUNDINGS * rounding(from, to));
        let mut sizes = [0.0_f64; 2];
        let mut coordinate = 0;
        for (size, distance) in sizes.iter_mut().zip([FAR * near, near]) {
            for share in [low - distance, high + distance] {
                let mut force = std::mem::take(&mut self.force[0]);
                self.straight(from, to, share);
                let State { t, q, v, .. } = &self.between;
                let finite = equations.force(*t, q, v, &mut force).is_ok();
                for (i, f) in force.iter().enumerate() {
                    let f = if finite || f.is_finite() { f.abs() } else { f64::INFINITY };
                    if f > *size {
                        (*size, coordinate) = (f, i);
                    }
                }
                self.force[0] = force;
            }
        }
        (sizes[1] > GROWTH * sizes[0]).then_some(coordinate)
    }

    /// A pole in a step at whose ends an acceleration has different signs; for systems that name no landmarks.
    pub(super) fn look_for_pole(&mut self, equations: &mut Equations, from: &State, to: &State) -> Option<StepFailure> {
        let most = largest(&from.a).min(largest(&to.a));
        for i in 0..from.a.len() {
            let (before, after) = (from.a[i], to.a[i]);
            // On the way to zero an acceleration shrinks.
            let shrinks = self.begun && before.abs() < self.earlier[i].abs();
            if shrinks || before * after >= 0.0 || before.abs().min(after.abs()) < CONSIDERABLE * most {
                continue;
            }
            self.take_room(equations);
            let mut force = std::mem::take(&mut self.force);
            let found = self.change_of_sign(equations, [from, to], i, after.abs() / (before - after).abs(), &mut force);
            self.force = force;
            if let Some(coordinate) = found.and_then(|[low, high]| self.pole_at(equations, from, to, low, high)) {
                return Some(StepFailure::Pole { coordinate });
            }
        }
        None
    }

    /// The coordinate whose force has grown beyond all bounds on the way to a state from which no step is possible: it was much
    /// smaller where the motion came from, a tenth of the size of q away.
    pub(super) fn pole_behind(&mut self, equations: &mut Equations, from: &State) -> Option<StepFailure> {
        let State { t, q, v, .. } = from;
        if equations.has_general_rate() || !equations.space().is_flat() {
            return None;
        }
        let mut force = std::mem::take(&mut self.force);
        let s = 0.1 * (1.0 + largest(equations.bodies(q))) / largest(equations.bodies(v));
        let back: Vec<f64> = q.iter().zip(v).map(|(q, v)| q - s * v).collect();
        let found =
            equations.force(*t, q, v, &mut force[0]).is_ok() && equations.force(*t, &back, v, &mut force[1]).is_ok();
        let grown = found && largest(equations.bodies(&force[0])) > BOUNDLESS * largest(equations.bodies(&force[1]));
        let coordinate = (0..v.len()).max_by(|i, j| force[0][*i].abs().total_cmp(&force[0][*j].abs()));
        self.force = force;
        coordinate.filter(|_| grown).map(|coordinate| StepFailure::Pole { coordinate })
    }

    /// Where the force on a coordinate changes its sign, if it is larger at a share of the way than at the ends.
    fn change_of_sign(
        &mut self,
        equations: &mut Equations,
        [from, to]: [&State; 2],
        i: usize,
        share: f64,
        force: &mut [Vec<f64>; 3],
    ) -> Option<[f64; 2]> {
        let mut at = |share: f64, out: &mut Vec<f64>| {
            self.straight(from, to, share);
            let State { t, q, v, .. } = &self.between;
            // A force that is not finite is large.
            let finite = equations.force(*t, q, v, out).is_ok();
            if finite { out[i] } else { f64::NAN }
        };
        let (first, last, middle) = (at(0.0, &mut force[0]), at(1.0, &mut force[1]), at(share, &mut force[2]));
        let small = middle.abs() <= LARGER * first.abs().max(last.abs());
        if small || first * last >= 0.0 || first.is_nan() || last.is_nan() {
            return None;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if at(middle, &mut force[2]) * first > 0.0 { low = middle } else { high = middle }
        }
        Some([low, high])
    }
}
