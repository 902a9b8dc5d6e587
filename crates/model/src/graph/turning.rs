//! Rotations among the arguments: matrices of unit quaternions, and derivatives along turns about the axes of a body.
//!
//! ```text
//! R(p)                          the matrix of the quaternion p = (p0, p1, p2, p3); it takes body components to space components
//! p' = p (0, w)/2               w is the angular velocity in body components
//! R' = R w^                     r_i' = r_i * w for each row r_i of R
//! dphi = phi_k dtheta_k         the derivative along a small turn theta about the axes of the body:
//! phi_k = sum_i (a_i * r_i)_k                          where phi has the derivatives a_ij by the entries of R
//!       = 1/2 (-p_k a_0 + p0 a_k + (a * p)_k)          where it has the derivatives a by those of p
//! ```
//!
//! `*` between triples is the cross product. An entry of R is a node that derivatives do not look into: its own derivatives are
//! those of the third line, so that first and second derivatives of R u are again products with entries of R. That holds for
//! quaternions of unit length, and there are no others.

use super::{Binary, Graph, Node, Op};
use crate::tape::Layout;

/// Rows of a matrix.
pub(crate) type Matrix = [[Node; 3]; 3];

/// A rotation among the arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// The first input of its quaternion.
    pub p: usize,
    /// The first input of its angular velocity.
    pub w: usize,
    /// Its matrix.
    pub matrix: Matrix,
}

/// What a rotation changes: derivatives by the entries of its matrix and of its quaternion, none where they are zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slopes {
    pub by_matrix: [[Option<Node>; 3]; 3],
    pub by_p: [Option<Node>; 4],
}

/// An entry of the matrix of a rotation: which, its row and its column.
pub(crate) type Place = (usize, usize, usize);

impl Graph {
    /// Makes a rotation of four inputs from `p` on, which turns with three from `w` on. They come in the order of the inputs.
    pub fn add_turn(&mut self, p: usize, w: usize) -> usize {
        let [p0, p1, p2, p3] = [0, 1, 2, 3].map(|i| self.input(p + i));
        let [d1, d2, d3] = [p1, p2, p3].map(|p| self.add(p, p));
        let mut sum = |a: [Node; 2], b: [Node; 2], sign: f64| {
            let (a, b) = (self.mul(a[0], a[1]), self.mul(b[0], b[1]));
            let b = if sign < 0.0 { self.neg(b) } else { b };
            // Not by `add` and `sub`, whose results change when their sign does: the node must stay recognisable.
            self.push(Op::Pair(Binary::Add, a, b))
        };
        let (r01, r10) = (sum([p1, d2], [p0, d3], -1.0), sum([p1, d2], [p0, d3], 1.0));
        let (r02, r20) = (sum([p1, d3], [p0, d2], 1.0), sum([p1, d3], [p0, d2], -1.0));
        let (r12, r21) = (sum([p2, d3], [p0, d1], -1.0), sum([p2, d3], [p0, d1], 1.0));
        let squares = [sum([p2, d2], [p3, d3], 1.0), sum([p1, d1], [p3, d3], 1.0), sum([p1, d1], [p2, d2], 1.0)];
        let one = self.constant(1.0);
        let [r00, r11, r22] = squares.map(|squares| {
            let less = self.neg(squares);
            self.push(Op::Pair(Binary::Add, one, less))
        });
        let matrix = [[r00, r01, r02], [r10, r11, r12], [r20, r21, r22]];
        let number = self.turns.len();
        for (i, row) in matrix.iter().enumerate() {
            for (j, node) in row.iter().enumerate() {
                self.entries.insert(*node, (number, i, j));
            }
        }
        self.turns.push(Turn { p, w, matrix });
        number
    }

    /// Which entry of a rotation a node is.
    pub fn turn_entry(&self, node: Node) -> Option<Place> {
        // Most models have no rotations.
        if self.turns.is_empty() { None } else { self.entries.get(&node).copied() }
    }

    /// The rotation whose quaternion an input belongs to, and which number of it.
    pub fn quaternion(&self, input: usize) -> Option<(usize, usize)> {
        let k = self.turns.partition_point(|turn| turn.p <= input).checked_sub(1)?;
        Some((k, input - self.turns[k].p)).filter(|(_, i)| *i < 4)
    }

    /// The velocity by which a coordinate moves that is a number, counted from the first.
    pub fn column(&self, layout: Layout, input: usize) -> usize {
        input - layout.q().start - self.turns.partition_point(|turn| turn.p < input)
    }

    /// The rates of all coordinates, where they move with the velocities.
    pub fn coordinate_rates(&mut self, layout: Layout) -> Vec<Node> {
        layout.q().map(|input| self.coordinate_rate(layout, input)).collect()
    }

    /// The rate of one of them.
    pub fn coordinate_rate(&mut self, layout: Layout, input: usize) -> Node {
        match self.quaternion(input) {
            Some((k, i)) => self.quaternion_rate(k, i),
            None => {
                let column = self.column(layout, input);
                self.input(layout.v().start + column)
            }
        }
    }

    /// A number of p (0, w)/2.
    fn quaternion_rate(&mut self, k: usize, i: usize) -> Node {
        let Turn { p, w, .. } = self.turns[k];
        let [p0, p1, p2, p3] = [0, 1, 2, 3].map(|i| self.input(p + i));
        let [w1, w2, w3] = [0, 1, 2].map(|i| self.input(w + i));
        let terms = match i {
            0 => [(p1, w1, -0.5), (p2, w2, -0.5), (p3, w3, -0.5)],
            1 => [(p0, w1, 0.5), (p2, w3, 0.5), (p3, w2, -0.5)],
            2 => [(p0, w2, 0.5), (p3, w1, 0.5), (p1, w3, -0.5)],
            _ => [(p0, w3, 0.5), (p1, w2, 0.5), (p2, w1, -0.5)],
        };
        self.loosely(|graph| {
            let mut sum = graph.constant(0.0);
            for (p, w, factor) in terms {
                let (factor, product) = (graph.constant(factor), graph.mul(p, w));
                let part = graph.mul(factor, product);
                sum = graph.add(sum, part);
            }
            sum
        })
    }

    /// The rate of an entry: (r_i * w)_j.
    pub(super) fn entry_rate(&mut self, (k, i, j): Place) -> Node {
        let Turn { w, matrix, .. } = self.turns[k];
        let (a, b) = ((j + 1) % 3, (j + 2) % 3);
        let [wa, wb] = [a, b].map(|i| self.input(w + i));
        let (plus, minus) = (self.mul(matrix[i][a], wb), self.mul(matrix[i][b], wa));
        self.sub(plus, minus)
    }

    /// Derivatives along the three turns.
    pub(super) fn along_turns(&mut self, turn: usize, Slopes { by_matrix, by_p }: &Slopes) -> [Node; 3] {
        let Turn { p, matrix, .. } = self.turns[turn];
        let p = [0, 1, 2, 3].map(|i| self.input(p + i));
        let half = self.constant(0.5);
        let product = |graph: &mut Graph, sum: Node, a: Option<Node>, b: Node, plus: bool| match a {
            None => sum,
            Some(a) => {
                let part = graph.mul(a, b);
                if plus { graph.add(sum, part) } else { graph.sub(sum, part) }
            }
        };
        [0, 1, 2].map(|j| {
            let (a, b) = ((j + 1) % 3, (j + 2) % 3);
            let zero = self.constant(0.0);
            let mut sum = zero;
            for (by, row) in by_matrix.iter().zip(&matrix) {
                sum = product(self, sum, by[a], row[b], true);
                sum = product(self, sum, by[b], row[a], false);
            }
            let mut twice = product(self, zero, by_p[j + 1], p[0], true);
            twice = product(self, twice, by_p[0], p[j + 1], false);
            twice = product(self, twice, by_p[a + 1], p[b + 1], true);
            twice = product(self, twice, by_p[b + 1], p[a + 1], false);
            let part = self.mul(half, twice);
            self.add(sum, part)
        })
    }
}
