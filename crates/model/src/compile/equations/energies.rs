//! Energies to equations of motion.
//!
//! From energies, with L = T - U and Rayleigh's function R:
//!
//! ```text
//! d/dt T_v - T_q + U_q + R_v = f + r      so      M = T_vv,   force = T_q - U_q - R_v + f - (T_vt + T_vq v)
//! ```
//!
//! Angular velocities w of a rotation are no rates of coordinates, and for them Lagrange's equations become those of Boltzmann and Hamel:
//!
//! ```text
//! d/dt T_w + w * T_w - T_theta + U_theta + R_w = m + r
//! ```
//!
//! where T_theta, U_theta are derivatives along small turns about the axes of the body, `*` is the cross product, and m is the moment about
//! these axes, the force that belongs to w. With T = w J w/2 and U = 0 they are Euler's: J w' + w * J w = m. The power w . (w * T_w) is zero, so that
//! the balance of energy stays what it is. Everything mixed (T that depends on other coordinates, velocities and time) is in d/dt T_w.

use super::{KINETIC, MOTION, Motion, POTENTIAL, Work};
use crate::document::Entry;
use crate::graph::{Derivatives, Graph, Node};
use crate::tape::Layout;

impl<'d> Work<'_, 'd, '_> {
    /// M, the forces and the energies, from `kinetic` and what stands beside it; `extra` are the forces of the file.
    pub(super) fn lagrange(&mut self, entry: Option<Entry<'d>>, extra: Vec<Node>, states: &[Node]) -> Option<Motion> {
        let (layout, bodies) = (self.variables.layout, self.variables.layout.bodies());
        if let (Some(entry), true) = (entry, self.variables.general) {
            let hint = Some("write `mass` and `force` instead".to_owned());
            let message = "`kinetic` needs velocities that are the rates of the coordinates".to_owned();
            self.scope.mistakes.add(entry.key_span, message, hint);
            return None;
        }
        // A mechanism has its own.
        let kinetic = match entry {
            Some(_) => self.energy("kinetic", KINETIC),
            None => Ok(Some(self.scope.graph.constant(0.0))),
        };
        let potential = self.energy("potential", POTENTIAL);
        let dissipation = self.energy("dissipation", MOTION);
        let (kinetic, potential, dissipation) = (kinetic.ok()??, potential.ok()?, dissipation.ok()?);
        let graph = &mut self.scope.graph;
        let mut derivatives = Derivatives::default();
        let mut force = extra.clone();
        for (energy, add) in std::iter::once((kinetic, true)).chain(potential.map(|potential| (potential, false))) {
            // Nothing depends on the integrals of states, so that all columns are those of bodies.
            for (j, part) in derivatives.by_motion(graph, energy, layout) {
                force[j] = if add { graph.add(force[j], part) } else { graph.sub(force[j], part) };
            }
        }
        if let Some(dissipation) = dissipation {
            gradient(&mut derivatives, graph, dissipation, bodies.clone(), &mut force, false);
        }
        let momenta = derivatives.gradient(graph, kinetic, bodies.clone());
        let zero = graph.constant(0.0);
        let mut momentum = vec![zero; bodies.len()];
        momenta.iter().for_each(|(input, node)| momentum[input - bodies.start] = *node);
        let one = graph.constant(1.0);
        let v: Vec<Node> = bodies.clone().map(|input| graph.input(input)).collect();
        let nodes: Vec<Node> = momenta.iter().map(|(_, node)| *node).collect();
        let q_dot = graph.coordinate_rates(layout);
        let rates = derivatives.along(graph, &nodes, |input| match input {
            Layout::T => Some(one),
            input if layout.q().contains(&input) => Some(q_dot[input - layout.q().start]),
            _ => None,
        });
        let mut mass = Vec::new();
        for ((input, momentum), rate) in momenta.into_iter().zip(rates) {
            let i = input - bodies.start;
            force[i] = graph.sub(force[i], rate);
            for (input, node) in derivatives.gradient(graph, momentum, bodies.clone()) {
                mass.push((i, input - bodies.start, node));
            }
        }
        add_gyroscopic(graph, layout, &momentum, &mut force);
        // Powers: of the dissipation, and of what comes from outside, forces and time itself.
        let mut dissipated = vec![zero; bodies.len()];
        if let Some(dissipation) = dissipation {
            gradient(&mut derivatives, graph, dissipation, bodies.clone(), &mut dissipated, true);
        }
        let potential = potential.unwrap_or(zero);
        // Energies that depend on states change with them.
        let explicit = derivatives.along(graph, &[kinetic, potential], |input| match input {
            Layout::T => Some(one),
            input => input.checked_sub(layout.states().start).and_then(|k| states.get(k)).copied(),
        });
        let mut power = |forces: &[Node]| {
            forces.iter().zip(&v).fold(zero, |sum, (force, v)| {
                let part = graph.mul(*force, *v);
                graph.add(sum, part)
            })
        };
        let (twice, lost, put_in) = (power(&momentum), power(&dissipated), power(&extra));
        let own = graph.sub(twice, kinetic);
        let drive = graph.sub(explicit[1], explicit[0]);
        let energy = [own, potential, lost, put_in, drive];
        for (_, _, node) in &mass {
            let inputs = self.scope.graph.inputs(*node, &mut self.scope.marks);
            if let Some(bad) = inputs.into_iter().find(|input| layout.v().contains(input)) {
                let message = format!("`kinetic` is not quadratic in `{}`", self.variables.name(bad));
                self.scope.mistakes.add(
                    entry.map(|entry| entry.span),
                    message,
                    Some("kinetic energy is a quadratic form of the velocities".to_owned()),
                );
                return None;
            }
        }
        Some((mass, force, Some(energy)))
    }
}

/// Subtracts w * T_w from the moments of each rotation.
fn add_gyroscopic(graph: &mut Graph, layout: Layout, momentum: &[Node], force: &mut [Node]) {
    for first in graph.turns.iter().map(|turn| turn.w).collect::<Vec<usize>>() {
        let at = first - layout.v().start;
        for j in 0..3 {
            let (a, b) = ((j + 1) % 3, (j + 2) % 3);
            let [wa, wb] = [a, b].map(|i| graph.input(first + i));
            let (plus, minus) = (graph.mul(wa, momentum[at + b]), graph.mul(wb, momentum[at + a]));
            let part = graph.sub(plus, minus);
            force[at + j] = graph.sub(force[at + j], part);
        }
    }
}

/// Adds (or subtracts) a gradient by velocities.
fn gradient(
    derivatives: &mut Derivatives,
    graph: &mut Graph,
    node: Node,
    inputs: std::ops::Range<usize>,
    sum: &mut [Node],
    add: bool,
) {
    for (input, part) in derivatives.gradient(graph, node, inputs.clone()) {
        let entry = &mut sum[input - inputs.start];
        *entry = if add { graph.add(*entry, part) } else { graph.sub(*entry, part) };
    }
}
