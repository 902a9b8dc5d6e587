//! Laws: functions that users give. Of time (drivers), of a parameter (curves), of joint coordinates (forces).
//!
//! Each is a trait, so that closures, tables and formulas of model files can stand behind it. Closures are written over numbers that
//! carry derivatives; nobody writes derivatives by hand.

use std::fmt::{self, Debug};
use std::sync::Arc;

use alembert::scalar::{Dual, Jet};

use crate::algebra::Vector;

/// A function of time with two derivatives.
pub trait TimeLaw: Debug + Send + Sync {
    /// f, f' and f'' at a time.
    fn at(&self, t: f64) -> [f64; 3];
}

/// A curve with two derivatives.
pub trait Curve: Debug + Send + Sync {
    /// c, c' and c'' at a parameter.
    fn at(&self, x: f64) -> [Vector; 3];
}

/// A force on a joint coordinate.
pub trait Law: Debug + Send + Sync {
    /// The force, and its derivatives by each coordinate and each rate.
    fn force(&self, t: f64, x: &[f64], rates: &[f64], by: LawDerivatives) -> f64;

    /// A number whose sign selects a branch, where the force has a kink. Steps end there.
    fn switch(&self, _: &[f64]) -> Option<f64> {
        None
    }

    /// The force on a branch, continued a little beyond its end.
    fn force_on(&self, _branch: f64, t: f64, x: &[f64], rates: &[f64], by: LawDerivatives) -> f64 {
        self.force(t, x, rates, by)
    }

    /// Whether it has a switch.
    fn switches(&self) -> bool {
        false
    }

    /// Whether it depends on positions; a law of rates alone needs no counting of turns.
    fn uses_positions(&self) -> bool {
        true
    }

    /// The same force along the line of two points as a law of d.d/2 in the place of their distance |d|, if it has one: then it is regular
    /// where both points are in one place.
    fn along_way(&self) -> Option<Arc<dyn Law>> {
        None
    }

    /// What the force means for the energy: the coordinate that it acts on is the first.
    fn energy(&self, t: f64, x: &[f64], rates: &[f64]) -> Powers {
        let none = LawDerivatives { x: &mut [], rates: &mut [] };
        Powers { input: self.force(t, x, rates, none) * rates[0], ..Powers::default() }
    }
}

/// Where the derivatives of a law go; empty where they are not wanted.
#[derive(Debug)]
pub struct LawDerivatives<'a> {
    /// By the coordinates.
    pub x: &'a mut [f64],
    /// By their rates.
    pub rates: &'a mut [f64],
}

/// What a force stores, loses and brings in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// Potential energy.
    pub potential: f64,
    /// Power that is lost.
    pub dissipation: f64,
    /// Power from outside.
    pub input: f64,
}

/// -k (x - x0) - c x': a spring with a damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// k.
    pub stiffness: f64,
    /// c.
    pub damping: f64,
    /// x0.
    pub rest: f64,
}

impl Law for Linear {
    fn force(&self, _: f64, x: &[f64], rates: &[f64], by: LawDerivatives) -> f64 {
        if let ([by_x, ..], [by_rate, ..]) = (by.x, by.rates) {
            (*by_x, *by_rate) = (-self.stiffness, -self.damping);
        }
        -self.stiffness * (x[0] - self.rest) - self.damping * rates[0]
    }

    fn energy(&self, _: f64, x: &[f64], rates: &[f64]) -> Powers {
        let stretch = x[0] - self.rest;
        let potential = 0.5 * self.stiffness * stretch * stretch;
        Powers { potential, dissipation: self.damping * rates[0] * rates[0], input: 0.0 }
    }

    fn along_way(&self) -> Option<Arc<dyn Law>> {
        let Linear { stiffness, damping, rest } = *self;
        // A damper acts along the line of its ends, which has no direction where they meet.
        (rest == 0.0 && damping == 0.0).then(|| Arc::new(Proportional { stiffness }) as Arc<dyn Law>)
    }
}

/// -k d of a way d, as a law of d.d/2.
#[derive(Clone, Copy, Debug)]
struct Proportional {
    stiffness: f64,
}

impl Law for Proportional {
    fn force(&self, _: f64, _: &[f64], _: &[f64], _: LawDerivatives) -> f64 {
        -self.stiffness
    }

    fn energy(&self, _: f64, x: &[f64], _: &[f64]) -> Powers {
        Powers { potential: self.stiffness * x[0], dissipation: 0.0, input: 0.0 }
    }
}

/// A number with its derivatives by a coordinate and by its rate.
pub type Slope = Dual<2>;

/// A closure `|t, x, rate|` of one coordinate.
pub struct OfCoordinate<F>(pub F);

impl<F> Debug for OfCoordinate<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfCoordinate")
    }
}

impl<F: Fn(f64, Slope, Slope) -> Slope + Send + Sync> Law for OfCoordinate<F> {
    fn force(&self, t: f64, x: &[f64], rates: &[f64], by: LawDerivatives) -> f64 {
        let force = (self.0)(t, Slope::variable(x[0], 0), Slope::variable(rates[0], 1));
        if let ([by_x, ..], [by_rate, ..]) = (by.x, by.rates) {
            (*by_x, *by_rate) = (force.d[0], force.d[1]);
        }
        force.x
    }
}

/// A closure `|t, rate|` of the rate of one coordinate: motors, dampers.
pub struct OfRate<F>(pub F);

impl<F> Debug for OfRate<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfRate")
    }
}

impl<F: Fn(f64, Dual<1>) -> Dual<1> + Send + Sync> Law for OfRate<F> {
    fn force(&self, t: f64, _: &[f64], rates: &[f64], by: LawDerivatives) -> f64 {
        let force = (self.0)(t, Dual::variable(rates[0], 0));
        if let [by_rate, ..] = by.rates {
            *by_rate = force.d[0];
        }
        force.x
    }

    fn uses_positions(&self) -> bool {
        false
    }
}

/// A closure of time, over numbers with two derivatives.
pub struct OfTime<F>(pub F);

impl<F> Debug for OfTime<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfTime")
    }
}

/// The variable of a function of one argument.
fn variable(x: f64) -> Jet {
    Jet { x, d: 1.0, dd: 0.0 }
}

impl<F: Fn(Jet) -> Jet + Send + Sync> TimeLaw for OfTime<F> {
    fn at(&self, t: f64) -> [f64; 3] {
        let Jet { x, d, dd } = (self.0)(variable(t));
        [x, d, dd]
    }
}

/// A closure of the parameter of a curve.
pub struct OfParameter<F>(pub F);

impl<F> Debug for OfParameter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfParameter")
    }
}

impl<F: Fn(Jet) -> [Jet; 3] + Send + Sync> Curve for OfParameter<F> {
    fn at(&self, x: f64) -> [Vector; 3] {
        let c = (self.0)(variable(x));
        [c.map(|c| c.x), c.map(|c| c.d), c.map(|c| c.dd)]
    }
}
