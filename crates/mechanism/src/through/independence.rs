//! How independent the constraints of a mechanism are, and where on the way ahead they become dependent.
//!
//! ```text
//! m(q) = |R_rr| of the rows by QR with pivots (unit rows, columns / sqrt(W)), r: the rank elsewhere        between 0 and 1, without units
//! m(q + s v + s^2 a/2) has the shape of a V, its tip at the singular configuration; what is left there is of third order in s
//! ```
//!
//! A tip that is much lower than m(q) may be zero. Whether branches meet there or only come near to each other, the error of a passage tells.

use std::fmt;

use alembert::rotation::{exp, product};
use alembert::{ConstrainedSystem, State};

use crate::analysis::block::DEPENDENT;
use crate::analysis::quoted;
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// Rows that are independent by less than this are at it: the motion ahead is rounding.
const THERE: f64 = 1e-6;
/// Doublings of the way ahead, which begins with a quarter of what would turn bodies by m.
const DOUBLINGS: i32 = 7;
/// The tip is lower than m(q) by this factor.
const TIP: f64 = 0.1;
/// How far back the search begins, in the same quarters.
const BEHIND: f64 = 8.0;
/// Shortenings of the interval in which the tip is, by the golden ratio each.
const SHORTENINGS: usize = 44;

/// A configuration in which constraints become dependent that are not so elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Singular {
    /// When.
    pub t: f64,
    /// The joints, drivers and couplings whose constraints do.
    pub joints: Vec<String>,
    /// How independent the weakest of them still is where this was found; 1 at most.
    pub weakest: f64,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Singular { t, joints, .. } = self;
        write!(f, "singular configuration at t = {t:.6}: the constraints of {} become dependent", quoted(joints))
    }
}

/// Measures configurations of one mechanism.
pub(super) struct Independence<'m> {
    mechanism: &'m Mechanism,
    weights: Vec<f64>,
    /// Columns of each block, and its rank where the mechanism was closed.
    usual: Vec<(Vec<usize>, usize)>,
}

impl<'m> Independence<'m> {
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let weights = mechanism.weights();
        let blocks = mechanism.decide(&mechanism.guess().q, &weights, DEPENDENT);
        let usual = blocks.into_iter().map(|block| (block.columns, block.qr.rank)).collect();
        Independence { mechanism, weights, usual }
    }

    /// m(q); behind the coordinates of the mechanism there may be others.
    pub fn at(&self, q: &[f64]) -> f64 {
        let own = self.mechanism.system().description().dims.q.min(q.len());
        let blocks = self.mechanism.decide(&q[..own], &self.weights, 0.0);
        let weakest = blocks.iter().map(|block| {
            let rank = self.usual.iter().find(|(columns, _)| *columns == block.columns).map_or(0, |(_, rank)| *rank);
            rank.checked_sub(1).map_or(1.0, |last| block.qr.pivots.get(last).copied().unwrap_or(0.0))
        });
        weakest.fold(1.0, f64::min)
    }

    /// The tip of a V between two times, and how independent constraints are there.
    pub fn tip(&self, mut low: f64, mut high: f64, q: impl Fn(f64) -> Vec<f64>) -> (f64, f64) {
        let at = |t: f64| self.at(&q(t));
        let share = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut x, mut y) = (high - share * (high - low), low + share * (high - low));
        let (mut m_x, mut m_y) = (at(x), at(y));
        for _ in 0..SHORTENINGS {
            if m_x < m_y {
                (high, y, m_y) = (y, x, m_x);
                x = high - share * (high - low);
                m_x = at(x);
            } else {
                (low, x, m_x) = (x, y, m_y);
                y = low + share * (high - low);
                m_y = at(y);
            }
        }
        if m_x < m_y { (x, m_x) } else { (y, m_y) }
    }
}

/// How near a motion is to a singular configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearness {
    /// How independent constraints are at present, 1 at most.
    pub independence: f64,
    /// The singular configuration that lies ahead, or just behind.
    pub ahead: Option<Singular>,
}

impl Mechanism {
    /// Rows that are independent by less than this are near a singular configuration; it decides from where on one is looked for, and which
    /// joints are named.
    pub const NEAR: f64 = 0.05;

    /// The joints whose constraints become dependent at a state, if it is near a singular configuration.
    pub fn singular(&self, state: &State) -> Option<Singular> {
        let weights = self.weights();
        let usual = self.decide(&self.guess().q, &weights, DEPENDENT);
        let (mut joints, mut weakest) = (Vec::new(), 1.0_f64);
        let own = self.system().description().dims.q.min(state.q.len());
        for block in self.decide(&state.q[..own], &weights, Self::NEAR) {
            let before = usual.iter().find(|other| other.columns == block.columns);
            if before.is_none_or(|before| before.null.rows() >= block.null.rows()) {
                continue;
            }
            weakest = weakest.min(block.qr.dropped);
            joints.extend(self.sharing(&block).into_iter().map(|at| self.named()[at].to_owned()));
        }
        (!joints.is_empty()).then_some(Singular { t: state.t, joints, weakest })
    }

    /// How near a motion is to a singular configuration, and when it will be there.
    pub fn nearness(&self, state: &State) -> Nearness {
        let measure = Independence::new(self);
        let independence = measure.at(&state.q);
        let alone = Nearness { independence, ahead: None };
        if independence >= Self::NEAR {
            return alone;
        }
        let named = |s: f64, weakest: f64| {
            let (t, q) = (state.t + s, self.lead(state, s));
            let found = self.singular(&State { t, q, ..state.clone() });
            Nearness { independence, ahead: found.map(|found| Singular { weakest, ..found }) }
        };
        if independence <= THERE {
            return named(0.0, independence);
        }
        let unit = 0.25 * independence / self.pace(&state.v);
        // A step may just have gone too far.
        let (mut places, mut lowest) = ([-BEHIND * unit, 0.0], independence);
        for doubling in 0..DOUBLINGS {
            let s = unit * 2.0_f64.powi(doubling);
            if !s.is_finite() {
                break;
            }
            let here = measure.at(&self.lead(state, s));
            if here > lowest {
                let (s, weakest) = measure.tip(places[0], s, |s| self.lead(state, s));
                return if weakest <= TIP * independence { named(s, weakest) } else { alone };
            }
            (places, lowest) = ([places[1], s], here);
        }
        alone
    }

    /// Where a motion leads in a time: q + s v + s^2 a/2, and the rest of q as it is.
    fn lead(&self, state: &State, s: f64) -> Vec<f64> {
        let mut q = state.q.clone();
        for node in self.assembly.nodes() {
            let [shifts, _] = node.kind.columns();
            let way = |j: usize| s * (state.v[j] + 0.5 * s * state.a[j]);
            (0..shifts).for_each(|i| q[node.q + i] += way(node.v + i));
            match node.kind {
                Kind::Planar => q[node.q + 2] += way(node.v + 2),
                Kind::Spatial => {
                    let own = [0, 1, 2, 3].map(|i| q[node.q + 3 + i]);
                    let turn = [0, 1, 2].map(|i| way(node.v + 3 + i));
                    q[node.q + 3..node.q + 7].copy_from_slice(&product(&own, &exp(&turn)));
                }
                Kind::Ground | Kind::Number | Kind::Particle | Kind::PlanarParticle => {}
            }
        }
        q
    }

    /// How fast the fastest body moves, in radians or sizes of the mechanism.
    pub(super) fn pace(&self, v: &[f64]) -> f64 {
        let (weights, size) = (self.weights(), self.size());
        let bodies = self.assembly.nodes().iter().filter(|node| matches!(node.kind, Kind::Spatial | Kind::Planar));
        let square = |first: usize, count: usize| (first..first + count).map(|j| weights[j] * v[j] * v[j]).sum::<f64>();
        bodies.map(|node| square(node.v, node.kind.sizes()[1]).sqrt()).fold(0.0_f64, f64::max) / size
    }
}
