//! What lies between the two ends of a step. No error estimate sees a pole of the force, or a constraint that jumps or has a kink,
//! if no stage comes near it, or if it acts in a direction that the constraints forbid, which estimates leave out.
//!
//! Where to look:
//!
//! ```text
//! landmarks      functions of (t,q,v) that the system names: denominators, arguments of kinks. Does one change its sign?
//! |dv_i| > 2 h max(|a_i0|, |a_i1|),  |dq_i| > 2 h max(|v_i0|, |v_i1|)           for systems that name none
//! a_i changes its sign after it has grown, and the force is larger where a pole would be, at |a_i1|/(|a_i0| + |a_i1|)
//! ```
//!
//! What is found there: a change of sign is located by bisection on the straight line between the states. Near a pole the force
//! grows with the inverse of the distance; a jump is a difference of g, or of g_t + G q' and k, between neighbouring numbers.
//! Without landmarks a jump is looked for where the present motion leads, (q + s v + s^2 a/2, v + s a): a smooth residual is
//! halved with each halving of the distance, that of a jump is not.

mod pole;

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::inertia::MassWatch;
use crate::method::StepFailure;
use crate::state::State;
use crate::system::{At, Dims, Quantity};
use crate::tolerance::largest;

/// After this many halvings of the way, as many as a number has binary digits, two states are neighbours.
const HALVINGS: usize = 52;
/// After this many halvings a smooth residual is small: a four-thousandth of what it was.
const GLANCE: usize = 12;
/// A change more than this many times as large as the rates at both ends explain is looked at.
const UNEXPLAINED: f64 = 2.0;
/// Changes below this share of the largest are not looked at.
const CONSIDERABLE: f64 = 0.05;
/// Differences of constraints below this, relative to the sizes of q and v, are no jumps.
const NO_JUMP: f64 = 1e-7;
/// How far from a sign change constraints are compared, in roundings.
const ROUNDINGS: f64 = 4.0;
/// A share of the way that is short.
const RESOLVED: f64 = 1e-3;
/// How far ahead a run looks that cannot go on: up to this power of ten times its last step.
const POWERS: i32 = 11;

/// Looks between states; keeps its buffers.
pub(crate) struct Passage {
    /// Landmarks at the ends of a step, and when the first were evaluated.
    marks: [Vec<f64>; 2],
    known: Option<f64>,
    /// A pole that was found at a landmark, on a coordinate, and until when it is not looked for again: near it nothing can
    /// be resolved.
    pole: Option<((usize, usize), f64)>,
    between: State,
    /// Where the motion leads, in tangent components.
    way: Vec<f64>,
    g_q: Vec<f64>,
    /// Constraints of all levels (g ; g' ; k) at two places and between.
    c: [Vec<f64>; 3],
    force: [Vec<f64>; 3],
    /// Accelerations where the last step began; none before the first.
    earlier: Vec<f64>,
    begun: bool,
}

impl Keep for Passage {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.marks, self.known, self.pole, self.earlier, self.begun)
    }
}

impl Passage {
    /// Room for a system.
    pub fn new(equations: &Equations) -> Self {
        let marks = vec![0.0; equations.description().landmarks];
        let mut passage = Passage {
            marks: [marks.clone(), marks],
            known: None,
            pole: None,
            between: State::zero(Dims::default()),
            way: Vec::new(),
            g_q: Vec::new(),
            c: Default::default(),
            earlier: vec![0.0; equations.dims().v],
            begun: false,
            force: Default::default(),
        };
        if equations.layout().is_dense() {
            passage.take_room(equations);
        }
        passage
    }

    /// Buffers for a closer look. Nearly no motion needs one, so that large systems take them when something is strange.
    fn take_room(&mut self, equations: &Equations) {
        let (dims, layout) = (equations.dims(), equations.layout());
        if self.between.v.len() == dims.v {
            return;
        }
        let (c, force) = (vec![0.0; dims.lambda + dims.constraints()], vec![0.0; dims.v]);
        self.between = State::zero(dims);
        self.way = vec![0.0; equations.tangent()];
        self.g_q = vec![0.0; layout.holonomic_q.len()];
        self.c = [c.clone(), c.clone(), c];
        self.force = [force.clone(), force.clone(), force];
    }

    /// What the step from one state to another has passed over. The configuration of the second may be in a chart; it is
    /// then not looked at.
    pub fn look(&mut self, equations: &mut Equations, from: &State, to: &State) -> Option<StepFailure> {
        let plain = from.q.len() == to.q.len() && equations.dims().q == to.q.len();
        let h = to.t - from.t;
        if plain && !self.marks[0].is_empty() {
            if let Some(failure) = self.look_at_marks(equations, from, to) {
                return Some(failure);
            }
        } else if plain && let Some(failure) = self.look_for_pole(equations, from, to) {
            return Some(failure);
        }
        let moved = plain && !equations.has_general_rate() && equations.space().is_flat();
        let thrown = |x: [&[f64]; 2], rate: [&[f64]; 2]| {
            let change = |i: usize| (x[1][i] - x[0][i]).abs();
            let unexplained = |i: usize| change(i) > UNEXPLAINED * h * rate[0][i].abs().max(rate[1][i].abs());
            // Nearly every step is explained by its rates, however large the largest change is.
            if !(0..x[0].len()).any(unexplained) {
                return false;
            }
            let least = (0..x[0].len()).fold(0.0_f64, |max, i| max.max(CONSIDERABLE * change(i)));
            (0..x[0].len()).any(|i| unexplained(i) && change(i) > least)
        };
        let strange = equations.dims().constraints() > 0
            && (thrown([&from.v, &to.v], [&from.a, &to.a]) || (moved && thrown([&from.q, &to.q], [&from.v, &to.v])));
        if strange {
            self.take_room(equations);
            self.look_for_jump(equations, from, h)
        } else {
            None
        }
    }

    /// Remembers the present state before it is left.
    pub fn note(&mut self, present: &State) {
        self.earlier.copy_from_slice(&present.a);
        self.begun = true;
    }

    /// The state last looked at is now the present one.
    pub fn accept(&mut self, t: f64) {
        let [before, after] = &mut self.marks;
        for (before, after) in before.iter_mut().zip(after) {
            // A zero has no sign; the sign before it is kept.
            *before = if *after == 0.0 { *before } else { *after };
        }
        self.known = Some(t);
    }

    /// The motion starts afresh.
    pub fn restart(&mut self) {
        (self.known, self.begun) = (None, false);
    }

    /// What lies ahead of a state from which no step is possible any more, the last of them of length h.
    pub fn ahead(&mut self, equations: &mut Equations, from: &State, h: f64, remaining: f64) -> Option<StepFailure> {
        self.take_room(equations);
        let mut signs = MassWatch::new(equations);
        let mut mass = vec![0.0; equations.layout().top.len()];
        equations.mass(from.t, &from.q, &mut mass).ok()?;
        signs.look(equations, &mass);
        let mut to = from.clone();
        for power in 0..=POWERS {
            let h = h * 10_f64.powi(power);
            if h > remaining {
                break;
            }
            self.lead(equations, from, h);
            std::mem::swap(&mut to, &mut self.between);
            if equations.mass(to.t, &to.q, &mut mass).is_ok()
                && let Some(coordinate) = signs.look(equations, &mass)
            {
                return Some(StepFailure::MassSign { coordinate });
            }
            self.known = None;
            let marked = if self.marks[0].is_empty() { None } else { self.look_at_marks(equations, from, &to) };
            if let Some(failure) = marked.or_else(|| self.look_for_jump(equations, from, h)) {
                return Some(failure);
            }
        }
        self.pole_behind(equations, from)
    }

    /// Landmarks that change their sign.
    fn look_at_marks(&mut self, equations: &mut Equations, from: &State, to: &State) -> Option<StepFailure> {
        if self.known != Some(from.t) {
            equations.landmarks(from.t, &from.q, &from.v, &mut self.marks[0]);
            self.known = Some(from.t);
        }
        equations.landmarks(to.t, &to.q, &to.v, &mut self.marks[1]);
        for i in 0..self.marks[0].len() {
            let (before, after) = (self.marks[0][i], self.marks[1][i]);
            if before * after >= 0.0 || before.is_nan() || after.is_nan() {
                continue;
            }
            if let Some(((_, coordinate), _)) = self.pole.filter(|((mark, _), until)| *mark == i && from.t < *until) {
                return Some(StepFailure::Pole { coordinate });
            }
            self.take_room(equations);
            let mut values = std::mem::take(&mut self.marks[1]);
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                self.straight(from, to, middle);
                let State { t, q, v, .. } = &self.between;
                equations.landmarks(*t, q, v, &mut values);
                if values[i] * after > 0.0 { high = middle } else { low = middle }
            }
            equations.landmarks(to.t, &to.q, &to.v, &mut values);
            self.marks[1] = values;
            let found = self.difference(equations, from, to, low, high);
            let found = found.or_else(|| {
                let coordinate = self.pole_at(equations, from, to, low, high)?;
                self.pole = Some(((i, coordinate), to.t));
                Some(StepFailure::Pole { coordinate })
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The state at a share of the straight way, which may lie beyond its ends.
    fn straight(&mut self, from: &State, to: &State, share: f64) {
        let mix = |out: &mut [f64], x: &[f64], y: &[f64]| {
            out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = x + share * (y - x));
        };
        self.between.t = from.t + share * (to.t - from.t);
        mix(&mut self.between.q, &from.q, &to.q);
        mix(&mut self.between.v, &from.v, &to.v);
    }

    /// The state where the motion leads in a time s.
    fn lead(&mut self, equations: &mut Equations, from: &State, s: f64) {
        let State { t, q, v, a, .. } = from;
        if equations.has_general_rate() {
            if equations.rate(*t, q, v, &mut self.way).is_err() {
                self.way.fill(0.0);
            }
            self.way.iter_mut().for_each(|x| *x *= s);
        } else {
            self.way.iter_mut().zip(v.iter().zip(a)).for_each(|(x, (v, a))| *x = s * (v + 0.5 * s * a));
        }
        equations.advance(q, &self.way, &mut self.between.q);
        self.between.v.iter_mut().zip(v.iter().zip(a)).for_each(|(out, (v, a))| *out = v + s * a);
        self.between.t = t + s;
    }

    /// Constraints of all levels at the state between, to one of the places.
    fn constraints(&mut self, equations: &mut Equations, place: usize) -> Option<()> {
        let nl = equations.dims().lambda;
        let State { t, q, v, .. } = &self.between;
        let (g, rest) = self.c[place].split_at_mut(nl);
        let (w, k) = rest.split_at_mut(nl);
        let wanted = [(Quantity::Holonomic, g), (Quantity::HolonomicQ, &mut self.g_q[..])];
        equations.ask(&At::new(*t, q, v), wanted).ok()?;
        equations.velocity(*t, q, v, &self.g_q, w).ok()?;
        equations.nonholonomic(*t, q, v, k).ok()
    }

    /// The largest difference between two places, of g or of the velocity level.
    fn largest_difference(&self, nl: usize, positions: bool, [x, y]: [usize; 2]) -> (usize, f64) {
        let range = if positions { 0..nl } else { nl..self.c[0].len() };
        range
            .map(|i| (i, (self.c[x][i] - self.c[y][i]).abs()))
            .fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most })
    }

    /// The jump of constraints between two shares of the way that are neighbours.
    fn difference(
        &mut self,
        equations: &mut Equations,
        from: &State,
        to: &State,
        low: f64,
        high: f64,
    ) -> Option<StepFailure> {
        let nl = equations.dims().lambda;
        if self.c[0].is_empty() {
            return None;
        }
        // A sign is zero at zero: its jump is seen whole from a few roundings on either side.
        let apart = ROUNDINGS * rounding(from, to);
        let h = to.t - from.t;
        for (place, share, s) in [(0, low - apart, 0.0), (1, high + apart, ROUNDINGS * h)] {
            // Where steps are nothing but rounding, the straight line shows only a part of the jump.
            if apart < RESOLVED {
                self.straight(from, to, share)
            } else {
                self.lead(equations, from, s)
            }
            self.constraints(equations, place)?;
        }
        for positions in [true, false] {
            let (row, jump) = self.largest_difference(nl, positions, [0, 1]);
            let size = 1.0 + largest(equations.bodies(if positions { &from.q } else { &from.v }));
            if jump > NO_JUMP * size {
                return Some(failure(nl, row, jump));
            }
        }
        None
    }

    /// A jump of constraints where the present motion leads within a time h.
    fn look_for_jump(&mut self, equations: &mut Equations, from: &State, h: f64) -> Option<StepFailure> {
        let nl = equations.dims().lambda;
        if self.c[0].is_empty() {
            return None;
        }
        for positions in [true, false] {
            let size = 1.0 + largest(equations.bodies(if positions { &from.q } else { &from.v }));
            let (mut low, mut high) = (0.0, h);
            for (place, s) in [(0, low), (1, high)] {
                self.lead(equations, from, s);
                self.constraints(equations, place)?;
            }
            let (_, first) = self.largest_difference(nl, positions, [0, 1]);
            let mut jump = first;
            for halving in 1..=HALVINGS {
                if jump <= NO_JUMP * size || (halving > GLANCE && jump < 0.5 * first) {
                    break;
                }
                let middle = 0.5 * (low + high);
                if from.t + middle == from.t + low || from.t + middle == from.t + high {
                    break;
                }
                self.lead(equations, from, middle);
                self.constraints(equations, 2)?;
                let (early, late) =
                    (self.largest_difference(nl, positions, [0, 2]), self.largest_difference(nl, positions, [2, 1]));
                if early.1 >= late.1 {
                    (high, jump) = (middle, early.1);
                    self.c.swap(1, 2);
                } else {
                    (low, jump) = (middle, late.1);
                    self.c.swap(0, 2);
                }
            }
            if jump > NO_JUMP * size && jump >= 0.5 * first {
                // A sign is zero at zero: its jump is seen whole from a few roundings on.
                self.lead(equations, from, high + ROUNDINGS * f64::EPSILON * (from.t.abs() + high));
                self.constraints(equations, 1)?;
                let (row, jump) = self.largest_difference(nl, positions, [0, 1]);
                return Some(failure(nl, row, jump));
            }
        }
        None
    }
}

/// The share of the way between two states that is rounding.
fn rounding(from: &State, to: &State) -> f64 {
    let moved = from.q.iter().zip(&to.q).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
    let by_q = if moved > 0.0 { largest(&to.q) / moved } else { 0.0 };
    f64::EPSILON * by_q.max(to.t.abs() / (to.t - from.t)).max(1.0)
}

/// A jump of an entry of (g ; g' ; k).
fn failure(nl: usize, row: usize, jump: f64) -> StepFailure {
    match row.checked_sub(nl) {
        None => StepFailure::ConstraintJump { constraint: row, jump },
        Some(constraint) => StepFailure::VelocityJump { constraint, jump },
    }
}
