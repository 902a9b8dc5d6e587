//! Typical sizes: what is large and what is small in a mechanism of any scale.
//!
//! A tolerance without absolute parts weighs by `w_i = rtol (size_i + |x_i|)`. The sizes are those of the start, of the way
//! it will go in the time T that belongs to it, and then the largest that an accepted step has reached:
//!
//! ```text
//! |x|^2  = sum M_ii x_i^2                                  units of coordinates cancel
//! T_0    = min(sqrt(|q|/|a|), 10 |q|/|v|, 10 |v|/|a|)      of what is not zero
//! T      near T_0 such that |a(T) - a| is max(|a|, |v|/T), on the way q + T q' + T^2 a/2, v + T a
//! T_i    = min(T, max(sqrt(|q_i/a_i|), |v_i/a_i|))         T where that is zero, or not resolved
//! size_q = max(|q_i|, |v_i| T, |a_i| T_i^2)                size_v = max(|v_i|, |a_i| T_i)
//! ```
//!
//! A size that is nothing beside the others (at rest at zero) says nothing about its variable. It becomes as large as the others in
//! terms of energy, `min(max_j size_j, |size|/sqrt(M_ii))`, and no size is less than a thousandth of that. An angle of a rotation
//! has size 1. Under a general rate q has no masses; then `|q|` and `|q'|` are largest entries.
//!
//! At rest, where accelerations are nothing (see [`pull`]), size_v is |q_i| by the time in which it would swing.
//!
//! States of first order have no energy. Theirs is max(|x|, |X| min(T, 1/|X_x|)), with X as at the start or where the bodies are after T;
//! 1 where that is zero. Their integrals are infinitely large, and so have no errors.
//!
//! Every formula keeps its meaning in other units of length, mass and time, so that the steps do not depend on them.

mod given;
mod pull;

use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::space::Space;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};
pub use given::{BadSize, GivenSizes};
use pull::Pull;

/// A change of the acceleration that is much, and one that is little, beside the acceleration itself; the factor from one look to
/// the next, and how many looks there are at most.
const MUCH: f64 = 1.0;
const LITTLE: f64 = 0.1;
const STRIDE: f64 = 3.0;
const LOOKS: usize = 24;
/// What is smaller than this beside the largest may be rounding.
const NOTHING: f64 = 1e-10;
/// Weights do not fall below this many roundings of the largest variable.
const ROUNDINGS: f64 = 1e4;
/// Least size of a variable, in units of the size that would give it the energy of all: what carries less than a millionth
/// of the energy, such as the vibration of an elastic rod, need not be accurate beside itself.
const SHARE: f64 = 1e-3;
/// A time more than this many times as long as the whole motion says nothing about it.
const BEYOND: f64 = 1e3;
/// By which factor ratios with velocities may differ from the time that positions and accelerations tell.
const FAR: f64 = 10.0;

/// Typical sizes of the variables of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypicalSizes {
    /// Of q: one for each velocity, or each entry of q under a general rate. Zero under absolute tolerances, and infinite for the
    /// integrals of [states](crate::Description::states).
    pub q: Vec<f64>,
    /// Of v.
    pub v: Vec<f64>,
    /// Which of them were given and do not grow.
    given_q: Vec<bool>,
    given_v: Vec<bool>,
    /// Whether sizes are looked for at all.
    relative: bool,
    /// T, the time in which the motion changes; infinite where nothing is known of it.
    pub(crate) time: f64,
    /// Whether the start has said all that there is to know.
    known: bool,
    /// How many of the last entries are states of first order, and how many of those change at jumps only.
    pub(crate) states: usize,
    pub(crate) still: usize,
}

impl Keep for TypicalSizes {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.q, self.v, self.given_q, self.given_v, self.time, self.known)
    }
}

/// What a start says.
struct Start<'a> {
    q: &'a [f64],
    /// q', as long as q.
    rate: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    /// The diagonal of M.
    mass: &'a [f64],
    /// The last velocities are so many states, and 1/|X_x| is the time in which each changes by itself.
    own_times: &'a [f64],
    /// Whether q has the masses of v.
    massive: bool,
    /// Time until the end, if it is known.
    span: Option<f64>,
}

impl Start<'_> {
    fn norm(&self, x: &[f64]) -> f64 {
        x.iter().zip(self.mass).map(|(x, m)| m.abs() * x * x).sum::<f64>().sqrt()
    }

    /// T, if anything is known of it.
    fn time(&self) -> Option<f64> {
        let (v, a) = (self.norm(self.v), self.norm(self.a));
        let (q, speed, bend) = if self.massive {
            (self.norm(self.q), v, a)
        } else {
            // The time in which v changes serves for q' as well.
            let speed = largest(self.rate);
            (largest(self.q), speed, if v > 0.0 { a * (speed / v) } else { 0.0 })
        };
        let times = [(q / bend).sqrt(), FAR * q / speed, FAR * v / a];
        let told = times.into_iter().filter(|t| t.is_finite() && *t > 0.0).reduce(f64::min);
        match (told, self.span) {
            (Some(told), Some(span)) => Some(told.min(span)),
            (told, span) => told.or(span.filter(|_| v > 0.0 || a > 0.0 || q > 0.0)),
        }
    }

    /// Sizes of what moves for a time. A coordinate below `resolved` of the others is zero: what assembly leaves of an angle
    /// that should be zero, 1e-17, does not tell how soon it turns back.
    fn sizes(&self, time: f64, resolved: f64, out: &mut TypicalSizes) {
        let shares = Shares::new(self, self.q, self.massive);
        let own = |i: usize| {
            let q = if self.massive && self.q[i].abs() > resolved * shares.of(i) { self.q[i] } else { 0.0 };
            let own = (q / self.a[i]).abs().sqrt().max((self.v[i] / self.a[i]).abs());
            if own > NOTHING * time { own.min(time) } else { time }
        };
        for (i, size) in out.v.iter_mut().enumerate() {
            *size = self.v[i].abs().max(self.a[i].abs() * own(i));
        }
        for (i, size) in out.q.iter_mut().enumerate() {
            *size = self.q[i].abs().max(self.rate[i].abs() * time);
            if self.massive {
                *size = size.max(self.a[i].abs() * own(i).powi(2));
            }
        }
    }

    /// What is nothing becomes as large as the others; nothing is smaller than `least` of them.
    fn fill(&self, least: f64, massive: bool, sizes: &mut [f64]) {
        let shares = Shares::new(self, sizes, massive);
        for (i, size) in sizes.iter_mut().enumerate() {
            let share = shares.of(i);
            *size = if *size <= NOTHING * share { share } else { size.max(least * share) };
            if *size == 0.0 {
                *size = 1.0;
            }
        }
    }
}

/// How large one variable would be if it had the energy of all, but not larger than the largest of them.
struct Shares<'a> {
    mass: &'a [f64],
    most: f64,
    energy: f64,
}

impl<'a> Shares<'a> {
    /// Of these variables; without masses all have the same.
    fn new(start: &Start<'a>, x: &[f64], massive: bool) -> Self {
        let energy = if massive { start.norm(x) } else { f64::INFINITY };
        Shares { mass: start.mass, most: largest(x), energy }
    }

    fn of(&self, i: usize) -> f64 {
        let share = if self.energy.is_finite() { self.energy / self.mass[i].abs().sqrt() } else { self.most };
        if share > 0.0 { share.min(self.most) } else { self.most }
    }
}

/// Looks a little ahead of a start.
struct Probe<'a> {
    start: &'a State,
    seen: &'a Start<'a>,
    level: AccelerationLevel,
    ahead: State,
    dx: Vec<f64>,
    mu: Vec<f64>,
}

impl<'a> Probe<'a> {
    fn new(equations: &Equations, start: &'a State, seen: &'a Start<'a>) -> Self {
        let mu = vec![0.0; start.lambda.len() + start.psi.len()];
        let level = AccelerationLevel::new(equations);
        Probe { start, seen, level, ahead: start.clone(), dx: seen.rate.to_vec(), mu }
    }

    /// How much the acceleration changes in a time, beside itself; infinite where there is none.
    fn change(&mut self, equations: &mut Equations, time: f64) -> f64 {
        let Probe { start, seen, level, ahead, dx, mu } = self;
        for (i, dx) in dx.iter_mut().enumerate() {
            *dx = time * seen.rate[i] + if seen.massive { 0.5 * time * time * start.a[i] } else { 0.0 };
        }
        // States may be stiff: a straight line would lead them far away. They stay.
        let bodies = start.v.len() - seen.own_times.len();
        for (v, (start, a)) in ahead.v.iter_mut().zip(start.v.iter().zip(&start.a)).take(bodies) {
            *v = start + time * a;
        }
        equations.advance(&start.q, dx, &mut ahead.q);
        ahead.a.copy_from_slice(&start.a);
        let (lambda, psi) = mu.split_at_mut(start.lambda.len());
        lambda.copy_from_slice(&start.lambda);
        psi.copy_from_slice(&start.psi);
        if level.solve(equations, start.t + time, &ahead.q, &ahead.v, &mut ahead.a, mu).is_err() {
            return f64::INFINITY;
        }
        let size = seen.norm(&start.a).max(seen.norm(&start.v) / time);
        ahead.a.iter_mut().zip(&start.a).for_each(|(ahead, a)| *ahead -= a);
        let change = seen.norm(&ahead.a);
        if change == 0.0 { 0.0 } else { change / size }
    }

    /// Sizes of states: |x|, or how far X leads within the time that belongs to it, as it is at the start or where the bodies are
    /// after that time; 1 for what does not move. A time that is not known counts as the state's own.
    fn states(&mut self, equations: &mut Equations, time: Option<f64>, out: &mut [f64]) {
        if out.is_empty() {
            return;
        }
        let first = self.start.v.len() - out.len();
        let later = time.is_some_and(|time| {
            self.change(equations, time);
            // What is left there are differences from the start.
            self.ahead.a.iter().all(|a| a.is_finite())
        });
        for (k, (size, own)) in out.iter_mut().zip(self.seen.own_times).enumerate() {
            let (x, rate) = (self.start.v[first + k], self.start.a[first + k]);
            let ahead = if later { (self.ahead.a[first + k] + rate).abs() } else { 0.0 };
            let within = time.unwrap_or(f64::INFINITY).min(*own);
            let within = if within.is_finite() { within } else { 0.0 };
            *size = x.abs().max(rate.abs().max(ahead) * within);
            if *size == 0.0 || !size.is_finite() {
                *size = 1.0;
            }
        }
    }

    /// T from a first guess, or the guess where nothing changes.
    fn time(&mut self, equations: &mut Equations, guess: f64, span: Option<f64>) -> f64 {
        let mut time = guess;
        let mut before = None;
        for _ in 0..LOOKS {
            let change = self.change(equations, time);
            let shorter = change > MUCH || !change.is_finite();
            let longer = change < LITTLE && span.is_none_or(|span| STRIDE * time <= span);
            if !shorter && (!longer || before == Some(true)) {
                // At rest the change grows with the square of the time; otherwise this falls short of T.
                let rest = if change > LITTLE { change.sqrt() } else { 1.0 };
                return time / rest;
            }
            time = if shorter { time / STRIDE } else { STRIDE * time };
            if shorter && before == Some(false) {
                return time;
            }
            before = Some(shorter);
        }
        guess
    }
}

/// 1/|X_x| for each state: infinite for what does not act on itself.
fn own_times(equations: &mut Equations, start: &State, states: usize) -> Result<Vec<f64>, NotFinite> {
    if states == 0 {
        return Ok(Vec::new());
    }
    let (n, mut damping) = (start.v.len(), vec![0.0; equations.layout().top.len()]);
    equations.force_v(start.t, &start.q, &start.v, &mut damping)?;
    let top = &equations.layout().top;
    Ok((n - states..n).map(|i| 1.0 / top.position(i, i).map_or(0.0, |e| damping[e].abs())).collect())
}

impl TypicalSizes {
    /// None, of so many coordinates and velocities: for absolute tolerances.
    pub fn none(q: usize, v: usize) -> Self {
        let (given_q, given_v) = (vec![false; q], vec![false; v]);
        TypicalSizes {
            q: vec![0.0; q],
            v: vec![0.0; v],
            given_q,
            given_v,
            relative: false,
            time: f64::INFINITY,
            known: true,
            states: 0,
            still: 0,
        }
    }

    /// The same with so many states, and so many of them still. The coordinate of a state is its integral: without any bound to its
    /// error it is infinitely large.
    pub(crate) fn with_states(mut self, (states, still): (usize, usize)) -> Self {
        let first = self.q.len().saturating_sub(states);
        self.q[first..].fill(f64::INFINITY);
        self.given_q[first..].fill(true);
        (self.states, self.still) = (states, still);
        self
    }

    /// A vector like q or v without what belongs to states, which stand last.
    pub(crate) fn bodies<'x>(&self, x: &'x [f64]) -> &'x [f64] {
        &x[..x.len().saturating_sub(self.states)]
    }

    /// The root of the mean of squares over the coordinates that have errors.
    pub(crate) fn mean_q(&self, squares: f64, count: usize) -> f64 {
        (squares / count.saturating_sub(self.states).max(1) as f64).sqrt()
    }

    /// The same over velocities.
    pub(crate) fn mean_v(&self, squares: f64, count: usize) -> f64 {
        (squares / count.saturating_sub(self.still).max(1) as f64).sqrt()
    }

    /// The same sizes as another's of the same system, in the room there is.
    pub(crate) fn assign(&mut self, other: &TypicalSizes) {
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.time = other.time;
    }

    /// Whether a look that knows the time until the end cannot tell more.
    pub(crate) fn is_known(&self, span: f64) -> bool {
        self.known && (!self.relative || self.time <= BEYOND * span)
    }

    /// Whether the sizes matter.
    pub fn is_relative(&self) -> bool {
        self.relative
    }

    /// What to add to the largest |q| and |v| where they are to be measured: 1 under absolute tolerances.
    pub(crate) fn units(&self) -> (f64, f64) {
        let size = |x| largest(self.bodies(x));
        if self.relative { (size(&self.q), size(&self.v)) } else { (1.0, 1.0) }
    }

    /// Residuals of constraints whose derivatives are `rows`, beside the `size` of what they are made of. Their own units
    /// matter under absolute tolerances only.
    pub(crate) fn beside(&self, size: f64, residual: &[f64], rows: &Pattern, values: &[f64]) -> f64 {
        if !self.relative {
            return largest(residual) / size;
        }
        let mut most = 0.0;
        for (i, c) in residual.iter().enumerate() {
            // One entry says that many rows have less than the most so far: the others are not summed.
            let one = rows.row(i).next().map_or(0.0, |(_, e)| values[e].abs());
            if c.abs() <= most * size * one {
                continue;
            }
            let terms = size * rows.row(i).map(|(_, e)| values[e].abs()).sum::<f64>();
            let x = if terms > 0.0 { c.abs() / terms } else { c.abs() / size };
            most = if x > most || x.is_nan() { x } else { most };
        }
        most
    }

    /// The sizes of the motion that begins with `start` and lasts `span`, if that is known.
    ///
    /// # Errors
    /// If the mass matrix or the rate is not finite.
    pub(crate) fn of_start(
        equations: &mut Equations,
        start: &State,
        tolerance: &Tolerance,
        given: &GivenSizes,
        span: Option<f64>,
    ) -> Result<Self, NotFinite> {
        let (n, tangent) = (start.v.len(), equations.tangent());
        let (states, still) = equations.description().first_order();
        let mut sizes = TypicalSizes::none(tangent, n).with_states((states, still));
        if !tolerance.is_relative() {
            return Ok(sizes);
        }
        let massive = !equations.has_general_rate();
        let mut mass = vec![0.0; equations.layout().top.len()];
        equations.mass(start.t, &start.q, &mut mass)?;
        let top = &equations.layout().top;
        let mut diagonal: Vec<f64> = (0..n).map(|i| top.position(i, i).map_or(0.0, |e| mass[e])).collect();
        // States have no energy: without a mass they are no part of any norm.
        diagonal[n - states..].fill(0.0);
        let mut q = vec![0.0; tangent];
        let mut rate = start.v.clone();
        if massive {
            // The distance from zero: numbers themselves, and 1 for the angles of rotations.
            equations.space().coordinates(&start.q, 1.0, &mut q);
        } else {
            q.copy_from_slice(&start.q);
            rate.resize(tangent, 0.0);
            equations.rate(start.t, &start.q, &start.v, &mut rate)?;
        }
        let pull = Pull::new(equations, start, (&q, massive), &diagonal)?;
        let a = pull.accelerations(&start.a, &diagonal);
        let own_times = own_times(equations, start, states)?;
        let own_times = own_times.as_slice();
        let seen = Start { q: &q, rate: &rate, v: &start.v, a: &a, mass: &diagonal, own_times, massive, span };
        let mut probe = Probe::new(equations, start, &seen);
        let time = seen.time().map(|time| probe.time(equations, time, span));
        let resolved = ROUNDINGS * f64::EPSILON / tolerance.rtol;
        seen.sizes(time.unwrap_or(0.0), resolved.min(1.0), &mut sizes);
        if massive
            && largest(&start.v[..n - states]) == 0.0
            && largest(&a[..n - states]) == 0.0
            && let Some(swing) = pull.swing(seen.norm(&q))
        {
            sizes.v.iter_mut().zip(&q).for_each(|(size, q)| *size = q.abs() / swing);
        }
        let least = resolved.clamp(SHARE, 1.0);
        let (bodies_q, bodies) = (tangent - states, n - states);
        seen.fill(least, massive, &mut sizes.q[..bodies_q]);
        seen.fill(least, true, &mut sizes.v[..bodies]);
        sizes.q[bodies_q..].fill(f64::INFINITY);
        probe.states(equations, time.or(span), &mut sizes.v[bodies..]);
        equations.space().rotations().iter().for_each(|&first| sizes.q[first..first + 3].fill(1.0));
        for &(i, size) in &given.q {
            // A velocity whose size is not given follows its coordinate.
            if let (Some(time), true) = (time, massive) {
                sizes.v[i] = start.v[i].abs().max(size / time);
            }
        }
        sizes.relative = true;
        sizes.give(given);
        equations.space().rotations().iter().for_each(|&first| sizes.given_q[first..first + 3].fill(true));
        (sizes.known, sizes.time) = (time.is_some(), time.unwrap_or(f64::INFINITY));
        Ok(sizes)
    }

    /// Takes sizes from the user; they do not grow.
    pub(crate) fn give(&mut self, given: &GivenSizes) {
        if self.relative {
            given.q.iter().for_each(|&(i, size)| (self.q[i], self.given_q[i]) = (size, true));
            given.v.iter().for_each(|&(i, size)| (self.v[i], self.given_v[i]) = (size, true));
        }
    }

    /// Grows with a state that was accepted. Angles of rotations have sizes that are given.
    pub(crate) fn grow(&mut self, space: &Space, q: &[f64], v: &[f64]) {
        if !self.relative {
            return;
        }
        space.each_number(self.q.len(), |i, j| {
            if !self.given_q[j] {
                self.q[j] = self.q[j].max(q[i].abs());
            }
        });
        for ((size, given), v) in self.v.iter_mut().zip(&self.given_v).zip(v) {
            if !given {
                *size = size.max(v.abs());
            }
        }
    }
}
