//! The figures of an entry: each key that draws something, to items of the scene.

use alembert_picture::scene::{Arrow, Figure, Place, Quantity};
use toml::de::DeValue;

use super::super::mechanism::Vector;
use super::super::mechanism::markers::axis_word;
use super::super::mechanism::reader::{elements, find};
use super::canvas::{Spot, Turned};
use super::look::Look;
use crate::document::{Entry, kind};
use crate::format::{ARROW, CIRCLE, COIL, CUBOID, PISTON, PLANE, SEEN_BALL, SEEN_ROUND, WORD};
use crate::graph::Node;

/// Windings of a spring that does not say how many it has.
pub(super) const COILS: usize = 8;
/// More windings than that cannot be seen.
const MOST_COILS: f64 = 1000.0;

impl<'d> Look<'_, 'd, '_> {
    fn draw(&mut self, figure: Figure) {
        let name = std::mem::take(&mut self.name);
        self.canvas.add(&name, self.color.as_deref(), figure);
        self.name = name;
    }

    /// Draws one figure of an entry.
    pub fn figure(&mut self, figure: &Entry<'d>, closed: bool, entry: &Entry<'d>) -> Option<()> {
        let drawn = match figure.key {
            "point" => {
                let at = self.one_place(figure, entry)?;
                Figure::Point { at }
            }
            "trace" => return self.traces(figure, entry),
            "line" => self.line(figure, closed)?,
            "circle" => {
                let keys = self.parts(figure, CIRCLE, "radius")?;
                let axis = find(&keys, "axis").map_or(Some([0.0, 0.0, 1.0]), |entry| self.axis(&entry));
                let radius = self.radius(&keys, figure);
                let at = self.place_of(&keys, figure, entry);
                Figure::Circle { at: at?, radius: radius?, axis: axis? }
            }
            "sphere" => {
                let keys = self.parts(figure, SEEN_BALL, "radius")?;
                let radius = self.radius(&keys, figure);
                let at = self.place_of(&keys, figure, entry);
                Figure::Sphere { at: at?, radius: radius? }
            }
            "box" => self.cuboid(figure, entry)?,
            "cylinder" | "capsule" | "bar" => self.round(figure, entry)?,
            "spring" => {
                let keys = self.reader.table(figure, COIL)?;
                let coils = find(&keys, "coils").map_or(Some(COILS), |entry| self.coils(&entry));
                let radius = self.radius_or_zero(&keys);
                let [from, to] = self.ends(&keys, figure)?;
                Figure::Spring { from: self.place(from), to: self.place(to), coils: coils?, radius: radius? }
            }
            "damper" => {
                let keys = self.reader.table(figure, PISTON)?;
                let radius = self.radius_or_zero(&keys);
                let [from, to] = self.ends(&keys, figure)?;
                Figure::Damper { from: self.place(from), to: self.place(to), radius: radius? }
            }
            "plane" => {
                let keys = self.parts(figure, PLANE, "normal")?;
                let hint = "write plane = { at = [0, 0], normal = \"y\" }";
                let normal = self.reader.needed(&keys, "normal", "the plane", figure.span, hint);
                let normal = normal.and_then(|entry| self.axis(&entry));
                let at = self.place_of(&keys, figure, entry);
                Figure::Plane { at: at?, normal: normal? }
            }
            "force" | "torque" | "velocity" => self.arrow(figure, entry)?,
            _ => {
                let keys = self.parts(figure, WORD, "text")?;
                let text = self.reader.needed(&keys, "text", "the label", figure.span, "write label = \"…\"");
                let text = text.map(|entry| if entry.span == figure.span { *figure } else { entry });
                let text = text.and_then(|entry| self.reader.words(&entry));
                let at = self.place_of(&keys, figure, entry);
                Figure::Label { at: at?, text: text? }
            }
        };
        self.draw(drawn);
        Some(())
    }

    /// The keys of a figure; what is no table stands for one of them.
    fn parts(
        &mut self,
        figure: &Entry<'d>,
        keys: &'static [crate::format::Key],
        only: &'static str,
    ) -> Option<Vec<Entry<'d>>> {
        match figure.value {
            DeValue::Table(_) => self.reader.table(figure, keys),
            _ => Some(vec![Entry { key: only, ..*figure }]),
        }
    }

    fn radius(&mut self, keys: &[Entry<'d>], figure: &Entry<'d>) -> Option<Quantity> {
        let what = format!("the {}", figure.key);
        let hint = format!("write {} = {{ radius = 0.1 }}", figure.key);
        let entry = self.reader.needed(keys, "radius", &what, figure.span, &hint)?;
        // What stands for the figure is called by its name.
        let entry = if entry.span == figure.span { *figure } else { entry };
        let node = self.positive(&entry)?;
        Some(self.quantity(node))
    }

    fn radius_or_zero(&mut self, keys: &[Entry<'d>]) -> Option<Quantity> {
        let Some(entry) = find(keys, "radius") else { return Some(Quantity::Fixed(0.0)) };
        let node = self.positive(&entry)?;
        Some(self.quantity(node))
    }

    fn coils(&mut self, entry: &Entry<'d>) -> Option<usize> {
        let x = self.reader.number(entry)?;
        if x.fract() == 0.0 && (1.0..=MOST_COILS).contains(&x) {
            return Some(x as usize);
        }
        let message = format!("`coils` must be a whole number from 1 to {MOST_COILS}, and is {x}");
        self.reader.wrong(entry.span, message, "");
        None
    }

    /// Where a figure is: as it says, as its entry says, or at the origin of the frame of its entry.
    fn spot_of(&mut self, keys: &[Entry<'d>], figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Spot> {
        if let Some(at) = find(keys, "at") {
            return self.spot(&at);
        }
        self.usual_spot(figure, entry)
    }

    fn usual_spot(&mut self, figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Spot> {
        if let Some(at) = self.at {
            return Some(at);
        }
        if self.base.own {
            let shift = self.base.shift;
            return Some(super::canvas::fixed(self.reader.scope, self.base.frame, shift));
        }
        if self.drawn && !self.reader.known.contains_key(&self.name) {
            // Probably a slip in the name of a body.
            self.reader.unknown_part("unknown body", &self.name.clone(), entry.key_span);
        } else {
            let message = format!("the {} of `{}` has no `at`", figure.key, self.name);
            self.reader.wrong(figure.key_span, message, "write at = [\"x\", \"y\"] beside it, or in it");
        }
        None
    }

    fn place_of(&mut self, keys: &[Entry<'d>], figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Place> {
        let spot = self.spot_of(keys, figure, entry)?;
        Some(self.place(spot))
    }

    /// A point, or `true` for that of the entry.
    fn one_place(&mut self, figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Place> {
        let spot = match figure.value {
            DeValue::Boolean(true) => self.usual_spot(figure, entry)?,
            DeValue::Boolean(false) => {
                let hint = format!("write {} = true, or leave it out", figure.key);
                self.reader.wrong(figure.span, format!("`{}` is false, and draws nothing", figure.key), hint);
                return None;
            }
            _ => self.spot(figure)?,
        };
        Some(self.place(spot))
    }

    /// A point, or names of points of the body.
    fn traces(&mut self, figure: &Entry<'d>, entry: &Entry<'d>) -> Option<()> {
        if let (Some(list), Some(body)) = (elements(figure), self.base.body) {
            let is_name = |one: &Entry<'d>| {
                let word = one.value.as_str().unwrap_or_default();
                let known = self.reader.drawing.bodies[body].points.contains_key(word);
                known || word.chars().all(|c| c.is_alphanumeric() || c == '_') && !self.reader.is_parameter(word)
            };
            if list.iter().all(|one| one.value.is_str() && is_name(one)) {
                for one in &list {
                    let name = self.reader.words(one)?;
                    let Some(at) = self.reader.drawing.bodies[body].points.get(&name).copied() else {
                        self.reader.unknown_point(body, &name, one.span);
                        continue;
                    };
                    let shift = self.base.shift;
                    let at = [0, 1, 2].map(|i| at[i] + shift[i]);
                    let spot = super::canvas::fixed(self.reader.scope, self.base.frame, at);
                    let at = self.place(spot);
                    self.draw(Figure::Trace { at });
                }
                return Some(());
            }
        }
        if self.drawn && self.name == "ground" {
            self.reader.wrong(figure.span, "the ground leaves no trace", "");
            return None;
        }
        let at = self.one_place(figure, entry)?;
        self.draw(Figure::Trace { at });
        Some(())
    }

    fn line(&mut self, figure: &Entry<'d>, closed: bool) -> Option<Figure> {
        let Some(list) = elements(figure) else {
            let message = format!("`line` must be a list of points, found {}", kind(figure.value));
            self.reader.wrong(figure.span, message, "write line = [[0, 0], [\"x\", \"y\"]]");
            return None;
        };
        let found: Vec<Option<Vec<Spot>>> = list.iter().map(|one| self.spots(one)).collect();
        let spots: Vec<Spot> = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
        if spots.len() < 2 {
            let message = format!("a line has two points or more, not {}", spots.len());
            self.reader.wrong(figure.span, message, "write line = [[0, 0], [\"x\", \"y\"]]");
            return None;
        }
        let points = spots.into_iter().map(|spot| self.place(spot)).collect();
        Some(Figure::Line { points, closed })
    }

    fn cuboid(&mut self, figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Figure> {
        let keys = self.parts(figure, CUBOID, "size")?;
        let hint = "write box = [a, b, c]";
        let size = self.reader.needed(&keys, "size", "the box", figure.span, hint);
        let edges = size.and_then(|size| self.edges(&size));
        let at = self.place_of(&keys, figure, entry);
        let turned = match self.reader.one_of(&keys, &["angle", "turn"]) {
            Some(entry) if entry.key == "angle" => self.node(&entry).map(Turned::Angle),
            Some(entry) => self.turned(&entry),
            None => Some(Turned::Not),
        };
        let turn = self.canvas.turn(&self.reader.scope.graph, turned?);
        Some(Figure::Box { at: at?, edges: edges?, turn })
    }

    fn edges(&mut self, entry: &Entry<'d>) -> Option<[Quantity; 3]> {
        let list = elements(entry).unwrap_or_default();
        let counts: &[usize] = if self.drawn && !self.reader.planar { &[3] } else { &[2, 3] };
        if !counts.contains(&list.len()) {
            let must = if counts.len() == 1 { "three positive edges" } else { "two or three positive edges" };
            self.reader.wrong(entry.span, format!("a box has {must}"), "write box = [a, b, c]");
            return None;
        }
        let found: Vec<Option<Node>> = list.iter().map(|one| self.positive(one)).collect();
        let mut edges = [Quantity::Fixed(0.0); 3];
        for (edge, node) in edges.iter_mut().zip(found) {
            *edge = self.quantity(node?);
        }
        Some(edges)
    }

    fn constant(&mut self, entry: &Entry<'d>) -> Option<f64> {
        let node = self.node(entry)?;
        self.fixed(node, entry)
    }

    /// The value of what must not change.
    fn fixed(&mut self, node: Node, entry: &Entry<'d>) -> Option<f64> {
        let value = self.reader.scope.graph.value(node);
        if value.is_none() {
            let hint = "what turns has a frame that turns: frame = { at = …, turn = \"R\" }";
            self.reader.wrong(entry.span, format!("`{}` must be a constant", entry.key), hint);
        }
        value
    }

    /// A constant direction, in the axes of the entry.
    fn axis(&mut self, entry: &Entry<'d>) -> Option<Vector> {
        if let Some(axis) = axis_word(entry.value) {
            return Some(axis);
        }
        let numbers = match entry.value {
            DeValue::Array(_) => {
                let found: Vec<Option<f64>> =
                    elements(entry).unwrap_or_default().iter().map(|one| self.constant(one)).collect();
                found.into_iter().collect::<Option<Vec<f64>>>()?
            }
            DeValue::String(_) => {
                let nodes = self.vector(entry, false)?;
                let found: Vec<Option<f64>> = nodes.into_iter().map(|node| self.fixed(node, entry)).collect();
                found.into_iter().collect::<Option<Vec<f64>>>()?
            }
            other => {
                let message = format!("`{}` must be an axis, found {}", entry.key, kind(other));
                self.reader.wrong(entry.span, message, "write \"x\", \"-y\" or a list of components");
                return None;
            }
        };
        let axis = match numbers[..] {
            [x, y] => [x, y, 0.0],
            [x, y, z] => [x, y, z],
            _ => {
                let message = format!("`{}` has {} components, and must have 2 or 3", entry.key, numbers.len());
                self.reader.wrong(entry.span, message, "it may be x, y, z, -x, -y, -z, or a list of components");
                return None;
            }
        };
        let size = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size == 0.0 {
            self.reader.wrong(entry.span, format!("`{}` is zero, and has no direction", entry.key), "");
            return None;
        }
        Some(axis.map(|x| x / size))
    }

    /// The two ends of a figure.
    fn ends(&mut self, keys: &[Entry<'d>], figure: &Entry<'d>) -> Option<[Spot; 2]> {
        let both = ["from", "to"].map(|key| {
            let hint = match self.drawn {
                true => "write from = \"body.point\", to = \"body.point\"",
                false => "write from = [0, 0], to = [\"x\", \"y\"]",
            };
            let entry = self.reader.needed(keys, key, &format!("the {}", figure.key), figure.span, hint)?;
            self.spot(&entry)
        });
        Some([both[0]?, both[1]?])
    }

    fn round(&mut self, figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Figure> {
        let word = figure.key;
        let keys = self.reader.table(figure, SEEN_ROUND)?;
        let radius = match find(&keys, "radius") {
            None if word == "bar" => Some(None),
            None => {
                let hint = format!("write {word} = {{ radius = 0.1, … }}");
                self.reader.wrong(figure.span, format!("the {word} has no `radius`"), hint);
                None
            }
            Some(entry) => self.positive(&entry).map(Some),
        };
        let [from, to] = match find(&keys, "length") {
            Some(length) => {
                self.reader.one_of(&keys, &["length", "from", "to"]);
                let axis = find(&keys, "axis").map_or(Some([0.0, 0.0, 1.0]), |entry| self.axis(&entry));
                let length = self.positive(&length);
                let spot = self.spot_of(&keys, figure, entry);
                let (axis, length, spot) = (axis?, length?, spot?);
                if self.drawn && self.reader.planar && axis[0] == 0.0 && axis[1] == 0.0 && word != "bar" {
                    // Seen along its axis.
                    let radius = self.quantity(radius??);
                    return Some(Figure::Circle { at: self.place(spot), radius, axis });
                }
                let graph = &mut self.reader.scope.graph;
                [-0.5, 0.5].map(|half| {
                    let along = axis.map(|x| graph.constant(half * x));
                    let along = along.map(|x| graph.mul(length, x));
                    Spot { frame: spot.frame, at: [0, 1, 2].map(|i| graph.add(spot.at[i], along[i])) }
                })
            }
            None if find(&keys, "from").is_none() || find(&keys, "to").is_none() => {
                let message = format!("the {word} has neither `length` nor `from` and `to`");
                let write = if self.drawn { "\"body.point\"" } else { "[0, 0]" };
                self.reader.wrong(figure.span, message, format!("write from = {write}, to = {write}"));
                return None;
            }
            None => self.ends(&keys, figure)?,
        };
        let (from, to) = (self.place(from), self.place(to));
        Some(match radius? {
            Some(radius) => Figure::Cylinder { from, to, radius: self.quantity(radius), rounded: word == "capsule" },
            None => Figure::Line { points: vec![from, to], closed: false },
        })
    }

    fn arrow(&mut self, figure: &Entry<'d>, entry: &Entry<'d>) -> Option<Figure> {
        let keys = self.parts(figure, ARROW, "vector")?;
        let of = match figure.key {
            "force" => Arrow::Force,
            "torque" => Arrow::Torque,
            _ => Arrow::Velocity,
        };
        let hint = format!("write {} = {{ at = …, vector = [\"…\", \"…\"] }}", figure.key);
        let vector = self.reader.needed(&keys, "vector", &format!("the {}", figure.key), figure.span, &hint);
        let vector = vector.and_then(|entry| self.vector(&entry, of == Arrow::Torque));
        let at = self.place_of(&keys, figure, entry);
        let vector = vector?.map(|node| self.quantity(node));
        Some(Figure::Arrow { at: at?, vector, of })
    }
}
