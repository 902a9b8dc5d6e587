//! Methods, and what most tests of events need.

use alembert::method::Scheme;
use alembert::{
    Bdf, ConsistentState, ConstrainedSystem, ErrorControl, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    RungeKutta, Tolerance, VariableBdf, consistent,
};

/// Who chooses the steps.
#[derive(Clone, Copy, Debug)]
pub enum Steps {
    Error,
    Fixed(f64),
}

/// Every kind of method, with error control where there is one and at fixed steps.
pub fn methods() -> Vec<(&'static str, Box<dyn Scheme>, Steps)> {
    let soi2 = |rho| GeneralizedAlpha::from_rho_infinity(rho).expect("in range");
    let radau = |stages| RungeKutta::radau(stages).expect("in range");
    let bdf = |order| Bdf::new(order).expect("in range");
    vec![
        ("soi2", Box::new(soi2(0.8)), Steps::Error),
        ("soi2 rho 0, fixed", Box::new(soi2(0.0)), Steps::Fixed(0.01)),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range")), Steps::Error),
        ("hht, fixed", Box::new(HhtAlpha::new(-0.1).expect("in range")), Steps::Fixed(0.01)),
        ("radau 3", Box::new(radau(3)), Steps::Error),
        ("radau 5", Box::new(radau(5)), Steps::Error),
        ("radau 2, fixed", Box::new(radau(2)), Steps::Fixed(0.01)),
        ("variable bdf", Box::new(VariableBdf::new()), Steps::Error),
        ("bdf 2, fixed", Box::new(bdf(2)), Steps::Fixed(0.01)),
        ("bdf 4, fixed", Box::new(bdf(4)), Steps::Fixed(0.01)),
    ]
}

pub fn start(system: &dyn ConstrainedSystem, q: Vec<f64>, v: Vec<f64>) -> ConsistentState {
    consistent(system, &Guess::new(0.0, q, v)).expect("consistent")
}

pub fn integrator<'s>(
    system: &'s dyn ConstrainedSystem,
    start: &ConsistentState,
    scheme: &dyn Scheme,
    steps: Steps,
    tolerance: f64,
) -> Integrator<'s> {
    let tolerance = Tolerance::new(tolerance, tolerance).expect("in range");
    match steps {
        Steps::Error => Integrator::new(system, start, scheme, ErrorControl::new(), tolerance),
        Steps::Fixed(h) => Integrator::new(system, start, scheme, FixedSteps::new(h).expect("positive"), tolerance),
    }
    .expect("starts")
}
