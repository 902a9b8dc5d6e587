//! A scene that is being drawn: figures whose numbers are nodes, which become constants or channels.

use std::collections::HashMap;

use alembert_picture::Scene;
use alembert_picture::scene::{Figure, Frame, Item, Place, Quantity, Turn};

use crate::graph::{Graph, Node};
use crate::scope::Scope;

/// A point in a frame of the scene, by nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub frame: usize,
    pub at: [Node; 3],
}

/// How something is turned, by nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Turned {
    Not,
    Angle(Node),
    Quaternion([Node; 4]),
}

/// What is to be hidden, or to have a colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    pub color: Option<String>,
    pub hidden: bool,
}

/// A scene in the making.
pub(crate) struct Canvas {
    pub scene: Scene,
    /// The nodes of the channels.
    pub channels: Vec<Node>,
    known: HashMap<Node, usize>,
    frames: HashMap<([Node; 3], Turned), usize>,
    /// By names of items.
    pub wishes: HashMap<String, Wish>,
}

impl Canvas {
    pub fn new() -> Canvas {
        let world = Frame { name: "ground".to_owned(), origin: [Quantity::Fixed(0.0); 3], turn: Turn::None };
        let scene = Scene {
            planar: false,
            up: [0.0, 0.0, 1.0],
            unit: String::new(),
            frames: vec![world],
            items: Vec::new(),
            channels: 0,
        };
        Canvas { scene, channels: Vec::new(), known: HashMap::new(), frames: HashMap::new(), wishes: HashMap::new() }
    }

    /// A number of the scene: a constant, or a channel, which is the same for the same node.
    pub fn quantity(&mut self, graph: &Graph, node: Node) -> Quantity {
        if let Some(x) = graph.value(node) {
            return Quantity::Fixed(x);
        }
        let next = self.channels.len();
        let c = *self.known.entry(node).or_insert(next);
        if c == next {
            self.channels.push(node);
        }
        Quantity::Channel { c }
    }

    pub fn triple(&mut self, graph: &Graph, nodes: [Node; 3]) -> [Quantity; 3] {
        nodes.map(|node| self.quantity(graph, node))
    }

    pub fn place(&mut self, graph: &Graph, spot: Spot) -> Place {
        Place { frame: spot.frame, at: self.triple(graph, spot.at) }
    }

    pub fn turn(&mut self, graph: &Graph, turned: Turned) -> Turn {
        match turned {
            Turned::Not => Turn::None,
            Turned::Angle(node) => Turn::Angle(self.quantity(graph, node)),
            Turned::Quaternion(nodes) => Turn::Quaternion(nodes.map(|node| self.quantity(graph, node))),
        }
    }

    /// A frame of reference, once however often it is asked for.
    pub fn frame(&mut self, graph: &Graph, name: &str, origin: [Node; 3], turned: Turned) -> usize {
        if turned == Turned::Not && origin.iter().all(|node| graph.is_zero(*node)) {
            return 0;
        }
        if let Some(known) = self.frames.get(&(origin, turned)) {
            return *known;
        }
        let frame = Frame { name: name.to_owned(), origin: self.triple(graph, origin), turn: self.turn(graph, turned) };
        self.scene.frames.push(frame);
        self.frames.insert((origin, turned), self.scene.frames.len() - 1);
        self.scene.frames.len() - 1
    }

    /// A thing that the file asks for.
    pub fn add(&mut self, name: &str, color: Option<&str>, figure: Figure) {
        self.scene.items.push(Item { name: name.to_owned(), color: color.map(str::to_owned), figure });
    }

    /// A thing that is drawn of its own accord, unless the file does not want it; `of` is the part it belongs to.
    pub fn add_usual(&mut self, of: &str, name: &str, figure: Figure) {
        if self.is_hidden(of) || self.is_hidden(name) {
            return;
        }
        let color = [name, of].into_iter().find_map(|name| self.wishes.get(name)?.color.clone());
        self.scene.items.push(Item { name: name.to_owned(), color, figure });
    }

    pub fn is_hidden(&self, name: &str) -> bool {
        self.wishes.get(name).is_some_and(|wish| wish.hidden)
    }
}

/// A point of the world that does not move.
pub(crate) fn fixed(scope: &mut Scope, frame: usize, at: [f64; 3]) -> Spot {
    Spot { frame, at: at.map(|x| scope.graph.constant(x)) }
}
