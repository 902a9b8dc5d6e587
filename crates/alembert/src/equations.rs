//! The only caller of a system: counts evaluations, refuses numbers that are not finite, and completes the
//! derivatives a system does not supply.
//!
//! Derivatives that enter the equations themselves (G, g_t, K, the biases) are completed with fourth-order
//! differences, those that only steer Newton's method with first-order ones.

mod check;
mod densified;
mod derivatives;
mod detection;
mod difference;
mod formulas;
mod layout;
mod pool;
mod residual;
mod sizes;

use std::fmt;

pub use check::{DerivativeReport, Kink, Mismatch, check_derivatives};
pub use detection::{Detected, Undetectable, detect_patterns};
pub use formulas::{Differentiated, Formulas};
pub(crate) use layout::LARGE;
pub use layout::Layout;

use crate::chart::{Chart, InChart};
use crate::linear::SolverChoice;
use crate::space::Space;
use crate::system::{ConstrainedSystem, Dims, Patterns, Point, Redundancy, Supplied};
use crate::typical::TypicalSizes;
use densified::Densified;
use difference::{Stencil, Workspace};
use layout::Palette;
use residual::Parts;

/// The functions of a system, for counters and messages.
#[allow(missing_docs)] // the names are those of `ConstrainedSystem`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Mass,
    Force,
    Holonomic,
    Nonholonomic,
    Reaction,
    Rate,
    HolonomicQ,
    HolonomicT,
    HolonomicBias,
    HolonomicVelocityQ,
    NonholonomicV,
    NonholonomicQ,
    NonholonomicBias,
    MassQ,
    ForceQ,
    ForceV,
    ReactionQ,
    ReactionV,
    ReactionLambda,
    ReactionPsi,
    RateV,
    RateQ,
}

impl Function {
    const NAMES: [&'static str; 22] = [
        "mass",
        "force",
        "holonomic",
        "nonholonomic",
        "reaction",
        "rate",
        "holonomic_q",
        "holonomic_t",
        "holonomic_bias",
        "holonomic_velocity_q",
        "nonholonomic_v",
        "nonholonomic_q",
        "nonholonomic_bias",
        "mass_q",
        "force_q",
        "force_v",
        "reaction_q",
        "reaction_v",
        "reaction_lambda",
        "reaction_psi",
        "rate_v",
        "rate_q",
    ];

    /// The name of the function in [`ConstrainedSystem`].
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// How often each function of a system was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluations([u64; Function::NAMES.len()]);

impl Evaluations {
    /// Calls of one function.
    pub fn of(&self, function: Function) -> u64 {
        self.0[function as usize]
    }

    /// Calls of all functions.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Every function that was called, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Function::NAMES.iter().copied().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

impl crate::checkpoint::Keep for Equations<'_> {
    /// The counters and the sizes of the motion; everything else follows from the system.
    fn keep(&mut self, archive: &mut crate::checkpoint::Archive) -> Result<(), crate::checkpoint::BadCheckpoint> {
        self.evaluations.0.keep(archive)?;
        self.typical.keep(archive)
    }
}

impl std::ops::AddAssign for Evaluations {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// A function of the system returned a number that is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotFinite {
    /// Which function.
    pub function: Function,
    /// Which entry of its output (row-major for a matrix).
    pub entry: usize,
    /// At which time.
    pub t: f64,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} of `{}` is not a finite number at t = {}", self.entry, self.function.name(), self.t)
    }
}

impl std::error::Error for NotFinite {}

/// A system with every derivative available, counted and guarded.
pub struct Equations<'s> {
    system: &'s dyn ConstrainedSystem,
    /// Where dense matrices are wanted of a system with patterns.
    densified: Option<Densified<'s>>,
    dims: Dims,
    layout: Layout,
    /// The layout in a chart, or out of it: whichever is not in use.
    other_layout: Option<Layout>,
    palette: Palette,
    /// M, once it is known, where it never changes.
    constant_mass: Option<Vec<f64>>,
    space: Space,
    /// For [`enter`](Self::enter): the system in a chart, and the space of its coordinates.
    in_chart: Option<InChart<'s>>,
    charted: bool,
    flat: Space,
    standard_reaction: bool,
    redundancy: Redundancy,
    has_fused_holonomic: bool,
    has_holonomic_change: bool,
    general_rate: bool,
    evaluations: Evaluations,
    typical: TypicalSizes,
    /// Buffers of differences under way; a stack, because a differenced function may itself be differenced.
    workspaces: Vec<Workspace>,
    /// How derivatives are differenced in a check, even those that only steer Newton's method.
    stencil: Option<Stencil>,
    buffers: Vec<Vec<f64>>,
    parts: Parts,
}

impl<'s> Equations<'s> {
    /// Wraps a system.
    pub fn new(system: &'s dyn ConstrainedSystem) -> Self {
        Self::with_layout(system, system.patterns(), None)
    }

    /// The same with a layout that was analysed before, if it is the system's.
    pub(crate) fn with_known(system: &'s dyn ConstrainedSystem, known: Option<&Layout>) -> Self {
        Self::with_layout(system, system.patterns(), known)
    }

    /// The same with dense matrices, whatever patterns the system states.
    pub fn dense(system: &'s dyn ConstrainedSystem) -> Self {
        let mut equations = Self::with_layout(system, None, None);
        equations.densified = system.patterns().map(|patterns| Densified::new(system, patterns));
        equations
    }

    fn with_layout(system: &'s dyn ConstrainedSystem, patterns: Option<Patterns>, known: Option<&Layout>) -> Self {
        let dims = system.dims();
        let (q, v) = (vec![0.0; dims.q], vec![0.0; dims.v]);
        let (lambda, psi) = (vec![0.0; dims.lambda], vec![0.0; dims.psi]);
        let at = Point { t: 0.0, q: &q, v: &v, lambda: &lambda, psi: &psi };
        // Asked at an arbitrary point only whether the function is there; the values are thrown away.
        let standard_reaction = system.reaction(at, &mut vec![0.0; dims.v]) == Supplied::No;
        let (mut g, len) = (vec![0.0; dims.lambda], patterns.as_ref().map_or(dims.v * dims.lambda, |p| p.rows.len()));
        let has_fused_holonomic = system.holonomic_and_q(0.0, &q, &mut g, &mut vec![0.0; len]) == Supplied::Yes;
        let has_holonomic_change =
            dims.lambda > 0 && system.holonomic_change(0.0, &q, 0.0, &q, &mut g) == Supplied::Yes;
        let general_rate = system.rate(0.0, &q, &v, &mut vec![0.0; dims.q]) == Supplied::Yes;
        let redundancy = if standard_reaction { system.redundancy() } else { Redundancy::Refused };
        let choice = system.linear_solver();
        let layout = match (patterns, known) {
            (Some(patterns), Some(known)) if known.fits(dims, &patterns, redundancy, choice) => known.clone(),
            (Some(patterns), _) => Layout::sparse(dims, patterns).suited_to(redundancy, choice),
            (None, _) => {
                let tangent = if general_rate { dims.q } else { dims.v };
                Layout::dense(dims, tangent).suited_to(redundancy, choice)
            }
        };
        Equations {
            system,
            densified: None,
            dims,
            parts: Parts::new(&layout),
            layout,
            other_layout: None,
            palette: Palette::default(),
            constant_mass: None,
            // A system whose rotations do not fit is refused before it is integrated; see `initial`.
            space: Space::new(dims, system.rotations(), general_rate).unwrap_or_default(),
            in_chart: None,
            charted: false,
            flat: Space::default(),
            standard_reaction,
            redundancy,
            has_fused_holonomic,
            has_holonomic_change,
            general_rate,
            evaluations: Evaluations::default(),
            typical: TypicalSizes::none(if general_rate { dims.q } else { dims.v }, dims.v),
            workspaces: Vec::new(),
            stencil: None,
            buffers: Vec::new(),
        }
    }

    /// The same with these differences throughout, for checks.
    fn under(&mut self, stencil: Stencil) -> &mut Self {
        self.stencil = Some(stencil);
        self
    }

    /// The system behind the equations, for names in messages.
    pub fn system(&self) -> &'s dyn ConstrainedSystem {
        self.system
    }

    /// Sizes of q, v, lambda, psi.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// Columns of a derivative with respect to q: v, or q under a general rate.
    pub fn tangent(&self) -> usize {
        if self.general_rate { self.dims.q } else { self.dims.v }
    }

    /// Whether q' is a general U(t,q,v) instead of v.
    pub fn has_general_rate(&self) -> bool {
        self.general_rate
    }

    /// Whether the reaction is `-G^T lambda - K^T psi`.
    pub fn has_standard_reaction(&self) -> bool {
        self.standard_reaction
    }

    /// What becomes of constraints that follow from others.
    pub fn redundancy(&self) -> Redundancy {
        self.redundancy
    }

    /// How matrices are kept and factored, as far as the system has a say.
    pub fn linear_solver(&self) -> SolverChoice {
        self.layout.structure.choice()
    }

    /// Whether M never changes.
    pub fn has_constant_mass(&self) -> bool {
        self.system.mass_is_constant()
    }

    /// Where the blocks may be nonzero.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Calls so far.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// From now on q means coordinates in a chart, until [`leave`](Self::leave).
    pub(crate) fn enter(&mut self, chart: &Chart) {
        let Equations { system, space, in_chart, .. } = self;
        let in_chart = in_chart.get_or_insert_with(|| InChart::new(*system, space));
        in_chart.chart.borrow_mut().assign(chart);
        self.charted = true;
        (self.dims, self.general_rate) = (Chart::dims(self.dims), true);
        let (dims, redundancy, choice) = (self.dims, self.redundancy, self.linear_solver());
        self.exchange_layout(|| Layout::dense(dims, dims.q).suited_to(redundancy, choice));
    }

    /// q means configurations again.
    pub(crate) fn leave(&mut self) {
        self.charted = false;
        (self.dims, self.general_rate) = (self.system.dims(), false);
        let (dims, redundancy, choice) = (self.dims, self.redundancy, self.linear_solver());
        self.exchange_layout(|| Layout::dense(dims, dims.v).suited_to(redundancy, choice));
    }

    fn exchange_layout(&mut self, make: impl FnOnce() -> Layout) {
        let other = self.other_layout.take().unwrap_or_else(make);
        self.other_layout = Some(std::mem::replace(&mut self.layout, other));
    }

    /// Whether q means coordinates in a chart.
    pub(crate) fn is_charted(&self) -> bool {
        self.charted
    }

    /// The system as its callers see it: itself, or in a chart.
    fn active(&self) -> &dyn ConstrainedSystem {
        match &self.in_chart {
            Some(in_chart) if self.charted => in_chart,
            _ => self.densified.as_ref().map_or(self.system, |densified| densified),
        }
    }

    /// Where configurations live.
    pub fn space(&self) -> &Space {
        if self.charted { &self.flat } else { &self.space }
    }

    /// q1 = q0 moved by dx.
    pub fn advance(&self, q0: &[f64], dx: &[f64], q1: &mut [f64]) {
        self.space().advance(q0, dx, q1);
    }

    /// Counts a call and refuses its output if it is not finite.
    fn counted(&mut self, function: Function, t: f64, out: &[f64]) -> Result<(), NotFinite> {
        self.evaluations.0[function as usize] += 1;
        if all_finite(out) {
            return Ok(());
        }
        let entry = out.iter().position(|x| !x.is_finite()).unwrap_or(0);
        Err(NotFinite { function, entry, t })
    }

    /// M(t,q), v by v.
    pub fn mass(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if let Some(mass) = &self.constant_mass {
            out.copy_from_slice(mass);
            return Ok(());
        }
        out.fill(0.0);
        self.active().mass(t, q, out);
        self.counted(Function::Mass, t, out)?;
        if self.system.mass_is_constant() {
            self.constant_mass = Some(out.to_vec());
        }
        Ok(())
    }

    /// f(t,q,v).
    pub fn force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        out.fill(0.0);
        self.active().force(t, q, v, out);
        self.counted(Function::Force, t, out)
    }

    /// g(t,q).
    pub fn holonomic(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        self.active().holonomic(t, q, out);
        self.counted(Function::Holonomic, t, out)
    }

    /// Whether [`holonomic_change`](Self::holonomic_change) is there.
    pub(crate) fn has_holonomic_change(&self) -> bool {
        self.has_holonomic_change && !self.charted && self.space.is_flat() && self.densified.is_none()
    }

    /// g(t + dt, q + dq) - g(t, q) with all its digits.
    pub(crate) fn holonomic_change(
        &mut self,
        t: f64,
        q: &[f64],
        dt: f64,
        dq: &[f64],
        out: &mut [f64],
    ) -> Result<(), NotFinite> {
        out.fill(0.0);
        let _ = self.system.holonomic_change(t, q, dt, dq, out);
        self.counted(Function::Holonomic, t + dt, out)
    }

    /// g and G.
    pub fn holonomic_and_q(&mut self, t: f64, q: &[f64], g: &mut [f64], g_q: &mut [f64]) -> Result<(), NotFinite> {
        if g.is_empty() {
            return Ok(());
        }
        if !self.has_fused_holonomic || self.charted || self.densified.is_some() {
            self.holonomic(t, q, g)?;
            return self.holonomic_q(t, q, g_q);
        }
        let _ = self.active().holonomic_and_q(t, q, g, g_q);
        self.counted(Function::Holonomic, t, g)?;
        self.counted(Function::HolonomicQ, t, g_q)
    }

    /// k(t,q,v).
    pub fn nonholonomic(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if out.is_empty() {
            return Ok(());
        }
        out.fill(0.0);
        self.active().nonholonomic(t, q, v, out);
        self.counted(Function::Nonholonomic, t, out)
    }

    /// q' in tangent components: v, or U(t,q,v).
    pub fn rate(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if !self.general_rate {
            out.copy_from_slice(v);
            return Ok(());
        }
        out.fill(0.0);
        let _ = self.active().rate(t, q, v, out);
        self.counted(Function::Rate, t, out)
    }

    /// r, from W = d/dv (g_t + G q') and K where the reaction is the standard one.
    pub fn reaction(&mut self, at: Point, w_v: &[f64], k_v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        out.fill(0.0);
        if self.standard_reaction {
            return self.add_reaction(at, w_v, k_v, out);
        }
        let _ = self.active().reaction(at, out);
        self.counted(Function::Reaction, at.t, out)
    }

    /// Adds r to `out`.
    pub fn add_reaction(&mut self, at: Point, w_v: &[f64], k_v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if self.standard_reaction {
            self.layout.holonomic.multiply_transposed_add(-1.0, w_v, at.lambda, out);
            self.layout.nonholonomic.multiply_transposed_add(-1.0, k_v, at.psi, out);
            return Ok(());
        }
        let mut r = self.take_buffer(out.len());
        let outcome = self.reaction(at, w_v, k_v, &mut r);
        out.iter_mut().zip(&r).for_each(|(out, r)| *out += r);
        self.give_buffer(r);
        outcome
    }

    /// w = c (g_t + G q'), and adds the reactions of two sets of multipliers at the same point: one sweep over G where the
    /// reaction is the standard one.
    pub fn velocity_and_reactions(
        &mut self,
        [at, other]: [Point; 2],
        w_v: &[f64],
        k_v: &[f64],
        (c, w): (f64, &mut [f64]),
        [out, out_other]: [&mut [f64]; 2],
    ) -> Result<(), NotFinite> {
        if !self.standard_reaction || self.general_rate || self.layout.holonomic.is_dense() {
            self.velocity(at.t, at.q, at.v, w_v, w)?;
            w.iter_mut().for_each(|w| *w *= c);
            self.add_reaction(at, w_v, k_v, out)?;
            return self.add_reaction(other, w_v, k_v, out_other);
        }
        self.holonomic_t(at.t, at.q, w)?;
        self.layout.holonomic.multiply_both_ways(c, w_v, at.v, w, [at.lambda, other.lambda], [out, out_other]);
        self.layout.nonholonomic.multiply_transposed_add(-1.0, k_v, at.psi, out);
        self.layout.nonholonomic.multiply_transposed_add(-1.0, k_v, other.psi, out_other);
        Ok(())
    }
}

/// Whether no entry is NaN or infinite: zero times anything finite is zero, and sums need no branches.
pub(crate) fn all_finite(x: &[f64]) -> bool {
    // Several sums at once: one would wait for each addition.
    let (chunks, rest) = x.as_chunks::<8>();
    if chunks.is_empty() {
        return rest.iter().fold(0.0, |sum, x| sum + x * 0.0) == 0.0;
    }
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x * 0.0;
        }
    }
    sums.iter().chain(rest).map(|x| x * 0.0).sum::<f64>() == 0.0
}
