//! An assembly of elements on nodes: a system that can be integrated.
//!
//! ```text
//! M v' = f - G^T lambda - K^T psi      M = blockdiag(m I, J), constant: p is the centre of mass, J about it in body axes
//! 0 = g,  0 = k                        rows of joints and drivers
//! f = (m gravity, -w * J w) + loads
//! ```
//!
//! Elements speak of world vectors z ([`attached`](crate::attached)); all that depends on bodies is done here, once for all of
//! them, with the sums over the vectors of each row (g_z gradient, J columns of z, see there)
//!
//! ```text
//! G      = sum g_z J                                     K = sum A J
//! Gamma  = sum g_z Jw + (g_zz z' + g_tz) J               k_q the same with the couplings of A
//! bias   = g_tt + 2 g_tz z' + z' g_zz z' + sum g_z z''   k_t + z' A_z z' + sum A z''
//! d/dq (G^T lambda) = J^T (lambda g_zz) J + torsion      the same
//! ```
//!
//! Wrenches and blocks are summed in world components and turned into body axes at the end.

mod bodies;
mod coincidence;
mod diagonals;
mod fingerprint;
mod forces;
mod friction;
mod gaps;
mod jointed;
mod joints;
mod names;
mod plan;
mod quad;
mod replace;
mod rows;
mod scratch;
mod sums;
mod top;

pub(crate) use bodies::Inertia;
pub(crate) use gaps::Loose;
pub(crate) use scratch::Scratch;

use std::borrow::Cow;
use std::sync::Arc;

use alembert::{
    Answer, At, ConstrainedSystem, Description, Dims, Named, Pattern, Patterns, Quantities, Quantity, Redundancy,
    Switch, Workspace,
};

use crate::algebra::Vector;
use crate::distinct::Distinct;
use crate::load::{Load, Pressed};
use crate::names::Names;
use crate::node::{Kind, Node, NodeId};
use crate::row::{Level, Row};
use crate::support::Support;
use diagonals::Diagonals;
use friction::{OF_FRICTION, Which};
use jointed::{Jointed, Pair, Placed, pairs, place_rows};
use joints::Joints;
use plan::Fill;

/// Constraints of one joint or driver.
#[derive(Debug)]
pub(crate) struct Constraint {
    pub name: String,
    pub support: Support,
    pub rows: Vec<Arc<Row>>,
}

/// A force and what it acts on.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub support: Support,
    pub load: Box<dyn Load>,
    /// What presses, of friction that grows with the reactions of a joint.
    pub pressed: Option<Pressed>,
}

/// An element with a force.
#[derive(Debug)]
struct Pulled {
    support: Support,
    load: Box<dyn Load>,
    pressed: Option<Pressed>,
    /// Which switch is its own.
    switch: Option<usize>,
    pairs: Box<[Pair]>,
}

/// Bodies, joints and forces as a system.
#[derive(Debug)]
pub struct Assembly {
    nodes: Vec<Node>,
    names: Names,
    constraint_names: Names,
    inertias: Distinct<Inertia>,
    diagonals: Diagonals,
    gravity: Vector,
    resting: f64,
    joints: Joints,
    pulls: Vec<Pulled>,
    /// Constraints that give way, as they were drawn.
    loose: Vec<Loose>,
    description: Description,
}

/// What an assembly is made of.
#[derive(Debug)]
pub(crate) struct Elements {
    /// The ground first.
    pub nodes: Vec<(String, Kind, Inertia)>,
    pub gravity: Vector,
    pub constraints: Vec<Constraint>,
    pub loads: Vec<Loaded>,
    pub redundancy: Redundancy,
    /// The potential energy of what does not move.
    pub resting: f64,
}

/// What is asked of rows.
const OF_ROWS: Quantities = {
    use Quantity::*;
    Quantities::of(&[
        Holonomic,
        HolonomicQ,
        HolonomicT,
        HolonomicBias,
        HolonomicVelocityQ,
        Nonholonomic,
        NonholonomicV,
        NonholonomicQ,
        NonholonomicBias,
    ])
};

/// What needs velocities.
const OF_MOTION: Quantities = {
    use Quantity::*;
    Quantities::of(&[
        Force,
        Nonholonomic,
        HolonomicBias,
        HolonomicVelocityQ,
        NonholonomicQ,
        NonholonomicBias,
        ForceQ,
        ForceV,
        Reaction,
        ReactionQ,
        ReactionV,
        ReactionLambda,
        Residual,
        ResidualQ,
        Energy,
    ])
};

const SUPPLIED: Quantities = {
    use Quantity::*;
    OF_ROWS
        .and(Quantities::of(&[Mass, Force, MassQ, ForceQ, ForceV, ReactionQ, ReactionV, Residual, ResidualQ, Energy]))
};

impl Assembly {
    /// Finds the patterns, and where each element stands in them.
    pub(crate) fn new(elements: Elements) -> Self {
        let Elements { nodes: given, gravity, constraints, loads, redundancy, resting } = elements;
        let room = given.len();
        let (mut nodes, mut names, mut inertias) =
            (Vec::with_capacity(room), Names::default(), Vec::with_capacity(room));
        let (mut q, mut v) = (0, 0);
        for (name, kind, inertia) in given {
            nodes.push(Node { kind, q, v });
            names.push(&name);
            inertias.push(inertia);
            let [more_q, more_v] = kind.sizes();
            (q, v) = (q + more_q, v + more_v);
        }
        names.shrink();
        let inertias = Distinct::new(inertias, Inertia::key);
        let count = |level: Level| constraints.iter().flat_map(|c| &c.rows).filter(|row| row.level == level).count();
        let dims = Dims { q, v, lambda: count(Level::Position), psi: count(Level::Velocity) };

        let couplings = |rows: &[Arc<Row>]| rows.iter().flat_map(|row| row.couplings()).collect::<Vec<_>>();
        let of_joints: Vec<_> =
            constraints.iter().map(|c| plan::fills(&c.support, couplings(&c.rows).into_iter())).collect();
        let of_loads: Vec<_> = loads.iter().map(|l| plan::fills(&l.support, l.load.couplings().into_iter())).collect();
        let supports = constraints.iter().map(|c| &c.support).chain(loads.iter().map(|l| &l.support));
        let all = || supports.clone().zip(of_joints.iter().chain(&of_loads));

        let mut own = vec![Fill([[false, false], [false, true]]); nodes.len()];
        let mut coupled = vec![false; nodes.len()];
        for (support, fills) in all() {
            for (a, b, fill) in fills.iter().filter(|(a, b, _)| a == b) {
                let node = support.nodes[*a];
                coupled[node] = true;
                (0..2).for_each(|i| own[node].add([i == 0, i == 1], fill.0[i]));
                debug_assert_eq!(a, b);
            }
        }
        let diagonal = nodes.iter().zip(&own).flat_map(|(node, fill)| {
            let masses = plan::columns(node, 0).map(|i| (i, i));
            plan::entries(node, node, *fill).chain(masses)
        });
        let across = all().flat_map(|(support, fills)| {
            fills
                .iter()
                .flat_map(|(a, b, fill)| plan::entries(&nodes[support.nodes[*a]], &nodes[support.nodes[*b]], *fill))
        });
        let top = Pattern::from_entries(v, v, diagonal.chain(across).collect::<Vec<_>>());

        let rubs = loads.iter().any(|load| load.pressed.is_some());
        let wider = |constraint: usize| {
            let here = move |load: &&Loaded| load.pressed.as_ref().is_some_and(|p| p.constraint == constraint);
            loads.iter().filter(here).map(|load| &load.support)
        };
        let (rows, joints, constraint_names) =
            place_rows(dims, &nodes, constraints, wider, |support, at| pairs(support, &of_joints[at], &top, &nodes));
        let joints = Joints::new(joints, &nodes, rubs);
        let mut switches = 0;
        let pulls = loads
            .into_iter()
            .zip(&of_loads)
            .map(|(Loaded { support, load, pressed }, fills)| {
                let pairs = pairs(&support, fills, &top, &nodes);
                let switch = load.switches().then_some(switches);
                switches += usize::from(load.switches());
                Pulled { support, load, pressed, switch, pairs }
            })
            .collect();
        let diagonals = Diagonals::new(&top, &nodes, &own, &coupled);
        let rotations = nodes.iter().filter(|node| node.kind == Kind::Spatial).map(|node| node.v + 3).collect();
        let description = Description {
            supplied: SUPPLIED.and(if rubs { OF_FRICTION } else { Quantities::of(&[]) }).and(if switches > 0 {
                Quantities::of(&[Quantity::Switches])
            } else {
                Quantities::of(&[])
            }),
            switches: vec![Switch::Sign; switches],
            overwritten: OF_ROWS,
            rotations,
            patterns: Some(Patterns::of(top, rows)),
            constant_mass: true,
            redundancy,
            ..Description::new(dims)
        };
        let mut assembly = Assembly {
            nodes,
            names,
            constraint_names,
            inertias,
            diagonals,
            gravity,
            resting,
            joints,
            pulls,
            loose: Vec::new(),
            description,
        };
        assembly.description.fingerprint = assembly.fingerprint();
        assembly
    }

    /// The nodes, the ground first.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the nodes are called.
    pub(crate) fn node_names(&self) -> &Names {
        &self.names
    }

    /// What the constraints are called.
    pub(crate) fn constraint_names(&self) -> &Names {
        &self.constraint_names
    }

    /// The mass of a node.
    pub(crate) fn inertia(&self, node: NodeId) -> &Inertia {
        &self.inertias[node]
    }

    /// Lets the rows of a constraint be zero at a configuration.
    pub(crate) fn hold(&mut self, constraint: usize, q: &[f64]) {
        let mut poses = vec![crate::node::Pose::HOME; self.nodes.len()];
        self.nodes.iter().zip(&mut poses).for_each(|(node, pose)| node.place(q, pose));
        let (mut z, mut sum) = (Vec::new(), crate::expansion::Expansion::default());
        // The rows of points are held where they are already.
        let Some(joint) = self.joints.listed_mut(constraint) else { return };
        joint.support.locate(&poses, &mut z);
        for placed in &mut joint.rows {
            placed.row.expand(0.0, &z, crate::expansion::Order::Value, &mut sum);
            let row = Arc::make_mut(&mut placed.row);
            row.offset += sum.value / row.scale;
        }
        self.description.fingerprint = self.fingerprint();
    }

    /// What becomes of constraints that follow from others.
    pub(crate) fn set_redundancy(&mut self, redundancy: Redundancy) {
        self.description.redundancy = redundancy;
    }

    /// What the joint with this index stands on, its rows, and their indices at their levels.
    pub(crate) fn joint_rows(&self, joint: usize) -> (Cow<'_, Support>, impl Iterator<Item = (&Row, usize)>) {
        let joint = self.joints.get(joint);
        (joint.support(), joint.rows().map(|(row, index)| (&**row, index)))
    }
}

impl ConstrainedSystem for Assembly {
    fn description(&self) -> &Description {
        &self.description
    }

    fn workspace(&self) -> Workspace {
        Workspace::new(Scratch::new(self))
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        let room = workspace.buffers(|| Scratch::new(self));
        if room.fingerprint != self.description.fingerprint {
            *room = Scratch::new(self);
        }
        let wanted = answer.open();
        if wanted.is_empty() {
            // A question about nothing may come with coordinates of a chart.
            return;
        }
        // Time does not enter where points coincide.
        if wanted.only(Quantities::of(&[Quantity::HolonomicT])) == wanted && self.joints.are_points() {
            if let Some(out) = answer.take(Quantity::HolonomicT) {
                out.fill(0.0);
            }
            return;
        }
        if !at.q.is_empty() {
            let moving = !at.v.is_empty() && !wanted.only(OF_MOTION).is_empty();
            for (node, pose) in self.nodes.iter().zip(&mut room.poses) {
                node.place(at.q, pose);
                if moving {
                    node.moving(at.v, pose);
                }
            }
        }
        let mut residual = answer.take(Quantity::Residual);
        if residual.is_some() || !wanted.only(OF_ROWS).is_empty() {
            room.clear_wrenches();
            self.rows(at, answer, residual.is_some(), room);
            if let Some(out) = &mut residual {
                self.loads(at, -1.0, Which::All, room);
                self.finish_residual(at, room, out);
            }
        }
        while let Some((quantity, out)) = answer.take_any() {
            match quantity {
                Quantity::Mass => self.mass(out),
                Quantity::Force => {
                    room.clear_wrenches();
                    self.loads(at, 1.0, Which::Forces, room);
                    self.finish_force(at, room, out);
                }
                Quantity::Reaction => {
                    room.clear_wrenches();
                    self.rows(at, answer, true, room);
                    self.loads(at, -1.0, Which::Reactions, room);
                    self.finish_reaction(room, out);
                }
                Quantity::ReactionLambda => self.reaction_rows(at, Level::Position, room, out),
                Quantity::ReactionPsi => self.reaction_rows(at, Level::Velocity, room, out),
                Quantity::ForceQ => self.top_of(at, top::FORCE, room, out),
                Quantity::ReactionQ => self.top_of(at, top::REACTION, room, out),
                Quantity::ResidualQ => self.top_of(at, top::RESIDUAL, room, out),
                Quantity::ForceV => {
                    self.loads_v(at, Which::Forces, room, out);
                    self.gyroscopic_v(at.v, out);
                }
                Quantity::ReactionV => self.loads_v(at, Which::Reactions, room, out),
                Quantity::Switches => self.switches(at, room, out),
                Quantity::Gaps => self.gaps(at, room, out),
                Quantity::Energy => out.copy_from_slice(&self.energy(at, room).to_array()),
                // M does not depend on q.
                _ => {}
            }
        }
    }

    fn name(&self, what: Named, index: usize) -> String {
        self.name_of(what, index)
    }
}
