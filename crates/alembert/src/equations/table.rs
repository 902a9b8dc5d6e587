//! How derivatives that a system does not supply are completed: one table.
//!
//! Derivatives that enter the equations themselves (G, g_t, K, the biases), and those of a system's own reactions, are completed with
//! fourth-order differences, others that only steer Newton's method with first-order ones. Where G is not supplied, what follows
//! from it comes straight from g where that takes fewer calls (`curvature.rs`).

use super::{Equations, NotFinite};
use crate::system::{At, Quantity};

/// What is differenced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Base {
    /// A quantity itself.
    Value(Quantity),
    /// M a.
    Inertia,
    /// g_t + G q'.
    Velocity,
    /// r, the standard one or the system's.
    Reaction,
}

/// By what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Argument {
    /// Time alone.
    Time,
    /// Time, with q moving along q' and v at rest.
    Motion,
    /// Tangent directions of q.
    Configuration,
    /// Velocities.
    Velocity,
    /// Holonomic multipliers: the derivative is transposed, as the rows of constraints are.
    Lambda,
    /// Nonholonomic multipliers, transposed as well.
    Psi,
}

/// How well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Accuracy {
    /// The five-point formula.
    Accurate,
    /// The one-sided difference.
    Cheap,
    /// The one-sided difference where the base is no difference itself and sizes are known; otherwise the five-point formula, which
    /// finds out how long its steps may be.
    Steering,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub quantity: Quantity,
    pub base: Base,
    pub argument: Argument,
    pub accuracy: Accuracy,
}

const fn rule(quantity: Quantity, base: Base, argument: Argument, accuracy: Accuracy) -> Rule {
    Rule { quantity, base, argument, accuracy }
}

const TABLE: [Rule; 16] = {
    use Accuracy::{Accurate, Cheap, Steering};
    use Argument::*;
    use Base::{Inertia, Reaction, Value};
    [
        rule(Quantity::HolonomicQ, Value(Quantity::Holonomic), Configuration, Accurate),
        rule(Quantity::HolonomicT, Value(Quantity::Holonomic), Time, Accurate),
        rule(Quantity::HolonomicBias, Base::Velocity, Motion, Accurate),
        rule(Quantity::HolonomicVelocityQ, Base::Velocity, Configuration, Steering),
        rule(Quantity::NonholonomicV, Value(Quantity::Nonholonomic), Velocity, Accurate),
        rule(Quantity::NonholonomicQ, Value(Quantity::Nonholonomic), Configuration, Cheap),
        rule(Quantity::NonholonomicBias, Value(Quantity::Nonholonomic), Motion, Accurate),
        rule(Quantity::MassQ, Inertia, Configuration, Cheap),
        rule(Quantity::ForceQ, Value(Quantity::Force), Configuration, Cheap),
        rule(Quantity::ForceV, Value(Quantity::Force), Velocity, Cheap),
        rule(Quantity::ReactionQ, Reaction, Configuration, Steering),
        rule(Quantity::ReactionV, Reaction, Velocity, Accurate),
        rule(Quantity::ReactionLambda, Reaction, Lambda, Accurate),
        rule(Quantity::ReactionPsi, Reaction, Psi, Accurate),
        rule(Quantity::RateV, Value(Quantity::Rate), Velocity, Accurate),
        rule(Quantity::RateQ, Value(Quantity::Rate), Configuration, Cheap),
    ]
};

impl Equations<'_> {
    /// A derivative by differences. What is no derivative stays zero.
    pub(super) fn complete(&mut self, quantity: Quantity, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        let Some(rule) = TABLE.iter().find(|rule| rule.quantity == quantity) else { return Ok(()) };
        match rule.argument {
            Argument::Time | Argument::Motion => self.slope(rule, at, out),
            _ => {
                let Some(pattern) = self.layout.of(quantity).cloned() else { return Ok(()) };
                if quantity == Quantity::ReactionQ && self.bends_by_constraints_alone(&pattern) {
                    return self.curvature(rule, at, out);
                }
                self.differences(rule, at, &pattern, out)
            }
        }
    }

    /// What the table differences.
    pub(super) fn base(&mut self, base: Base, at: &At, out: &mut [f64]) -> Result<(), NotFinite> {
        match base {
            Base::Value(quantity) => self.value(quantity, at, out),
            Base::Inertia => {
                let mut mass = self.take_buffer(self.layout.top.len());
                let outcome = self.mass(at.t, at.q, &mut mass);
                self.layout.top.multiply(&mass, at.a, out);
                self.give_buffer(mass);
                outcome
            }
            Base::Velocity => self.velocity_afresh(at, out),
            Base::Reaction => self.reaction_afresh(at.point(), out),
        }
    }
}
