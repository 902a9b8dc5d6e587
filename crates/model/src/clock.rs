//! Times at which an event happens, as a function that passes through zero there.
//!
//! ```text
//! phi(t) = +-min(t - t_k, t_{k+1} - t)        between neighbours, with a sign that changes at each of them
//! ```
//!
//! Its kinks lie in the middle between the times. Steps land there, so that every step has at most one crossing, on a straight line.

/// More times than this are refused.
pub const MOST: usize = 1_000_000;

/// Times in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// These.
    Listed(Vec<f64>),
    /// from + k every, k = 1, 2, ...
    Every {
        /// Where it begins.
        from: f64,
        /// The distance.
        every: f64,
    },
}

impl Clock {
    /// How many times are before or at t, the last of them and the next one.
    fn around(&self, t: f64) -> (u64, f64, f64) {
        match self {
            Clock::Listed(times) => {
                let count = times.partition_point(|time| *time <= t);
                let before = if count > 0 { times[count - 1] } else { f64::NEG_INFINITY };
                (count as u64, before, times.get(count).copied().unwrap_or(f64::INFINITY))
            }
            Clock::Every { from, every } => {
                let time = |k: f64| from + every * k;
                let mut k = ((t - from) / every).floor().max(0.0);
                // The quotient may be off by a rounding.
                while k > 0.0 && time(k) > t {
                    k -= 1.0;
                }
                while time(k + 1.0) <= t {
                    k += 1.0;
                }
                let before = if k > 0.0 { time(k) } else { f64::NEG_INFINITY };
                (k as u64, before, time(k + 1.0))
            }
        }
    }

    /// phi and its slope.
    pub(crate) fn value(&self, t: f64) -> (f64, f64) {
        let (count, before, next) = self.around(t);
        let sign = if count % 2 == 0 { -1.0 } else { 1.0 };
        let (since, left) = (t - before, next - t);
        if since.is_infinite() && left.is_infinite() {
            return (sign, 0.0);
        }
        if since < left { (sign * since, sign) } else { (sign * left, -sign) }
    }

    /// How many times there are up to an end.
    pub fn count(&self, t_end: f64) -> f64 {
        match self {
            Clock::Listed(times) => times.len() as f64,
            Clock::Every { from, every } => (t_end - from) / every,
        }
    }

    /// Times in the middle between neighbours, up to an end.
    pub fn kinks(&self, t_end: f64) -> Vec<f64> {
        match self {
            Clock::Listed(times) => times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect(),
            Clock::Every { from, every } => {
                let count = (self.count(t_end).ceil().max(0.0) as usize).min(MOST);
                (1..=count).map(|k| from + every * (k as f64 + 0.5)).filter(|t| *t < t_end).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn the_function_is_zero_at_the_times_and_changes_its_sign_there() {
        for clock in [Clock::Listed(vec![0.1, 0.25, 1.0]), Clock::Every { from: -1.0, every: 0.1 }] {
            let times: Vec<f64> = match &clock {
                Clock::Listed(times) => times.clone(),
                Clock::Every { from, every } => (1..40).map(|k| from + every * f64::from(k)).collect(),
            };
            for t in times {
                let (below, _) = clock.value(t - 1e-6);
                let (above, _) = clock.value(t + 1e-6);
                assert_eq!(clock.value(t).0, 0.0, "{t}");
                assert!(below * above < 0.0 && (below + above).abs() < 1e-12, "{t}: {below} {above}");
            }
        }
        assert_eq!(Clock::Listed(vec![1.0, 2.0, 4.0]).kinks(9.0), [1.5, 3.0]);
    }
}
