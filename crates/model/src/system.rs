//! The equations of a model as a [`ConstrainedSystem`]: one tape for each function and each derivative.
//!
//! ```text
//! r     = -d/dv (lambda . g' + psi . k)            the standard reaction; -d/dq (lambda . g) - d/dv (psi . k) where q' = v
//! R     = M a - f - r                              residual; S = R_q
//! g'    = g_t + g_q q',   q' = v or U(t,q,v)       bias = d/dt g' and d/dt k at v' = 0
//! ```
//!
//! All derivatives are made of formulas when the model is loaded, then common subexpressions are joined: an evaluation is
//! straight-line code without branches, allocation or differences. Which entries a derivative has is known before any of them
//! is evaluated: large models state their patterns, and their tapes write the entries of those only.

mod builder;
mod landmarks;
mod places;

use alembert::{ConstrainedSystem, Dims, Energy, Patterns, Point, Redundancy, SolverChoice, Supplied};

use crate::graph::{Graph, Node};
use crate::tape::{Arguments, Layout, Tape};
use builder::Builder;
use places::{Block, Places};

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
    pub redundancy: Redundancy,
    /// Whether negative masses are meant.
    pub indefinite: bool,
    pub solver: SolverChoice,
    /// Where the equations come from energies: kinetic v T_v - T (T itself where it is quadratic in v), potential U,
    /// dissipation v R_v, input f v, drive -L_t.
    pub energy: Option<[Node; 5]>,
}

/// What messages call things.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pub coordinates: Vec<String>,
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
    constant_mass: bool,
    indefinite: bool,
    redundancy: Redundancy,
    solver: SolverChoice,
    /// Where matrices may be nonzero; none for models that are small or dense.
    patterns: Option<Patterns>,
    energy: Option<Tape>,
    landmarks: Tape,
    landmark_count: usize,
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

impl System {
    pub(crate) fn new(graph: &mut Graph, layout: Layout, parts: &Parts, labels: Labels) -> System {
        let mut b = Builder::new(graph, layout);
        let (q, v) = (layout.q(), layout.v());
        let rate = parts.rate.as_deref();
        let velocity = b.rate(&parts.holonomic, rate);
        let holonomic_bias = b.rate(&velocity, rate);
        let nonholonomic_bias = b.rate(&parts.nonholonomic, rate);
        // The part of g' without q'.
        let explicit = b.explicit_rate(&parts.holonomic);
        let reaction = match &parts.reaction {
            Some(reaction) => reaction.clone(),
            None => b.standard_reaction(parts, &velocity),
        };
        let inertia = b.inertia(&parts.mass);
        let motion: Vec<Node> = (0..layout.v)
            .map(|i| {
                let rest = b.graph.sub(inertia[i], parts.force[i]);
                b.graph.sub(rest, reaction[i])
            })
            .collect();
        // The residual and the constraints in one tape: entries of c come after those of r.
        let mut both = motion.clone();
        both.extend(parts.holonomic.iter().chain(&parts.nonholonomic));
        let rate_rows = parts.rate.clone().unwrap_or_default();

        let residual_q = b.jacobian(&motion, q.clone());
        let holonomic_q = b.jacobian(&parts.holonomic, q.clone());
        let holonomic_velocity_q = b.jacobian(&velocity, q.clone());
        let nonholonomic_v = b.jacobian(&parts.nonholonomic, v.clone());
        let nonholonomic_q = b.jacobian(&parts.nonholonomic, q.clone());
        let mass_q = b.jacobian(&inertia, q.clone());
        let force_q = b.jacobian(&parts.force, q.clone());
        let force_v = b.jacobian(&parts.force, v.clone());
        let reaction_q = b.jacobian(&reaction, q.clone());
        let reaction_v = b.jacobian(&reaction, v.clone());
        let reaction_lambda = b.transposed_jacobian(&reaction, layout.lambda());
        let reaction_psi = b.transposed_jacobian(&reaction, layout.psi());
        let rate_v = b.jacobian(&rate_rows, v);
        let rate_q = b.jacobian(&rate_rows, q);
        let places = Places::new(
            layout,
            // Patterns are not for general kinematics.
            if parts.rate.is_some() { SolverChoice::Dense } else { parts.solver },
            &[&parts.mass, &residual_q, &mass_q, &force_q, &force_v, &reaction_q, &reaction_v],
            &[&holonomic_q, &holonomic_velocity_q, &reaction_lambda],
            &[&nonholonomic_v, &nonholonomic_q, &reaction_psi],
        );
        let (by_v, by_q) = (layout.v, layout.q);
        let landmarks = b.landmarks(parts);
        System {
            dims: Dims { q: layout.q, v: layout.v, lambda: layout.lambda, psi: layout.psi },
            labels,
            own_reaction: parts.reaction.is_some(),
            general_rate: parts.rate.is_some(),
            redundancy: parts.redundancy,
            indefinite: parts.indefinite,
            solver: parts.solver,
            // Constants are folded: what has no value depends on something.
            constant_mass: parts.mass.iter().all(|(_, _, node)| b.graph.value(*node).is_some()),
            energy: parts.energy.map(|energy| b.vector(&energy)),
            landmark_count: landmarks.len(),
            landmarks: b.vector(&landmarks),
            mass: b.matrix(&parts.mass, &places, Block::Top, by_v),
            force: b.vector(&parts.force),
            holonomic: b.vector(&parts.holonomic),
            nonholonomic: b.vector(&parts.nonholonomic),
            reaction: b.vector(&reaction),
            rate: b.vector(&rate_rows),
            motion: b.vector(&both),
            residual_q: b.matrix(&residual_q, &places, Block::Top, by_q),
            holonomic_q: b.matrix(&holonomic_q, &places, Block::Holonomic, by_q),
            holonomic_t: b.vector(&explicit),
            holonomic_bias: b.vector(&holonomic_bias),
            holonomic_velocity_q: b.matrix(&holonomic_velocity_q, &places, Block::Holonomic, by_q),
            nonholonomic_v: b.matrix(&nonholonomic_v, &places, Block::Nonholonomic, by_v),
            nonholonomic_q: b.matrix(&nonholonomic_q, &places, Block::Nonholonomic, by_q),
            nonholonomic_bias: b.vector(&nonholonomic_bias),
            mass_q: b.matrix(&mass_q, &places, Block::Top, by_q),
            force_q: b.matrix(&force_q, &places, Block::Top, by_q),
            force_v: b.matrix(&force_v, &places, Block::Top, by_v),
            reaction_q: b.matrix(&reaction_q, &places, Block::Top, by_q),
            reaction_v: b.matrix(&reaction_v, &places, Block::Top, by_v),
            reaction_lambda: b.matrix(&reaction_lambda, &places, Block::Holonomic, by_v),
            reaction_psi: b.matrix(&reaction_psi, &places, Block::Nonholonomic, by_v),
            rate_v: b.matrix(&rate_v, &places, Block::Dense, by_v),
            rate_q: b.matrix(&rate_q, &places, Block::Dense, by_q),
            patterns: places.patterns(),
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
    fn patterns(&self) -> Option<Patterns> {
        self.patterns.clone()
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.mass.run(at(t, q), mass);
    }
    fn allows_indefinite_mass(&self) -> bool {
        self.indefinite
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
    fn linear_solver(&self) -> SolverChoice {
        self.solver
    }
    fn mass_is_constant(&self) -> bool {
        self.constant_mass
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
    fn holonomic_change(&self, t: f64, q: &[f64], dt: f64, dq: &[f64], out: &mut [f64]) -> Supplied {
        self.holonomic.change(at(t, q), dt, dq, out);
        Supplied::Yes
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
        let mut parts = [0.0; 5];
        self.energy.as_ref()?.run(moving(t, q, v), &mut parts);
        let [kinetic, potential, dissipation, input, drive] = parts;
        Some(Energy { kinetic, potential, dissipation, input, drive })
    }
    fn landmarks(&self) -> usize {
        self.landmark_count
    }
    fn landmark_values(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.landmarks.run(moving(t, q, v), out);
    }
    fn fingerprint(&self) -> u64 {
        let System { mass, force, holonomic, nonholonomic, reaction, rate, .. } = self;
        let tapes = [mass, force, holonomic, nonholonomic, reaction, rate];
        // FNV-1a: the same on every machine.
        tapes
            .iter()
            .flat_map(|tape| tape.listing().into_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
    fn coordinate_name(&self, index: usize) -> String {
        name(&self.labels.velocities, index)
    }
    fn position_name(&self, index: usize) -> String {
        name(&self.labels.coordinates, index)
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
