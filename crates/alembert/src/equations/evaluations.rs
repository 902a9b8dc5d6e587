//! What is told of evaluations: how many there were, and which one was not finite.

use std::fmt;

use crate::system::Quantity;

/// How often each quantity of a system was evaluated. A residual counts as its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluations(pub(super) [u64; Quantity::COUNTED]);

impl Evaluations {
    /// Evaluations of one quantity.
    pub fn of(&self, quantity: Quantity) -> u64 {
        self.0.get(quantity as usize).copied().unwrap_or(0)
    }

    /// Evaluations of all quantities.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Every quantity that was evaluated, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Quantity::ALL.iter().map(|quantity| quantity.name()).zip(self.0).filter(|(_, count)| *count > 0)
    }

    #[inline]
    pub(super) fn add(&mut self, quantity: Quantity, times: u64) {
        if let Some(count) = self.0.get_mut(quantity as usize) {
            *count += times;
        }
    }
}

impl std::ops::AddAssign for Evaluations {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// A quantity of the system is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotFinite {
    /// Which one.
    pub quantity: Quantity,
    /// Which entry of it (row-major for a matrix).
    pub entry: usize,
    /// At which time.
    pub t: f64,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} of `{}` is not a finite number at t = {}", self.entry, self.quantity.name(), self.t)
    }
}

impl std::error::Error for NotFinite {}

/// Whether no entry is NaN or infinite: zero times anything finite is zero, and sums need no branches.
#[inline]
pub(crate) fn all_finite(x: &[f64]) -> bool {
    // Most vectors of a small system are shorter than the preparations for long ones.
    if x.len() <= FEW { x.iter().fold(0.0, |sum, x| sum + x * 0.0) == 0.0 } else { many_finite(x) }
}

/// Entries that are looked at one after the other.
const FEW: usize = 6;

#[inline(never)]
fn many_finite(x: &[f64]) -> bool {
    // Several sums at once: one would wait for each addition.
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x * 0.0;
        }
    }
    sums.iter().chain(rest).map(|x| x * 0.0).sum::<f64>() == 0.0
}

#[cfg(test)]
mod tests {
    use super::all_finite;

    #[test]
    fn an_entry_that_is_not_finite_is_seen_wherever_it_stands() {
        for len in 0..40 {
            let mut x = vec![f64::MAX; len];
            assert!(all_finite(&x));
            for i in 0..len {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    x[i] = bad;
                    assert!(!all_finite(&x), "entry {i} of {len} is {bad}");
                }
                x[i] = -f64::MAX;
            }
        }
    }
}
