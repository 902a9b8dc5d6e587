//! Times to land on exactly.
//!
//! ```text
//! output     a step ends there
//! jump       a step ends one rounding before, where the input still has its old value, and the motion starts afresh there
//! restart    the same where forces jump or have a kink: velocities must go on
//! end        a step ends there
//! ```
//!
//! Between some times steps have a longest length.

use std::fmt;

use crate::advice::{Advised, displayed};

/// Times closer than this, relative to their size, are one: a few dozen roundings. More would swallow whole steps where times are
/// counted from far away, as seconds from 1970 are.
pub const SAME: f64 = 64.0 * f64::EPSILON;

/// A time to land on that is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTime {
    /// Its place in the list.
    pub index: usize,
    /// Its value.
    pub t: f64,
}

impl Advised for BadTime {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time {} of the list is {}", self.index, self.t)
    }

    fn hint(&self) -> Option<String> {
        Some("times to land on are finite numbers".to_owned())
    }
}

displayed!(BadTime);

/// What happens at a time. If there are several at one time, the last of these kinds decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A step ends.
    Land,
    /// Forces jump or have a kink: the motion starts afresh, with the same velocities.
    Restart,
    /// The input jumps, and velocities with it where constraints ask for that.
    Jump,
}

/// A time ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Landing {
    pub t: f64,
    /// Where the step ends: the last time with the old input.
    pub target: f64,
    pub kind: Kind,
}

impl Landing {
    fn new(t: f64, kind: Kind) -> Self {
        Landing { t, target: if kind == Kind::Land { t } else { t.next_down() }, kind }
    }

    /// Whether the motion starts afresh there.
    pub fn turns(&self) -> bool {
        self.kind != Kind::Land
    }
}

/// The longest step between two times.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cap {
    from: f64,
    to: f64,
    longest: f64,
}

/// Times in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schedule {
    landings: Vec<Landing>,
    caps: Vec<Cap>,
}

impl Schedule {
    /// Adds times; what cannot be told from a known time becomes one with it.
    pub fn add(&mut self, times: &[f64], kind: Kind) -> Result<(), BadTime> {
        finite(times)?;
        self.insert(times.iter().map(|&t| Landing::new(t, kind)));
        Ok(())
    }

    /// Adds restarts between two times each: the last one with the old input, and the first one with the new.
    pub fn add_restarts(&mut self, pairs: &[(f64, f64)]) -> Result<(), BadTime> {
        finite(&pairs.iter().flat_map(|(target, t)| [*target, *t]).collect::<Vec<f64>>())?;
        self.insert(pairs.iter().map(|&(target, t)| Landing { t, target, kind: Kind::Restart }));
        Ok(())
    }

    fn insert(&mut self, landings: impl Iterator<Item = Landing>) {
        self.landings.extend(landings);
        // Where times coincide, what does most comes first and stays.
        self.landings.sort_by(|x, y| x.t.total_cmp(&y.t).then(y.kind.cmp(&x.kind)));
        self.landings.dedup_by(|later, kept| {
            let same = later.t - kept.t <= SAME * later.t.abs().max(kept.t.abs());
            if same && later.turns() && kept.turns() {
                // The last time before all of them, and the first one after.
                let (target, t) = (kept.target.min(later.target), kept.t.max(later.t));
                *kept = Landing { t, target, kind: kept.kind.max(later.kind) };
            } else if same && later.turns() {
                *kept = *later;
            }
            same
        });
    }

    /// Limits steps between two times.
    pub fn cap(&mut self, from: f64, to: f64, longest: f64) -> Result<(), BadTime> {
        finite(&[from, to])?;
        self.caps.push(Cap { from, to, longest });
        Ok(())
    }

    /// The longest step from a time: of spans within each other, that of the shortest steps.
    pub fn longest(&self, t: f64) -> f64 {
        let here = self.caps.iter().filter(|cap| cap.from <= t && t < cap.to);
        here.fold(f64::INFINITY, |longest, cap| longest.min(cap.longest))
    }

    /// The first time between two others at which the motion starts afresh.
    pub fn jump_between(&self, from: f64, to: f64) -> Option<f64> {
        let from = self.landings.partition_point(|landing| landing.target <= from);
        self.landings[from..].iter().take_while(|landing| landing.target <= to).find(|x| x.turns()).map(|x| x.t)
    }

    /// Where to land next from `t`. A step that is longer than the time itself may miss its landing by a rounding. What is left is
    /// not another step: one of length 1e-19 would be nothing but rounding. Jumps must be met exactly.
    pub fn next(&self, t: f64, t_end: f64) -> Landing {
        let end = Landing::new(t_end, Kind::Land);
        let is_past = |landing: &Landing| {
            landing.target <= t || (!landing.turns() && landing.t - t <= SAME * landing.t.abs().max(t.abs()))
        };
        let from = self.landings.partition_point(is_past);
        self.landings.get(from).copied().filter(|landing| landing.t <= t_end).unwrap_or(end)
    }
}

fn finite(times: &[f64]) -> Result<(), BadTime> {
    match times.iter().enumerate().find(|(_, t)| !t.is_finite()) {
        Some((index, &t)) => Err(BadTime { index, t }),
        None => Ok(()),
    }
}

/// h with t + h = target exactly where there is one: always if the step is shorter than the target's size.
pub(crate) fn length_to(t: f64, target: f64) -> f64 {
    let h = target - t;
    [h, h.next_up(), h.next_down()].into_iter().find(|h| t + h == target).unwrap_or(h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landings_come_in_order_and_once() {
        let mut schedule = Schedule::default();
        assert!(schedule.add(&[0.0, f64::NAN], Kind::Land).is_err());
        schedule.add(&[0.3, 0.1, 0.2], Kind::Land).expect("numbers");
        let jump = 0.2_f64.next_up();
        schedule.add(&[jump, 0.25], Kind::Jump).expect("numbers");
        assert_eq!(schedule.next(0.0, 1.0), Landing::new(0.1, Kind::Land));
        assert_eq!(schedule.next(0.1, 1.0), Landing::new(jump, Kind::Jump));
        assert_eq!(schedule.next(jump, 1.0), Landing::new(0.25, Kind::Jump));
        assert_eq!(schedule.next(0.25, 1.0), Landing::new(0.3, Kind::Land));
        assert_eq!(schedule.next(0.3, 1.0), Landing::new(1.0, Kind::Land));
        assert_eq!(schedule.next(0.0, 0.05), Landing::new(0.05, Kind::Land));
    }

    #[test]
    fn a_landing_missed_by_a_rounding_is_no_step() {
        let mut schedule = Schedule::default();
        schedule.add(&[0.00191, 0.005], Kind::Land).expect("numbers");
        schedule.add(&[0.007], Kind::Jump).expect("numbers");
        assert_eq!(schedule.next(0.00191_f64.next_down(), 1.0), Landing::new(0.005, Kind::Land));
        assert_eq!(schedule.next(0.007_f64.next_down().next_down(), 1.0), Landing::new(0.007, Kind::Jump));
    }

    #[test]
    fn what_does_most_stays_and_the_shortest_steps_count() {
        let mut schedule = Schedule::default();
        schedule.add(&[1.0], Kind::Land).expect("numbers");
        schedule.add_restarts(&[(1.0_f64.next_down(), 1.0_f64.next_up())]).expect("numbers");
        let pair = Landing { t: 1.0_f64.next_up(), target: 1.0_f64.next_down(), kind: Kind::Restart };
        assert_eq!(schedule.next(0.0, 2.0), pair);
        assert_eq!(schedule.next(pair.t, 2.0), Landing::new(2.0, Kind::Land));
        schedule.add(&[1.0], Kind::Jump).expect("numbers");
        assert_eq!(schedule.next(0.0, 2.0), Landing { kind: Kind::Jump, ..pair });
        for (from, to, longest) in [(3.0, 4.0, 0.1), (1.0, 2.0, 0.5), (1.5, 2.5, 0.2)] {
            schedule.cap(from, to, longest).expect("numbers");
        }
        let expected = [(0.9, f64::INFINITY), (1.0, 0.5), (1.5, 0.2), (2.4, 0.2), (2.5, f64::INFINITY), (3.0, 0.1)];
        for (t, longest) in expected {
            assert_eq!(schedule.longest(t), longest, "{t}");
        }
    }

    #[test]
    fn steps_end_on_time() {
        let mut t = 0.0_f64;
        for k in 1..1000 {
            let target = f64::from(k) * 0.1;
            t += length_to(t, target);
            assert_eq!(t, target);
        }
    }
}
