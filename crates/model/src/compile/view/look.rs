//! The entries of `[view]`: whose they are, in which axes, and what is wished of what draws itself.

use std::collections::{HashMap, HashSet};

use alembert_mechanism::Marker;
use toml::de::DeValue;

use super::super::Checked;
use super::super::mechanism::built::Built;
use super::super::mechanism::reader::{Known, Reader, elements, find};
use super::super::mechanism::{Drawing, Vector};
use super::canvas::{Canvas, Spot, Turned, Wish, fixed};
use super::colors;
use crate::document::{Document, Entry};
use crate::format::{LOOK, STAND};
use crate::graph::Node;
use crate::scope::{Scope, Value};

/// The axes in which numbers of an entry are meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// The frame of the scene.
    pub frame: usize,
    /// The body, by its place in the drawing.
    pub body: Option<usize>,
    /// What is meant by zeros, in the frame: bodies have their drawing origins.
    pub shift: Vector,
    /// Whether it is something else than the world, so that a figure without a place stands at its origin.
    pub own: bool,
}

impl Base {
    pub const WORLD: Base = Base { frame: 0, body: None, shift: [0.0; 3], own: false };
}

/// A frame, and where it stands if it is a rotation alone.
#[derive(Clone, Copy)]
struct Stand<'d> {
    frame: Entry<'d>,
    at: Option<Entry<'d>>,
}

/// Reads figures.
pub(super) struct Look<'r, 'd, 'c> {
    pub reader: Reader<'r, 'd, 'c>,
    pub canvas: &'r mut Canvas,
    pub checked: &'r mut Vec<Checked>,
    pub drawn: bool,
    /// Where joints are: on their second bodies.
    joints: HashMap<String, Marker>,
    /// The name of the entry under way, as items have it.
    pub name: String,
    pub base: Base,
    /// Where the figures of the entry under way are.
    pub at: Option<Spot>,
    pub color: Option<String>,
    /// Bodies that have a shape of their own.
    shown: HashSet<usize>,
}

/// Figures that stand for the shape of a body.
const SHAPES: [&str; 8] = ["point", "line", "circle", "box", "sphere", "cylinder", "capsule", "bar"];

/// Keys that draw nothing.
const PLAIN: [&str; 6] = ["for", "at", "frame", "closed", "color", "show"];

/// Draws what the file asks for; the bodies that have shapes there.
pub(super) fn read(
    document: &Document,
    mut built: Option<&mut Built>,
    canvas: &mut Canvas,
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> HashSet<usize> {
    if document.section("view").is_empty() {
        return HashSet::new();
    }
    let mut drawing = Drawing::empty();
    let (mut known, mut joints) = (HashMap::new(), HashMap::new());
    if let Some(built) = &mut built {
        drawing.planar = built.planar;
        for (at, body) in built.bodies.iter().enumerate() {
            known.insert(body.name.clone(), Known::Body(at));
        }
        for joint in &built.joints {
            known.insert(joint.name.clone(), Known::Joint(None));
            joints.insert(joint.name.clone(), joint.markers[1]);
        }
        let sights = built.sights.iter().map(|(name, _)| name);
        for name in sights.chain(built.laws.iter().map(|law| &law.name)) {
            known.insert(name.clone(), Known::Force);
        }
        // Lent while the section is read.
        drawing.bodies = std::mem::take(&mut built.bodies);
    }
    let mut reader = Reader::new(document, scope, drawing);
    reader.known = known;
    reader.frames = vec![HashMap::new(); reader.drawing.bodies.len()];
    let mut look = Look {
        reader,
        canvas,
        checked,
        drawn: built.is_some(),
        joints,
        name: String::new(),
        base: Base::WORLD,
        at: None,
        color: None,
        shown: HashSet::new(),
    };
    for entry in document.section("view") {
        look.entry(entry);
    }
    let Look { reader, shown, .. } = look;
    if let Some(built) = built {
        built.bodies = reader.drawing.bodies;
    }
    shown
}

impl<'d> Look<'_, 'd, '_> {
    fn entry(&mut self, entry: &Entry<'d>) {
        let list = match entry.value {
            DeValue::Array(_) => elements(entry).unwrap_or_default(),
            _ => vec![*entry],
        };
        let mut frame = None;
        for one in &list {
            let Some(keys) = self.reader.table(one, LOOK) else { continue };
            let at = find(&keys, "at");
            frame = find(&keys, "frame").map(|frame| Stand { frame, at }).or(frame);
            let own = find(&keys, "frame").is_some();
            let Some(all) = self.reader.all_indices(&keys) else { continue };
            for indices in all {
                if self.reader.scope.mistakes.is_full() {
                    return;
                }
                self.reader.indices = indices;
                self.look(entry, &keys, frame.as_ref(), own);
            }
            self.reader.indices = Vec::new();
        }
    }

    /// One entry; whether it has its frame itself, and not from one above it in a list.
    fn look(&mut self, entry: &Entry<'d>, keys: &[Entry<'d>], frame: Option<&Stand<'d>>, own: bool) -> Option<()> {
        let (name, arrow) = self.reader.named_entry(entry)?;
        self.name = if arrow { format!("{name}.force") } else { name.clone() };
        let known = self.reader.known.get(&name).copied();
        self.color = None;
        if let Some(color) = find(keys, "color") {
            self.color = Some(self.color_of(&color)?);
        }
        let show = find(keys, "show").map(|entry| self.reader.document.flag(&entry, self.reader.scope.mistakes));
        let figures: Vec<Entry<'d>> = keys.iter().filter(|entry| !PLAIN.contains(&entry.key)).copied().collect();
        let body = match known {
            Some(Known::Body(body)) if !arrow => Some(body),
            _ => None,
        };
        if figures.is_empty() || show == Some(Some(false)) {
            self.wish(entry, keys, &name, known.is_some(), show.flatten());
            if figures.is_empty() {
                return Some(());
            }
        }
        if self.color.is_some() && known.is_some() && !figures.iter().any(|figure| SHAPES.contains(&figure.key)) {
            // What draws itself has the colour of what is drawn beside it.
            self.canvas.wishes.entry(self.name.clone()).or_default().color = self.color.clone();
        }
        self.base = match body {
            Some(body) => self.body_base(body)?,
            None if name == "ground" => Base { own: true, ..Base::WORLD },
            None => Base::WORLD,
        };
        self.at = match self.joints.get(&name).copied() {
            Some(marker) => Some(self.marked(&marker)?),
            None => None,
        };
        if let Some(frame) = frame {
            self.base = self.frame(&frame.frame, frame.at.as_ref())?;
        }
        let rotated = own && frame.is_some_and(|frame| frame.frame.value.is_str()) && self.base.body.is_none();
        if let Some(at) = find(keys, "at")
            && !rotated
        {
            self.at = Some(self.spot(&at)?);
        }
        if let Some(body) = body
            && figures.iter().any(|figure| SHAPES.contains(&figure.key))
        {
            self.shown.insert(body);
        }
        let closed = find(keys, "closed");
        if let Some(closed) = closed
            && !figures.iter().any(|figure| figure.key == "line")
        {
            self.reader.wrong(closed.key_span, "`closed` belongs to a line", "write line = [[0, 0], [1, 0], [0, 1]]");
        }
        let closed = closed.and_then(|entry| self.reader.document.flag(&entry, self.reader.scope.mistakes));
        for figure in &figures {
            self.figure(figure, closed == Some(true), entry);
        }
        Some(())
    }

    /// What is wished of a part that draws itself.
    fn wish(&mut self, entry: &Entry<'d>, keys: &[Entry<'d>], name: &str, known: bool, show: Option<bool>) {
        if !known && name != "ground" {
            self.nothing(entry, name);
            return;
        }
        if let Some(idle) = find(keys, "at").or_else(|| find(keys, "frame"))
            && find(keys, "color").is_none()
            && show.is_none()
        {
            let hint = "write what is there, as sphere = 0.1, point = true or label = \"…\"";
            self.reader.wrong(idle.key_span, format!("`{}` of `{name}` has nothing to place", idle.key), hint);
        }
        let wish = Wish { color: self.color.clone(), hidden: show == Some(false) };
        self.canvas.wishes.insert(self.name.clone(), wish);
    }

    /// Says that an entry draws nothing.
    fn nothing(&mut self, entry: &Entry<'d>, name: &str) {
        if self.drawn {
            self.reader.unknown_part("there is no body, joint or force", name, entry.key_span);
            return;
        }
        let figures: Vec<&str> = LOOK.iter().map(|key| key.name).filter(|key| !PLAIN.contains(key)).collect();
        let hint = format!("it may have {}", figures.join(", "));
        self.reader.wrong(entry.key_span, format!("`{name}` draws nothing"), hint);
    }

    fn color_of(&mut self, entry: &Entry<'d>) -> Option<String> {
        let words = self.reader.words(entry)?;
        if colors::is_color(&words) {
            return Some(words);
        }
        let near = crate::nearest::nearest(&words.to_lowercase(), colors::NAMES.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "write a name as in CSS, as \"steelblue\", or \"#rrggbb\"".to_owned(),
        };
        self.reader.wrong(entry.span, format!("unknown color \"{words}\""), hint);
        None
    }

    /// Where a joint is.
    fn marked(&mut self, marker: &Marker) -> Option<Spot> {
        let body = self.reader.drawing.bodies.iter().position(|body| body.id == marker.body());
        let base = body.map_or(Some(Base::WORLD), |body| self.body_base(body))?;
        let at = [0, 1, 2].map(|i| marker.place()[i] + base.shift[i]);
        Some(fixed(self.reader.scope, base.frame, at))
    }

    /// The axes of a body.
    pub fn body_base(&mut self, body: usize) -> Option<Base> {
        let name = self.reader.drawing.bodies[body].name.clone();
        let frame = body_frame(&name, body, self.canvas, self.reader.scope)?;
        let shift = self.reader.drawing.bodies[body].centre.map(|x| if x == 0.0 { 0.0 } else { -x });
        Some(Base { frame, body: Some(body), shift, own: true })
    }

    /// `frame = …`; a rotation alone has its origin where the entry is.
    fn frame(&mut self, entry: &Entry<'d>, at: Option<&Entry<'d>>) -> Option<Base> {
        let zero = self.reader.scope.graph.constant(0.0);
        self.base = Base::WORLD;
        if let DeValue::String(word) = entry.value {
            if word.trim() == "ground" {
                return Some(Base { own: true, ..Base::WORLD });
            }
            if let Some(body) = self.reader.body_named(entry) {
                return self.body_base(body);
            }
            let turned = self.turned(entry)?;
            let origin = match at {
                Some(at) => self.in_world(at)?,
                None => [zero; 3],
            };
            return Some(self.standing(origin, turned));
        }
        let keys = self.reader.table(entry, STAND)?;
        let origin = match find(&keys, "at") {
            Some(at) => self.in_world(&at)?,
            None => [zero; 3],
        };
        let turned = match self.reader.one_of(&keys, &["angle", "turn"]) {
            Some(entry) if entry.key == "angle" => Turned::Angle(self.node(&entry)?),
            Some(entry) => self.turned(&entry)?,
            None => Turned::Not,
        };
        Some(self.standing(origin, turned))
    }

    fn standing(&mut self, origin: [Node; 3], turned: Turned) -> Base {
        let frame = self.canvas.frame(&self.reader.scope.graph, &self.name, origin, turned);
        Base { frame, body: None, shift: [0.0; 3], own: true }
    }

    /// A rotation.
    pub fn turned(&mut self, entry: &Entry<'d>) -> Option<Turned> {
        let instance = self.reader.instance(entry)?;
        match self.reader.scope.instance_value(&instance)? {
            Value::Rotation(rotation) => {
                let nodes = self.reader.scope.quaternion(rotation);
                nodes.iter().for_each(|node| self.check(*node, entry));
                Some(Turned::Quaternion(nodes))
            }
            other => {
                let message = format!("{} stands where a rotation is expected", other.kind());
                let hint = "write a coordinate R : rotation, rotation([0, 0, 1], phi), or { at = [\"x\", \"y\"], angle = \"phi\" }";
                self.reader.wrong(entry.span, message, hint);
                None
            }
        }
    }

    /// A formula that must have a value at the start.
    pub fn check(&mut self, node: Node, entry: &Entry<'d>) {
        let what = format!("`{}` of `{}` in [view]", entry.key, self.name);
        self.checked.push(Checked { what, span: entry.span, node });
    }
}

/// The frame of a body in a scene.
pub(super) fn body_frame(name: &str, body: usize, canvas: &mut Canvas, scope: &mut Scope) -> Option<usize> {
    let (origin, turned) = scope.body_frame(body)?;
    let turned = match turned {
        Some(Value::Number(angle)) => Turned::Angle(angle),
        Some(Value::Rotation(rotation)) => Turned::Quaternion(scope.quaternion(rotation)),
        _ => Turned::Not,
    };
    Some(canvas.frame(&scope.graph, name, origin, turned))
}
