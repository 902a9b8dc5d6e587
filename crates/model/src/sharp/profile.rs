//! The formulas of t alone in a model, and what stands inside them.

use crate::graph::{Binary, Function, Graph, Marks, Node, Op};
use crate::system::{Labels, Parts};
use crate::table::{Asked, Lookup};
use crate::tape::{Arguments, Layout, Tape};

/// The largest number of formulas of each kind that are looked at.
const MOST: usize = 200;

/// Formulas of t alone.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// The largest ones: those whose users depend on more than t.
    pub values: Formulas,
    /// What each of them is part of.
    pub owners: Vec<String>,
    /// Arguments of kinks and jumps.
    pub switches: Formulas,
    pub switch_owners: Vec<String>,
    /// Numbers that change where tables have kinks.
    pub pieces: Formulas,
    pub piece_owners: Vec<String>,
    /// Arguments of functions that can make something sharp of something smooth.
    pub inner: Formulas,
}

/// Some formulas in one tape.
#[derive(Clone, Debug)]
pub(crate) struct Formulas {
    tape: Tape,
    pub count: usize,
}

impl Formulas {
    fn new(graph: &Graph, layout: Layout, nodes: &[Node], marks: &mut Marks) -> Self {
        let outputs: Vec<(usize, Node)> = nodes.iter().copied().enumerate().collect();
        Formulas { tape: Tape::new(graph, layout, &outputs, marks), count: nodes.len() }
    }

    /// Their values at a time.
    pub fn at(&self, t: f64, out: &mut [f64]) {
        self.tape.run_once(Arguments { t, ..Arguments::default() }, out);
    }

    /// Instructions of one evaluation.
    pub fn len(&self) -> usize {
        self.tape.len() + self.count
    }
}

/// What a node depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Nothing,
    Time,
    More,
}

impl Profile {
    pub fn new(graph: &mut Graph, layout: Layout, parts: &Parts, labels: &Labels, marks: &mut Marks) -> Profile {
        let roots = roots(layout, parts, labels);
        let order = graph.needed(roots.iter().map(|(node, _)| *node).collect::<Vec<Node>>(), marks);
        let last = order.last().map_or(0, |node| node.index() + 1);
        let mut on = vec![On::Nothing; last];
        for node in &order {
            let of = |node: Node, on: &[On]| on[node.index()];
            on[node.index()] = match graph.op(*node) {
                Op::Constant(_) => On::Nothing,
                Op::Input(index) if index as usize == Layout::T => On::Time,
                Op::Input(_) => On::More,
                _ => {
                    let operands: Vec<On> = graph.operands(*node).map(|operand| of(operand, &on)).collect();
                    if operands.contains(&On::More) {
                        On::More
                    } else if operands.contains(&On::Time) {
                        On::Time
                    } else {
                        On::Nothing
                    }
                }
            };
        }
        let is_timely = |node: Node| on.get(node.index()) == Some(&On::Time);
        let mut seen = vec![false; last];
        let (mut values, mut owners) = (Vec::new(), Vec::new());
        let (mut switches, mut switch_owners, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        let (mut pieces, mut piece_owners) = (Vec::new(), Vec::new());
        for (root, owner) in roots {
            let mut stack = vec![(root, false)];
            while let Some((node, inside)) = stack.pop() {
                if node.index() >= last || std::mem::replace(&mut seen[node.index()], true) {
                    continue;
                }
                let timely = is_timely(node);
                let op = graph.op(node);
                if timely && !inside && !matches!(op, Op::Input(_)) && values.len() < MOST {
                    values.push(node);
                    owners.push(owner.clone());
                }
                stack.extend(graph.operands(node).map(|operand| (operand, timely)));
                if !timely {
                    continue;
                }
                // Of a table the pieces are counted, so that none is passed over with its neighbour.
                if !matches!(op, Op::Lookup(..))
                    && let Some(sign) = graph.switching_sign(node)
                {
                    switches.push(sign);
                    switch_owners.push(owner.clone());
                }
                match op {
                    Op::Lookup(lookup, a, b) if graph.tables[lookup.table as usize].is_kinked() => {
                        pieces.push(graph.lookup(Lookup { asked: Asked::Piece, ..lookup }, a, b));
                        piece_owners.push(owner.clone());
                    }
                    Op::Call(Function::Exp | Function::Tanh | Function::Atan | Function::Sinh | Function::Cosh, u) => {
                        inner.push(u)
                    }
                    Op::Pair(Binary::Mul, a, b) if a == b => inner.push(a),
                    Op::Pair(Binary::Pow, a, _) => inner.push(a),
                    Op::Pair(Binary::Div, _, b) if is_timely(b) => inner.push(b),
                    _ => {}
                }
            }
        }
        inner.sort_unstable();
        inner.dedup();
        inner.truncate(MOST);
        switches.truncate(MOST);
        pieces.truncate(MOST);
        Profile {
            values: Formulas::new(graph, layout, &values, marks),
            owners,
            switches: Formulas::new(graph, layout, &switches, marks),
            switch_owners,
            pieces: Formulas::new(graph, layout, &pieces, marks),
            piece_owners,
            inner: Formulas::new(graph, layout, &inner, marks),
        }
    }
}

/// Everything that the motion depends on, with what messages call it.
fn roots(layout: Layout, parts: &Parts, labels: &Labels) -> Vec<(Node, String)> {
    let name = |names: &[String], i: usize| names.get(i).cloned().unwrap_or_else(|| i.to_string());
    let mut roots = Vec::new();
    let velocity = |i: usize| name(&labels.velocities, i);
    let bodies = layout.bodies().len();
    let what = |i: usize| if i < bodies { "force on" } else { "rate of" };
    roots.extend(parts.force.iter().enumerate().map(|(i, node)| (*node, format!("the {} `{}`", what(i), velocity(i)))));
    let [g, k] = parts.first();
    let rows = parts.holonomic.iter().enumerate().map(|(i, node)| (*node, name(&labels.holonomic, g + i)));
    let rows =
        rows.chain(parts.nonholonomic.iter().enumerate().map(|(i, node)| (*node, name(&labels.nonholonomic, k + i))));
    roots.extend(rows.map(|(node, name)| (node, format!("the constraint `{name}`"))));
    roots.extend(parts.mass.iter().map(|(i, _, node)| (*node, format!("the mass of `{}`", velocity(*i)))));
    roots.extend(parts.driven.iter().cloned());
    let others = parts.reaction.iter().chain(&parts.added).chain(&parts.rate).flatten();
    roots.extend(others.map(|node| (*node, "a formula of t".to_owned())));
    roots
}
