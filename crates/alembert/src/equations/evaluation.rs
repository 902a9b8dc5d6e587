//! From what is asked to the system: the one place where systems are evaluated while they are integrated.
//!
//! ```text
//! in a chart        q = c o y goes to the system; derivatives by q come back as (d/dq) T(y)
//! dense matrices    values of patterns come back where they stand
//! ```

use std::sync::Arc;

use super::{Equations, NotFinite, all_finite};
use crate::linear::Pattern;
use crate::system::{Answer, At, Dims, Patterns, Quantities, Quantity, Wanted, open};

/// Patterns that are spread over dense matrices.
pub(super) struct Spread {
    top: Arc<Pattern>,
    holonomic: Pattern,
    nonholonomic: Pattern,
    rooms: Vec<Vec<f64>>,
}

impl Spread {
    pub fn new(dims: Dims, patterns: &Patterns) -> Self {
        Spread {
            top: patterns.top.clone(),
            holonomic: patterns.rows.part(0..dims.lambda),
            nonholonomic: patterns.rows.part(dims.lambda..dims.constraints()),
            rooms: Vec::new(),
        }
    }

    /// The pattern of a quantity that is a matrix.
    fn pattern(&self, quantity: Quantity) -> Option<&Pattern> {
        use Quantity::*;
        match quantity {
            Mass | MassQ | ForceQ | ForceV | ReactionQ | ReactionV | ResidualQ => Some(&self.top),
            HolonomicQ | HolonomicVelocityQ | ReactionLambda => Some(&self.holonomic),
            NonholonomicV | NonholonomicQ | ReactionPsi => Some(&self.nonholonomic),
            _ => None,
        }
    }
}

/// Asks for several quantities at one point: together where the system shares work between them, one by one where it does not.
/// A macro, because only what stands in the text knows which quantity is which.
macro_rules! ask {
    ($equations:expr, $at:expr, $($quantity:ident => $out:expr),+ $(,)?) => {{
        let at = $at;
        if $equations.shares_work() {
            $equations.ask(&at, [$(($crate::system::Quantity::$quantity, $out)),+])
        } else {
            Ok(())$(.and_then(|()| $equations.value($crate::system::Quantity::$quantity, &at, $out)))+
        }
    }};
}
pub(crate) use ask;

/// A point with the branches that are held. It is copied only where a system has switches: a copy costs as much as some formulas.
macro_rules! branched {
    ($equations:expr, $at:ident, $copy:ident) => {
        if $equations.held.is_empty() {
            $at
        } else {
            $copy = At { held: &$equations.held, ..*$at };
            &$copy
        }
    };
}

/// Derivatives by q, whose columns turn in a chart.
const BY_Q: Quantities = {
    use Quantity::*;
    Quantities::of(&[HolonomicQ, HolonomicVelocityQ, NonholonomicQ, MassQ, ForceQ, ReactionQ, ResidualQ])
};

impl Equations<'_> {
    /// What the system supplies. Outputs must be zero.
    #[inline]
    pub(super) fn evaluate<const N: usize>(&mut self, at: &At, mut wanted: [Wanted; N]) {
        if self.charted || self.spread.is_some() {
            return self.evaluate_elsewhere(at, wanted);
        }
        let copy;
        let at = branched!(self, at, copy);
        self.system.evaluate(at, &mut Answer::new(&mut wanted), &mut self.workspace);
    }

    /// The same in a chart, or with dense matrices of a system with patterns.
    #[inline(never)]
    fn evaluate_elsewhere<const N: usize>(&mut self, at: &At, mut wanted: [Wanted; N]) {
        let Equations { system, workspace, chart, charted, spread, layout, held, .. } = self;
        let mut chart = chart.as_mut().filter(|_| *charted);
        let q = chart.as_mut().map_or(at.q, |chart| chart.configuration(at.q));
        let moved = At { q, held, ..*at };
        match spread {
            None => system.evaluate(&moved, &mut Answer::new(&mut again(&mut wanted)), workspace),
            Some(spread) => {
                let mut rooms: [Vec<f64>; N] = std::array::from_fn(|_| spread.rooms.pop().unwrap_or_default());
                for ((quantity, _), room) in wanted.iter().zip(&mut rooms) {
                    room.clear();
                    room.resize(spread.pattern(*quantity).map_or(0, Pattern::len), 0.0);
                }
                let mut inner = again(&mut wanted);
                for ((quantity, out), room) in inner.iter_mut().zip(&mut rooms) {
                    if !out.is_empty() && spread.pattern(*quantity).is_some() {
                        *out = room;
                    }
                }
                system.evaluate(&moved, &mut Answer::new(&mut inner), workspace);
                for ((quantity, out), room) in wanted.iter_mut().zip(&rooms).filter(|((_, out), _)| !out.is_empty()) {
                    let Some(pattern) = spread.pattern(*quantity) else { continue };
                    for i in 0..pattern.rows() {
                        pattern.row(i).for_each(|(j, e)| out[i * pattern.columns() + j] = room[e]);
                    }
                }
                spread.rooms.extend(rooms);
            }
        }
        if let Some(chart) = chart {
            for (quantity, out) in wanted.iter_mut().filter(|(quantity, out)| BY_Q.has(*quantity) && !out.is_empty()) {
                if let Some(pattern) = layout.of(*quantity) {
                    chart.turn(at.q, pattern, out);
                }
            }
        }
    }

    /// One quantity: supplied or completed, counted, finite. A part of the functions that name it, so that they know which.
    #[inline(always)]
    pub(crate) fn value(&mut self, quantity: Quantity, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        if out.is_empty() {
            return Ok(());
        }
        if self.direct.has(quantity) {
            self.clear(quantity, out);
            let copy;
            let at = branched!(self, at, copy);
            self.system.single(quantity, at, out, &mut self.workspace);
        } else {
            self.value_elsewhere(quantity, at, out)?;
        }
        self.counted(quantity, at.t, out)
    }

    /// The same in a chart, with dense matrices, or by differences; apart, so that the common way stays short.
    #[inline(never)]
    fn value_elsewhere(&mut self, quantity: Quantity, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        out.fill(0.0);
        // The kinematics of a chart are not those of the system.
        if self.charted && self.value_of_chart(quantity, at, out) {
            return Ok(());
        }
        if !self.supplied.has(quantity) {
            return self.complete(quantity, at, out);
        }
        self.evaluate(at, [(quantity, out)]);
        Ok(())
    }

    /// What a system sees when it is asked: zeros, or anything where it writes every entry.
    #[inline]
    fn clear(&self, quantity: Quantity, out: &mut [f64]) {
        if !self.overwritten.has(quantity) {
            out.fill(0.0);
        } else if cfg!(debug_assertions) {
            // A system that does not do what it says is found out here.
            out.fill(f64::NAN);
        }
    }

    /// Counts an evaluation and refuses it if it is not finite.
    #[inline]
    pub(super) fn counted(&mut self, quantity: Quantity, t: f64, out: &[f64]) -> Result<(), NotFinite> {
        self.evaluations.add(quantity, 1);
        if all_finite(out) { Ok(()) } else { Err(not_finite(quantity, t, out)) }
    }

    /// The kinematics of a chart; false for everything else.
    fn value_of_chart(&mut self, quantity: Quantity, at: &At, out: &mut [f64]) -> bool {
        let (Some(chart), layout) = (&mut self.chart, &self.layout) else { return false };
        match quantity {
            Quantity::Rate => chart.rate(at.q, at.v, out),
            Quantity::RateV => chart.rate_v(at.q, &layout.rate, out),
            Quantity::RateQ => chart.rate_q(at.q, at.v, &layout.rate_q, out),
            _ => return false,
        }
        true
    }

    /// Several quantities at one point, counted and finite: those that the system supplies together, so that it computes what
    /// they have in common once. Slices without entries are not asked for. A part of its callers, so that the quantities are
    /// known and only the slices are not. In methods it is called by the macro `ask!`.
    #[inline(always)]
    pub fn ask<const N: usize>(&mut self, at: &At, mut wanted: [Wanted; N]) -> Result<(), NotFinite> {
        // What has no entries is not wanted, and need not be supplied.
        let open = open(&wanted);
        if !self.direct.has_all(open) {
            return self.ask_elsewhere(at, wanted);
        }
        for (quantity, out) in &mut wanted {
            if !out.is_empty() {
                self.clear(*quantity, out);
            }
        }
        let copy;
        let at = branched!(self, at, copy);
        self.system.evaluate(at, &mut Answer::of(&mut again(&mut wanted), open), &mut self.workspace);
        let mut finite = true;
        for (quantity, out) in &wanted {
            self.evaluations.add(*quantity, u64::from(!out.is_empty()));
            finite &= all_finite(out);
        }
        if finite { Ok(()) } else { Err(first_not_finite(at.t, &wanted)) }
    }

    /// The same in a chart, with dense matrices, or where some are completed by differences.
    #[inline(never)]
    fn ask_elsewhere<const N: usize>(&mut self, at: &At, mut wanted: [Wanted; N]) -> Result<(), NotFinite> {
        let supplied = self.supplied;
        let mut question = again(&mut wanted);
        for (quantity, out) in &mut question {
            if supplied.has(*quantity) {
                out.fill(0.0);
            } else {
                *out = &mut [];
            }
        }
        self.evaluate(at, question);
        for (quantity, out) in &mut wanted {
            if !supplied.has(*quantity) {
                self.value(*quantity, at, out)?;
            } else if !out.is_empty() {
                self.counted(*quantity, at.t, out)?;
            }
        }
        Ok(())
    }
}

/// The same of several.
#[cold]
fn first_not_finite(t: f64, wanted: &[Wanted]) -> NotFinite {
    let (quantity, out) = wanted.iter().find(|(_, out)| !all_finite(out)).unwrap_or(&wanted[0]);
    not_finite(*quantity, t, out)
}

/// The first entry that is not finite.
#[cold]
fn not_finite(quantity: Quantity, t: f64, out: &[f64]) -> NotFinite {
    let entry = out.iter().position(|x| !x.is_finite()).unwrap_or(0);
    NotFinite { quantity, entry, t }
}

/// The same question again, because the slices of the first one are moved out when it is answered.
#[inline(always)]
fn again<'a, const N: usize>(wanted: &'a mut [Wanted; N]) -> [Wanted<'a>; N] {
    wanted.each_mut().map(|(quantity, out)| (*quantity, &mut **out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;
    use crate::equations::{Differentiated, Formulas};
    use crate::scalar::Scalar;

    /// A number and a rotation, with functions of both that mean nothing.
    struct Turning;

    impl Formulas for Turning {
        fn dims(&self) -> Dims {
            Dims { q: 5, v: 4, lambda: 1, psi: 1 }
        }
        fn rotations(&self) -> &[usize] {
            &[1]
        }
        fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
            (0..4).for_each(|i| mass[5 * i] = q[0] * q[i + 1] + 2.0);
        }
        fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
            (force[0], force[1]) = (q[1] * q[2] * v[3], q[3] * q[0] - t * v[0]);
            (force[2], force[3]) = (q[4] * q[4] * v[1], q[2] * q[4]);
        }
        fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
            g[0] = q[0] * q[3] + q[1] * q[4] * t;
        }
        fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
            k[0] = v[1] * q[2] + v[0] * q[0] * q[4] - v[3] * q[1];
        }
    }

    fn ask(equations: &mut Equations, quantity: Quantity, at: &At, len: usize) -> Vec<f64> {
        let mut out = vec![f64::NAN; len];
        equations.ask(at, [(quantity, &mut out)]).expect("finite");
        out
    }

    #[test]
    fn in_a_chart_derivatives_are_those_by_its_coordinates() {
        let system = Differentiated::new(Turning);
        let mut equations = Equations::new(&system);
        let half = 0.5_f64.sqrt();
        let (q, v, a) = ([0.6, half, 0.5, 0.1, 0.24_f64.sqrt()], [0.3, -1.1, 0.7, 1.9], [1.0, -0.4, 0.2, 2.0]);
        let outside = ask(&mut equations, Quantity::ForceQ, &At::new(0.4, &q, &v), 16);
        let mut chart = Chart::new(equations.space(), equations.dims());
        chart.centre(&q);
        equations.enter(&chart);
        // Off the centre, where coordinates are 1.
        let y = [0.6, 1.2, 0.9, 1.4];
        let at = At { a: &a, lambda: &[1.3], psi: &[0.8], ..At::new(0.4, &y, &v) };
        use Quantity::*;
        for (derivative, function, rows) in [
            (ForceQ, Force, 4),
            (HolonomicQ, Holonomic, 1),
            (NonholonomicQ, Nonholonomic, 1),
            (RateQ, Rate, 4),
            (MassQ, Mass, 4),
        ] {
            // Alone, and with another: both ways lead through the chart.
            let pattern = equations.layout().of(derivative).cloned().unwrap_or_else(|| Pattern::dense(rows, 4).into());
            let mut together = vec![f64::NAN; pattern.len()];
            let mut beside = vec![f64::NAN; 4];
            equations.ask(&at, [(derivative, &mut together), (NonholonomicV, &mut beside)]).expect("finite");
            let values = ask(&mut equations, derivative, &at, pattern.len());
            let mut found = vec![0.0; 4 * rows];
            (0..rows).for_each(|i| pattern.row(i).for_each(|(j, e)| found[4 * i + j] = values[e]));
            assert_eq!(values, together, "{}", derivative.name());
            for j in 0..4 {
                let mut value = |step: f64| {
                    let mut moved = y;
                    moved[j] += step;
                    let at = At { q: &moved, ..at };
                    if function != Mass {
                        return ask(&mut equations, function, &at, rows);
                    }
                    let mass = ask(&mut equations, Mass, &at, 16);
                    mass.chunks(4).map(|row| row.iter().zip(a).map(|(m, a)| m * a).sum()).collect()
                };
                let (above, below) = (value(1e-5), value(-1e-5));
                for i in 0..rows {
                    let exact = (above[i] - below[i]) / 2e-5;
                    let close = (found[4 * i + j] - exact).abs() < 1e-9;
                    assert!(close, "{}: ({i}, {j}) is {} for {exact}", derivative.name(), found[4 * i + j]);
                }
            }
        }
        equations.leave();
        assert_eq!(ask(&mut equations, Quantity::ForceQ, &At::new(0.4, &q, &v), 16), outside);
    }
}
