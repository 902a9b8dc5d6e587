//! Joints of a mechanism: signs with their residuals, rods, rails, floors under wheels, and arrows of reactions.

use alembert_picture::scene::{Arrow, Figure, Quantity, Sign};

use super::bodies::{PLACELESS, Stage, along, less};
use crate::graph::Node;

/// With more joints than that, residuals and reactions are left out: each takes several channels.
const MOST_JOINTS: usize = 100;
/// How far a rail goes beyond what slides on it, beside the size of the mechanism.
const BEYOND: f64 = 0.15;

/// How a type of joint is drawn.
fn sign(kind: &str, planar: bool) -> Sign {
    match kind {
        "revolute" => Sign::Pin,
        "spherical" | "distance" if planar => Sign::Pin,
        "spherical" | "universal" | "constant velocity" | "distance" | "revolute-spherical" => Sign::Ball,
        "prismatic" | "cylindrical" | "point on line" => Sign::Slider,
        "fixed" => Sign::Weld,
        _ => Sign::Other,
    }
}

impl Stage<'_, '_> {
    pub fn joints(&mut self) {
        let built = self.built;
        let few = built.joints.len() <= MOST_JOINTS;
        for joint in built.joints.iter().filter(|joint| !PLACELESS.contains(&joint.kind)) {
            let name = joint.name.as_str();
            let [first, second] = joint.markers;
            let [from, to] = [self.at(&first), self.at(&second)];
            let mechanism = self.mechanism.clone();
            let residual = few.then(|| mechanism.formal_residual(joint.id, self.scope)).flatten();
            let residual = residual.map(|term| self.canvas.quantity(&self.scope.graph, Node::from_term(term)));
            let mut mark = |at, axis, sign| {
                self.canvas.add_usual(name, name, Figure::Joint { at, axis, sign, residual });
            };
            let kind = sign(joint.kind, built.planar);
            match joint.kind {
                "distance" | "revolute-spherical" => {
                    let hinge = if joint.kind == "distance" { kind } else { Sign::Pin };
                    mark(from, first.z(), hinge);
                    mark(to, second.z(), kind);
                    let points = vec![from, to];
                    self.canvas.add_usual(name, name, Figure::Line { points, closed: false });
                }
                "rolling disk" | "rolling sphere" => {
                    mark(to, if joint.kind == "rolling disk" { second.z() } else { first.z() }, kind);
                    self.canvas.add_usual(name, name, Figure::Plane { at: from, normal: first.z() });
                }
                // The axis of these is on the first body.
                "point on line" | "point on plane" => {
                    mark(from, first.z(), Sign::Other);
                    mark(to, second.z(), kind);
                }
                _ => mark(to, second.z(), kind),
            }
            if matches!(joint.kind, "prismatic" | "cylindrical" | "point on line") {
                self.rail(name, joint.markers);
            }
        }
    }

    /// The line on which something slides, on the first body.
    fn rail(&mut self, name: &str, [first, second]: [alembert_mechanism::Marker; 2]) {
        let (z, origin) = (first.z(), first.place());
        let ahead = less(self.at_start(&first.body().at(along(origin, 1.0, z))), self.at_start(&first));
        let way = less(self.at_start(&second), self.at_start(&first));
        let start: f64 = (0..3).map(|i| ahead[i] * way[i]).sum();
        let more = BEYOND * self.size;
        let body = self.body_of(&first);
        let ends = [start.min(0.0) - more, start.max(0.0) + more].map(|s| self.on(body, along(origin, s, z)));
        self.canvas.add_usual(name, name, Figure::Line { points: ends.to_vec(), closed: false });
    }

    /// Forces of joints on their second bodies.
    pub fn reactions(&mut self) {
        let built = self.built;
        if built.joints.len() > MOST_JOINTS {
            return;
        }
        for joint in &built.joints {
            let arrow = format!("{}.force", joint.name);
            let mechanism = self.mechanism.clone();
            if self.canvas.is_hidden(&joint.name) || self.canvas.is_hidden(&arrow) {
                continue;
            }
            let Some([force, _]) = mechanism.formal_reaction(joint.id, true, self.scope) else { continue };
            let vector = force.map(|term| self.canvas.quantity(&self.scope.graph, Node::from_term(term)));
            if vector.iter().all(|x| *x == Quantity::Fixed(0.0)) {
                continue;
            }
            let at = self.at(&joint.markers[1]);
            self.canvas.add_usual(&joint.name, &arrow, Figure::Arrow { at, vector, of: Arrow::Force });
        }
    }
}
