//! Numbers, points and vectors of figures.
//!
//! ```text
//! point  = [x, y] | [x, y, z] | "a formula that is a triple"     in the axes of the entry
//!        | "body" | "body.point" | "ground(x, y)"                 where it is
//! ```

use toml::de::DeValue;

use super::super::mechanism::names::{Place, place};
use super::super::mechanism::reader::elements;
use super::canvas::Spot;
use super::look::{Base, Look};
use crate::document::{Entry, kind};
use crate::formula::Expr;
use crate::graph::Node;
use crate::scope::{Instance, Value};
use alembert_picture::scene;

/// What formulas ask of a body that is no point of it.
const FIELDS: [&str; 6] = ["position", "centre", "omega", "x", "y", "z"];

impl<'d> Look<'_, 'd, '_> {
    /// A number.
    pub fn node(&mut self, entry: &Entry<'d>) -> Option<Node> {
        let instance = self.reader.instance(entry)?;
        let node = self.reader.scope.instance(&instance)?;
        self.check(node, entry);
        Some(node)
    }

    /// A number that is positive, as far as that can be told.
    pub fn positive(&mut self, entry: &Entry<'d>) -> Option<Node> {
        let node = self.node(entry)?;
        match self.reader.scope.graph.value(node) {
            Some(x) if x <= 0.0 => {
                let message = format!("`{}` must be positive, and is {x}", entry.key);
                self.reader.wrong(entry.span, message, "");
                None
            }
            _ => Some(node),
        }
    }

    pub fn quantity(&mut self, node: Node) -> scene::Quantity {
        self.canvas.quantity(&self.reader.scope.graph, node)
    }

    pub fn place(&mut self, spot: Spot) -> scene::Place {
        self.canvas.place(&self.reader.scope.graph, spot)
    }

    /// How many components points may have here.
    fn counts(&self) -> &'static [usize] {
        match (self.drawn, self.reader.planar) {
            (false, _) => &[2, 3],
            (true, true) => &[2],
            (true, false) => &[3],
        }
    }

    /// Components of a point or vector; the third is zero in the plane.
    fn list(&mut self, entry: &Entry<'d>) -> Option<[Node; 3]> {
        let list = elements(entry)?;
        if !self.counts().contains(&list.len()) {
            let must = self.counts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
            let hint = match (self.drawn, self.reader.planar, list.len()) {
                (true, true, 3) => "the mechanism is in the plane; dimension = 3 makes one in space",
                (true, false, 2) => "the mechanism is in space; dimension = 2 makes one in the plane",
                _ => "",
            };
            let message = format!("`{}` has {} components, and must have {must}", entry.key, list.len());
            self.reader.wrong(entry.span, message, hint);
            return None;
        }
        let nodes: Vec<Option<Node>> = list.iter().map(|one| self.node(one)).collect();
        let mut found = [self.reader.scope.graph.constant(0.0); 3];
        for (found, node) in found.iter_mut().zip(nodes) {
            *found = node?;
        }
        Some(found)
    }

    /// A formula that is a triple.
    fn triple(&mut self, instance: &Instance, entry: &Entry<'d>) -> Option<[Node; 3]> {
        let nodes = match self.reader.scope.instance_value(instance)? {
            Value::Triple(nodes) | Value::Reaction(nodes) => nodes,
            other => {
                let hint = match self.drawn {
                    true => "write [\"x\", \"y\"], a triple, or a place as \"body.point\"",
                    false => "write [\"x\", \"y\"], [\"x\", \"y\", \"z\"], or a triple as \"r\"",
                };
                let message = format!("{} stands where a point is expected", other.kind());
                self.reader.wrong(instance.body.span, message, hint);
                return None;
            }
        };
        nodes.iter().for_each(|node| self.check(*node, entry));
        Some(nodes)
    }

    /// What is given in the axes of the entry, in its frame.
    fn shifted(&mut self, base: Base, nodes: [Node; 3]) -> Spot {
        let graph = &mut self.reader.scope.graph;
        let shift = base.shift.map(|x| graph.constant(x));
        Spot { frame: base.frame, at: [0, 1, 2].map(|i| graph.add(nodes[i], shift[i])) }
    }

    /// A point.
    pub fn spot(&mut self, entry: &Entry<'d>) -> Option<Spot> {
        let base = self.base;
        match entry.value {
            DeValue::Array(_) => {
                let nodes = self.list(entry)?;
                Some(self.shifted(base, nodes))
            }
            DeValue::String(_) => {
                if let Some(found) = self.drawn_spot(entry) {
                    return found;
                }
                let instance = self.reader.instance(entry)?;
                let nodes = self.triple(&instance, entry)?;
                Some(self.shifted(base, nodes))
            }
            other => {
                let message = format!("`{}` must be a point, found {}", entry.key, kind(other));
                self.reader.wrong(entry.span, message, format!("write {} = [\"x\", \"y\"]", entry.key));
                None
            }
        }
    }

    /// Points of a list; a formula may be one for each of its indices.
    pub fn spots(&mut self, entry: &Entry<'d>) -> Option<Vec<Spot>> {
        let DeValue::String(_) = entry.value else { return Some(vec![self.spot(entry)?]) };
        if let Some(found) = self.drawn_spot(entry) {
            return Some(vec![found?]);
        }
        let formula = self.reader.document.formula(entry.value, entry.span, self.reader.scope.mistakes)?;
        let base = self.base;
        let outer = self.reader.indices.clone();
        let mut found = Vec::new();
        for instance in self.reader.scope.instances_within(&formula, &outer) {
            let nodes = self.triple(&instance, entry)?;
            found.push(self.shifted(base, nodes));
        }
        Some(found)
    }

    /// A point whose components are those in the world.
    pub fn in_world(&mut self, entry: &Entry<'d>) -> Option<[Node; 3]> {
        let kept = std::mem::replace(&mut self.base, Base::WORLD);
        let spot = self.spot(entry);
        self.base = kept;
        let spot = spot?;
        if spot.frame != 0 {
            let hint = "write frame = \"body\", and `at` in its axes";
            self.reader.wrong(entry.span, "a frame does not stand on a body", hint);
            return None;
        }
        Some(spot.at)
    }

    /// Components of an arrow, along the axes of the world.
    pub fn vector(&mut self, entry: &Entry<'d>, flat_torque: bool) -> Option<[Node; 3]> {
        match entry.value {
            DeValue::Array(_) => self.list(entry),
            _ => {
                let instance = self.reader.instance(entry)?;
                let value = self.reader.scope.instance_value(&instance)?;
                if let (Value::Number(node), true) = (value, flat_torque) {
                    let zero = self.reader.scope.graph.constant(0.0);
                    self.check(node, entry);
                    return Some([zero, zero, node]);
                }
                self.triple(&instance, entry)
            }
        }
    }

    /// A place on a body or on the ground; none where the words are a formula.
    fn drawn_spot(&mut self, entry: &Entry<'d>) -> Option<Option<Spot>> {
        if !self.drawn {
            return None;
        }
        let words = entry.value.as_str()?;
        let at = self.reader.document.place(words, entry.span);
        match place(words, at).ok()? {
            Place::Ground(None) => Some(Some(super::canvas::fixed(self.reader.scope, 0, [0.0; 3]))),
            Place::Ground(Some(list)) => Some(self.ground(&list, entry)),
            Place::On(template, point) => {
                if !self.reader.is_body(&template.stem) {
                    return None;
                }
                if let Some(point) = &point {
                    let is_name = !point.contains(|c: char| ".+-*/^()[]',<>=".contains(c));
                    if !is_name || FIELDS.contains(&point.as_str()) {
                        return None;
                    }
                }
                Some(self.on_body(entry))
            }
        }
    }

    fn on_body(&mut self, entry: &Entry<'d>) -> Option<Spot> {
        let end = self.reader.end(entry)?;
        let base = self.body_base(end.body?)?;
        let nodes = end.marker.place().map(|x| self.reader.scope.graph.constant(x));
        Some(self.shifted(base, nodes))
    }

    fn ground(&mut self, list: &[std::rc::Rc<Expr>], entry: &Entry<'d>) -> Option<Spot> {
        if !self.counts().contains(&list.len()) {
            let n = self.reader.dimension();
            let message = format!("a point of the ground has {n} coordinates, not {}", list.len());
            self.reader.wrong(entry.span, message, format!("write ground({})", vec!["0"; n].join(", ")));
            return None;
        }
        let mut at = [self.reader.scope.graph.constant(0.0); 3];
        for (at, body) in at.iter_mut().zip(list) {
            let instance = Instance { body: body.clone(), indices: self.reader.indices.clone() };
            *at = self.reader.scope.instance(&instance)?;
            self.check(*at, entry);
        }
        Some(Spot { frame: 0, at })
    }
}
