//! Derivatives by differences, along the velocities for configurations.
//!
//! ```text
//! accurate    (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h      h = 4e-4 of the size, error about 1e-12: enters the equations
//! cheap       (f(h) - f(0)) / h                               h = 1.5e-8 of the size, error about 1e-8: steers Newton's method
//! ```
//!
//! The size is the typical one of the entry, or 1 where it is not known. Whether that suits a function the four values say:
//! where (f(h) - f(-h))/2h and (f(2h) - f(-2h))/4h differ by more than [`BENT`], shorter steps are tried, so that a mechanism of
//! micrometres needs no sizes. What is itself made of differences is too rough for that and follows the steps of G.

use std::sync::Arc;

use super::layout::Colours;
use super::table::{Accuracy, Argument, Base, Rule};
use super::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::system::{At, Quantity};
use crate::tolerance::largest;

/// Step of the five-point formula, near eps^(1/5).
const FIVE_POINT_STEP: f64 = 4e-4;
/// Its points and their weights, times 12.
pub(super) const FIVE_POINTS: [(f64, f64); 4] = [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)];
/// Step of the one-sided difference, near eps^(1/2).
const ONE_SIDED_STEP: f64 = 1.5e-8;

/// Where estimates with h and 2 h differ by more than this share, the step is too long for how the function bends: the error
/// of the five-point formula is about its square.
const BENT: f64 = 1e-4;
/// Rounding of such differences, relative to the function.
const NOISE: f64 = 64.0 * f64::EPSILON;
/// Steps are then shortened by this, ...
const SHORTER: f64 = 1.0 / 32.0;
/// ... and so many lengths are tried, until two in a row bend little and agree to this.
const LENGTHS: i32 = 8;
const SETTLED: f64 = 1e-3;

/// Share of the distance from the origin that is a length, if it is more than a unit.
const FAR: f64 = 1e-2;

/// How the differences of a check are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stencil {
    pub unit: f64,
    /// Whether steps grow with the argument.
    pub relative: bool,
    pub side: Side,
}

/// Where the points of a difference lie. On one side it is of second order, and knows nothing of what is beyond a kink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Both,
    Above,
    Below,
}

impl Side {
    /// Points and their weights, times 12.
    fn points(self) -> &'static [(f64, f64)] {
        match self {
            Side::Both => &FIVE_POINTS,
            Side::Above => &[(0.0, -18.0), (1.0, 24.0), (2.0, -6.0)],
            Side::Below => &[(0.0, 18.0), (-1.0, -24.0), (-2.0, 6.0)],
        }
    }
}

impl Stencil {
    /// The one that derivatives in the equations are completed with.
    pub const USUAL: Stencil = Stencil { unit: FIVE_POINT_STEP, relative: true, side: Side::Both };
}

/// Buffers of one derivative.
#[derive(Default)]
pub(super) struct Work {
    moved: Vec<f64>,
    dx: Vec<f64>,
    /// By column.
    steps: Vec<f64>,
    /// By row: the function at the point itself, at a moved one, and the largest of it.
    base: Vec<f64>,
    value: Vec<f64>,
    size: Vec<f64>,
    /// 12 h times the derivative, and 12 h times the difference of its estimates with h and 2 h.
    sum: Vec<f64>,
    spread: Vec<f64>,
    /// The derivative times the first step with the steps of the last pass, where that bent little; NaN where it did not,
    /// and infinite where there is nothing left to find.
    found: Vec<f64>,
}

/// What became of a row in a pass.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    /// Its derivative is that of this pass.
    Taken,
    /// It was known before, or is not yet.
    Left,
}

impl Work {
    fn fit_rows(&mut self, rows: usize) {
        let Work { base, value, size, sum, spread, found, .. } = self;
        for buffer in [base, value, size, sum, spread, found] {
            fit(buffer, rows);
        }
    }

    fn clear_sums(&mut self) {
        for buffer in [&mut self.size, &mut self.sum, &mut self.spread] {
            buffer.fill(0.0);
        }
    }

    /// Adds the value at a multiple of the step.
    fn add(&mut self, multiple: f64, weight: f64) {
        // 6 for h, -3 for 2 h: 12 h ((f(h) - f(-h))/2h - (f(2h) - f(-2h))/4h).
        let in_spread = if multiple.abs() > 1.0 { -1.5 * multiple } else { 6.0 * multiple };
        let Work { value, size, sum, spread, .. } = self;
        for (i, value) in value.iter().enumerate() {
            sum[i] += weight * value;
            spread[i] += in_spread * value;
            size[i] = size[i].max(value.abs());
        }
    }

    /// Judges row i after a pass with this share of its step. What bends little is taken at once; what bends is taken for the
    /// time being, and replaced by what two shorter steps agree on.
    fn judge(&mut self, i: usize, length: i32, share: f64) -> Row {
        let Work { sum, spread, size, found, .. } = self;
        if length > 0 && found[i].is_infinite() {
            return Row::Left;
        }
        let derivative = sum[i] / share;
        let bends = spread[i].abs() > (BENT * sum[i].abs()).max(NOISE * size[i]);
        if length == 0 {
            found[i] = if bends { f64::NAN } else { f64::INFINITY };
            return Row::Taken;
        }
        // Two zeros agree on nothing: where a function has no slope its own rounding looked like a bend, and the longest steps were best.
        if !bends && derivative != 0.0 && (derivative - found[i]).abs() <= SETTLED * derivative.abs() {
            found[i] = f64::INFINITY;
            return Row::Taken;
        }
        found[i] = if bends { f64::NAN } else { derivative };
        Row::Left
    }

    /// Whether nothing is left to find.
    fn is_settled(&self) -> bool {
        self.found.iter().all(|found| found.is_infinite())
    }
}

fn fit(buffer: &mut Vec<f64>, len: usize) {
    buffer.clear();
    buffer.resize(len, 0.0);
}

/// One group of columns that are moved together.
struct Pass<'a> {
    rule: &'a Rule,
    at: &'a At<'a>,
    x: &'a [f64],
    colours: &'a Colours,
    colour: u32,
    /// Multiples of the steps, and weights.
    points: &'a [(f64, f64)],
}

impl Equations<'_> {
    /// The derivative of a row of the table: the values of `pattern`, or of its transpose for multipliers. Columns that
    /// share no row are moved together.
    pub(super) fn differences(
        &mut self,
        rule: &Rule,
        at: &At,
        pattern: &Arc<Pattern>,
        out: &mut [f64],
    ) -> Result<(), NotFinite> {
        let by_rows = matches!(rule.argument, Argument::Lambda | Argument::Psi);
        let (rows, columns) =
            if by_rows { (pattern.columns(), pattern.rows()) } else { (pattern.rows(), pattern.columns()) };
        let x = match rule.argument {
            Argument::Velocity => at.v,
            Argument::Lambda => at.lambda,
            Argument::Psi => at.psi,
            _ => at.q,
        };
        let colours = self.palette.colours(pattern, by_rows);
        let accuracy = self.accuracy(rule);
        let stencil = self.stencil.unwrap_or(Stencil::USUAL);
        let mut work = self.works.pop().unwrap_or_default();
        fit(&mut work.moved, x.len());
        fit(&mut work.dx, columns);
        fit(&mut work.steps, columns);
        work.fit_rows(rows);
        let (unit, points): (f64, &[(f64, f64)]) = match accuracy {
            Accuracy::Accurate => (stencil.unit, stencil.side.points()),
            _ => (ONE_SIDED_STEP, &[(1.0, 12.0)]),
        };
        let mut result = Ok(());
        let plain = self.is_plain(rule.base);
        if accuracy == Accuracy::Cheap || !(plain || self.knows_steps_along_motion()) {
            // What is made of differences itself also finds how long their steps may be here.
            result = self.base(rule.base, at, &mut work.base);
        }
        if accuracy == Accuracy::Accurate {
            work.base.fill(0.0);
        }
        self.steps(rule, unit, stencil.relative, x, &mut work.steps);
        // A check has the steps that it asks for, and a cheap difference nothing to compare itself with.
        let lengths = if accuracy == Accuracy::Accurate && plain && self.stencil.is_none() { LENGTHS } else { 1 };
        let finds_shares = rule.quantity == Quantity::HolonomicQ && lengths > 1;
        if finds_shares {
            self.shares.resize(colours.of.len(), 1.0);
        }
        for colour in 0..colours.count as u32 {
            let pass = Pass { rule, at, x, colours: &colours, colour, points };
            work.found.fill(f64::INFINITY);
            for length in 0..lengths {
                let share = SHORTER.powi(length);
                result = result.and_then(|()| self.pass(&pass, share, &mut work));
                let mut taken = false;
                for i in 0..pattern.rows() {
                    for (j, e) in pattern.row(i) {
                        let (row, column) = if by_rows { (j, i) } else { (i, j) };
                        if colours.of[column] == colour && work.judge(row, length, share) == Row::Taken {
                            out[e] = work.sum[row] / (12.0 * share * work.steps[column]);
                            taken = true;
                        }
                    }
                }
                if finds_shares && taken {
                    let group = self.shares.iter_mut().zip(&colours.of).filter(|(_, of)| **of == colour);
                    group.for_each(|(to, _)| *to = share);
                }
                if result.is_err() || work.is_settled() {
                    break;
                }
            }
        }
        self.works.push(work);
        result
    }

    /// Accurate or cheap: what a rule comes to here.
    fn accuracy(&self, rule: &Rule) -> Accuracy {
        let steers = self.typical.is_relative() && self.is_plain(rule.base) && self.standard_reaction;
        match rule.accuracy {
            _ if self.stencil.is_some() => Accuracy::Accurate,
            Accuracy::Steering if steers => Accuracy::Cheap,
            Accuracy::Steering => Accuracy::Accurate,
            accuracy => accuracy,
        }
    }

    /// Whether a base is not made of differences itself, which are too rough to tell how it bends.
    fn is_plain(&self, base: Base) -> bool {
        let rows = self.supplied.has(Quantity::HolonomicQ)
            && (self.dims.psi == 0 || self.supplied.has(Quantity::NonholonomicV));
        match base {
            Base::Value(_) | Base::Inertia => true,
            Base::Velocity => self.supplied.has(Quantity::HolonomicQ),
            Base::Reaction => !self.standard_reaction || rows,
        }
    }

    /// The sums of one group of columns, with a share of the steps.
    fn pass(&mut self, pass: &Pass, share: f64, work: &mut Work) -> Result<(), NotFinite> {
        let Pass { rule, at, x, colours, colour, points } = *pass;
        work.clear_sums();
        for (multiple, weight) in points {
            let Work { moved, dx, steps, value, .. } = &mut *work;
            for ((dx, step), of) in dx.iter_mut().zip(&*steps).zip(&colours.of) {
                *dx = if *of == colour { multiple * share * step } else { 0.0 };
            }
            if rule.argument == Argument::Configuration {
                self.space().advance(x, dx, moved);
            } else {
                moved.iter_mut().zip(x.iter().zip(&*dx)).for_each(|(moved, (x, dx))| *moved = x + dx);
            }
            let there = match rule.argument {
                Argument::Velocity => At { v: moved, ..*at },
                Argument::Lambda => At { lambda: moved, ..*at },
                Argument::Psi => At { psi: moved, ..*at },
                _ => At { q: moved, ..*at },
            };
            self.base(rule.base, &there, value)?;
            work.value.iter_mut().zip(&work.base).for_each(|(value, base)| *value -= base);
            work.add(*multiple, *weight);
        }
        Ok(())
    }

    /// Steps along the columns: a share of the size of each entry, at least of its typical size. Where sizes are not known
    /// (absolute tolerances, starts) that is 1, and for multipliers the largest of them; along q it is shortened as G was
    /// when it was last differenced.
    pub(super) fn steps(&self, rule: &Rule, unit: f64, relative: bool, x: &[f64], steps: &mut [f64]) {
        let (argument, shared) = (rule.argument, rule.quantity != Quantity::HolonomicQ && self.stencil.is_none());
        let typical = &self.typical;
        let sizes: &[f64] = match argument {
            _ if !typical.is_relative() => &[],
            Argument::Configuration => &typical.q,
            Argument::Velocity => &typical.v,
            _ => &[],
        };
        let multipliers = typical.is_relative() && matches!(argument, Argument::Lambda | Argument::Psi);
        let common = if multipliers && largest(x) > 0.0 { largest(x) } else { 1.0 };
        let own = x.len() == steps.len() && relative;
        for (j, step) in steps.iter_mut().enumerate() {
            let size = sizes.get(j).copied().unwrap_or(common);
            *step = unit * if own { x[j].abs().max(size) } else { size };
            // G itself finds its steps afresh.
            if argument == Argument::Configuration && shared {
                *step *= self.share(j);
            }
        }
    }

    /// Derivative by time, along the motion or at rest, by the five-point formula.
    pub(super) fn slope(&mut self, rule: &Rule, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        let stencil = self.stencil.unwrap_or(Stencil::USUAL);
        let mut q_dot = self.take_buffer(self.tangent());
        let mut work = self.works.pop().unwrap_or_default();
        fit(&mut work.dx, q_dot.len());
        fit(&mut work.moved, at.q.len());
        work.fit_rows(out.len());
        let moves = rule.argument == Argument::Motion;
        let mut result = if moves { self.rate(at.t, at.q, at.v, &mut q_dot) } else { Ok(()) };
        let plain = self.is_plain(rule.base);
        if !plain && !self.knows_steps_along_motion() {
            result = result.and_then(|()| self.base(rule.base, at, &mut work.value));
        }
        let whole = stencil.unit * self.time_scale(at.q, &q_dot);
        for length in 0..if plain && moves && self.stencil.is_none() { LENGTHS } else { 1 } {
            let share = SHORTER.powi(length);
            work.clear_sums();
            for (multiple, weight) in stencil.side.points() {
                let s = multiple * share * whole;
                let Work { moved, dx, value, .. } = &mut work;
                let mut there = At { t: at.t + s, ..*at };
                if moves {
                    dx.iter_mut().zip(&q_dot).for_each(|(dx, rate)| *dx = s * rate);
                    self.advance(at.q, dx, moved);
                    there.q = moved;
                }
                if result.is_ok() {
                    result = self.base(rule.base, &there, value);
                }
                work.add(*multiple, *weight);
            }
            for (i, out) in out.iter_mut().enumerate() {
                if work.judge(i, length, share) == Row::Taken {
                    *out = work.sum[i] / (12.0 * share * whole);
                }
            }
            if result.is_err() || work.is_settled() {
                break;
            }
        }
        self.works.push(work);
        self.give_buffer(q_dot);
        result
    }

    /// How much shorter than usual a step along this coordinate is.
    fn share(&self, j: usize) -> f64 {
        self.shares.get(j).copied().unwrap_or(1.0)
    }

    /// The time in which a motion covers its sizes, as steps along q have them: the scale on which the constraints bend. At most
    /// 1, since explicit times may be sharper than the motion.
    fn time_scale(&self, q: &[f64], q_dot: &[f64]) -> f64 {
        let typical = &self.typical;
        let relative = typical.is_relative();
        // Where there are rotations, the entries of q are not those of the tangent.
        let own = |j: usize| if q.len() == q_dot.len() { q[j].abs() } else { 0.0 };
        // Without typical sizes a unit of length rather than the distance from the origin, far from which the motion bends no less;
        // but rounding grows with it.
        let unknown = |j: usize| (FAR * own(j)).max(1.0);
        let size = |j: usize| self.share(j) * if relative { own(j).max(typical.q[j]) } else { unknown(j) };
        let times = q_dot.iter().enumerate().map(|(j, rate)| size(j) / rate.abs());
        times.fold(if relative { typical.time.min(1.0) } else { 1.0 }, f64::min)
    }
}
