//! What a user describes: a constrained mechanical system.
//!
//! ```text
//! q' = v                                        (or rate(t,q,v); rotations turn with v)
//! M(t,q) v' = f(t,q,v) + r(t,q,v,lambda,psi)    r = -G^T lambda - K^T psi unless `reaction` says otherwise
//! 0 = g(t,q)                                    holonomic,    G = g_q
//! 0 = k(t,q,v)                                  nonholonomic, K = k_v
//! ```
//!
//! Three functions are required: dimensions, mass, force. Everything else has a default. A derivative that is
//! not supplied is completed by differences; [`Differentiated`](crate::Differentiated) supplies all of them
//! exactly from formulas written once over a generic scalar.
//!
//! Matrices are row-major slices: entry (i, j) of a matrix with `c` columns is `out[i * c + j]`. Every output
//! slice is zero on entry, so only nonzeros need be written. A function that cannot be evaluated at its
//! arguments writes NaN; the integrator then treats the step as failed.
//!
//! A large system states where its matrices may be nonzero ([`ConstrainedSystem::patterns`]). The slices then hold only
//! those entries, in the same order, and no array of n by n numbers is made anywhere.

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
/// row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns {
    /// Of everything v by v: M, and d/dq and d/dv of M a, f and r. The standard reaction couples the coordinates of each
    /// constraint, see [`Patterns::new`].
    pub top: Pattern,
    /// Of everything constraints by v, the holonomic ones above: G, K, k_q, Gamma, and the transposes of r_lambda, r_psi.
    pub rows: Pattern,
}

impl Patterns {
    /// From the entries of M and of the derivatives of f, and the columns that each constraint depends on. The curvature
    /// of the constraints couples all coordinates of a constraint; those entries and the diagonal are added.
    pub fn new(top: impl IntoIterator<Item = (usize, usize)>, rows: Pattern) -> Self {
        let n = rows.columns();
        let mut entries: Vec<(usize, usize)> = top.into_iter().chain((0..n).map(|i| (i, i))).collect();
        for row in 0..rows.rows() {
            for (i, _) in rows.row(row) {
                entries.extend(rows.row(row).map(|(j, _)| (i, j)));
            }
        }
        Patterns { top: Pattern::from_entries(n, n, entries), rows }
    }

    /// All entries of all matrices.
    pub fn dense(dims: Dims) -> Self {
        Patterns { top: Pattern::dense(dims.v, dims.v), rows: Pattern::dense(dims.constraints(), dims.v) }
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
    /// C diag(M)^-1 C^T. They must stay met: what they contradict each other by may reach 1e-8 of the size of q and v (bars cut
    /// to eight digits), more stops the run, and so does a configuration where other constraints become dependent.
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

/// Arguments of a reaction force.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Velocity.
    pub v: &'a [f64],
    /// Multipliers of the holonomic constraints.
    pub lambda: &'a [f64],
    /// Multipliers of the nonholonomic constraints.
    pub psi: &'a [f64],
}

/// A mechanical system with constraints; see the [module](self) for the equations and conventions.
///
/// Derivatives with respect to q have a column for each velocity: column j is the change when q moves along velocity j.
/// For numbers that is the ordinary partial derivative, for [`rotations`](Self::rotations) the derivative by a turn about
/// a body axis.
pub trait ConstrainedSystem {
    /// Sizes of q, v, lambda, psi.
    fn dims(&self) -> Dims;

    /// The mass matrix M(t,q), v by v.
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]);

    /// Whether M never changes: it is then evaluated once.
    fn mass_is_constant(&self) -> bool {
        false
    }

    /// The force f(t,q,v), reactions excluded.
    fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]);

    /// Holonomic constraints g(t,q).
    #[allow(unused_variables)]
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {}

    /// Nonholonomic constraints k(t,q,v).
    #[allow(unused_variables)]
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {}

    /// The reaction r, where it is not `-G^T lambda - K^T psi`; it may be nonlinear in the multipliers.
    #[allow(unused_variables)]
    fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// Which velocities are angular: the index of the first of three body components, for each rotation in increasing
    /// order. q then holds a unit quaternion (scalar first) in their place, one entry more than v for each rotation; see
    /// [`rotation`](crate::rotation) for formulas.
    fn rotations(&self) -> &[usize] {
        &[]
    }

    /// General kinematics q' = U(t,q,v), where q' is not v. Such a system has no [`rotations`](Self::rotations), and
    /// q-derivatives have as many columns as q.
    #[allow(unused_variables)]
    fn rate(&self, t: f64, q: &[f64], v: &[f64], q_dot: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// Where the matrices of the system may be nonzero; `None` where that is everywhere. Not for systems with rotations
    /// or a general rate.
    fn patterns(&self) -> Option<Patterns> {
        None
    }

    /// What becomes of constraints that follow from others.
    fn redundancy(&self) -> Redundancy {
        Redundancy::Refused
    }

    /// Whether the mass matrix may give motions a negative kinetic energy. Otherwise a start with such a matrix is refused:
    /// it is nearly always a mistake, and the motion runs away.
    fn allows_indefinite_mass(&self) -> bool {
        false
    }

    /// How matrices are kept and factored.
    fn linear_solver(&self) -> SolverChoice {
        SolverChoice::Automatic
    }

    /// The residual of the equations of motion and the constraints in one pass: `r` = M a - f - r(lambda, psi), `c` =
    /// (g ; k). Every implicit method spends its time here, and common subexpressions (sines, lengths) need computing
    /// only once; without it the parts are called one by one. Both outputs arrive as zeros.
    #[allow(unused_variables)]
    fn residual(&self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// d/dq of M a - f - r, v by v: instead of `mass_q`, `force_q`, `reaction_q`.
    #[allow(unused_variables)]
    fn residual_q(&self, at: Point, a: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// g(t + dt, q + dq) - g(t, q), accurate beside itself however small dq is, where a difference of two values has lost
    /// its digits. Not for systems with rotations.
    #[allow(unused_variables)]
    fn holonomic_change(&self, t: f64, q: &[f64], dt: f64, dq: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// G = g_q, lambda by v.
    #[allow(unused_variables)]
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// g and G at once, where they share their work. Other than elsewhere, both hold anything when it is called: every
    /// entry must be written, zeros too.
    #[allow(unused_variables)]
    fn holonomic_and_q(&self, t: f64, q: &[f64], g: &mut [f64], g_q: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// g_t, the explicit time derivative.
    #[allow(unused_variables)]
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// g_tt + 2 g_tq v + g_qq(v,v): the second time derivative of g at v' = 0.
    #[allow(unused_variables)]
    fn holonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// Gamma = d/dq (g_t + G v), lambda by v.
    #[allow(unused_variables)]
    fn holonomic_velocity_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// K = k_v, psi by v.
    #[allow(unused_variables)]
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// k_q, psi by v.
    #[allow(unused_variables)]
    fn nonholonomic_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// k_t + k_q v: the time derivative of k at v' = 0.
    #[allow(unused_variables)]
    fn nonholonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// d/dq (M a) for the given a, v by v.
    #[allow(unused_variables)]
    fn mass_q(&self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// f_q, v by v.
    #[allow(unused_variables)]
    fn force_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// f_v, v by v.
    #[allow(unused_variables)]
    fn force_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// r_q, v by v.
    #[allow(unused_variables)]
    fn reaction_q(&self, at: Point, out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// r_v, v by v.
    #[allow(unused_variables)]
    fn reaction_v(&self, at: Point, out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// The transpose of r_lambda, lambda by v.
    #[allow(unused_variables)]
    fn reaction_lambda(&self, at: Point, out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// The transpose of r_psi, psi by v.
    #[allow(unused_variables)]
    fn reaction_psi(&self, at: Point, out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// U_v of [`rate`](Self::rate), q by v.
    #[allow(unused_variables)]
    fn rate_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// U_q of [`rate`](Self::rate), q by q.
    #[allow(unused_variables)]
    fn rate_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }

    /// The energy, where the system knows it: results then carry its balance.
    #[allow(unused_variables)]
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        None
    }

    /// How many functions of (t,q,v) there are whose change of sign between two steps deserves a look: denominators of
    /// forces and masses, arguments of kinks and jumps in constraints. Where one changes its sign, and the force has a pole
    /// there or a constraint jumps, the run stops and says so. Systems that name none are looked at less closely.
    fn landmarks(&self) -> usize {
        0
    }

    /// Their values.
    #[allow(unused_variables)]
    fn landmark_values(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {}

    /// A number that differs where parameters or formulas do, for a system that knows them: checkpoints of another are then
    /// refused. All systems are compared by their values near the state besides.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// What messages call velocity (and coordinate) `index`.
    fn coordinate_name(&self, index: usize) -> String {
        format!("q[{index}]")
    }

    /// What messages call direction `index` of q: a column of a derivative by q.
    fn position_name(&self, index: usize) -> String {
        self.coordinate_name(index)
    }

    /// What messages call holonomic constraint `row`.
    fn holonomic_name(&self, row: usize) -> String {
        format!("g[{row}]")
    }

    /// What messages call nonholonomic constraint `row`.
    fn nonholonomic_name(&self, row: usize) -> String {
        format!("k[{row}]")
    }
}
