//! From the equations of a model to nodes of what is evaluated, and from nodes to tapes.

use super::Parts;
use super::places::Entries;
use crate::graph::{Derivatives, Graph, Marks, Node, Op};
use crate::tape::{Layout, Tape};

/// Makes tapes; keeps the tools.
pub(crate) struct Builder<'g> {
    pub graph: &'g mut Graph,
    layout: Layout,
    derivatives: Derivatives,
    marks: Marks,
}

impl<'g> Builder<'g> {
    pub fn new(graph: &'g mut Graph, layout: Layout) -> Self {
        Builder { graph, layout, derivatives: Derivatives::default(), marks: Marks::default() }
    }

    /// A tape that writes nodes to entries.
    pub fn tape(&mut self, outputs: &[(usize, Node)]) -> Tape {
        Tape::new(self.graph, self.layout, outputs, &mut self.marks)
    }

    /// d rows / d inputs.
    pub fn jacobian(&mut self, rows: &[Node], inputs: std::ops::Range<usize>) -> Entries {
        let mut entries = Entries::new();
        for (i, &row) in rows.iter().enumerate() {
            for (input, node) in self.derivatives.gradient(self.graph, row, inputs.clone()) {
                entries.push((i, input - inputs.start, node));
            }
        }
        entries
    }

    /// Derivatives of rows by the coordinates: a column for each velocity that moves them, or for each coordinate under a general rate.
    pub fn by_coordinates(&mut self, rows: &[Node], general: bool) -> Entries {
        if general {
            return self.jacobian(rows, self.layout.q());
        }
        let mut entries = Entries::new();
        for (i, &row) in rows.iter().enumerate() {
            let columns = self.derivatives.by_motion(self.graph, row, self.layout);
            entries.extend(columns.into_iter().map(|(j, node)| (i, j, node)));
        }
        entries
    }

    /// The transpose of [`jacobian`](Self::jacobian).
    pub fn transposed_jacobian(&mut self, rows: &[Node], inputs: std::ops::Range<usize>) -> Entries {
        let entries = self.jacobian(rows, inputs);
        entries.into_iter().map(|(i, j, node)| (j, i, node)).collect()
    }

    /// Whether any of some nodes depends on some inputs.
    pub fn depend_on(&mut self, nodes: &[Node], inputs: std::ops::Range<usize>) -> bool {
        let needed = self.graph.needed(nodes.iter().copied(), &mut self.marks);
        needed.into_iter().any(|node| matches!(self.graph.op(node), Op::Input(i) if inputs.contains(&(i as usize))))
    }

    /// M a.
    pub fn inertia(&mut self, mass: &Entries) -> Vec<Node> {
        let mut inertia = vec![self.graph.constant(0.0); self.layout.v];
        for &(i, j, entry) in mass {
            let a = self.graph.input(self.layout.a().start + j);
            let part = self.graph.mul(entry, a);
            inertia[i] = self.graph.add(inertia[i], part);
        }
        inertia
    }

    /// sum_i mu_i c_i with the multipliers from the input `first` on.
    fn work(&mut self, constraints: &[Node], first: usize) -> Node {
        let mut sum = self.graph.constant(0.0);
        for (i, &constraint) in constraints.iter().enumerate() {
            let multiplier = self.graph.input(first + i);
            let part = self.graph.mul(multiplier, constraint);
            sum = self.graph.add(sum, part);
        }
        sum
    }

    /// Time derivatives at v' = 0.
    pub fn rate(&mut self, nodes: &[Node], rate: Option<&[Node]>) -> Vec<Node> {
        let one = self.graph.constant(1.0);
        let layout = self.layout;
        let q_dot: Vec<Node> = match rate {
            Some(rate) => rate.to_vec(),
            None => self.graph.coordinate_rates(layout),
        };
        self.derivatives.along(self.graph, nodes, |input| match input {
            Layout::T => Some(one),
            input if layout.q().contains(&input) => Some(q_dot[input - layout.q().start]),
            _ => None,
        })
    }

    /// Explicit time derivatives.
    pub fn explicit_rate(&mut self, nodes: &[Node]) -> Vec<Node> {
        let one = self.graph.constant(1.0);
        self.derivatives.along(self.graph, nodes, |input| (input == Layout::T).then_some(one))
    }

    /// The reaction of constraints that do no work.
    pub fn standard_reaction(&mut self, parts: &Parts, velocity: &[Node]) -> Vec<Node> {
        let layout = self.layout;
        let mut reaction = vec![self.graph.constant(0.0); layout.v];
        let by_velocity = |builder: &mut Self, work: Node| {
            let columns = builder.derivatives.gradient(builder.graph, work, layout.bodies());
            columns.into_iter().map(|(input, node)| (input - layout.bodies().start, node)).collect::<Vec<_>>()
        };
        let [own_g, own_k] = parts.first();
        let (g, k) = (layout.lambda().start + own_g, layout.psi().start + own_k);
        let work = self.work(if parts.rate.is_some() { velocity } else { &parts.holonomic }, g);
        let mut columns = match parts.rate {
            Some(_) => by_velocity(self, work),
            None => self.derivatives.by_motion(self.graph, work, layout),
        };
        let work = self.work(&parts.nonholonomic, k);
        columns.extend(by_velocity(self, work));
        for (j, node) in columns {
            reaction[j] = self.graph.sub(reaction[j], node);
        }
        reaction
    }
}
