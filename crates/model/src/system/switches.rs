//! Formulas with kinks and jumps, on branches that are held: what is smooth between switches is evaluated as such.
//!
//! ```text
//! s    the expression whose sign (or whole numbers) an operation switches by, from the table of `graph/switching.rs`
//! h    an argument of its own: s itself, or the branch that is held: 1 or -1, or a whole number and a half
//!
//! abs u  ->  (2 step h - 1) u          max(a, b)  ->  a where step h, else b        a < b  ->  h < 0
//! sign u, step u, floor u, ceil u  ->  the same of h                               mod(a, b)  ->  a - b floor h
//! linear tables T(u)  ->  T(p) + T'(p) (u - p),  p the middle of piece h           (two arguments: one switch each)
//! ```
//!
//! That is done before derivatives are made, which then are those of the branch. Forces, masses, reactions of their own and rates are
//! written so; constraints are not, since a kink in them makes velocities jump, and is refused. Expressions of t alone are not switches:
//! their times are [known before](crate::sharp). Neither are those of accelerations and multipliers.

mod lines;

use std::collections::HashMap;

use alembert::Switch;

use super::{Labels, Parts};
use crate::graph::{Binary, Break, Function, Graph, Marks, Node, Op, Surface};
use crate::tape::Layout;
use lines::is_line;

/// More than this many are not held, because looking at them would cost more than the steps.
const MOST: usize = 20_000;

/// What a node depends on, as bits.
const TIME: u8 = 1;
const STATE: u8 = 2;
const MORE: u8 = 4;

/// The switches of some equations.
#[derive(Debug, Default)]
pub(super) struct Switches {
    pub kinds: Vec<Switch>,
    /// Their expressions as the file has them.
    pub free: Vec<Node>,
    /// The same on the branches that are held.
    pub held: Vec<Node>,
    /// What messages call them.
    pub names: Vec<String>,
    known: HashMap<(bool, Node), usize>,
    first: usize,
}

/// The equations on branches that are held, and their switches.
pub(super) fn hold(
    graph: &mut Graph,
    layout: Layout,
    parts: &Parts,
    labels: &Labels,
    marks: &mut Marks,
) -> Option<(Parts, Switches)> {
    let candidates = candidates(graph, layout, parts, marks);
    if !candidates.contains(&true) {
        return None;
    }
    let mut switches = Switches { first: layout.held().start, ..Switches::default() };
    for (root, owner) in owned(parts) {
        for node in graph.needed([root], marks) {
            if candidates.get(node.index()) == Some(&true) {
                switches.add(graph, layout, node, owner, labels);
            }
        }
    }
    if switches.kinds.is_empty() || switches.kinds.len() > MOST {
        return None;
    }
    let roots: Vec<Node> = owned(parts).map(|(node, _)| node).chain(parts.energy.iter().flatten().copied()).collect();
    let order = graph.needed(roots.iter().chain(&switches.free).copied(), marks);
    let mut new: HashMap<Node, Node> = HashMap::new();
    for node in order {
        let written = switches.written(graph, node, &new);
        if written != node {
            new.insert(node, written);
        }
    }
    let of = |node: &Node| new.get(node).copied().unwrap_or(*node);
    let all = |nodes: &Vec<Node>| nodes.iter().map(of).collect::<Vec<Node>>();
    switches.held = all(&switches.free);
    let parts = Parts {
        mass: parts.mass.iter().map(|(i, j, node)| (*i, *j, of(node))).collect(),
        force: all(&parts.force),
        reaction: parts.reaction.as_ref().map(all),
        holonomic: parts.holonomic.clone(),
        nonholonomic: parts.nonholonomic.clone(),
        rate: parts.rate.as_ref().map(all),
        energy: parts.energy.map(|energy| energy.map(|node| of(&node))),
        added: parts.added.as_ref().map(all),
        mechanism: parts.mechanism.clone(),
        driven: Vec::new(),
        ..*parts
    };
    Some((parts, switches))
}

/// What a formula is of: words, and the number of a coordinate or, with `true`, of a velocity.
#[derive(Clone, Copy)]
struct Owner(&'static str, bool, usize);

/// What may switch.
fn owned(parts: &Parts) -> impl Iterator<Item = (Node, Owner)> {
    let of = |nodes: &'_ [Node], what: &'static str, velocity: bool| -> Vec<(Node, Owner)> {
        nodes.iter().enumerate().map(|(i, node)| (*node, Owner(what, velocity, i))).collect()
    };
    let mut all = of(&parts.force, "the force on", true);
    all.extend(parts.mass.iter().map(|(i, _, node)| (*node, Owner("the mass of", true, *i))));
    all.extend(of(parts.reaction.as_deref().unwrap_or_default(), "the reaction on", true));
    all.extend(of(parts.added.as_deref().unwrap_or_default(), "the reaction on", true));
    all.extend(of(parts.rate.as_deref().unwrap_or_default(), "the rate of", false));
    all.into_iter()
}

/// By node: whether it switches by an expression of the state.
fn candidates(graph: &Graph, layout: Layout, parts: &Parts, marks: &mut Marks) -> Vec<bool> {
    let order = graph.needed(owned(parts).map(|(node, _)| node), marks);
    let count = order.last().map_or(0, |node| node.index() + 1);
    let (mut on, mut found) = (vec![0_u8; count], vec![false; count]);
    for node in order {
        let bits = match graph.op(node) {
            Op::Constant(_) => 0,
            Op::Input(index) if index as usize == Layout::T => TIME,
            Op::Input(index) if (layout.q().start..layout.v().end).contains(&(index as usize)) => STATE,
            Op::Input(_) => MORE,
            _ => graph.operands(node).fold(0, |bits, operand| bits | on[operand.index()]),
        };
        on[node.index()] = bits;
        let switches = match graph.op(node) {
            Op::Lookup(lookup, ..) => is_line(graph, lookup),
            op => op.switching().is_some(),
        };
        found[node.index()] = bits & STATE != 0 && bits & MORE == 0 && switches;
    }
    found
}

impl Switches {
    /// Takes note of a node that switches.
    fn add(&mut self, graph: &mut Graph, layout: Layout, node: Node, owner: Owner, labels: &Labels) {
        let found: Vec<(bool, Node)> = match graph.op(node) {
            Op::Lookup(lookup, a, b) => {
                lines::positions(graph, lookup, [a, b]).into_iter().flatten().map(|node| (true, node)).collect()
            }
            _ => expression(graph, node).map(|(key, _)| key).into_iter().collect(),
        };
        for key in found {
            self.add_one(graph, layout, (node, key), owner, labels);
        }
    }

    /// Takes note of one expression by which a node switches, and whether by its whole numbers.
    fn add_one(
        &mut self,
        graph: &Graph,
        layout: Layout,
        (node, key): (Node, (bool, Node)),
        owner: Owner,
        labels: &Labels,
    ) {
        if self.known.contains_key(&key) || graph.value(key.1).is_some() || self.kinds.len() > MOST {
            return;
        }
        self.known.insert(key, self.kinds.len());
        self.kinds.push(if key.0 { Switch::Whole } else { Switch::Sign });
        self.free.push(key.1);
        let formula = crate::graph::words(graph, node, &|input| labels.input(layout, input));
        let Owner(what, velocity, i) = owner;
        let names = if velocity { &labels.velocities } else { &labels.coordinates };
        let what = if velocity && i >= layout.bodies().len() { "the rate of" } else { what };
        let name = names.get(i).cloned().unwrap_or_else(|| i.to_string());
        self.names.push(format!("`{formula}` in {what} `{name}`"));
    }

    /// A node as it is on the branches that are held, where others are already.
    fn written(&self, graph: &mut Graph, node: Node, new: &HashMap<Node, Node>) -> Node {
        let of = |node: Node| new.get(&node).copied().unwrap_or(node);
        if let Op::Lookup(lookup, a, b) = graph.op(node)
            && is_line(graph, lookup)
        {
            let positions = lines::positions(graph, lookup, [a, b]);
            let known = positions.map(|position| self.known.get(&(true, position?)).copied());
            if known.iter().any(Option::is_some) {
                let held = known.map(|switch| switch.map(|switch| graph.input(self.first + switch)));
                return lines::branch(graph, lookup, [of(a), of(b)], held);
            }
        }
        let switch = expression(graph, node).and_then(|(key, turned)| Some((*self.known.get(&key)?, turned)));
        if let Some((switch, turned)) = switch {
            let held = graph.input(self.first + switch);
            let held = if turned { graph.neg(held) } else { held };
            return branch(graph, node, held, of);
        }
        match graph.op(node) {
            _ if graph.operands(node).all(|operand| of(operand) == operand) => node,
            Op::Constant(_) | Op::Input(_) => node,
            Op::Neg(a) => graph.neg(of(a)),
            Op::Call(function, a) => graph.call(function, of(a)),
            Op::Pair(binary, a, b) => graph.pair(binary, of(a), of(b)),
            Op::Lookup(lookup, a, b) => graph.lookup(lookup, of(a), of(b)),
            Op::Select(condition, a, b) => graph.select(of(condition), of(a), of(b)),
        }
    }
}

/// The switching expression of a node, with whether it is by whole numbers; and whether the operation takes the opposite of it.
fn expression(graph: &mut Graph, node: Node) -> Option<((bool, Node), bool)> {
    let op = graph.op(node);
    let switching = op.switching().filter(|switching| switching.breaks != Break::Bend)?;
    let expression = graph.switching_expression(switching);
    match switching.surface {
        // Of the ends of a ramp nothing jumps but a slope that is zero there.
        Surface::Ends => None,
        Surface::Whole => Some(((true, expression), false)),
        Surface::Half => {
            let half = graph.constant(0.5);
            let moved = graph.add(expression, half);
            Some(((true, moved), false))
        }
        Surface::Zero => {
            // x and -x, a - b and b - a change their signs at once.
            let (expression, turned) = match graph.op(expression) {
                Op::Neg(inner) => (inner, true),
                Op::Pair(Binary::Sub, a, b) if b < a => (graph.sub(b, a), true),
                _ => (expression, false),
            };
            Some(((false, expression), turned))
        }
    }
}

/// An operation that switches, with `h` in the place of its switching expression.
fn branch(graph: &mut Graph, node: Node, h: Node, of: impl Fn(Node) -> Node) -> Node {
    let (zero, one) = (graph.constant(0.0), graph.constant(1.0));
    match graph.op(node) {
        Op::Call(Function::Abs, u) => {
            let step = graph.call(Function::Step, h);
            let twice = graph.add(step, step);
            let sign = graph.sub(twice, one);
            graph.mul(sign, of(u))
        }
        Op::Call(Function::Round, _) => {
            let half = graph.constant(0.5);
            let whole = graph.sub(h, half);
            graph.call(Function::Round, whole)
        }
        // Sign, step, floor, ceil.
        Op::Call(function, _) => graph.call(function, h),
        Op::Pair(binary @ (Binary::Min | Binary::Max), a, b) => {
            // The first where a >= b, or a <= b.
            let sign = if binary == Binary::Max { h } else { graph.neg(h) };
            let first = graph.call(Function::Step, sign);
            let second = graph.sub(one, first);
            let (a, b) = (graph.pair(Binary::Gate, first, of(a)), graph.pair(Binary::Gate, second, of(b)));
            graph.add(a, b)
        }
        Op::Pair(Binary::Mod, a, b) => {
            let count = graph.call(Function::Floor, h);
            let multiple = graph.mul(of(b), count);
            graph.sub(of(a), multiple)
        }
        // Comparisons of a - b with zero.
        Op::Pair(binary, ..) => graph.pair(binary, h, zero),
        _ => node,
    }
}
