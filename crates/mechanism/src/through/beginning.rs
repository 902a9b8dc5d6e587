//! Motions that begin in a singular configuration: which of the branches that meet there they are on is not in their equations.
//!
//! ```text
//! A^T zeta = 0:   y^T d/dq (A^T zeta) w      w: where the motion leads, y: motions with A y = 0
//! ```
//!
//! Where all of these are zero, constraints that follow from others do so along the motion as well. Otherwise they become independent at once, and there is
//! neither an acceleration nor a multiplier at the start.

use alembert::{ConstrainedSystem, Redundancy, State};

use super::Singular;
use crate::analysis::block::DEPENDENT;
use crate::mechanism::Mechanism;

/// A way below this share of the size of a mechanism is none: what rests stays where it is.
const REST: f64 = 1e-9;
/// How fast dependent constraints become independent, per size of the mechanism: below it they stay dependent.
const LEAVES: f64 = 1e-6;

impl Mechanism {
    /// The singular configuration in which a motion of so much time begins, if it does.
    pub fn begins_singular(&self, start: &State, time: f64) -> Option<Singular> {
        if self.system().description().redundancy != Redundancy::LeastSquares {
            return None;
        }
        let [by_speed, by_force] = [self.pace(&start.v) * time, self.pace(&start.a) * time * time];
        let way = match (by_speed > REST, by_force > REST) {
            (true, _) => &start.v,
            (false, true) => &start.a,
            // What is not a number begins nowhere.
            (false, false) => return None,
        };
        let own = self.system().dims();
        let (weights, pace) = (self.weights(), self.pace(way));
        let way: Vec<f64> = way[..own.v].iter().map(|x| x / pace).collect();
        let q = &start.q[..own.q];
        let (mut joints, mut weakest) = (Vec::new(), 1.0_f64);
        for block in self.decide(q, &weights, DEPENDENT) {
            if block.null.rows() == 0 || self.leaves((start.t, q), &block, &weights, &way) < LEAVES {
                continue;
            }
            weakest = weakest.min(block.qr.dropped);
            joints.extend(self.sharing(&block).into_iter().map(|at| self.named()[at].to_owned()));
        }
        (!joints.is_empty()).then_some(Singular { t: start.t, joints, weakest })
    }
}
