//! Joint coordinates and reactions as formulas, evaluated with plain numbers, against those that are computed.

use alembert::State;
use alembert::rotation::to_space;
use alembert_mechanism::Mechanism;
use alembert_mechanism::formal::{Algebra, Moving, Setting, Standing, Term, Triple};

/// Numbers that were computed, at a state.
struct Numbers<'a> {
    values: Vec<f64>,
    state: &'a State,
}

impl Numbers<'_> {
    fn put(&mut self, x: f64) -> Term {
        self.values.push(x);
        Term(self.values.len() as u32 - 1)
    }
    fn of(&self, term: Term) -> f64 {
        self.values[term.0 as usize]
    }
    fn turned(&self, at: Standing, arm: [f64; 3]) -> [f64; 3] {
        let q = &self.state.q;
        match at.kind {
            Moving::InSpace => to_space(&[q[at.q + 3], q[at.q + 4], q[at.q + 5], q[at.q + 6]], &arm),
            Moving::InPlane => {
                let (s, c) = q[at.q + 2].sin_cos();
                [c * arm[0] - s * arm[1], s * arm[0] + c * arm[1], arm[2]]
            }
            Moving::Not | Moving::Number | Moving::Particle | Moving::PlanarParticle => arm,
        }
    }
}

impl Algebra for Numbers<'_> {
    fn constant(&mut self, x: f64) -> Term {
        self.put(x)
    }
    fn sum(&mut self, a: Term, b: Term) -> Term {
        self.put(self.of(a) + self.of(b))
    }
    fn difference(&mut self, a: Term, b: Term) -> Term {
        self.put(self.of(a) - self.of(b))
    }
    fn product(&mut self, a: Term, b: Term) -> Term {
        self.put(self.of(a) * self.of(b))
    }
    fn quotient(&mut self, a: Term, b: Term) -> Term {
        self.put(self.of(a) / self.of(b))
    }
    fn root(&mut self, a: Term) -> Term {
        self.put(self.of(a).sqrt())
    }
    fn angle(&mut self, y: Term, x: Term) -> Term {
        self.put(self.of(y).atan2(self.of(x)))
    }
}

impl Setting for Numbers<'_> {
    fn point(&mut self, at: Standing, arm: [f64; 3]) -> Triple {
        let count = at.kind.shifts();
        let turned = self.turned(at, arm);
        [0, 1, 2].map(|i| self.put(turned[i] + if i < count { self.state.q[at.q + i] } else { 0.0 }))
    }
    fn direction(&mut self, at: Standing, arm: [f64; 3]) -> Triple {
        self.turned(at, arm).map(|x| self.put(x))
    }
    fn multiplier(&mut self, nonholonomic: bool, index: usize) -> Term {
        self.put(if nonholonomic { self.state.psi[index] } else { self.state.lambda[index] })
    }
    fn coordinate(&mut self, index: usize) -> Term {
        self.put(self.state.q[index])
    }
}

/// Every coordinate and every reaction of a mechanism.
pub fn check(name: &str, mechanism: &Mechanism, state: &State) {
    let mut numbers = Numbers { values: Vec::new(), state };
    for (joint, ..) in mechanism.joints() {
        for coordinate in mechanism.coordinates(joint).map(|name| joint.coordinate(name)).collect::<Vec<_>>() {
            let term = mechanism.formal_coordinate(coordinate, &mut numbers).expect("every coordinate is a formula");
            let (x, _) = mechanism.coordinate(coordinate, state.t, &state.q, &state.v).expect("it is there");
            assert!((numbers.of(term) - x).abs() < 1e-12, "{name} {}: {} {x}", coordinate.name(), numbers.of(term));
        }
        if mechanism.is_merged(joint) {
            assert!(mechanism.formal_reaction(joint, false, &mut numbers).is_none());
            continue;
        }
        let told = mechanism.reaction(joint, state);
        let [force, torque] =
            mechanism.formal_reaction(joint, false, &mut numbers).expect("every reaction is a formula");
        let world = mechanism.formal_reaction(joint, true, &mut numbers).expect("every reaction is a formula");
        let on_second = [told.on_second.force, told.on_second.torque];
        for (found, known) in [force, torque].iter().zip(told.in_joint).chain(world.iter().zip(on_second)) {
            for (found, known) in found.iter().zip(known) {
                assert!((numbers.of(*found) - known).abs() < 1e-11, "{name}: {} {known}", numbers.of(*found));
            }
        }
    }
}
