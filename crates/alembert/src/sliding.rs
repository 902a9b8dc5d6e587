//! Does the motion slide along a surface where accelerations jump? With dry friction -F sign(v) a body that sticks crosses v = 0
//! to and fro in every step, and no step is longer than the tolerance divided by the jump: millions of steps that lead nowhere.
//!
//! ```text
//! steps        a changes by more than 0.3 of its size in many of the last 64 steps, although v changes by some tolerances only
//! bisection    on the straight line of such a step: S- and S+ are neighbours, a- and a+ differ. A smooth motion has no such place
//!              it must change v by more than rounding: what rests has accelerations of any sign
//! sliding      (Filippov) both lead across: from S- with a- for a short time to accelerations like a+, and the other way round
//! ```
//!
//! Where only one of them leads across, the motion passes through: a kink. It always passes through surfaces in q alone.

use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};
use crate::typical::TypicalSizes;

/// Share of its size by which an acceleration changes in a rough step.
const ROUGH: f64 = 0.3;
/// A step is short if it changes velocities by no more than this many tolerances; a jump of accelerations keeps steps that short.
const SHORT: f64 = 50.0;
/// If so many of the last 64 steps were rough, a look is worth while.
const MANY: u32 = 8;
/// Steps between looks: after one that found sliding, and at most after those that found nothing.
const PAUSE: usize = 64;
const LONGEST_PAUSE: usize = 256;
/// So many looks in a row must find sliding, because a body may rest for a moment and then go on.
const LOOKS: usize = 4;
/// The same where switches are declared: so often must the motion be found at one along which it slides, never more than so many steps
/// after the last time.
const SLIDES: usize = 8;
const STEPS_BETWEEN: usize = 256;
/// Halvings of the way after which a smooth acceleration changes by less than half.
const GLANCE: usize = 3;
const HALVINGS: usize = 50;
/// A change of velocities that is rounding beside them.
const ROUNDING: f64 = 1e-14;
/// Share of the step for which accelerations are followed.
const SHARE: f64 = 0.1;

/// A surface on which the motion slides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    pub coordinate: usize,
    /// The accelerations of the coordinate on both sides.
    pub accelerations: [f64; 2],
}

impl Surface {
    /// Between two neighbours.
    pub fn between(low: &State, high: &State) -> Option<Surface> {
        let jump = |i: &usize| (high.a[*i] - low.a[*i]).abs();
        let coordinate = (0..low.a.len()).max_by(|i, j| jump(i).total_cmp(&jump(j)))?;
        Some(Surface { coordinate, accelerations: [low.a[coordinate], high.a[coordinate]] })
    }
}

/// Counts rough steps.
#[derive(Debug, Default)]
pub(crate) struct SlidingWatch {
    /// The last 64 steps: whether they were rough.
    recent: u64,
    /// Steps until the next look, and how long the pause was.
    wait: usize,
    pause: usize,
    /// Looks in a row that found sliding.
    found: usize,
    /// Slides along switches in a row, and steps since the last one.
    slides: usize,
    since: usize,
}

impl Keep for SlidingWatch {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        // Bits are no count, and may be any number.
        self.recent = archive.word(self.recent)?;
        keep!(archive; self.wait, self.pause, self.found, self.slides, self.since)
    }
}

impl SlidingWatch {
    /// Takes an accepted step into account; whether it is time to look at it.
    pub fn note(&mut self, from: &State, to: &State, tolerance: &Tolerance, sizes: &TypicalSizes) -> bool {
        let size = largest(&from.a).max(largest(&to.a));
        let change = from.a.iter().zip(&to.a).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
        let small = || SHORT * (tolerance.rtol * (largest(&to.v) + largest(&sizes.v)) + tolerance.atol_v);
        self.since = self.since.saturating_add(1);
        let rough = change > ROUGH * size && (to.t - from.t) * change <= small();
        self.recent = (self.recent << 1) | u64::from(rough);
        self.wait = self.wait.saturating_sub(1);
        rough && self.wait == 0 && self.recent.count_ones() >= MANY
    }

    /// The motion slides along a switch; whether it has done so often enough to stop.
    pub fn slide(&mut self) -> bool {
        self.slides = if self.since <= STEPS_BETWEEN { self.slides + 1 } else { 1 };
        self.since = 0;
        self.slides >= SLIDES
    }

    /// What a look has found; whether that is enough to stop.
    pub fn conclude(&mut self, sliding: bool) -> bool {
        if sliding {
            (self.found, self.pause) = (self.found + 1, PAUSE);
        } else {
            (self.found, self.pause) = (0, (2 * self.pause).clamp(PAUSE, LONGEST_PAUSE));
        }
        self.wait = self.pause;
        self.found >= LOOKS
    }
}

/// The surface between two states of which the second follows the first, if the motion slides on it.
pub(crate) fn surface(
    equations: &mut Equations,
    level: &mut AccelerationLevel,
    from: &State,
    to: &State,
) -> Option<Surface> {
    let (mut low, mut high, mut middle) = (from.clone(), to.clone(), from.clone());
    // The accelerations of some methods are differences.
    accelerate(equations, level, &mut low)?;
    accelerate(equations, level, &mut high)?;
    let difference = |x: &State, y: &State| x.a.iter().zip(&y.a).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
    let first = difference(&low, &high);
    if first <= ROUGH * largest(&low.a).max(largest(&high.a)) {
        return None;
    }
    // What rests has accelerations of rounding, which have any sign.
    let (_, unit) = equations.typical().units();
    if (to.t - from.t) * first <= ROUNDING * (unit + largest(&to.v)) {
        return None;
    }
    for halving in 1..=HALVINGS {
        let mix = |out: &mut [f64], x: &[f64], y: &[f64]| {
            out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = x + 0.5 * (y - x));
        };
        middle.t = low.t + 0.5 * (high.t - low.t);
        mix(&mut middle.q, &low.q, &high.q);
        mix(&mut middle.v, &low.v, &high.v);
        if [&low, &high].iter().any(|end| end.q == middle.q && end.v == middle.v && end.t == middle.t) {
            break;
        }
        accelerate(equations, level, &mut middle)?;
        let (early, late) = (difference(&low, &middle), difference(&middle, &high));
        std::mem::swap(if early >= late { &mut high } else { &mut low }, &mut middle);
        if early.max(late) < if halving <= GLANCE { 0.5 } else { ROUGH } * first {
            return None;
        }
    }
    let jump: Vec<f64> = low.a.iter().zip(&high.a).map(|(low, high)| high - low).collect();
    let square: f64 = jump.iter().map(|x| x * x).sum();
    let s = SHARE * (to.t - from.t);
    // The share of the jump that is behind a state after a while.
    let mut after = |start: &State| {
        let mut state = start.clone();
        follow(equations, start, s, &mut state)?;
        accelerate(equations, level, &mut state)?;
        let along: f64 = state.a.iter().zip(&low.a).zip(&jump).map(|((a, low), jump)| (a - low) * jump).sum();
        Some(along / square)
    };
    if after(&low)? < 0.5 || after(&high)? > 0.5 {
        return None;
    }
    Surface::between(&low, &high)
}

/// The surface ahead of a state from which no step of length h succeeds.
pub(crate) fn surface_ahead(
    equations: &mut Equations,
    level: &mut AccelerationLevel,
    from: &State,
    h: f64,
) -> Option<Surface> {
    let mut to = from.clone();
    accelerate(equations, level, &mut to)?;
    follow(equations, from, h, &mut to)?;
    surface(equations, level, from, &to)
}

/// Moves a state, which has accelerations, from where another one is, for a time s.
pub(crate) fn follow(equations: &mut Equations, from: &State, s: f64, state: &mut State) -> Option<()> {
    let mut way = vec![0.0; equations.tangent()];
    if equations.has_general_rate() {
        equations.rate(from.t, &from.q, &from.v, &mut way).ok()?;
        way.iter_mut().for_each(|x| *x *= s);
    } else {
        way.iter_mut().zip(from.v.iter().zip(&state.a)).for_each(|(x, (v, a))| *x = s * (v + 0.5 * s * a));
    }
    equations.advance(&from.q, &way, &mut state.q);
    state.v.iter_mut().zip(&state.a).for_each(|(v, a)| *v += s * a);
    state.t += s;
    Some(())
}

/// The accelerations that belong to q and v.
pub(crate) fn accelerate(equations: &mut Equations, level: &mut AccelerationLevel, state: &mut State) -> Option<()> {
    level.restart();
    level.complete_once(equations, state).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_history_of_rough_steps_survives_a_checkpoint() {
        for recent in [0, 1, 1 << 47, 1 << 48, 7 << 52, u64::MAX] {
            let mut watch = SlidingWatch { recent, wait: 3, ..SlidingWatch::default() };
            let mut archive = Archive::writing();
            watch.keep(&mut archive).expect("written");
            let bytes = archive.finish();
            let mut again = SlidingWatch::default();
            again.keep(&mut Archive::reading(&bytes).expect("whole")).expect("read");
            assert_eq!((again.recent, again.wait), (recent, 3));
        }
    }
}
