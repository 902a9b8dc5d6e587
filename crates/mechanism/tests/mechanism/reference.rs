//! Stored motions with 19 digits, from two formulations each that share nothing with this crate.

use std::collections::HashMap;

use alembert::State;
use alembert_mechanism::{Body, BodyId, JointId, Mechanism};
use serde_json::Value;

/// A stored motion.
pub struct Stored(Value);

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list = value.as_array().expect("a list");
    std::array::from_fn(|i| list[i].as_f64().expect("a number"))
}

impl Stored {
    /// By its name.
    pub fn load(name: &str) -> Self {
        let path = format!("{}/tests/references/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        Stored(serde_json::from_str(&text).expect("JSON"))
    }

    fn states(&self) -> &[Value] {
        self.0["states"].as_array().expect("states")
    }

    /// Times of the states, the start first.
    pub fn times(&self) -> Vec<f64> {
        self.states().iter().map(|state| state["t"].as_f64().expect("a time")).collect()
    }

    /// A body with its mass, its inertia and its motion at the start.
    pub fn body(&self, at: usize) -> Body {
        let (body, start) = (&self.0["bodies"][at], &self.states()[0]["bodies"][at]);
        let moments: [[f64; 3]; 3] = std::array::from_fn(|i| numbers(&body["inertia"][i]));
        let turn: [f64; 4] = numbers(&start["quaternion"]);
        Body::with_moments(body["mass"].as_f64().expect("a mass"), moments)
            .at(numbers(&start["p"]))
            .quaternion(turn)
            .angled(2.0 * turn[3].atan2(turn[0]))
            .moving(numbers(&start["v"]))
            .spinning(numbers(&start["omega"]))
    }

    /// The mass of a body and its inertia about the centre of mass, in body axes.
    pub fn inertia(&self, at: usize) -> (f64, [[f64; 3]; 3]) {
        let body = &self.0["bodies"][at];
        (body["mass"].as_f64().expect("a mass"), std::array::from_fn(|i| numbers(&body["inertia"][i])))
    }

    /// Where the centre of mass of a body is at a stored time.
    pub fn place(&self, at: usize, body: usize) -> [f64; 3] {
        numbers(&self.states()[at]["bodies"][body]["p"])
    }

    /// Kinetic and potential energy at a stored time.
    pub fn energy(&self, at: usize) -> f64 {
        let state = &self.states()[at];
        state["kinetic"].as_f64().expect("a number") + state["potential"].as_f64().expect("a number")
    }

    /// The largest kinetic energy at all times.
    pub fn largest_energy(&self) -> f64 {
        let kinetic = self.states().iter().filter_map(|state| state["kinetic"].as_f64());
        kinetic.fold(0.0_f64, f64::max)
    }

    /// The largest number of each kind at all times.
    fn sizes(&self) -> [f64; 4] {
        let mut sizes = [0.0_f64; 4];
        let mut look = |kind: usize, value: &Value| {
            for x in value.as_array().into_iter().flatten().filter_map(Value::as_f64) {
                sizes[kind] = sizes[kind].max(x.abs());
            }
        };
        for state in self.states() {
            for body in state["bodies"].as_array().expect("bodies") {
                for (kind, key) in [(0, "p"), (0, "quaternion"), (1, "v"), (1, "omega"), (2, "a"), (2, "alpha")] {
                    look(kind, &body[key]);
                }
            }
            for reaction in state["reactions"].as_array().into_iter().flatten() {
                look(3, &reaction["force"]);
                look(3, &reaction["torque"]);
            }
        }
        sizes
    }

    /// Largest differences of a state to that at a stored time: of positions and turns, velocities, accelerations, reactions; each
    /// relative to the largest number of its kind in the whole motion.
    pub fn differences(&self, at: usize, mechanism: &Mechanism, joints: &[JointId], state: &State) -> [f64; 4] {
        let stored = &self.states()[at];
        let mut pairs: HashMap<usize, Vec<(f64, f64)>> = HashMap::new();
        let mut put = |kind: usize, ours: &[f64], theirs: &[f64]| {
            pairs.entry(kind).or_default().extend(ours.iter().copied().zip(theirs.iter().copied()));
        };
        let bodies: Vec<BodyId> = mechanism.bodies().map(|(id, _)| id).collect();
        for (id, theirs) in bodies.iter().zip(stored["bodies"].as_array().expect("bodies")) {
            let motion = mechanism.motion(*id, state);
            let turn: [f64; 4] = numbers(&theirs["quaternion"]);
            let inner: f64 = turn.iter().zip(&motion.quaternion).map(|(x, y)| x * y).sum();
            put(0, &motion.p, &numbers::<3>(&theirs["p"]));
            put(0, &motion.quaternion.map(|x| x * inner.signum()), &turn);
            put(1, &motion.v, &numbers::<3>(&theirs["v"]));
            put(1, &motion.omega, &numbers::<3>(&theirs["omega"]));
            put(2, &motion.a, &numbers::<3>(&theirs["a"]));
            put(2, &motion.alpha, &numbers::<3>(&theirs["alpha"]));
        }
        if let Some(reactions) = stored["reactions"].as_array() {
            assert_eq!(reactions.len(), joints.len());
            for (joint, theirs) in joints.iter().zip(reactions) {
                let on = mechanism.reaction(*joint, state).on_second;
                put(3, &on.force, &numbers::<3>(&theirs["force"]));
                put(3, &on.torque, &numbers::<3>(&theirs["torque"]));
            }
        }
        let sizes = self.sizes();
        std::array::from_fn(|kind| {
            let pairs = pairs.get(&kind).into_iter().flatten();
            pairs.fold(0.0_f64, |max, (x, y)| max.max((x - y).abs())) / sizes[kind].max(1e-12)
        })
    }
}
