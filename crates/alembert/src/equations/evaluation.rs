//! From what is asked to the system: the one place where systems are evaluated while they are integrated.
//!
//! ```text
//! in a chart        q = c o y goes to the system; derivatives by q come back as (d/dq) T(y)
//! dense matrices    values of patterns come back where they stand
//! ```

use std::sync::Arc;

use super::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::system::{Answer, At, Dims, Patterns, Quantities, Quantity, Wanted};

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
        self.system.evaluate(at, &mut Answer::new(&mut wanted), &mut self.workspace);
    }

    /// The same in a chart, or with dense matrices of a system with patterns.
    #[inline(never)]
    fn evaluate_elsewhere<const N: usize>(&mut self, at: &At, mut wanted: [Wanted; N]) {
        let Equations { system, workspace, chart, charted, spread, layout, .. } = self;
        let mut chart = chart.as_mut().filter(|_| *charted);
        let q = chart.as_mut().map_or(at.q, |chart| chart.configuration(at.q));
        let moved = At { q, ..*at };
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
                    if spread.pattern(*quantity).is_some() {
                        *out = room;
                    }
                }
                system.evaluate(&moved, &mut Answer::new(&mut inner), workspace);
                for ((quantity, out), room) in wanted.iter_mut().zip(&rooms) {
                    let Some(pattern) = spread.pattern(*quantity) else { continue };
                    for i in 0..pattern.rows() {
                        pattern.row(i).for_each(|(j, e)| out[i * pattern.columns() + j] = room[e]);
                    }
                }
                spread.rooms.extend(rooms);
            }
        }
        if let Some(chart) = chart {
            for (quantity, out) in wanted.iter_mut().filter(|(quantity, _)| BY_Q.has(*quantity)) {
                if let Some(pattern) = layout.of(*quantity) {
                    chart.turn(at.q, pattern, out);
                }
            }
        }
    }

    /// One quantity: supplied or completed, counted, finite.
    pub(super) fn value(&mut self, quantity: Quantity, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        if self.charted || self.spread.is_some() || !self.supplied.has(quantity) {
            self.value_elsewhere(quantity, at, out)?;
        } else {
            self.system.evaluate(at, &mut Answer::new(&mut [(quantity, &mut *out)]), &mut self.workspace);
        }
        self.counted(quantity, at.t, out)
    }

    /// The same in a chart, with dense matrices, or by differences; apart, so that the common way stays short.
    #[inline(never)]
    fn value_elsewhere(&mut self, quantity: Quantity, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
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

    /// Several quantities at one point, counted and finite: together where the system supplies all of them, so that it
    /// computes what they have in common once.
    pub fn ask<const N: usize>(&mut self, at: &At, mut wanted: [Wanted; N]) -> Result<(), NotFinite> {
        let all = wanted.iter().fold(Quantities::NONE, |set, (quantity, _)| set.with(*quantity));
        if !self.supplied.has_all(all) {
            return wanted.into_iter().try_for_each(|(quantity, out)| self.value(quantity, at, out));
        }
        wanted.iter_mut().for_each(|(_, out)| out.fill(0.0));
        self.evaluate(at, again(&mut wanted));
        let mut answers = wanted.iter().filter(|(_, out)| !out.is_empty());
        answers.try_for_each(|(quantity, out)| self.counted(*quantity, at.t, out))
    }
}

/// The same question again: the slices are moved out by whoever answers it.
fn again<'a, const N: usize>(wanted: &'a mut [Wanted; N]) -> [Wanted<'a>; N] {
    wanted.each_mut().map(|(quantity, out)| (*quantity, &mut **out))
}
