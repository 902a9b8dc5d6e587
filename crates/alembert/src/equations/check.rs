//! Are the derivatives a system supplies the derivatives of its functions?
//!
//! Each is compared with differences of several steps, central and on one side, and is right if any of them agrees: long steps
//! straddle kinks and wind around circles (0.4 rad at an angle of 1000), short ones drown in rounding, and those on the
//! other side of a kink belong to another branch. What agrees with none is judged by the two that agree best with each other:
//!
//! ```text
//! one-sided ones settle on two values, and the supplied one lies between them       a kink: noted, not checked
//! they settle on nothing                                                             rough: noted, not checked
//! otherwise                                                                           wrong
//! ```

mod names;

use std::fmt;

use super::difference::{Side, Stencil};
use super::{Equations, Layout, NotFinite};
use crate::linear::Pattern;
use crate::system::{At, ConstrainedSystem, Dims, Point, Quantities, Quantity};
use names::{Axis, Subject};

/// Velocities up to which the patterns of a system are checked too, with differences of every entry.
const PATTERN_LIMIT: usize = 300;

/// Entries may differ from the difference quotient by this much, relative to the largest entry (at least 1).
const TOLERANCE: f64 = 1e-6;
/// Rounding of a difference quotient of the first step, relative to the largest value of the function.
const NOISE: f64 = 1e-11;
/// Two quotients that differ by less, relative to the largest entry, have settled.
const SETTLED: f64 = 1e-3;

/// Steps from long to short, and whether they grow with the argument.
const STEPS: [(f64, bool); 6] =
    [(4e-4, true), (4e-4, false), (2.5e-5, true), (2.5e-5, false), (1.6e-6, true), (1e-7, true)];

/// What a wrong g or k is called that is asked for together with G.
const BESIDE_ROWS: &str = "constraints with holonomic_q";

/// What differences start from.
const VALUES: Quantities = Quantities::VALUES.with(Quantity::Reaction).with(Quantity::Rate);
/// With first derivatives as well: second ones are then differences of those.
const FIRST: Quantities = {
    use Quantity::{HolonomicQ, HolonomicT, NonholonomicV, RateV};
    VALUES.and(Quantities::of(&[HolonomicQ, HolonomicT, NonholonomicV, RateV]))
};

/// One entry of a supplied derivative that disagrees with differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The [quantity](Quantity) that was wrong.
    pub function: &'static str,
    /// The entry in words, as `d(force of x)/d(y')`.
    pub entry: String,
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
        let Mismatch { function, entry, supplied, expected, .. } = self;
        write!(f, "{entry} is {supplied:e} in `{function}`, differences say {expected:e}")
    }
}

/// Entries that could not be checked because the function is not smooth at the point.
#[derive(Clone, Debug, PartialEq)]
pub struct Kink {
    /// The [quantity](Quantity) that was not checked.
    pub function: &'static str,
    /// The first of them in words.
    pub entry: String,
    /// How many there are.
    pub entries: usize,
}

impl fmt::Display for Kink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kink { function, entry, entries } = self;
        let more = entries - 1;
        write!(f, "not checked at a kink: {entry}")?;
        if more > 0 {
            write!(f, " and {more} more")?;
        }
        write!(f, " of `{function}`")
    }
}

/// What [`check_derivatives`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DerivativeReport {
    /// Supplied derivatives that were compared.
    pub checked: Vec<&'static str>,
    /// The worst entry of each one that is wrong.
    pub mismatches: Vec<Mismatch>,
    /// What lies at a kink.
    pub kinks: Vec<Kink>,
}

impl DerivativeReport {
    /// Whether every supplied derivative agreed, as far as it could be checked.
    pub fn is_ok(&self) -> bool {
        self.mismatches.is_empty()
    }
}

impl fmt::Display for DerivativeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ok() {
            write!(f, "{} supplied derivatives agree with differences", self.checked.len())?;
        }
        for (i, mismatch) in self.mismatches.iter().enumerate() {
            write!(f, "{}{mismatch}", if i > 0 { "\n" } else { "" })?;
        }
        self.kinks.iter().try_for_each(|kink| write!(f, "\n{kink}"))
    }
}

/// Writes what differences of a stencil say.
type Expect<'e> = dyn FnMut(Stencil, &mut [f64]) -> Result<(), NotFinite> + 'e;

/// The differences of one stencil.
struct Trial {
    unit: f64,
    side: Side,
    expected: Vec<f64>,
    /// Of the largest entry, at least 1.
    scale: f64,
    /// What may be rounding.
    noise: f64,
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
    // Dense differences of a small system also find entries that its patterns lack.
    let dense = dims.v <= PATTERN_LIMIT;
    let equations = || if dense { Equations::dense(system) } else { Equations::new(system) };
    let mut by_system = equations();
    let mut by_values = equations().masked(VALUES);
    let mut by_first = equations().masked(FIRST);
    let layout = by_values.layout().clone();
    let Dims { q: nq, v: n, lambda: nl, psi: np, .. } = dims;
    let column = |rows: usize| Pattern::dense(rows, 1);
    // A generic acceleration: products such as M a must not cancel by symmetry.
    let a: Vec<f64> = (0..n).map(|i| 1.0 + 0.37 * i as f64).collect();
    let size = largest_force(by_first.under(Stencil::USUAL), at)?;
    let everything = At { a: &a, ..at.into() };

    let mut report = DerivativeReport::default();
    let mut compare_as = |function: &'static str,
                          (rows, columns): (Axis, Axis),
                          pattern: &Pattern,
                          supply: &mut dyn FnMut(&mut Equations, &mut [f64]),
                          expect: &mut Expect|
     -> Result<(), NotFinite> {
        let mut supplied = vec![0.0; pattern.len()];
        supply(&mut by_system, &mut supplied);
        let trials = trials(&supplied, size, expect)?;
        // What comes along with a derivative is no derivative.
        if function != BESIDE_ROWS {
            report.checked.push(function);
        }
        let subject = Subject { function, rows, columns };
        judge(&subject, pattern, &supplied, &trials, system, &mut report);
        Ok(())
    };
    let has =
        |quantity: Quantity, pattern: &Pattern| system.description().supplied.has(quantity) && !pattern.is_empty();
    let mut compare = |quantity: Quantity, axes: (Axis, Axis), pattern: &Pattern, expect: &mut Expect| {
        if !has(quantity, pattern) {
            return Ok(());
        }
        let mut supply =
            |equations: &mut Equations, out: &mut [f64]| equations.evaluate(&everything, [(quantity, out)]);
        compare_as(quantity.name(), axes, pattern, &mut supply, expect)
    };

    let Layout { top, holonomic, nonholonomic, top_q, holonomic_q, nonholonomic_q, .. } = &layout;
    use Axis::{Constraints, Holonomic, Motion, Nonholonomic, Positions, Rates, Time, Value, Velocities};
    compare(Quantity::HolonomicQ, (Holonomic, Positions), holonomic_q, &mut |s, o| {
        by_values.under(s).holonomic_q(t, q, o)
    })?;
    compare(Quantity::HolonomicT, (Holonomic, Time("d/dt")), &column(nl), &mut |s, o| {
        by_values.under(s).holonomic_t(t, q, o)
    })?;
    compare(Quantity::NonholonomicV, (Nonholonomic, Velocities), nonholonomic, &mut |s, o| {
        by_values.under(s).nonholonomic_v(t, q, v, o)
    })?;
    compare(Quantity::NonholonomicQ, (Nonholonomic, Positions), nonholonomic_q, &mut |s, o| {
        by_values.under(s).nonholonomic_q(t, q, v, o)
    })?;
    compare(Quantity::MassQ, (Motion("M a"), Positions), top_q, &mut |s, o| by_values.under(s).mass_q(t, q, &a, o))?;
    compare(Quantity::ForceQ, (Motion("force"), Positions), top_q, &mut |s, o| by_values.under(s).force_q(t, q, v, o))?;
    compare(Quantity::ForceV, (Motion("force"), Velocities), top, &mut |s, o| by_values.under(s).force_v(t, q, v, o))?;
    compare(Quantity::Residual, (Motion("residual"), Value), &column(n), &mut |s, o| {
        by_first.under(s).residual_of_parts(at, &a, o, &mut vec![0.0; nl + np])
    })?;
    compare(Quantity::ResidualQ, (Motion("residual"), Positions), top_q, &mut |s, o| {
        by_first.under(s).residual_q(at, &a, o, &mut vec![0.0; top_q.len()])
    })?;
    let rate_v = Pattern::dense(if by_values.has_general_rate() { nq } else { 0 }, n);
    compare(Quantity::RateV, (Rates, Velocities), &rate_v, &mut |s, o| by_values.under(s).rate_v(t, q, v, o))?;
    let mut reaction_mu = |s: Stencil| {
        let by_values = by_values.under(s);
        let (mut w_v, mut k_v) = (vec![0.0; holonomic.len()], vec![0.0; nonholonomic.len()]);
        let (mut g_q, mut r_mu) = (vec![0.0; holonomic_q.len()], vec![0.0; layout.rows.len()]);
        by_values.holonomic_q(t, q, &mut g_q)?;
        by_values.velocity_v(t, q, v, &g_q, &mut w_v)?;
        by_values.nonholonomic_v(t, q, v, &mut k_v)?;
        by_values.reaction_mu(at, &w_v, &k_v, &mut r_mu)?;
        Ok(r_mu)
    };
    compare(Quantity::ReactionLambda, (Holonomic, Motion("reaction")), holonomic, &mut |s, o| {
        reaction_mu(s).map(|r_mu| o.copy_from_slice(&r_mu[..holonomic.len()]))
    })?;
    compare(Quantity::ReactionPsi, (Nonholonomic, Motion("reaction")), nonholonomic, &mut |s, o| {
        reaction_mu(s).map(|r_mu| o.copy_from_slice(&r_mu[holonomic.len()..]))
    })?;

    compare(Quantity::HolonomicVelocityQ, (Holonomic, Positions), holonomic_q, &mut |s, o| {
        by_first.under(s).velocity_q(t, q, v, o)
    })?;
    let mut bias = |s: Stencil| {
        let mut bias = vec![0.0; nl + np];
        by_first.under(s).bias(t, q, v, &mut bias).map(|()| bias)
    };
    compare(Quantity::HolonomicBias, (Holonomic, Time("d^2/dt^2 at a = 0")), &column(nl), &mut |s, o| {
        bias(s).map(|bias| o.copy_from_slice(&bias[..nl]))
    })?;
    compare(Quantity::NonholonomicBias, (Nonholonomic, Time("d/dt at a = 0")), &column(np), &mut |s, o| {
        bias(s).map(|bias| o.copy_from_slice(&bias[nl..]))
    })?;
    compare(Quantity::ReactionQ, (Motion("reaction"), Positions), top_q, &mut |s, o| {
        by_first.under(s).reaction_q(at, o)
    })?;
    compare(Quantity::ReactionV, (Motion("reaction"), Velocities), top, &mut |s, o| {
        by_first.under(s).reaction_v(at, o)
    })?;

    // What is asked with the residual, or with G, comes from the same pass; it must be what is asked alone.
    let constraints = column(nl + np);
    let mut together = |function: &'static str, with: Quantity, len: usize| -> Result<(), NotFinite> {
        if !has(with, &constraints) || len == 0 {
            return Ok(());
        }
        let mut supply = |equations: &mut Equations, out: &mut [f64]| {
            let (g, k) = out.split_at_mut(nl);
            let mut other = vec![0.0; len];
            equations
                .evaluate(&everything, [(with, &mut other), (Quantity::Holonomic, g), (Quantity::Nonholonomic, k)]);
        };
        compare_as(function, (Constraints, Value), &constraints, &mut supply, &mut |_, o| {
            let (g, k) = o.split_at_mut(nl);
            by_values.holonomic(t, q, g)?;
            by_values.nonholonomic(t, q, v, k)
        })
    };
    together("constraints of residual", Quantity::Residual, n)?;
    together(BESIDE_ROWS, Quantity::HolonomicQ, holonomic_q.len())?;
    Ok(report)
}

/// Differences until all entries have agreed with some, at most all there are.
fn trials(supplied: &[f64], size: f64, expect: &mut Expect) -> Result<Vec<Trial>, NotFinite> {
    let mut trials: Vec<Trial> = Vec::new();
    let mut failure = None;
    for (unit, relative) in STEPS {
        for side in [Side::Both, Side::Above, Side::Below] {
            let mut expected = vec![0.0; supplied.len()];
            // Some points may lie where the function is not defined; others do not.
            if let Err(not_finite) = expect(Stencil { unit, relative, side }, &mut expected) {
                failure = Some(not_finite);
                continue;
            }
            let scale = expected.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
            let noise = NOISE * STEPS[0].0 / unit * size;
            // Where rounding hides everything, agreement means nothing. Long steps are all that stiff systems have.
            if unit < STEPS[0].0 && noise > TOLERANCE * scale {
                continue;
            }
            trials.push(Trial { unit, side, expected, scale, noise });
            if (0..supplied.len()).all(|i| agrees(i, supplied, &trials)) {
                return Ok(trials);
            }
        }
    }
    match failure {
        Some(failure) if trials.is_empty() => Err(failure),
        _ => Ok(trials),
    }
}

fn agrees(i: usize, supplied: &[f64], trials: &[Trial]) -> bool {
    trials.iter().any(|trial| (supplied[i] - trial.expected[i]).abs() <= TOLERANCE * trial.scale + trial.noise)
}

/// Sorts what agrees with no differences into wrong and not smooth.
fn judge(
    subject: &Subject,
    pattern: &Pattern,
    supplied: &[f64],
    trials: &[Trial],
    system: &dyn ConstrainedSystem,
    report: &mut DerivativeReport,
) {
    let Some(last) = trials.last() else { return };
    let entry = |i: usize| {
        let (row, column) = pattern.place(i);
        subject.entry(system, row, column)
    };
    let (mut worst, mut kinks): (Option<(usize, f64, f64)>, Vec<usize>) = (None, Vec::new());
    for i in (0..supplied.len()).filter(|i| !agrees(*i, supplied, trials)) {
        let near = SETTLED * last.scale + last.noise;
        // Two of different steps that agree best with each other, if they do.
        let limit = |side: Side| {
            let of = |trial: &&Trial| trial.side == side;
            let pairs =
                trials.iter().filter(of).flat_map(|one| trials.iter().filter(of).map(move |other| (one, other)));
            let apart = |(one, other): &(&Trial, &Trial)| (one.expected[i] - other.expected[i]).abs();
            let best =
                pairs.filter(|(one, other)| one.unit > other.unit).min_by(|x, y| apart(x).total_cmp(&apart(y)))?;
            (apart(&best) <= near).then(|| best.1.expected[i])
        };
        let (above, below) = (limit(Side::Above), limit(Side::Below));
        let expected = limit(Side::Both).or(above).or(below);
        let between = above.zip(below).is_some_and(|(above, below)| {
            let slack = 10.0 * (TOLERANCE * last.scale + last.noise);
            let (low, high) = (above.min(below), above.max(below));
            high - low > slack && (low - slack..=high + slack).contains(&supplied[i])
        });
        match expected {
            Some(expected) if !between => {
                let error = (supplied[i] - expected).abs();
                // What is not a number is the worst.
                if worst.is_none_or(|(_, _, most)| error.is_nan() || error > most) {
                    worst = Some((i, expected, error));
                }
            }
            _ => kinks.push(i),
        }
    }
    if let Some((i, expected, _)) = worst {
        let (row, column) = pattern.place(i);
        let (function, entry, supplied) = (subject.function, entry(i), supplied[i]);
        report.mismatches.push(Mismatch { function, entry, row, column, supplied, expected });
    }
    if let Some(first) = kinks.first() {
        let (function, entry, entries) = (subject.function, entry(*first), kinks.len());
        report.kinks.push(Kink { function, entry, entries });
    }
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
