//! The last step as polynomials that are as accurate as its ends, from these ends and accelerations inside it:
//!
//! ```text
//! z = (x, v),   z' = (x', a)        x the increments from the start of the step: q = q0 o x, x' = T(x)^-1 v or U(t,q,v)
//! P         z and z' at both ends, z' at m inner places, degree m + 3                         see `weights`
//! 1.        x, v at the inner places: what the method sketches, or cubics
//! 2.        a there from the acceleration level at (x, v); then v of P; then x' there from it; then x of P
//! 3.        2. again, until h times the change of a is below the tolerance of v
//! ```
//!
//! This is Picard's iteration. It gains a factor of 20 to 100 in each pass where the step resolves the motion, and cannot converge
//! where it does not: at a frequency omega it contracts by about (h omega)^2/100. If a change is more than 0.3 of the one before,
//! the step is *unfit*. Nothing but the ends is needed, so that a first step is like any other.
//!
//! Inner states are not projected: the acceleration level there is an ordinary differential equation whose solution stays on the
//! constraints by itself, as far as P solves it. States that are shown are projected by the caller.

mod weights;

pub(crate) use weights::{MOST, Weights, place};

use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::method::{Method, Projection, Projector, StepFailure};
use crate::newton::{Criterion, Levels, Pass, repeat};
use crate::state::State;
use crate::tolerance::Tolerance;

/// A pass whose change is more than 0.3 of the one before does not lead to a solution. One ratio alone may be large or small by chance.
const PICARD: Criterion = Criterion { trusted: 0.3, averaged: true, foresight: 1, ..Criterion::AS_IT_IS };
/// When h times the change of a, in units of the tolerance of v, is below the first of these, another pass would change nothing that
/// matters; below the second not even a second pass is needed.
const SMALL: f64 = 1.0;
const NOTHING: f64 = 0.1;
/// Changes of a that are rounding, relative to the largest of a.
const ROUNDING: f64 = 1e-12;
/// The largest number of passes.
const PASSES: usize = 10;

/// The last step between its ends.
pub(crate) struct Between {
    /// Inner places.
    m: usize,
    /// Weights at the inner places.
    inner: Vec<Weights>,
    /// Whether the present ends were looked at, and whether polynomials came of it.
    fit: Option<bool>,
    ends: [State; 2],
    /// Changes of x and v over the step, and their slopes at all places.
    x: Vec<f64>,
    v: Vec<f64>,
    x_slopes: Vec<f64>,
    v_slopes: Vec<f64>,
    /// Increments at each inner place, as the last pass has left them.
    places: Vec<f64>,
    /// Changes of v there, to begin with.
    sketch: Vec<f64>,
    /// A place within the step, with its increments.
    state: State,
    increments: Vec<f64>,
}

impl Between {
    /// Room for a system and `m` inner places, an even number.
    pub fn new(equations: &Equations, m: usize) -> Self {
        let (dims, m) = (equations.dims(), (m + m % 2).min(MOST));
        let (nx, n) = (equations.tangent(), dims.v);
        let room = |size: usize| vec![0.0; size];
        Between {
            m,
            inner: (1..=m).map(|j| Weights::at(m, place(m, j))).collect(),
            fit: None,
            ends: [State::zero(dims), State::zero(dims)],
            x: room(nx),
            v: room(n),
            x_slopes: room((m + 2) * nx),
            v_slopes: room((m + 2) * n),
            places: room(m * nx),
            sketch: room(m * n),
            state: State::zero(dims),
            increments: room(nx),
        }
    }

    /// Forgets the step, because there is another one.
    pub fn forget(&mut self) {
        self.fit = None;
    }

    /// Whether there are polynomials between these ends; makes them if nobody has asked before. A method that has just made the
    /// step can sketch it, which saves passes.
    pub fn resolves(
        &mut self,
        equations: &mut Equations,
        sketch: Option<&dyn Method>,
        (projector, level): (&mut Projector, &mut AccelerationLevel),
        tolerance: &Tolerance,
        [from, to]: [&State; 2],
    ) -> bool {
        match self.fit {
            Some(fit) => fit,
            None => {
                self.ends[0].assign(from);
                self.ends[1].assign(to);
                // What cannot be evaluated inside the step cannot be shown there either.
                let fit = self.solve(equations, sketch, projector, level, tolerance).unwrap_or(false);
                self.fit = Some(fit);
                fit
            }
        }
    }

    /// q and v at a time within the step; a and the multipliers are guesses.
    pub fn interpolate(&mut self, equations: &Equations, t: f64, out: &mut State) {
        let [from, to] = &self.ends;
        let h = to.t - from.t;
        let theta = (t - from.t) / h;
        let weights = Weights::at(self.m, theta);
        weights.apply(h, &self.x, &self.x_slopes, &mut self.increments);
        weights.apply(h, &self.v, &self.v_slopes, &mut out.v);
        fill(equations, [from, to], theta, &self.increments, out);
        equations.keep_still(&from.v, out);
        out.t = t;
    }

    /// Picard's iteration; whether it converged.
    fn solve(
        &mut self,
        equations: &mut Equations,
        sketch: Option<&dyn Method>,
        projector: &mut Projector,
        level: &mut AccelerationLevel,
        tolerance: &Tolerance,
    ) -> Result<bool, StepFailure> {
        let h = self.ends[1].t - self.ends[0].t;
        self.prepare(equations, sketch)?;
        let mut again = false;
        let end = repeat(&PICARD, Pass { limit: PASSES, slow: 1.0 }, || {
            let change = self.accelerate(equations, projector, level, tolerance, h, again)?;
            again = true;
            self.follow(equations, h)?;
            Ok::<_, StepFailure>((change, Levels { rounding: NOTHING, enough: SMALL, ..Levels::default() }))
        })?;
        Ok(end.is_solution())
    }

    /// Changes over the step, slopes at its ends, and a start at the inner places.
    fn prepare(&mut self, equations: &mut Equations, sketch: Option<&dyn Method>) -> Result<(), StepFailure> {
        let Between { m, ends: [from, to], x, v, x_slopes, v_slopes, .. } = self;
        let (m, nx, n, h) = (*m, x.len(), v.len(), to.t - from.t);
        equations.space().difference(&from.q, &to.q, x);
        v.iter_mut().zip(from.v.iter().zip(&to.v)).for_each(|(change, (from, to))| *change = to - from);
        v_slopes[..n].copy_from_slice(&from.a);
        v_slopes[(m + 1) * n..].copy_from_slice(&to.a);
        self.increments.fill(0.0);
        rate(equations, from, &self.increments, &mut x_slopes[..nx])?;
        rate(equations, to, x, &mut x_slopes[(m + 1) * nx..])?;
        for i in 0..m {
            let s = place(m, i + 1);
            let (x_place, v_place) = (&mut self.places[i * nx..][..nx], &mut self.sketch[i * n..][..n]);
            let (ends, inner) = v_slopes.split_at_mut((i + 1) * n);
            if sketch.is_some_and(|method| method.sketch(i, x_place, v_place, &mut inner[..n])) {
                continue;
            }
            let cubic = [s * s * (3.0 - 2.0 * s), h * s * (1.0 - s) * (1.0 - s), -h * s * s * (1.0 - s)];
            let slope = [6.0 * s * (1.0 - s) / h, (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)];
            let sum = |w: [f64; 3], change: f64, left: f64, right: f64| w[0] * change + w[1] * left + w[2] * right;
            for k in 0..nx {
                x_place[k] = sum(cubic, x[k], x_slopes[k], x_slopes[(m + 1) * nx + k]);
            }
            for k in 0..n {
                v_place[k] = sum(cubic, v[k], ends[k], to.a[k]);
                inner[k] = sum(slope, v[k], ends[k], to.a[k]);
            }
        }
        Ok(())
    }

    /// x' and x at the inner places, for given accelerations there.
    fn follow(&mut self, equations: &mut Equations, h: f64) -> Result<(), StepFailure> {
        let nx = self.x.len();
        for (i, weights) in self.inner.iter().enumerate() {
            let theta = place(self.m, i + 1);
            let increments = &self.places[i * nx..(i + 1) * nx];
            weights.apply(h, &self.v, &self.v_slopes, &mut self.state.v);
            fill(equations, [&self.ends[0], &self.ends[1]], theta, increments, &mut self.state);
            rate(equations, &self.state, increments, &mut self.x_slopes[(i + 1) * nx..(i + 2) * nx])?;
        }
        for (weights, place) in self.inner.iter().zip(self.places.chunks_exact_mut(nx.max(1))) {
            weights.apply(h, &self.x, &self.x_slopes, place);
        }
        Ok(())
    }

    /// Accelerations at the inner places; the largest of h times their changes in units of the tolerance.
    fn accelerate(
        &mut self,
        equations: &mut Equations,
        projector: &mut Projector,
        level: &mut AccelerationLevel,
        tolerance: &Tolerance,
        h: f64,
        again: bool,
    ) -> Result<f64, StepFailure> {
        let (nx, n) = (self.x.len(), self.v.len());
        let mut largest = 0.0_f64;
        for i in 0..self.m {
            let theta = place(self.m, i + 1);
            if again {
                self.inner[i].apply(h, &self.v, &self.v_slopes, &mut self.state.v);
            } else {
                self.state.v.copy_from_slice(&self.sketch[i * n..(i + 1) * n]);
            }
            self.increments.copy_from_slice(&self.places[i * nx..(i + 1) * nx]);
            fill(equations, [&self.ends[0], &self.ends[1]], theta, &self.increments, &mut self.state);
            self.state.t = self.ends[0].t + theta * h;
            if equations.layout().is_softened() {
                // Off the constraints, dependent ones contradict each other, and their accelerations even more so.
                projector.project(equations, level, &mut self.state, Projection::Full, h)?;
            }
            level.complete_once(equations, &mut self.state)?;
            let slopes = &mut self.v_slopes[(i + 1) * n..(i + 2) * n];
            let (mut size, mut change) = (0.0_f64, 0.0_f64);
            for (slope, a) in slopes.iter_mut().zip(&mut self.state.a) {
                (size, change) = (size.max(a.abs()), change.max((*a - *slope).abs()));
                let before = std::mem::replace(slope, *a);
                *a = h * (*slope - before);
            }
            if change > ROUNDING * size || change.is_nan() {
                let norm = tolerance.norm_v(&self.state.a, &self.state.v, equations.typical());
                largest = if norm.is_nan() { norm } else { largest.max(norm) };
            }
        }
        Ok(largest)
    }
}

/// Completes a state whose v is a change so far: q from increments, v, and a and multipliers on the straight line.
pub(crate) fn fill(equations: &Equations, [from, to]: [&State; 2], theta: f64, increments: &[f64], out: &mut State) {
    equations.advance(&from.q, increments, &mut out.q);
    out.v.iter_mut().zip(&from.v).for_each(|(v, from)| *v += from);
    for (out, from, to) in
        [(&mut out.a, &from.a, &to.a), (&mut out.lambda, &from.lambda, &to.lambda), (&mut out.psi, &from.psi, &to.psi)]
    {
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = from + theta * (to - from);
        }
    }
}

/// x' at a state with these increments.
pub(crate) fn rate(
    equations: &mut Equations,
    state: &State,
    increments: &[f64],
    out: &mut [f64],
) -> Result<(), StepFailure> {
    if equations.has_general_rate() {
        equations.rate(state.t, &state.q, &state.v, out)?;
    } else {
        equations.space().chart_rate(increments, &state.v, out);
    }
    Ok(())
}
