//! The equations of a model as a [`ConstrainedSystem`]: one tape for each function and each derivative.
//!
//! ```text
//! r     = -d/dv (lambda . g' + psi . k)            the standard reaction; -d/dq (lambda . g) - d/dv (psi . k) where q' = v
//! R     = M a - f - r                              residual; S = R_q
//! g'    = g_t + g_q q',   q' = v or U(t,q,v)       bias = d/dt g' and d/dt k at v' = 0
//! ```
//!
//! With rotations q' = v means that they turn with their angular velocities, and derivatives by q have a column for each velocity.
//!
//! All derivatives are made from the formulas when the model is loaded, and common subexpressions are joined: an evaluation is
//! straight-line code without branches, allocation or differences. Which entries a derivative has is known before any of them is
//! evaluated; large models state their patterns, and their tapes write only the entries of those.

mod beneath;
mod builder;
mod fingerprint;
mod labels;
mod landmarks;
mod overlaid;
mod parts;
mod places;
mod switches;

use std::sync::Arc;

use alembert::{
    Answer, At, ConstrainedSystem, Description, Dims, Energy, Named, Quantities, Quantity, SolverChoice, Supplied,
    Workspace,
};

use alembert_mechanism::Mechanism;

use crate::graph::{Graph, Marks, Node};
use crate::tape::{Arguments, Layout, Registers, Tape};
use beneath::{Beneath, Room};
pub(crate) use builder::Builder;
pub(crate) use labels::Labels;
use overlaid::Overlaid;
pub(crate) use parts::Parts;
use places::{Block, Entries, Places};

/// A tape for what is often asked together.
#[derive(Clone, Debug)]
struct Joint {
    /// The quantities that there are any entries of, in the order of the outputs.
    quantities: Vec<Quantity>,
    /// What has to be wanted for the tape to be run. Of the others as many are answered as are wanted in a row.
    needs: Quantities,
    tape: Tape,
}

/// The equations of a model file.
#[derive(Clone, Debug)]
pub struct System {
    description: Description,
    labels: Labels,
    /// Tapes that answer several quantities at once, in the order in which they are tried.
    joint: Vec<Joint>,
    /// Those that answer one, by quantity.
    alone: Vec<Option<Tape>>,
    /// The switches by their own values, for where no branch is held.
    free: Option<Tape>,
    switch_names: Vec<String>,
    /// The mechanism beneath.
    beneath: Option<Beneath>,
    whole: Whole,
}

/// Whether somebody else has all of the equations.
#[derive(Clone, Debug)]
enum Whole {
    /// There are formulas, and perhaps a mechanism beneath.
    Formulas,
    /// There is nothing but the mechanism.
    Mechanism,
    /// A program has some of them, and the others are those of a file.
    Given(Arc<Overlaid>),
}

/// What it takes to evaluate a system.
#[derive(Default)]
struct Buffers {
    /// Of the tapes, those of several quantities first, then that of the switches.
    registers: Vec<Registers>,
    held: Vec<f64>,
    beneath: Option<Room>,
}

impl System {
    /// With `smooth` formulas are taken as they are, kinks and jumps included.
    pub(crate) fn new(graph: &mut Graph, layout: Layout, parts: &Parts, labels: Labels, smooth: bool) -> System {
        if let Some(mechanism) = parts.mechanism.as_ref().filter(|_| parts.is_mechanism(graph, layout)) {
            return System::of(mechanism, labels);
        }
        let marks = &mut Marks::default();
        let landmarks = landmarks::landmarks(graph, parts, marks);
        let held = if smooth { None } else { switches::hold(graph, layout, parts, &labels, marks) };
        let (written, switches) = held.unzip();
        let (parts, switches) = (written.as_ref().unwrap_or(parts), switches.unwrap_or_default());
        let layout = Layout { held: switches.kinds.len(), ..layout };
        let mut b = Builder::new(graph, layout);
        let v = layout.v();
        let rate = parts.rate.as_deref();
        let general = parts.rate.is_some();
        let rotations: Vec<usize> = b.graph.turns.iter().map(|turn| turn.w - v.start).collect();
        let velocity = b.rate(&parts.holonomic, rate);
        let holonomic_bias = b.rate(&velocity, rate);
        let nonholonomic_bias = b.rate(&parts.nonholonomic, rate);
        // The part of g' without q'.
        let explicit = b.explicit_rate(&parts.holonomic);
        // Constraints may contain states, but do not act on them: such a reaction is none of the standard ones.
        let beneath = parts.mechanism.as_ref().map(|mechanism| mechanism.system().description());
        let own_reaction = parts.reaction.is_some()
            || parts.added.is_some()
            || beneath.is_some_and(|description| !description.has_standard_reaction())
            || b.depend_on(&parts.nonholonomic, layout.states());
        let mut reaction = match &parts.reaction {
            Some(reaction) => reaction.clone(),
            None => b.standard_reaction(parts, &velocity),
        };
        for (reaction, added) in reaction.iter_mut().zip(parts.added.iter().flatten()) {
            *reaction = b.graph.add(*reaction, *added);
        }
        let inertia = b.inertia(&parts.mass);
        let motion: Vec<Node> = (0..layout.v)
            .map(|i| {
                let rest = b.graph.sub(inertia[i], parts.force[i]);
                b.graph.sub(rest, reaction[i])
            })
            .collect();
        let rate_rows = parts.rate.clone().unwrap_or_default();

        let residual_q = b.by_coordinates(&motion, general);
        let holonomic_q = b.by_coordinates(&parts.holonomic, general);
        let holonomic_velocity_q = b.by_coordinates(&velocity, general);
        let nonholonomic_v = b.jacobian(&parts.nonholonomic, v.clone());
        let nonholonomic_q = b.by_coordinates(&parts.nonholonomic, general);
        let mass_q = b.by_coordinates(&inertia, general);
        let force_q = b.by_coordinates(&parts.force, general);
        let force_v = b.jacobian(&parts.force, v.clone());
        let reaction_q = b.by_coordinates(&reaction, general);
        let reaction_v = b.jacobian(&reaction, v.clone());
        let reaction_lambda = b.transposed_jacobian(&reaction, layout.lambda());
        let reaction_psi = b.transposed_jacobian(&reaction, layout.psi());
        let rate_v = b.jacobian(&rate_rows, v);
        let rate_q = b.by_coordinates(&rate_rows, general);
        // Rows of joints come first.
        let [first_g, first_k] = parts.first();
        let below = |entries: Entries, first: usize| -> Entries {
            entries.into_iter().map(|(i, j, node)| (first + i, j, node)).collect()
        };
        let [holonomic_q, holonomic_velocity_q] = [holonomic_q, holonomic_velocity_q].map(|rows| below(rows, first_g));
        let [nonholonomic_v, nonholonomic_q] = [nonholonomic_v, nonholonomic_q].map(|rows| below(rows, first_k));
        let places = Places::new(
            layout,
            // Patterns are not for general kinematics.
            (if general { SolverChoice::Dense } else { parts.solver }, &rotations),
            beneath,
            &[&parts.mass, &residual_q, &mass_q, &force_q, &force_v, &reaction_q, &reaction_v],
            &[&holonomic_q, &holonomic_velocity_q, &reaction_lambda],
            &[&nonholonomic_v, &nonholonomic_q, &reaction_psi],
        );
        let description = Description {
            supplied: supplied(parts, own_reaction, !rotations.is_empty() || beneath.is_some()),
            // Constants were folded, so that a node without a constant value depends on something.
            constant_mass: parts.mass.iter().all(|(_, _, node)| b.graph.value(*node).is_some()),
            indefinite_mass: parts.indefinite,
            redundancy: parts.redundancy,
            solver: parts.solver,
            rotations,
            landmarks: landmarks.len(),
            switches: switches
                .kinds
                .iter()
                .copied()
                .chain(beneath.iter().flat_map(|own| own.switches.clone()))
                .collect(),
            gaps: beneath.map_or_else(Vec::new, |own| own.gaps.clone()),
            states: layout.states,
            still: parts.still,
            ..Description::new(Dims { q: layout.q, v: layout.v, lambda: layout.lambda, psi: layout.psi })
        };
        let vector = |nodes: &[Node]| nodes.iter().copied().enumerate().collect::<Outputs>();
        let rows_g = |nodes: &[Node]| (first_g..).zip(nodes.iter().copied()).collect::<Outputs>();
        let rows_k = |nodes: &[Node]| (first_k..).zip(nodes.iter().copied()).collect::<Outputs>();
        let matrix = |entries: &Entries, block: Block, columns: usize| -> Outputs {
            entries.iter().map(|&(i, j, node)| (places.of(block, i, j, columns), node)).collect()
        };
        use Block::{Dense, Holonomic, Nonholonomic, Top};
        let (by_v, by_q) = (layout.v, if general { layout.q } else { layout.v });
        let g_q = matrix(&holonomic_q, Holonomic, by_q);
        let mut alone = vec![None; Quantity::ALL.len()];
        for (quantity, outputs) in [
            (Quantity::Mass, matrix(&parts.mass, Top, by_v)),
            (Quantity::Force, vector(&parts.force)),
            (Quantity::Holonomic, rows_g(&parts.holonomic)),
            (Quantity::Nonholonomic, rows_k(&parts.nonholonomic)),
            (Quantity::Reaction, vector(&reaction)),
            (Quantity::Rate, vector(&rate_rows)),
            (Quantity::HolonomicQ, g_q.clone()),
            (Quantity::HolonomicT, rows_g(&explicit)),
            (Quantity::HolonomicBias, rows_g(&holonomic_bias)),
            (Quantity::HolonomicVelocityQ, matrix(&holonomic_velocity_q, Holonomic, by_q)),
            (Quantity::NonholonomicV, matrix(&nonholonomic_v, Nonholonomic, by_v)),
            (Quantity::NonholonomicQ, matrix(&nonholonomic_q, Nonholonomic, by_q)),
            (Quantity::NonholonomicBias, rows_k(&nonholonomic_bias)),
            (Quantity::MassQ, matrix(&mass_q, Top, by_q)),
            (Quantity::ForceQ, matrix(&force_q, Top, by_q)),
            (Quantity::ForceV, matrix(&force_v, Top, by_v)),
            (Quantity::ReactionQ, matrix(&reaction_q, Top, by_q)),
            (Quantity::ReactionV, matrix(&reaction_v, Top, by_v)),
            (Quantity::ReactionLambda, matrix(&reaction_lambda, Holonomic, by_v)),
            (Quantity::ReactionPsi, matrix(&reaction_psi, Nonholonomic, by_v)),
            (Quantity::RateV, matrix(&rate_v, Dense, by_v)),
            (Quantity::RateQ, matrix(&rate_q, Dense, by_q)),
            (Quantity::ResidualQ, matrix(&residual_q, Top, by_q)),
            (Quantity::Energy, parts.energy.map(|energy| vector(&energy)).unwrap_or_default()),
            (Quantity::Landmarks, vector(&landmarks)),
            (Quantity::Switches, vector(&switches.held)),
        ] {
            alone[quantity as usize] = Some(b.tape(&outputs));
        }
        let (top, rows) = (places.len(Top, by_v * by_v), places.len(Holonomic, layout.lambda * by_q));
        let k_v = (
            Quantity::NonholonomicV,
            places.len(Nonholonomic, layout.psi * by_v),
            matrix(&nonholonomic_v, Nonholonomic, by_v),
        );
        let force = (Quantity::Force, layout.v, vector(&parts.force));
        let g_q = (Quantity::HolonomicQ, rows, g_q);
        let g = (Quantity::Holonomic, layout.lambda, rows_g(&parts.holonomic));
        let k = (Quantity::Nonholonomic, layout.psi, rows_k(&parts.nonholonomic));
        // A mass that never changes is asked for once.
        let mass = (Quantity::Mass, if description.constant_mass { 0 } else { top }, matrix(&parts.mass, Top, by_v));
        let bias = (Quantity::HolonomicBias, layout.lambda, rows_g(&holonomic_bias));
        let bias_k = (Quantity::NonholonomicBias, layout.psi, rows_k(&nonholonomic_bias));
        let joint = vec![
            b.joint(&[(Quantity::Residual, layout.v, vector(&motion)), g.clone(), k.clone()], Some(Quantity::Residual)),
            // The acceleration level, and an iteration of Newton's method.
            b.joint(&[force.clone(), mass, g_q.clone(), k_v.clone(), bias, bias_k], None),
            b.joint(&[force, g_q.clone(), g.clone(), k_v, k], None),
            b.joint(&[g_q, g], None),
        ];
        let free = (!switches.free.is_empty()).then(|| b.tape(&vector(&switches.free)));
        let description = Description { patterns: places.patterns(), ..description };
        let mechanism = parts.mechanism.clone();
        let beneath = mechanism.map(|it| Beneath::new(it, description.patterns.as_ref(), layout.lambda, layout.held));
        let mut system = System {
            description,
            labels,
            joint,
            alone,
            free,
            switch_names: switches.names,
            beneath,
            whole: Whole::Formulas,
        };
        system.description.fingerprint = system.fingerprint(&b.graph.tables);
        system
    }

    /// A mechanism without formulas: nothing stands between its assembly and who asks.
    fn of(mechanism: &Arc<Mechanism>, labels: Labels) -> System {
        let beneath = Some(Beneath::new(Arc::clone(mechanism), None, 0, 0));
        System { beneath, whole: Whole::Mechanism, ..System::empty(mechanism.system().description().clone(), labels) }
    }

    /// Without formulas.
    fn empty(description: Description, labels: Labels) -> System {
        System {
            description,
            labels,
            joint: Vec::new(),
            alone: vec![None; Quantity::ALL.len()],
            free: None,
            switch_names: Vec::new(),
            beneath: None,
            whole: Whole::Formulas,
        }
    }

    /// Who has all of the equations, if it is somebody else.
    fn whole(&self) -> Option<&dyn ConstrainedSystem> {
        match (&self.whole, &self.beneath) {
            (Whole::Given(both), _) => Some(&**both),
            (Whole::Mechanism, Some(beneath)) => Some(beneath.mechanism.system()),
            _ => None,
        }
    }

    /// The mechanism that the model has.
    pub fn mechanism(&self) -> Option<&Mechanism> {
        self.beneath.as_ref().map(|beneath| &*beneath.mechanism)
    }

    /// Instructions of one evaluation of the residual.
    pub fn residual_length(&self) -> usize {
        self.joint.first().map_or(0, |joint| joint.tape.len())
    }

    /// The energy at (t, q, v), where the model is made of energies.
    pub fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        let mut energy = [0.0; 5];
        match self.ask(Quantity::Energy, &At::new(t, q, v), &mut energy) {
            Supplied::Yes => Some(energy.into()),
            Supplied::No => None,
        }
    }

    fn buffers(&self) -> Buffers {
        let registers = vec![Registers::default(); self.joint.len() + self.alone.len() + 1];
        let beneath = self.beneath.as_ref().map(Beneath::room);
        Buffers { registers, held: vec![0.0; self.switch_names.len()], beneath }
    }

    /// Arguments of tapes, with branches where none are held: those of the values of the switches.
    fn arguments<'a>(&self, at: &At<'a>, buffers: &'a mut Buffers) -> (Arguments<'a>, &'a mut [Registers]) {
        let At { t, q, v, a, lambda, psi, held, .. } = *at;
        // Switches of a mechanism come behind.
        let held = held.get(..self.switch_names.len()).unwrap_or(held);
        let arguments = Arguments { t, q, v, a, lambda, psi, held };
        let Buffers { registers, held: values, .. } = buffers;
        let Some(tape) = &self.free else { return (arguments, registers) };
        if held.len() == values.len() && !held.iter().any(|held| held.is_nan()) {
            return (arguments, registers);
        }
        if let Some(registers) = registers.last_mut() {
            values.fill(0.0);
            tape.run(arguments, registers, values);
        }
        for (value, held) in values.iter_mut().zip(held).filter(|(_, held)| !held.is_nan()) {
            *value = *held;
        }
        (Arguments { held: values, ..arguments }, registers)
    }
}

/// What a model supplies: everything, derivatives included.
fn supplied(parts: &Parts, own_reaction: bool, turns: bool) -> Quantities {
    use Quantity::*;
    let missing = [
        (!own_reaction, Quantities::of(&[Reaction])),
        (parts.rate.is_none(), Quantities::of(&[Rate, RateV, RateQ])),
        (parts.energy.is_none(), Quantities::of(&[Energy])),
        // Changes are those of numbers that add.
        (turns, Quantities::of(&[HolonomicChange])),
    ];
    let missing =
        missing.into_iter().filter(|(missing, _)| *missing).fold(Quantities::NONE, |all, (_, more)| all.and(more));
    Quantity::ALL.into_iter().filter(|quantity| !missing.has(*quantity)).fold(Quantities::NONE, Quantities::with)
}

/// Quantities of a joint tape at most.
const MOST_JOINED: usize = 6;

/// Entries of outputs, and their nodes.
type Outputs = Vec<(usize, Node)>;

impl Builder<'_> {
    /// A tape for several quantities with their numbers of entries, one after the other. All of them must be wanted, or the
    /// one that is named.
    fn joint(&mut self, pieces: &[(Quantity, usize, Outputs)], needs: Option<Quantity>) -> Joint {
        let (mut first, mut all, mut quantities) = (0, Outputs::new(), Vec::new());
        for (quantity, len, outputs) in pieces.iter().filter(|(_, len, _)| *len > 0) {
            all.extend(outputs.iter().map(|(entry, node)| (first + entry, *node)));
            quantities.push(*quantity);
            first += len;
        }
        let needs = needs.map_or_else(|| Quantities::of(&quantities), Quantity::alone);
        Joint { quantities, needs, tape: self.tape(&all) }
    }
}

impl ConstrainedSystem for System {
    fn description(&self) -> &Description {
        &self.description
    }

    fn workspace(&self) -> Workspace {
        if let Some(whole) = self.whole() {
            return whole.workspace();
        }
        let mut buffers = self.buffers();
        // Changes are first asked for in the middle of a motion, and steps must not allocate.
        if let Some(tape) = &self.alone[Quantity::Holonomic as usize] {
            tape.prepare_changes(&mut buffers.registers[self.joint.len() + Quantity::HolonomicChange as usize]);
        }
        Workspace::new(buffers)
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        match (self.whole(), &self.beneath) {
            (Some(whole), _) => whole.evaluate(at, answer, workspace),
            (None, Some(beneath)) => self.evaluate_both(beneath, at, answer, workspace),
            (None, None) => self.evaluate_formulas(at, answer, workspace.buffers(|| self.buffers())),
        }
    }

    fn single(&self, quantity: Quantity, at: &At, out: &mut [f64], workspace: &mut Workspace) {
        if let Whole::Given(both) = &self.whole {
            return both.single(quantity, at, out, workspace);
        }
        let (Some(tape), None, joint) = (&self.alone[quantity as usize], &self.beneath, self.joint.len()) else {
            // The residual, changes, what has a mechanism beneath, and what is not here.
            return self.evaluate(at, &mut Answer::new(&mut [(quantity, out)]), workspace);
        };
        let (arguments, registers) = self.arguments(at, workspace.buffers(|| self.buffers()));
        tape.run(arguments, &mut registers[joint + quantity as usize], out);
    }

    fn name(&self, what: Named, index: usize) -> String {
        let Labels { directions, velocities, holonomic, nonholonomic, .. } = &self.labels;
        let names = match what {
            Named::Coordinate => velocities,
            Named::Position => directions,
            Named::Holonomic => holonomic,
            Named::Nonholonomic => nonholonomic,
            Named::Switch => match (&self.beneath, index.checked_sub(self.switch_names.len())) {
                (Some(beneath), Some(index)) => return beneath.mechanism.system().name(what, index),
                _ => &self.switch_names,
            },
            Named::Gap => {
                let beneath = self.beneath.as_ref();
                return beneath
                    .map_or_else(|| what.standard(index), |beneath| beneath.mechanism.system().name(what, index));
            }
        };
        names.get(index).cloned().unwrap_or_else(|| index.to_string())
    }
}

impl System {
    /// Formulas, and what is beneath added to them.
    fn evaluate_both(&self, beneath: &Beneath, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        let buffers = workspace.buffers(|| self.buffers());
        let mut room = buffers.beneath.take();
        if let Some(room) = &mut room {
            beneath.evaluate(at, answer.open(), room);
        }
        let mut outs: [(Quantity, &mut [f64]); Quantity::ALL.len()] =
            Quantity::ALL.map(|quantity| (quantity, Default::default()));
        while let Some((quantity, out)) = answer.take_any() {
            outs[quantity as usize].1 = out;
        }
        {
            // The same slices, lent to the formulas.
            let mut lent = outs.each_mut().map(|(quantity, out)| (*quantity, &mut **out));
            self.evaluate_formulas(at, &mut Answer::new(&mut lent), buffers);
        }
        for (quantity, out) in outs.iter_mut().filter(|(_, out)| !out.is_empty()) {
            if let Some(room) = &room {
                beneath.add(*quantity, room, out);
            }
        }
        buffers.beneath = room;
    }

    fn evaluate_formulas(&self, at: &At, answer: &mut Answer, buffers: &mut Buffers) {
        let (arguments, registers) = self.arguments(at, buffers);
        let (of_joint, of_alone) = registers.split_at_mut(self.joint.len());
        for (joint, registers) in self.joint.iter().zip(of_joint) {
            // A tape for one thing does less, where there is one.
            let alone = joint.quantities.len() == 1 && self.alone[joint.quantities[0] as usize].is_some();
            if alone || !answer.open().has_all(joint.needs) {
                continue;
            }
            let mut pieces: [&mut [f64]; MOST_JOINED] = Default::default();
            let mut taken = 0;
            for (piece, quantity) in pieces.iter_mut().zip(&joint.quantities) {
                let Some(out) = answer.take(*quantity) else { break };
                *piece = out;
                taken += 1;
            }
            joint.tape.run_pieces(arguments, registers, &mut pieces[..taken]);
        }
        if let (Some(out), Some(tape)) =
            (answer.take(Quantity::HolonomicChange), &self.alone[Quantity::Holonomic as usize])
        {
            tape.change(arguments, (at.dt, at.dq), &mut of_alone[Quantity::HolonomicChange as usize], out);
        }
        while let Some((quantity, out)) = answer.take_any() {
            if let Some(tape) = &self.alone[quantity as usize] {
                tape.run(arguments, &mut of_alone[quantity as usize], out);
            }
        }
    }
}
