//! `Memory`: what is known of an event's function between two steps, and how it leaves the root where it began.

use super::slope::Slope;
use super::watch::Crossing;

/// A function is at rest after its action if its slope is below this share of what it was before. That is far
/// above what rounding leaves of a speed, and far below any restitution that is meant.
pub(super) const REST: f64 = 1e-9;
/// So many firings of one event in no time are chattering.
const CHATTER: usize = 10;
/// Up to this share of the longest step so far is no time, if ever less time passes between firings.
const NO_TIME: f64 = 1e-6;
/// A hop as high as the rounding d of the function lasts for a time T with u T = 4 d, where u is the speed at its ends; twice
/// that, for safety.
const NOWHERE: f64 = 8.0;
/// So many roundings of t are no time.
const UNSEEN: f64 = 4096.0;

/// What is known of an event's function at the start of the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    /// Its value at the end of the last step, unless the motion has begun afresh.
    pub value: Option<f64>,
    /// How it began, while it is close to the root where it began.
    pub leaving: Option<Leaving>,
    /// Its crossing at the start of the motion, if its action made the start.
    pub fired: Option<Fired>,
    /// When its action last restarted the motion.
    pub last: Option<Repeated>,
    /// How often it has happened.
    pub times: u64,
}

/// Firings in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Repeated {
    /// The last one.
    pub t: f64,
    /// The time since the one before.
    pub since: f64,
    /// How many of them there were in no time.
    pub count: usize,
}

/// A start at a root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Leaving {
    pub t: f64,
    pub value: f64,
    pub slope: f64,
    /// How much of the slope may be rounding.
    pub noise: f64,
    /// Its second derivative, which says where it goes if it has no slope.
    pub bend: f64,
    /// Changes up to this do not show which way the function leaves; zero if the slope does.
    pub band: f64,
    /// Until this time its slope changes the function by no more than rounding.
    pub unseen: f64,
    /// The sign that the function must have, after an impact; zero if its slope decides.
    pub side: f64,
}

/// A crossing that restarted the motion, with the slope before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Fired {
    pub rising: bool,
    pub slope: f64,
    /// Whether it was an impact.
    pub bounced: bool,
}

impl Memory {
    /// Notes that the action of the event has restarted the motion, with the slope before; false if it chatters.
    pub fn fire(&mut self, crossing: Crossing, bounced: bool, before: &Slope, longest: f64) -> bool {
        // If it fires again at once, the speed to compare with is still that of the first time.
        if self.fired.is_none_or(|fired| fired.rising != crossing.rising) {
            self.fired = Some(Fired { rising: crossing.rising, slope: before.slope, bounced });
        }
        let t = crossing.t;
        self.last = Some(match self.last {
            Some(last) => {
                let since = t - last.t;
                // No time has passed if the function could not get away from zero, or if ever less of it passes.
                let nowhere =
                    since * before.slope.abs() <= NOWHERE * before.rounding || since <= UNSEEN * f64::EPSILON * t.abs();
                let shorter = since <= NO_TIME * longest && (since < last.since || last.count == 1);
                Repeated { t, since, count: if nowhere || shorter { last.count + 1 } else { 1 } }
            }
            None => Repeated { t, since: f64::INFINITY, count: 1 },
        });
        self.last.is_none_or(|last| last.count < CHATTER)
    }
}

impl Leaving {
    /// The function without its root at the start. While nothing but rounding can be seen of it, its slope speaks for it.
    pub fn reduce(&self, t: f64, value: f64) -> f64 {
        if t > self.t.max(self.unseen) { (value - self.value) / (t - self.t) } else { self.slope }
    }

    /// Whether the function crosses zero where it begins: none if it does not, else whether it rises. After an impact it does if
    /// its slope, or without a slope its bend, leads to the other side. Otherwise it does if its action has taken away the
    /// speed with which it crossed, and it moves on in the same direction nevertheless. A function that does not depend on
    /// q and v (that of a multiplier) has no slopes to compare.
    pub fn crosses_at_once(&self, fired: Option<Fired>) -> Option<bool> {
        if self.side != 0.0 {
            let least = fired.map_or(0.0, |fired| REST * fired.slope.abs()).max(self.noise);
            let (slope, bend) = (self.slope * self.side, self.bend * self.side);
            return (slope < -least || (slope <= least && bend < 0.0)).then_some(self.side < 0.0);
        }
        let Fired { rising, slope, .. } = fired?;
        let direction = if rising { 1.0 } else { -1.0 };
        let least = (REST * slope.abs()).max(self.noise);
        (slope * direction > 0.0 && self.slope.abs() <= least && self.bend * direction > 0.0).then_some(rising)
    }
}
