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
mod fingerprint;
mod forces;
mod friction;
mod names;
mod plan;
mod quad;
mod replace;
mod rows;
mod scratch;
mod top;

pub(crate) use bodies::Inertia;
pub(crate) use scratch::Scratch;

use alembert::{
    Answer, At, ConstrainedSystem, Description, Dims, Named, Pattern, Patterns, Quantities, Quantity, Redundancy,
    Switch, Workspace,
};

use crate::algebra::Vector;
use crate::load::{Load, Pressed};
use crate::node::{Kind, Node, NodeId};
use crate::row::{Level, Row};
use crate::support::Support;
use bodies::Diagonal;
use coincidence::Coincidence;
use friction::{OF_FRICTION, Which};
use plan::{Fill, Place, Span};

/// Constraints of one joint or driver.
#[derive(Debug)]
pub(crate) struct Constraint {
    pub name: String,
    pub support: Support,
    pub rows: Vec<Row>,
}

/// A force and what it acts on.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub support: Support,
    pub load: Box<dyn Load>,
    /// What presses, of friction that grows with the reactions of a joint.
    pub pressed: Option<Pressed>,
}

/// A row and where it stands.
#[derive(Debug)]
struct Placed {
    row: Row,
    /// Among those of its level.
    index: usize,
    spans: Box<[Span]>,
}

/// The block of two slots and where it stands.
#[derive(Debug)]
struct Pair {
    slots: [usize; 2],
    place: Place,
}

/// An element with constraints.
#[derive(Debug)]
struct Jointed {
    name: String,
    support: Support,
    rows: Vec<Placed>,
    /// The same rows at once, where they say that two points coincide and nothing else.
    together: Option<Coincidence>,
    pairs: Box<[Pair]>,
}

impl Jointed {
    /// Whether it is known that time does not enter explicitly.
    fn is_timeless(&self) -> bool {
        self.together.is_some() || self.rows.is_empty()
    }
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
    names: Vec<String>,
    inertias: Vec<Inertia>,
    diagonals: Vec<Diagonal>,
    gravity: Vector,
    resting: f64,
    joints: Vec<Jointed>,
    pulls: Vec<Pulled>,
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
            (Vec::with_capacity(room), Vec::with_capacity(room), Vec::with_capacity(room));
        let (mut q, mut v) = (0, 0);
        for (name, kind, inertia) in given {
            nodes.push(Node { kind, q, v });
            names.push(name);
            inertias.push(inertia);
            let [more_q, more_v] = kind.sizes();
            (q, v) = (q + more_q, v + more_v);
        }
        let count = |level: Level| constraints.iter().flat_map(|c| &c.rows).filter(|row| row.level == level).count();
        let dims = Dims { q, v, lambda: count(Level::Position), psi: count(Level::Velocity) };

        let couplings = |rows: &[Row]| rows.iter().flat_map(Row::couplings).collect::<Vec<_>>();
        let of_joints: Vec<_> =
            constraints.iter().map(|c| plan::fills(&c.support, couplings(&c.rows).into_iter())).collect();
        let of_loads: Vec<_> = loads.iter().map(|l| plan::fills(&l.support, l.load.couplings().into_iter())).collect();
        let supports = constraints.iter().map(|c| &c.support).chain(loads.iter().map(|l| &l.support));
        let all = || supports.clone().zip(of_joints.iter().chain(&of_loads));

        let mut own = vec![Fill([[false, false], [false, true]]); nodes.len()];
        for (support, fills) in all() {
            for (a, b, fill) in fills.iter().filter(|(a, b, _)| a == b) {
                let node = support.nodes[*a];
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
        let (rows, joints) =
            place_rows(dims, &nodes, constraints, wider, |support, at| pairs(support, &of_joints[at], &top, &nodes));
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
        let diagonals = (0..nodes.len()).map(|at| Diagonal::new(&top, at, &nodes, own[at])).collect();
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
        let mut assembly = Assembly { nodes, names, inertias, diagonals, gravity, resting, joints, pulls, description };
        assembly.description.fingerprint = assembly.fingerprint();
        assembly
    }

    /// The nodes, the ground first.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the nodes are called.
    pub(crate) fn node_names(&self) -> &[String] {
        &self.names
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
        let joint = &mut self.joints[constraint];
        joint.support.locate(&poses, &mut z);
        for placed in &mut joint.rows {
            placed.row.expand(0.0, &z, crate::expansion::Order::Value, &mut sum);
            placed.row.offset += sum.value / placed.row.scale;
        }
        joint.together = Coincidence::of(&joint.support, &joint.rows, &self.nodes);
        self.description.fingerprint = self.fingerprint();
    }

    /// What becomes of constraints that follow from others.
    pub(crate) fn set_redundancy(&mut self, redundancy: Redundancy) {
        self.description.redundancy = redundancy;
    }

    /// What the joint with this index stands on, its rows, and their indices at their levels.
    pub(crate) fn joint_rows(&self, joint: usize) -> (&Support, impl Iterator<Item = (&Row, usize)>) {
        let joint = &self.joints[joint];
        (&joint.support, joint.rows.iter().map(|placed| (&placed.row, placed.index)))
    }
}

/// Where blocks of different nodes stand.
fn pairs(support: &Support, fills: &[(usize, usize, Fill)], top: &Pattern, nodes: &[Node]) -> Box<[Pair]> {
    let moves = |slot: usize| nodes[support.nodes[slot]].kind != Kind::Ground;
    let across = fills.iter().filter(|(a, b, _)| a != b && moves(*a) && moves(*b));
    across
        .map(|(a, b, fill)| {
            let place = Place::new(top, (support.nodes[*a], support.nodes[*b]), nodes, *fill);
            Pair { slots: [*a, *b], place }
        })
        .collect()
}

/// The pattern of all rows, and the elements placed in it.
fn place_rows<'l, W: Iterator<Item = &'l Support>>(
    dims: Dims,
    nodes: &[Node],
    constraints: Vec<Constraint>,
    wider: impl Fn(usize) -> W,
    pairs: impl Fn(&Support, usize) -> Box<[Pair]>,
) -> (Pattern, Vec<Jointed>) {
    let (mut entries, mut used) = (Vec::new(), [0, 0]);
    let mut joints: Vec<Jointed> = Vec::with_capacity(constraints.len());
    for (at, Constraint { name, support, rows }) in constraints.into_iter().enumerate() {
        let mut placed = Vec::with_capacity(rows.len());
        for row in rows {
            let level = usize::from(row.level == Level::Velocity);
            let index = used[level];
            used[level] += 1;
            let mut spans = Span::of(&row, &support, nodes);
            if row.level == Level::Position {
                // Friction that this row presses acts on more than the row itself.
                wider(at).for_each(|by| plan::widen(&mut spans, &support, by, nodes));
            }
            let line = index + level * dims.lambda;
            for span in &spans {
                entries.extend(span.columns(&nodes[support.nodes[span.slot]]).map(|column| (line, column)));
            }
            placed.push(Placed { row, index, spans: spans.into() });
        }
        let pairs = pairs(&support, at);
        joints.push(Jointed { name, support, rows: placed, together: None, pairs });
    }
    let rows = Pattern::from_entries(dims.constraints(), dims.v, entries);
    let base = rows.start(dims.lambda);
    for joint in &mut joints {
        for Placed { row, index, spans } in &mut joint.rows {
            let velocity = row.level == Level::Velocity;
            let line = *index + if velocity { dims.lambda } else { 0 };
            for span in spans {
                let first = span.columns(&nodes[joint.support.nodes[span.slot]]).next();
                let start = first.and_then(|column| rows.position(line, column)).unwrap_or(0);
                span.start = start - if velocity { base } else { 0 };
            }
        }
        joint.together = Coincidence::of(&joint.support, &joint.rows, nodes);
    }
    (rows, joints)
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
        if wanted.only(Quantities::of(&[Quantity::HolonomicT])) == wanted
            && self.joints.iter().all(Jointed::is_timeless)
        {
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
