//! Coordinates `R : rotation`: formulas and their derivatives, equations from energies, starts, every method.
//!
//! Nothing here is compared with our own earlier output: values with the library's quaternions, equations with Euler angles, Euler's equations
//! and exact motions.

#[path = "rotations/bodies.rs"]
mod bodies;
#[path = "rotations/energies.rs"]
mod energies;
#[path = "rotations/formulas.rs"]
mod formulas;
#[path = "rotations/large.rs"]
mod large;
#[path = "rotations/methods.rs"]
mod methods;
#[path = "rotations/starts.rs"]
mod starts;

use alembert::method::Scheme;
use alembert::{
    Accepted, ConsistentState, ErrorControl, FixedSteps, GeneralizedAlpha, HhtAlpha, Integrator, RungeKutta, State,
    Tolerance, VariableBdf, consistent,
};
use alembert_model::Model;
use std::ops::ControlFlow;

/// The model of a text.
pub fn model(text: &str) -> Model {
    Model::parse("rotations", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// What is wrong with a text.
pub fn mistakes(text: &str) -> String {
    match Model::parse("rotations", text, &[]) {
        Ok(_) => panic!("no mistake in {text}"),
        Err(mistakes) => mistakes.to_string(),
    }
}

/// Its consistent start.
pub fn start(model: &Model) -> ConsistentState {
    consistent(&model.system, &model.guess).unwrap_or_else(|error| panic!("{error}"))
}

/// The state at `t` with Radau at a tolerance.
pub fn reached(model: &Model, t: f64, tolerance: f64) -> State {
    let tolerance = Tolerance::new(tolerance, tolerance).expect("a tolerance");
    let scheme = RungeKutta::radau(5).expect("odd");
    run(model, &scheme, ErrorControl::new(), tolerance, t, |_| {})
}

/// The state at `t`; `look` sees every step.
pub fn run(
    model: &Model,
    scheme: &dyn Scheme,
    steps: impl alembert::controller::StepController + 'static,
    tolerance: Tolerance,
    t: f64,
    mut look: impl FnMut(&State),
) -> State {
    let start = start(model);
    let mut integrator = Integrator::new(&model.system, &start, scheme, steps, tolerance)
        .unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
    for event in &model.events {
        integrator.add_event(event.watcher());
    }
    integrator
        .run(t, &mut |step: &Accepted| {
            look(step.state);
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
    integrator.state().clone()
}

/// The methods, each with a name.
pub fn schemes() -> Vec<(&'static str, u32, Box<dyn Scheme>)> {
    vec![
        ("radau 3", 5, Box::new(RungeKutta::radau(3).expect("odd"))),
        ("radau 5", 9, Box::new(RungeKutta::radau(5).expect("odd"))),
        ("soi2", 2, Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("hht", 2, Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("bdf 2", 2, Box::new(alembert::Bdf::new(2).expect("in range"))),
        ("bdf", 0, Box::new(VariableBdf::new())),
    ]
}

/// Equal steps.
pub fn fixed(h: f64) -> FixedSteps {
    FixedSteps::new(h).expect("positive")
}

/// The outputs of a model at a state.
pub fn outputs(model: &Model, state: &State) -> Vec<f64> {
    let mut out = vec![0.0; model.names.outputs.len()];
    model.outputs_into(state, &mut out);
    out
}

/// The largest difference.
pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).fold(0.0, |max: f64, (x, y)| max.max((x - y).abs()))
}

/// Numbers in [-1, 1] that look random.
pub struct Random(pub u64);

impl Random {
    /// A number.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }

    /// Several.
    pub fn many(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }

    /// A unit quaternion.
    pub fn unit(&mut self) -> [f64; 4] {
        let p = [self.number(), self.number(), self.number(), self.number()];
        let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
        p.map(|p| p / length)
    }
}
