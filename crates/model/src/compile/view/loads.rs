//! Forces of a mechanism: springs, dampers, floors and arrows.

use alembert_mechanism::{Axes, Marker};
use alembert_picture::scene::{Arrow, Figure, Quantity};

use super::super::mechanism::{Acts, Sight};
use super::bodies::Stage;
use super::figures::COILS;
use crate::graph::{Binary, Function, Node};
use crate::scope::Value;
use crate::text::Span;

/// With more forces than that, only what the file asks for is drawn.
const MOST: usize = 400;

impl Stage<'_, '_> {
    pub fn loads(&mut self) {
        let built = self.built;
        if built.sights.len() + built.laws.len() > MOST {
            return;
        }
        let mut planes: Vec<Figure> = Vec::new();
        for (name, sight) in &built.sights {
            match sight {
                Sight::Between { ends, damper } => {
                    let [from, to] = [self.at(&ends[0]), self.at(&ends[1])];
                    let radius = Quantity::Fixed(0.0);
                    let figure = match damper {
                        true => Figure::Damper { from, to, radius },
                        false => Figure::Spring { from, to, coils: COILS, radius },
                    };
                    self.canvas.add_usual(name, name, figure);
                    for (end, at) in ends.iter().zip([from, to]) {
                        if self.body_of(end).is_none() {
                            self.canvas.add_usual(name, name, Figure::Point { at });
                        }
                    }
                }
                Sight::Plane { at } => {
                    let figure = Figure::Plane { at: self.at(at), normal: at.z() };
                    // Four wheels stand on one road.
                    if !planes.contains(&figure) {
                        self.canvas.add_usual(name, name, figure.clone());
                        planes.push(figure);
                    }
                }
                Sight::Force { at, force, axes } => {
                    let force = force.map(|x| self.scope.graph.constant(x));
                    self.arrow(name, at, *axes, force);
                }
                Sight::Ball { .. } | Sight::Wheel { .. } => {}
            }
        }
        for law in &built.laws {
            let Acts::Point(at, axes) = &law.acts else { continue };
            // The same formulas as those of the force, and so the same nodes.
            let nodes: Option<Vec<Node>> = law.formulas.iter().map(|formula| self.scope.instance(formula)).collect();
            if let Some([x, y, z]) = nodes.as_deref() {
                self.arrow(&law.name, at, *axes, [*x, *y, *z]);
            }
        }
    }

    /// A force at a point.
    fn arrow(&mut self, name: &str, at: &Marker, axes: Axes, force: [Node; 3]) {
        let force = match (axes, self.body_of(at)) {
            (Axes::Body, Some(body)) => self.out(body, force).unwrap_or(force),
            _ => force,
        };
        let vector = self.canvas.triple(&self.scope.graph, force);
        let at = self.at(at);
        self.canvas.add_usual(name, name, Figure::Arrow { at, vector, of: Arrow::Force });
    }

    /// R f of a body.
    fn out(&mut self, body: usize, f: [Node; 3]) -> Option<[Node; 3]> {
        match self.scope.body_frame(body)?.1? {
            Value::Number(angle) => {
                let graph = &mut self.scope.graph;
                let (s, c) = (graph.call(Function::Sin, angle), graph.call(Function::Cos, angle));
                let [cx, sy, sx, cy] = [(c, f[0]), (s, f[1]), (s, f[0]), (c, f[1])].map(|(a, b)| graph.mul(a, b));
                Some([graph.sub(cx, sy), graph.add(sx, cy), f[2]])
            }
            rotation => {
                let nowhere = Span { start: 0, end: 0 };
                match self.scope.combined(Binary::Mul, rotation, Value::Triple(f), nowhere)? {
                    Value::Triple(nodes) => Some(nodes),
                    _ => None,
                }
            }
        }
    }
}
