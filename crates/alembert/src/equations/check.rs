//! Are the derivatives a system supplies the derivatives of its functions?

use std::fmt;

use super::densified::Densified;
use super::{Equations, Layout, NotFinite};
use crate::linear::{Pattern, SolverChoice};
use crate::system::{ConstrainedSystem, Dims, Patterns, Point, Supplied};

/// Velocities up to which the patterns of a system are checked too, with differences of every entry.
const PATTERN_LIMIT: usize = 300;

/// Entries may differ from the difference quotient by this much, relative to the largest entry (at least 1).
const TOLERANCE: f64 = 1e-6;
/// Rounding of a difference quotient, relative to the largest value of the function.
const NOISE: f64 = 1e-11;

/// One entry of a supplied derivative that disagrees with differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The function of [`ConstrainedSystem`] that supplied it.
    pub function: &'static str,
    /// Row of the entry.
    pub row: usize,
    /// Column of the entry.
    pub column: usize,
    /// What the system said.
    pub supplied: f64,
    /// What differences say.
    pub expected: f64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { function, row, column, supplied, expected } = self;
        write!(f, "`{function}` entry ({row}, {column}) is {supplied:e}, differences say {expected:e}")
    }
}

/// What [`check_derivatives`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DerivativeReport {
    /// Supplied derivatives that were compared.
    pub checked: Vec<&'static str>,
    /// The worst entry of each one that is wrong.
    pub mismatches: Vec<Mismatch>,
}

impl DerivativeReport {
    /// Whether every supplied derivative agreed.
    pub fn is_ok(&self) -> bool {
        self.mismatches.is_empty()
    }
}

impl fmt::Display for DerivativeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ok() {
            return write!(f, "{} supplied derivatives agree with differences", self.checked.len());
        }
        for (i, mismatch) in self.mismatches.iter().enumerate() {
            write!(f, "{}{mismatch}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

/// Compares every derivative that `system` supplies with differences at one point, and names the worst entry of each
/// that is wrong. Choose a point without special symmetry: zero velocities hide errors.
/// Quaternions must have length 1.
///
/// # Errors
/// If a function is not finite near the point.
pub fn check_derivatives(system: &dyn ConstrainedSystem, at: Point) -> Result<DerivativeReport, NotFinite> {
    let dims = system.dims();
    let Point { t, q, v, .. } = at;
    let given = system;
    let mut by_given = Equations::new(given).accurately();
    let given_rows = by_given.layout().holonomic_q.clone();
    // Dense differences of a small system also find entries that its patterns lack.
    let densified = match system.patterns() {
        Some(patterns) if dims.v <= PATTERN_LIMIT => Some(Densified::new(system, patterns)),
        _ => None,
    };
    let system: &dyn ConstrainedSystem = densified.as_ref().map_or(system, |densified| densified);
    let values = Masked { system, keep: Keep::Values };
    let first = Masked { system, keep: Keep::FirstDerivatives };
    let mut by_values = Equations::new(&values).accurately();
    let mut by_first = Equations::new(&first).accurately();
    let layout = by_values.layout().clone();
    let Dims { q: nq, v: n, lambda: nl, psi: np, .. } = dims;
    let column = |rows: usize| Pattern::dense(rows, 1);
    // A generic acceleration: products such as M a must not cancel by symmetry.
    let a: Vec<f64> = (0..n).map(|i| 1.0 + 0.37 * i as f64).collect();

    let noise = NOISE * largest_force(&mut by_first, at)?;

    let mut report = DerivativeReport::default();
    let mut compare = |function: &'static str,
                       pattern: &Pattern,
                       supply: &dyn Fn(&mut [f64]) -> Supplied,
                       expect: &mut dyn FnMut(&mut [f64]) -> Result<(), NotFinite>|
     -> Result<(), NotFinite> {
        let mut supplied = vec![0.0; pattern.len()];
        if supplied.is_empty() || supply(&mut supplied) == Supplied::No {
            return Ok(());
        }
        let mut expected = vec![0.0; pattern.len()];
        expect(&mut expected)?;
        report.checked.push(function);
        let scale = expected.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let error = |i: usize| (supplied[i] - expected[i]).abs();
        let worst = (0..supplied.len()).max_by(|&i, &j| error(i).total_cmp(&error(j)));
        if let Some(i) = worst.filter(|&i| error(i) > TOLERANCE * scale + noise || error(i).is_nan()) {
            let (row, column) = pattern.place(i);
            let (supplied, expected) = (supplied[i], expected[i]);
            report.mismatches.push(Mismatch { function, row, column, supplied, expected });
        }
        Ok(())
    };

    let Layout { top, holonomic, nonholonomic, top_q, holonomic_q, nonholonomic_q, .. } = &layout;
    compare("holonomic_q", holonomic_q, &|o| system.holonomic_q(t, q, o), &mut |o| by_values.holonomic_q(t, q, o))?;
    // What the function leaves unwritten stays a NaN.
    let unset = |len: usize| vec![f64::NAN; len];
    let fused = |g: &mut [f64], g_q: &mut [f64]| {
        g.fill(f64::NAN);
        g_q.fill(f64::NAN);
        given.holonomic_and_q(t, q, g, g_q)
    };
    compare("holonomic_and_q (g)", &column(nl), &|o| fused(o, &mut unset(given_rows.len())), &mut |o| {
        by_given.holonomic(t, q, o)
    })?;
    compare("holonomic_and_q (G)", &given_rows, &|o| fused(&mut unset(nl), o), &mut |o| by_given.holonomic_q(t, q, o))?;
    compare("holonomic_t", &column(nl), &|o| system.holonomic_t(t, q, o), &mut |o| by_values.holonomic_t(t, q, o))?;
    compare("nonholonomic_v", nonholonomic, &|o| system.nonholonomic_v(t, q, v, o), &mut |o| {
        by_values.nonholonomic_v(t, q, v, o)
    })?;
    compare("nonholonomic_q", nonholonomic_q, &|o| system.nonholonomic_q(t, q, v, o), &mut |o| {
        by_values.nonholonomic_q(t, q, v, o)
    })?;
    compare("mass_q", top_q, &|o| system.mass_q(t, q, &a, o), &mut |o| by_values.mass_q(t, q, &a, o))?;
    compare("force_q", top_q, &|o| system.force_q(t, q, v, o), &mut |o| by_values.force_q(t, q, v, o))?;
    compare("force_v", top, &|o| system.force_v(t, q, v, o), &mut |o| by_values.force_v(t, q, v, o))?;
    compare("residual", &column(n), &|o| system.residual(at, &a, o, &mut vec![0.0; nl + np]), &mut |o| {
        by_values.residual_of_parts(at, &a, o, &mut vec![0.0; nl + np])
    })?;
    let constraints = column(nl + np);
    compare("constraints of residual", &constraints, &|o| system.residual(at, &a, &mut vec![0.0; n], o), &mut |o| {
        by_values.residual_of_parts(at, &a, &mut vec![0.0; n], o)
    })?;
    compare("residual_q", top_q, &|o| system.residual_q(at, &a, o), &mut |o| {
        by_first.residual_q(at, &a, o, &mut vec![0.0; top_q.len()])
    })?;
    let rate_v = Pattern::dense(if by_values.has_general_rate() { nq } else { 0 }, n);
    compare("rate_v", &rate_v, &|o| system.rate_v(t, q, v, o), &mut |o| by_values.rate_v(t, q, v, o))?;
    let (mut w_v, mut k_v) = (vec![0.0; holonomic.len()], vec![0.0; nonholonomic.len()]);
    let (mut g_q, mut r_mu) = (vec![0.0; holonomic_q.len()], vec![0.0; layout.rows.len()]);
    by_values.holonomic_q(t, q, &mut g_q)?;
    by_values.velocity_v(t, q, v, &g_q, &mut w_v)?;
    by_values.nonholonomic_v(t, q, v, &mut k_v)?;
    by_values.reaction_mu(at, &w_v, &k_v, &mut r_mu)?;
    let copy = |from: &[f64], out: &mut [f64]| {
        out.copy_from_slice(from);
        Ok(())
    };
    let (by_lambda, by_psi) = r_mu.split_at(holonomic.len());
    compare("reaction_lambda", holonomic, &|o| system.reaction_lambda(at, o), &mut |o| copy(by_lambda, o))?;
    compare("reaction_psi", nonholonomic, &|o| system.reaction_psi(at, o), &mut |o| copy(by_psi, o))?;

    compare("holonomic_velocity_q", holonomic_q, &|o| system.holonomic_velocity_q(t, q, v, o), &mut |o| {
        by_first.velocity_q(t, q, v, o)
    })?;
    let mut bias = vec![0.0; nl + np];
    by_first.bias(t, q, v, &mut bias)?;
    compare("holonomic_bias", &column(nl), &|o| system.holonomic_bias(t, q, v, o), &mut |o| copy(&bias[..nl], o))?;
    compare("nonholonomic_bias", &column(np), &|o| system.nonholonomic_bias(t, q, v, o), &mut |o| {
        copy(&bias[nl..], o)
    })?;
    compare("reaction_q", top_q, &|o| system.reaction_q(at, o), &mut |o| by_first.reaction_q(at, o))?;
    compare("reaction_v", top, &|o| system.reaction_v(at, o), &mut |o| by_first.reaction_v(at, o))?;
    Ok(report)
}

/// The largest entry of f and r: stiff forces drown the differences of weak ones in their rounding.
fn largest_force(equations: &mut Equations, at: Point) -> Result<f64, NotFinite> {
    let mut force = vec![0.0; equations.dims().v];
    equations.force(at.t, at.q, at.v, &mut force)?;
    let mut largest = force.iter().fold(0.0_f64, |max, f| max.max(f.abs()));
    if equations.dims().constraints() > 0 {
        equations.reaction_afresh(at, &mut force)?;
        largest = force.iter().fold(largest, |max, r| max.max(r.abs()));
    }
    Ok(largest)
}

#[derive(Clone, Copy, PartialEq)]
enum Keep {
    Values,
    /// Also G, g_t, K and U_v: second derivatives are then differences of first ones.
    FirstDerivatives,
}

/// A system with its derivatives hidden.
struct Masked<'s> {
    system: &'s dyn ConstrainedSystem,
    keep: Keep,
}

impl Masked<'_> {
    fn first(&self, derivative: impl FnOnce() -> Supplied) -> Supplied {
        match self.keep {
            Keep::Values => Supplied::No,
            Keep::FirstDerivatives => derivative(),
        }
    }
}

impl ConstrainedSystem for Masked<'_> {
    fn dims(&self) -> Dims {
        self.system.dims()
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.system.mass(t, q, mass);
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.system.force(t, q, v, force);
    }
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {
        self.system.holonomic(t, q, g);
    }
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {
        self.system.nonholonomic(t, q, v, k);
    }
    fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
        self.system.reaction(at, r)
    }
    fn rotations(&self) -> &[usize] {
        self.system.rotations()
    }
    fn patterns(&self) -> Option<Patterns> {
        self.system.patterns()
    }
    fn linear_solver(&self) -> SolverChoice {
        self.system.linear_solver()
    }
    fn rate(&self, t: f64, q: &[f64], v: &[f64], q_dot: &mut [f64]) -> Supplied {
        self.system.rate(t, q, v, q_dot)
    }
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.holonomic_q(t, q, out))
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.holonomic_t(t, q, out))
    }
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.nonholonomic_v(t, q, v, out))
    }
    fn rate_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.first(|| self.system.rate_v(t, q, v, out))
    }
}
