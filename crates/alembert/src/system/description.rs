//! What a system says of itself, once and for all.

use std::sync::Arc;

use super::{Quantities, Quantity, Switch};
use crate::linear::{Pattern, SolverChoice};

/// Sizes of the four vectors of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dims {
    /// Numbers that store the configuration (a quaternion counts four).
    pub q: usize,
    /// Velocities, and rows of the mass matrix (a rotation counts three).
    pub v: usize,
    /// Holonomic constraints.
    pub lambda: usize,
    /// Nonholonomic constraints.
    pub psi: usize,
}

impl Dims {
    /// Number of constraints of both kinds.
    pub fn constraints(&self) -> usize {
        self.lambda + self.psi
    }
}

/// Where the matrices of a system may be nonzero. The values of a matrix are one number for each entry of its pattern,
/// row by row. Patterns are shared by all that use them, not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns {
    /// Of everything v by v: M, and d/dq and d/dv of M a, f and r. The standard reaction couples the coordinates of each
    /// constraint, see [`Patterns::new`].
    pub top: Arc<Pattern>,
    /// Of everything constraints by v, the holonomic ones above: G, K, k_q, Gamma, and the transposes of r_lambda, r_psi.
    pub rows: Arc<Pattern>,
}

impl Patterns {
    /// From the entries of M and of the derivatives of f, and the columns that each constraint depends on. The curvature
    /// of the constraints couples all coordinates of a constraint; those entries and the diagonal are added. Where it couples
    /// fewer (a coordinate that enters linearly is coupled to none), the exact pattern by [`Patterns::of`] makes matrices cheaper.
    pub fn new(top: impl IntoIterator<Item = (usize, usize)>, rows: Pattern) -> Self {
        let n = rows.columns();
        let mut entries: Vec<(usize, usize)> = top.into_iter().chain((0..n).map(|i| (i, i))).collect();
        for row in 0..rows.rows() {
            for (i, _) in rows.row(row) {
                entries.extend(rows.row(row).map(|(j, _)| (i, j)));
            }
        }
        Patterns::of(Pattern::from_entries(n, n, entries), rows)
    }

    /// The same with all three columns of a rotation in each row that has one of them, and with all three rows of `top` where
    /// there is one: what systems with [`rotations`](Description::rotations) must state. Derivatives by q stay in such patterns
    /// when q turns.
    #[must_use]
    pub fn closed(&self, rotations: &[usize]) -> Self {
        let triple = |i: usize| {
            let of = rotations.partition_point(|first| *first <= i).checked_sub(1).map(|k| rotations[k]);
            of.filter(|first| i < first + 3).map_or(i..i + 1, |first| first..first + 3)
        };
        let close = |pattern: &Pattern, rows: bool| {
            let places = (0..pattern.rows()).flat_map(|i| pattern.row(i).map(move |(j, _)| (i, j)));
            let entries = places.flat_map(|(i, j)| {
                let along = if rows { triple(i) } else { i..i + 1 };
                along.flat_map(move |i| triple(j).map(move |j| (i, j)))
            });
            Pattern::from_entries(pattern.rows(), pattern.columns(), entries)
        };
        Patterns::of(close(&self.top, true), close(&self.rows, false))
    }

    /// All entries of all matrices.
    pub fn dense(dims: Dims) -> Self {
        Patterns::of(Pattern::dense(dims.v, dims.v), Pattern::dense(dims.constraints(), dims.v))
    }

    /// Both as they are.
    pub fn of(top: Pattern, rows: Pattern) -> Self {
        Patterns { top: Arc::new(top), rows: Arc::new(rows) }
    }
}

/// What becomes of constraints that follow from others, so that their multipliers are not determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redundancy {
    /// A start with such constraints is refused, and they are named.
    #[default]
    Refused,
    /// The motion does not depend on how they share the load; of all multipliers that do the same the smallest are
    /// taken, each measured by the acceleration that its constraint alone would cause: least mu D mu with D the diagonal of
    /// C diag(M)^-1 C^T. The constraints must stay met. They may contradict each other by 1e-8 of the size of q and v (bars cut to
    /// eight digits); more than that stops the run, and so does a configuration where other constraints become dependent.
    ///
    /// For generalized-alpha, Runge-Kutta and BDF, and for the reaction `-G^T lambda - K^T psi`; with a `reaction` of its own a
    /// system is treated as if this were `Refused`.
    LeastSquares,
}

/// Whether an optional function wrote its output.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supplied {
    /// The output is complete.
    Yes,
    /// The function is not there; the output was not touched.
    No,
}

/// The energy of a system at a state, and how it changes by what is not conservative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
    /// Power lost to friction and damping, not negative.
    pub dissipation: f64,
    /// Power put in by forces from outside; negative where they brake. The work of constraints that move (holonomic ones
    /// that depend on time, nonholonomic ones that are not homogeneous in v) is added by the integrator.
    pub input: f64,
    /// Power put in by time itself where the energies depend on it: U_t - T_t for L = T - U.
    pub drive: f64,
}

impl Energy {
    /// The numbers in the order of the fields, as [`Quantity::Energy`] has them.
    pub fn to_array(self) -> [f64; 5] {
        let Energy { kinetic, potential, dissipation, input, drive } = self;
        [kinetic, potential, dissipation, input, drive]
    }
}

impl From<[f64; 5]> for Energy {
    fn from([kinetic, potential, dissipation, input, drive]: [f64; 5]) -> Self {
        Energy { kinetic, potential, dissipation, input, drive }
    }
}

/// What does not change while a system moves: asked once, when a run begins. [`Description::new`] is the plainest one, whose
/// fields can be set.
#[derive(Clone, Debug)]
pub struct Description {
    /// Sizes of q, v, lambda, psi.
    pub dims: Dims,
    /// What the system can be asked for. Derivatives that are missing are completed by differences; a
    /// [`Reaction`](Quantity::Reaction) that is missing is the standard one, a [`Rate`](Quantity::Rate) is v.
    pub supplied: Quantities,
    /// What the system writes every entry of, whatever was there before: slices for it need not be zero when it sees them. It
    /// saves time where matrices are large; a system that says too much gets numbers of other points, and NaN in builds with
    /// debug assertions.
    pub overwritten: Quantities,
    /// Whether quantities that are asked for together cost less than one by one, because they share work. Otherwise they are
    /// asked for one by one.
    pub shares_work: bool,
    /// Which velocities are angular: the index of the first of three body components, for each rotation in increasing
    /// order. q then holds a unit quaternion (scalar first) in their place, one entry more than v for each rotation; see
    /// [`rotation`](crate::rotation) for formulas.
    pub rotations: Vec<usize>,
    /// Where the matrices of the system may be nonzero; `None` where that is everywhere. Columns are those of v, for
    /// derivatives by q as well; a row that has one of the three columns of a rotation has all of them, see
    /// [`Patterns::closed`]. Not for systems with a general rate.
    pub patterns: Option<Patterns>,
    /// Whether M never changes: it is then evaluated once.
    pub constant_mass: bool,
    /// Whether the mass matrix may give motions a negative kinetic energy. Otherwise a start with such a matrix is refused:
    /// it is nearly always a mistake, and the motion runs away.
    pub indefinite_mass: bool,
    /// What becomes of constraints that follow from others.
    pub redundancy: Redundancy,
    /// How matrices are kept and factored.
    pub solver: SolverChoice,
    /// How many [`Landmarks`](Quantity::Landmarks) there are.
    pub landmarks: usize,
    /// The switches whose values are [`Switches`](Quantity::Switches): where forces, masses or rates have kinks or jumps. Steps end
    /// there, and the system is asked [on branches that are held](super::At::held) in between. A kink or jump that is not declared is
    /// found by the error of steps alone, at the cost of accuracy and time.
    pub switches: Vec<Switch>,
    /// The largest values that [`Gaps`](Quantity::Gaps) may have, one for each.
    pub gaps: Vec<f64>,
    /// How many of the last velocities are states of first order: x' = X(t,q,v) is their row of M v' = f with a row of the
    /// identity in M and no reaction. The coordinate of a state is its integral; nothing may depend on it, and it has no error.
    /// States are no part of a mechanism: starts and impacts leave them as they are, and their size says nothing of lengths.
    pub states: usize,
    /// How many of the last states change at [jumps](crate::Integrator::change) only: X = 0.
    pub still: usize,
    /// A number that is different for other parameters or formulas, from a system that knows them: checkpoints of another system
    /// are then refused. In any case systems are also compared by their values near the state.
    pub fingerprint: u64,
}

impl Description {
    /// A system with M, f, g and k, and nothing else.
    pub fn new(dims: Dims) -> Self {
        Description {
            dims,
            supplied: Quantities::VALUES,
            overwritten: Quantities::NONE,
            shares_work: true,
            rotations: Vec::new(),
            patterns: None,
            constant_mass: false,
            indefinite_mass: false,
            redundancy: Redundancy::Refused,
            solver: SolverChoice::Automatic,
            landmarks: 0,
            switches: Vec::new(),
            gaps: Vec::new(),
            states: 0,
            still: 0,
            fingerprint: 0,
        }
    }

    /// Whether q' is a general U(t,q,v) instead of v.
    pub fn has_general_rate(&self) -> bool {
        self.supplied.has(Quantity::Rate)
    }

    /// States of first order, and those of them that are still: no more than there are velocities.
    pub(crate) fn first_order(&self) -> (usize, usize) {
        let states = self.states.min(self.dims.v).min(self.dims.q);
        (states, self.still.min(states))
    }

    /// Whether the reaction is `-G^T lambda - K^T psi`.
    pub fn has_standard_reaction(&self) -> bool {
        !self.supplied.has(Quantity::Reaction)
    }
}
