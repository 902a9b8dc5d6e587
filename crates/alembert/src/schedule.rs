//! Times to land on exactly.
//!
//! ```text
//! output     a step ends there
//! jump       a step ends one rounding before, where the input still has its old value, and the motion starts afresh there
//! end        a step ends there
//! ```

use std::fmt;

/// Times closer than this, relative to their size, are one.
pub(crate) const SAME: f64 = 1e-12;

/// A time to land on that is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTime {
    /// Its place in the list.
    pub index: usize,
    /// Its value.
    pub t: f64,
}

impl fmt::Display for BadTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time {} of the list is {}\nhint: times to land on are finite numbers", self.index, self.t)
    }
}

impl std::error::Error for BadTime {}

/// A time ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Landing {
    pub t: f64,
    /// Whether the input jumps there.
    pub jump: bool,
}

impl Landing {
    /// Where the step ends.
    pub fn target(&self) -> f64 {
        if self.jump { self.t.next_down() } else { self.t }
    }
}

/// Times in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Schedule {
    landings: Vec<Landing>,
}

impl Schedule {
    /// Adds times; what cannot be told from a known time becomes one with it.
    pub fn add(&mut self, times: &[f64], jump: bool) -> Result<(), BadTime> {
        if let Some((index, &t)) = times.iter().enumerate().find(|(_, t)| !t.is_finite()) {
            return Err(BadTime { index, t });
        }
        self.landings.extend(times.iter().map(|&t| Landing { t, jump }));
        // Where times coincide, the jump comes first and stays.
        self.landings.sort_by(|x, y| x.t.total_cmp(&y.t).then(y.jump.cmp(&x.jump)));
        self.landings.dedup_by(|later, kept| {
            let same = later.t - kept.t <= SAME * later.t.abs().max(kept.t.abs());
            if same && later.jump && !kept.jump {
                *kept = *later;
            }
            same
        });
        Ok(())
    }

    /// Where to land next from `t`. A step may miss its landing by a rounding, if the step is longer than the time itself:
    /// what is left is no step, and one of 1e-19 would be all rounding. Jumps must be met exactly.
    pub fn next(&self, t: f64, t_end: f64) -> Landing {
        let end = Landing { t: t_end, jump: false };
        let is_past = |landing: &Landing| {
            landing.target() <= t || (!landing.jump && landing.t - t <= SAME * landing.t.abs().max(t.abs()))
        };
        let from = self.landings.partition_point(is_past);
        self.landings.get(from).copied().filter(|landing| landing.t <= t_end).unwrap_or(end)
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
        assert!(schedule.add(&[0.0, f64::NAN], false).is_err());
        schedule.add(&[0.3, 0.1, 0.2], false).expect("numbers");
        let jump = 0.2_f64.next_up();
        schedule.add(&[jump, 0.25], true).expect("numbers");
        assert_eq!(schedule.next(0.0, 1.0), Landing { t: 0.1, jump: false });
        assert_eq!(schedule.next(0.1, 1.0), Landing { t: jump, jump: true });
        assert_eq!(schedule.next(jump, 1.0), Landing { t: 0.25, jump: true });
        assert_eq!(schedule.next(0.25, 1.0), Landing { t: 0.3, jump: false });
        assert_eq!(schedule.next(0.3, 1.0), Landing { t: 1.0, jump: false });
        assert_eq!(schedule.next(0.0, 0.05), Landing { t: 0.05, jump: false });
    }

    #[test]
    fn a_landing_missed_by_a_rounding_is_no_step() {
        let mut schedule = Schedule::default();
        schedule.add(&[0.00191, 0.005], false).expect("numbers");
        schedule.add(&[0.007], true).expect("numbers");
        assert_eq!(schedule.next(0.00191_f64.next_down(), 1.0), Landing { t: 0.005, jump: false });
        assert_eq!(schedule.next(0.007_f64.next_down().next_down(), 1.0), Landing { t: 0.007, jump: true });
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
