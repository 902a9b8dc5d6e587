//! Random numbers for tests: the same in every run.

use alembert_mechanism::Body;
use alembert_mechanism::{BodyId, Marker};

/// A linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// Between -1 and 1.
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }

    /// One of n.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.signed() + 1.0) * 0.5 * n as f64) as usize % n
    }

    /// Components between -1 and 1.
    pub fn vector(&mut self) -> [f64; 3] {
        [self.signed(), self.signed(), self.signed()]
    }

    /// A body somewhere, moving somehow.
    pub fn body(&mut self) -> Body {
        let turn = [self.signed(), self.signed(), self.signed(), self.signed()];
        let inertia = [1.0 + 0.5 * self.signed(), 1.2 + 0.3 * self.signed(), 1.1 + 0.4 * self.signed()];
        Body::new(1.5 + self.signed(), inertia)
            .at(self.vector())
            .quaternion(turn)
            .centred(self.vector())
            .angled(3.0 * self.signed())
            .moving(self.vector())
            .spinning(self.vector())
    }

    /// A marker anywhere on a body.
    pub fn marker(&mut self, body: BodyId) -> Marker {
        body.at(self.vector()).axes(self.vector(), self.vector())
    }

    /// A marker on a body in the plane.
    pub fn planar_marker(&mut self, body: BodyId) -> Marker {
        let flat = |x: [f64; 3]| [x[0], x[1], 0.0];
        body.at(flat(self.vector())).axes([0.0, 0.0, 1.0], flat(self.vector()))
    }
}
