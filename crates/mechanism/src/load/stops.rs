//! Stops of a joint coordinate: beyond its bounds a spring of the power 3/2 with the damping of Hunt and Crossley pushes it back.
//!
//! ```text
//! Q = k d^(3/2) max(0, 1 + 3/2 c d')      d how far x is below the lower bound; the same from above with the other sign
//! ```

use alembert::Scalar;
use alembert::scalar::Dual;

use super::Contact;
use crate::law::{Law, LawDerivatives, Powers, Slope};

/// Where a joint coordinate stops; infinite bounds do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stops {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
    /// k.
    pub stiffness: f64,
    /// c.
    pub damping: f64,
}

impl Stops {
    /// What is wrong with them.
    pub(crate) fn mistake(&self) -> Option<String> {
        let Stops { lower, upper, stiffness, damping } = *self;
        let good = |x: f64| x.is_finite() && x >= 0.0;
        if !(good(stiffness) && good(damping)) {
            return Some("stops have a stiffness and a damping that are not negative".to_owned());
        }
        (lower.is_nan() || upper.is_nan() || lower >= upper)
            .then(|| format!("the lower stop {lower} is not below the upper one {upper}"))
    }

    fn contact(&self) -> Contact {
        Contact::new(self.stiffness).damping(self.damping)
    }

    /// How far x is beyond the nearer bound.
    fn depth(&self, x: f64) -> f64 {
        (self.lower - x).max(x - self.upper)
    }

    /// The push of the nearer bound, on the branch where it is touched if that is positive.
    fn push<S: Scalar>(&self, branch: f64, x: S, rate: S) -> S {
        let (below, above) = (-x + self.lower, x - self.upper);
        if branch <= 0.0 {
            S::default()
        } else if below.value() > above.value() {
            self.contact().normal(below, -rate)
        } else {
            -self.contact().normal(above, rate)
        }
    }
}

impl Law for Stops {
    fn force(&self, t: f64, x: &[f64], rates: &[f64], by: LawDerivatives) -> f64 {
        self.force_on(self.depth(x[0]), t, x, rates, by)
    }

    fn switch(&self, x: &[f64]) -> Option<f64> {
        Some(self.depth(x[0]))
    }

    fn switches(&self) -> bool {
        true
    }

    fn force_on(&self, branch: f64, _: f64, x: &[f64], rates: &[f64], by: LawDerivatives) -> f64 {
        let force: Dual<2> = self.push(branch, Slope::variable(x[0], 0), Slope::variable(rates[0], 1));
        if let ([by_x, ..], [by_rate, ..]) = (by.x, by.rates) {
            (*by_x, *by_rate) = (force.d[0], force.d[1]);
        }
        force.x
    }

    fn energy(&self, _: f64, x: &[f64], rates: &[f64]) -> Powers {
        let deep = self.depth(x[0]).max(0.0);
        let elastic = self.stiffness * deep.powf(1.5) * if x[0] < self.lower { 1.0 } else { -1.0 };
        let push: f64 = self.push(deep, x[0], rates[0]);
        let dissipation = (elastic - push) * rates[0];
        Powers { potential: 0.4 * self.stiffness * deep.powf(2.5), dissipation, input: 0.0 }
    }
}
