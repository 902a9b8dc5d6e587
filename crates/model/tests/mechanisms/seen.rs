//! A model at a time, and its columns by name.

use alembert::{ConstrainedSystem, Point, State, Tolerance, check_derivatives, solve};
use alembert_model::Model;

fn parse(text: &str) -> Model {
    Model::parse("model", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// Where a model is at a time, and its outputs by name.
pub struct Seen {
    /// The model.
    pub model: Model,
    /// Where it is.
    pub state: State,
}

impl Seen {
    pub fn new(text: &str, t: f64) -> Seen {
        let model = parse(text);
        check(&model, text);
        let tolerance = Tolerance::relative(1e-10).expect("in range");
        let motion = solve(&model.system, &model.guess, model.guess.t..t, tolerance);
        let motion = motion.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let motion = motion.whole().unwrap_or_else(|error| panic!("{error}\n{text}"));
        let state = motion.at(t).expect("inside").clone();
        drop(motion);
        Seen { model, state }
    }

    /// A column.
    pub fn get(&self, name: &str) -> f64 {
        let names = &self.model.names;
        let State { q, v, a, lambda, psi, .. } = &self.state;
        let mut outputs = vec![0.0; names.outputs.len()];
        self.model.outputs_into(&self.state, &mut outputs);
        let states = &v[names.v.len()..];
        let lists = [
            (&names.q, &q[..]),
            (&names.v, &v[..names.v.len()]),
            (&names.states, states),
            (&names.a, &a[..names.a.len()]),
            (&names.lambda, &lambda[..]),
            (&names.psi, &psi[..]),
            (&names.outputs, &outputs[..]),
        ];
        for (names, values) in lists {
            if let Some(at) = names.iter().position(|known| known == name) {
                return values[at];
            }
        }
        panic!("no column {name} among {:?}", names.columns())
    }
}

/// Derivatives a little off the start.
fn check(model: &Model, text: &str) {
    let dims = model.system.dims();
    let off = |x: &[f64], size: f64| -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| x + size * (1.0 + x.abs()) * (1.3 * i as f64 + 0.7).sin()).collect()
    };
    let mut q = off(&model.guess.q, 1e-3);
    for (k, first) in model.system.description().rotations.iter().enumerate() {
        let p = &mut q[first + k..first + k + 4];
        let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
        p.iter_mut().for_each(|p| *p /= length);
    }
    let v = off(&model.guess.v, 0.3);
    let (lambda, psi) = (off(&vec![0.4; dims.lambda], 0.5), off(&vec![0.4; dims.psi], 0.5));
    let point = Point { t: model.guess.t + 0.1, q: &q, v: &v, lambda: &lambda, psi: &psi };
    let report = check_derivatives(&model.system, point).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert!(report.is_ok(), "{report}\n{text}");
    assert!(report.checked.len() >= 6, "only {:?}\n{text}", report.checked);
}

/// Two numbers agree.
pub fn same(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}: {a} and {b}");
}
