//! What the repair of a guess changed, entry by entry.
//!
//! ```text
//! share_i = |x_i - given_i| / size_i      size_i = |given_i|; where that is zero, the largest entry of q (or of v)
//! ```
//!
//! A norm of all entries would grow with the number of copies of a mechanism, and would not say which of them it was. What is
//! smaller than 1e-12 of the largest entry counts as zero: `l*cos(pi/2)` is meant to be.

use super::{Guess, Level};
use crate::space::Space;
use crate::state::State;
use crate::system::ConstrainedSystem;
use crate::tolerance::largest;

/// Entries below this share of the largest are zero, and changes below it are rounding.
const ZERO: f64 = 1e-12;

/// An entry of a guess that has another value in the consistent state.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// Whether it is an entry of q or of v.
    pub level: Level,
    /// Which.
    pub index: usize,
    /// What the system calls it.
    pub name: String,
    /// As given.
    pub given: f64,
    /// In the consistent state.
    pub now: f64,
    /// The change beside the size of the entry.
    pub share: f64,
    /// Whether it is a turn about an axis of a body, from 0 to an angle.
    pub turn: bool,
}

/// The entries of q and v that differ, those of q first.
pub fn moves(system: &dyn ConstrainedSystem, guess: &Guess, state: &State) -> Vec<Move> {
    let mut found = Vec::new();
    let (dims, description) = (system.dims(), system.description());
    let space = Space::new(dims, &description.rotations, description.has_general_rate()).unwrap_or_default();
    let mut turned = vec![0.0; if space.is_flat() { 0 } else { dims.v }];
    if !space.is_flat() {
        space.difference(&guess.q, &state.q, &mut turned);
    }
    for (level, given, now) in [(Level::Position, &guess.q, &state.q), (Level::Velocity, &guess.v, &state.v)] {
        // States of first order have sizes of their own, and stay as they are.
        let bodies = |x: &[f64]| largest(&x[..x.len() - system.description().first_order().0]);
        let size = bodies(given).max(bodies(now));
        // Quaternions so far, and where the last of them begins.
        let (mut before, mut last) = (0, None);
        let of_level = if level == Level::Position { usize::MAX } else { 0 };
        let mut quaternions = space.quaternions().take(of_level).peekable();
        for (index, (&given, &now)) in given.iter().zip(now).enumerate() {
            if let Some(first) = quaternions.next_if_eq(&index) {
                (before, last) = (before + 1, Some(first));
            }
            if let Some(first) = last.filter(|first| index < first + 4) {
                // Three angles, told with the first three of the four numbers.
                let column = index + 1 - before;
                let angle = if index < first + 3 { turned[column] } else { 0.0 };
                if angle.abs() > ZERO {
                    let name = system.position_name(column);
                    let (share, turn) = (angle.abs(), true);
                    found.push(Move { level, index, name, given: 0.0, now: angle, share, turn });
                }
                continue;
            }
            let change = (now - given).abs();
            if change <= ZERO * given.abs().max(now.abs()) || change <= 0.01 * ZERO * size {
                continue;
            }
            let own = if given.abs() > ZERO * size { given.abs() } else { size };
            let name = match level {
                Level::Position => system.position_name(index - before),
                Level::Velocity => system.coordinate_name(index),
            };
            found.push(Move { level, index, name, given, now, share: change / own, turn: false });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Dims, Functions};

    fn found(q: &[f64], now: &[f64]) -> Vec<(usize, f64)> {
        let system = Functions::new(Dims { q: q.len(), v: q.len(), lambda: 0, psi: 0 });
        let guess = Guess::new(0.0, q.to_vec(), vec![0.0; q.len()]);
        let (v, none) = (vec![0.0; q.len()], Vec::new());
        let state = State { t: 0.0, q: now.to_vec(), a: v.clone(), v, lambda: none.clone(), psi: none };
        moves(&system, &guess, &state).iter().map(|moved| (moved.index, moved.share)).collect()
    }

    #[test]
    fn each_entry_is_measured_by_itself() {
        // However large the others are; what is given as zero, by the largest.
        assert_eq!(found(&[1.0, 1e-6], &[1.0, 1.5e-6]).len(), 1);
        let (index, share) = found(&[1.0, 1e-6], &[1.0, 1.5e-6])[0];
        assert!(index == 1 && (share - 0.5).abs() < 1e-9);
        let (index, share) = found(&[4.0, 0.0], &[4.0, 1.0])[0];
        assert!(index == 1 && (share - 0.25).abs() < 1e-12);
        // A zero by a formula is one.
        assert!(found(&[4.0, 2e-16], &[4.0, 3e-14])[..].iter().all(|(_, share)| *share < 1e-13));
        // Rounding is no move.
        assert!(found(&[1.0, 2e-17], &[1.0 + 4.0 * f64::EPSILON, 0.0]).is_empty());
        assert!(found(&[1e-9, 2e-26], &[1e-9, 0.0]).is_empty());
    }

    #[test]
    fn rotations_are_told_as_turns() {
        // A number, a rotation, a number, a rotation.
        let system = Functions::new(Dims { q: 10, v: 8, lambda: 0, psi: 0 }).describe(|it| it.rotations = vec![1, 5]);
        let q = vec![2.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.6, 0.0, 0.0, 0.8];
        let space = Space::new(system.dims(), &[1, 5], false).expect("fits");
        let mut now = vec![0.0; 10];
        space.advance(&q, &[0.0, 0.0, 0.2, 0.0, 0.5, 0.0, 0.0, -0.1], &mut now);
        let (v, none) = (vec![0.0; 8], Vec::new());
        let state = State { t: 0.0, q: now, a: v.clone(), v: v.clone(), lambda: none.clone(), psi: none };
        let told = moves(&system, &Guess::new(0.0, q, v), &state);
        let told: Vec<_> = told.iter().map(|it| (it.name.as_str(), it.turn, (it.now - it.given) * 1e3)).collect();
        let expected = [("q[2]", true, 200.0), ("q[4]", false, 500.0), ("q[7]", true, -100.0)];
        assert_eq!(told.len(), 3, "{told:?}");
        for (told, expected) in told.iter().zip(expected) {
            let close = (told.2 - expected.2).abs() < 1e-9;
            assert!((told.0, told.1) == (expected.0, expected.1) && close, "{told:?} {expected:?}");
        }
    }

    #[test]
    fn many_copies_move_no_further_than_one() {
        let many = found(&[1.0; 100], &[1.004; 100]);
        assert!(many.len() == 100 && many.iter().all(|(_, share)| (share - 0.004).abs() < 1e-12));
    }
}
