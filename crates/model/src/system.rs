//! The equations of a model as a [`ConstrainedSystem`]: one tape for each function and each derivative.
//!
//! ```text
//! r     = -d/dv (lambda . g' + psi . k)            the standard reaction; -d/dq (lambda . g) - d/dv (psi . k) where q' = v
//! R     = M a - f - r                              residual; S = R_q
//! g'    = g_t + g_q q',   q' = v or U(t,q,v)       bias = d/dt g' and d/dt k at v' = 0
//! ```
//!
//! All derivatives are made of formulas when the model is loaded, then common subexpressions are joined: an evaluation is
//! straight-line code without branches, allocation or differences.

use alembert::{ConstrainedSystem, Dims, Energy, Point, Supplied};

use crate::graph::{Derivatives, Graph, Marks, Node};
use crate::tape::{Arguments, Layout, Tape};

/// The equations of a model, as nodes.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Entries of M.
    pub mass: Vec<(usize, usize, Node)>,
    pub force: Vec<Node>,
    /// None for the standard reaction.
    pub reaction: Option<Vec<Node>>,
    pub holonomic: Vec<Node>,
    pub nonholonomic: Vec<Node>,
    /// U; none where q' = v.
    pub rate: Option<Vec<Node>>,
    /// Where the equations come from energies: kinetic v T_v - T (T itself where it is quadratic in v), potential U,
    /// dissipation v R_v, input f v - L_t.
    pub energy: Option<[Node; 4]>,
}

/// What messages call things.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pub velocities: Vec<String>,
    pub holonomic: Vec<String>,
    pub nonholonomic: Vec<String>,
}

/// The equations of a model file.
#[derive(Clone, Debug)]
pub struct System {
    dims: Dims,
    labels: Labels,
    own_reaction: bool,
    general_rate: bool,
    energy: Option<Tape>,
    mass: Tape,
    force: Tape,
    holonomic: Tape,
    nonholonomic: Tape,
    reaction: Tape,
    rate: Tape,
    motion: Tape,
    residual_q: Tape,
    holonomic_q: Tape,
    holonomic_t: Tape,
    holonomic_bias: Tape,
    holonomic_velocity_q: Tape,
    nonholonomic_v: Tape,
    nonholonomic_q: Tape,
    nonholonomic_bias: Tape,
    mass_q: Tape,
    force_q: Tape,
    force_v: Tape,
    reaction_q: Tape,
    reaction_v: Tape,
    reaction_lambda: Tape,
    reaction_psi: Tape,
    rate_v: Tape,
    rate_q: Tape,
}

/// Makes tapes; keeps the tools.
struct Builder<'g> {
    graph: &'g mut Graph,
    layout: Layout,
    derivatives: Derivatives,
    marks: Marks,
}

impl Builder<'_> {
    fn vector(&mut self, nodes: &[Node]) -> Tape {
        let outputs: Vec<(usize, Node)> = nodes.iter().copied().enumerate().collect();
        Tape::new(self.graph, self.layout, &outputs, &mut self.marks)
    }

    /// d rows / d inputs, row-major.
    fn jacobian(&mut self, rows: &[Node], inputs: std::ops::Range<usize>) -> Tape {
        let mut outputs = Vec::new();
        for (i, &row) in rows.iter().enumerate() {
            for (input, node) in self.derivatives.gradient(self.graph, row, inputs.clone()) {
                outputs.push((i * inputs.len() + input - inputs.start, node));
            }
        }
        Tape::new(self.graph, self.layout, &outputs, &mut self.marks)
    }

    /// The transpose of the same.
    fn transposed_jacobian(&mut self, rows: &[Node], inputs: std::ops::Range<usize>) -> Tape {
        let mut outputs = Vec::new();
        for (i, &row) in rows.iter().enumerate() {
            for (input, node) in self.derivatives.gradient(self.graph, row, inputs.clone()) {
                outputs.push(((input - inputs.start) * rows.len() + i, node));
            }
        }
        Tape::new(self.graph, self.layout, &outputs, &mut self.marks)
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
    fn rate(&mut self, nodes: &[Node], rate: Option<&[Node]>) -> Vec<Node> {
        let one = self.graph.constant(1.0);
        let layout = self.layout;
        let q_dot: Vec<Node> = match rate {
            Some(rate) => rate.to_vec(),
            None => layout.v().map(|input| self.graph.input(input)).collect(),
        };
        self.derivatives.along(self.graph, nodes, |input| match input {
            Layout::T => Some(one),
            input if layout.q().contains(&input) => Some(q_dot[input - layout.q().start]),
            _ => None,
        })
    }

    /// The reaction of constraints that do no work.
    fn standard_reaction(&mut self, parts: &Parts, velocity: &[Node]) -> Vec<Node> {
        let layout = self.layout;
        let mut reaction = vec![self.graph.constant(0.0); layout.v];
        let (constraints, by) = match parts.rate {
            Some(_) => (velocity, layout.v()),
            None => (parts.holonomic.as_slice(), layout.q()),
        };
        for (constraints, multipliers, by) in
            [(constraints, layout.lambda().start, by), (&parts.nonholonomic, layout.psi().start, layout.v())]
        {
            let work = self.work(constraints, multipliers);
            for (input, node) in self.derivatives.gradient(self.graph, work, by.clone()) {
                let entry = &mut reaction[input - by.start];
                *entry = self.graph.sub(*entry, node);
            }
        }
        reaction
    }
}

impl System {
    pub(crate) fn new(graph: &mut Graph, layout: Layout, parts: &Parts, labels: Labels) -> System {
        let mut b = Builder { graph, layout, derivatives: Derivatives::default(), marks: Marks::default() };
        let (q, v) = (layout.q(), layout.v());
        let rate = parts.rate.as_deref();
        let velocity = b.rate(&parts.holonomic, rate);
        let holonomic_bias = b.rate(&velocity, rate);
        let nonholonomic_bias = b.rate(&parts.nonholonomic, rate);
        // The part of g' without q'.
        let one = b.graph.constant(1.0);
        let explicit = b.derivatives.along(b.graph, &parts.holonomic, |input| (input == Layout::T).then_some(one));
        let reaction = match &parts.reaction {
            Some(reaction) => reaction.clone(),
            None => b.standard_reaction(parts, &velocity),
        };
        let mut inertia = vec![b.graph.constant(0.0); layout.v];
        for &(i, j, entry) in &parts.mass {
            let a = b.graph.input(layout.a().start + j);
            let part = b.graph.mul(entry, a);
            inertia[i] = b.graph.add(inertia[i], part);
        }
        let mut motion = Vec::with_capacity(layout.v);
        for i in 0..layout.v {
            let rest = b.graph.sub(inertia[i], parts.force[i]);
            motion.push(b.graph.sub(rest, reaction[i]));
        }
        // The residual and the constraints in one tape: entries of c come after those of r.
        let mut both = motion.clone();
        both.extend(parts.holonomic.iter().chain(&parts.nonholonomic));
        let mass: Vec<(usize, Node)> = parts.mass.iter().map(|&(i, j, node)| (i * layout.v + j, node)).collect();
        let rate_rows = parts.rate.clone().unwrap_or_default();
        System {
            dims: Dims { q: layout.q, v: layout.v, lambda: layout.lambda, psi: layout.psi },
            labels,
            own_reaction: parts.reaction.is_some(),
            general_rate: parts.rate.is_some(),
            energy: parts.energy.map(|energy| b.vector(&energy)),
            mass: Tape::new(b.graph, layout, &mass, &mut b.marks),
            force: b.vector(&parts.force),
            holonomic: b.vector(&parts.holonomic),
            nonholonomic: b.vector(&parts.nonholonomic),
            reaction: b.vector(&reaction),
            rate: b.vector(&rate_rows),
            motion: b.vector(&both),
            residual_q: b.jacobian(&motion, q.clone()),
            holonomic_q: b.jacobian(&parts.holonomic, q.clone()),
            holonomic_t: b.vector(&explicit),
            holonomic_bias: b.vector(&holonomic_bias),
            holonomic_velocity_q: b.jacobian(&velocity, q.clone()),
            nonholonomic_v: b.jacobian(&parts.nonholonomic, v.clone()),
            nonholonomic_q: b.jacobian(&parts.nonholonomic, q.clone()),
            nonholonomic_bias: b.vector(&nonholonomic_bias),
            mass_q: b.jacobian(&inertia, q.clone()),
            force_q: b.jacobian(&parts.force, q.clone()),
            force_v: b.jacobian(&parts.force, v.clone()),
            reaction_q: b.jacobian(&reaction, q.clone()),
            reaction_v: b.jacobian(&reaction, v.clone()),
            reaction_lambda: b.transposed_jacobian(&reaction, layout.lambda()),
            reaction_psi: b.transposed_jacobian(&reaction, layout.psi()),
            rate_v: b.jacobian(&rate_rows, v),
            rate_q: b.jacobian(&rate_rows, q),
        }
    }

    /// Instructions of one evaluation of the residual.
    pub fn residual_length(&self) -> usize {
        self.motion.len()
    }
}

fn at(t: f64, q: &[f64]) -> Arguments<'_> {
    Arguments { t, q, ..Arguments::default() }
}

fn moving<'a>(t: f64, q: &'a [f64], v: &'a [f64]) -> Arguments<'a> {
    Arguments { t, q, v, ..Arguments::default() }
}

fn point(at: Point<'_>) -> Arguments<'_> {
    Arguments { t: at.t, q: at.q, v: at.v, lambda: at.lambda, psi: at.psi, a: &[] }
}

/// A derivative that is always there.
fn supplied(tape: &Tape, at: Arguments, out: &mut [f64]) -> Supplied {
    tape.run(at, out);
    Supplied::Yes
}

impl ConstrainedSystem for System {
    fn dims(&self) -> Dims {
        self.dims
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.mass.run(at(t, q), mass);
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.force.run(moving(t, q, v), force);
    }
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {
        self.holonomic.run(at(t, q), g);
    }
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {
        self.nonholonomic.run(moving(t, q, v), k);
    }
    fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
        if !self.own_reaction {
            return Supplied::No;
        }
        supplied(&self.reaction, point(at), r)
    }
    fn rate(&self, t: f64, q: &[f64], v: &[f64], q_dot: &mut [f64]) -> Supplied {
        if !self.general_rate {
            return Supplied::No;
        }
        supplied(&self.rate, moving(t, q, v), q_dot)
    }
    fn residual(&self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Supplied {
        self.motion.run_split(Arguments { a, ..point(at) }, r, c);
        Supplied::Yes
    }
    fn residual_q(&self, at: Point, a: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.residual_q, Arguments { a, ..point(at) }, out)
    }
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.holonomic_q, at(t, q), out)
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.holonomic_t, at(t, q), out)
    }
    fn holonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.holonomic_bias, moving(t, q, v), out)
    }
    fn holonomic_velocity_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.holonomic_velocity_q, moving(t, q, v), out)
    }
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.nonholonomic_v, moving(t, q, v), out)
    }
    fn nonholonomic_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.nonholonomic_q, moving(t, q, v), out)
    }
    fn nonholonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.nonholonomic_bias, moving(t, q, v), out)
    }
    fn mass_q(&self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.mass_q, Arguments { t, q, a, ..Arguments::default() }, out)
    }
    fn force_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.force_q, moving(t, q, v), out)
    }
    fn force_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        supplied(&self.force_v, moving(t, q, v), out)
    }
    fn reaction_q(&self, at: Point, out: &mut [f64]) -> Supplied {
        supplied(&self.reaction_q, point(at), out)
    }
    fn reaction_v(&self, at: Point, out: &mut [f64]) -> Supplied {
        supplied(&self.reaction_v, point(at), out)
    }
    fn reaction_lambda(&self, at: Point, out: &mut [f64]) -> Supplied {
        supplied(&self.reaction_lambda, point(at), out)
    }
    fn reaction_psi(&self, at: Point, out: &mut [f64]) -> Supplied {
        supplied(&self.reaction_psi, point(at), out)
    }
    fn rate_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        if !self.general_rate {
            return Supplied::No;
        }
        supplied(&self.rate_v, moving(t, q, v), out)
    }
    fn rate_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        if !self.general_rate {
            return Supplied::No;
        }
        supplied(&self.rate_q, moving(t, q, v), out)
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        let mut parts = [0.0; 4];
        self.energy.as_ref()?.run(moving(t, q, v), &mut parts);
        let [kinetic, potential, dissipation, input] = parts;
        Some(Energy { kinetic, potential, dissipation, input })
    }
    fn coordinate_name(&self, index: usize) -> String {
        name(&self.labels.velocities, index)
    }
    fn holonomic_name(&self, row: usize) -> String {
        name(&self.labels.holonomic, row)
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        name(&self.labels.nonholonomic, row)
    }
}

fn name(names: &[String], index: usize) -> String {
    names.get(index).cloned().unwrap_or_else(|| index.to_string())
}
