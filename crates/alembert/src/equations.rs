//! The only caller of a system: counts evaluations, refuses numbers that are not finite, and completes the
//! derivatives a system does not supply.
//!
//! What is asked goes through [`ask`](Equations::ask): to the system where it supplies all of it, to differences where not
//! (`table.rs`). On the way q may stand for coordinates in a chart, and the values of patterns may be spread over
//! dense matrices (`evaluation.rs`): systems know of neither.

mod check;
mod curvature;
mod derivatives;
mod detection;
mod difference;
mod evaluation;
mod evaluations;
mod formulas;
mod layout;
mod mass;
mod pool;
mod reaction;
mod residual;
mod sizes;
mod table;

pub use check::{DerivativeReport, Kink, Mismatch, check_derivatives};
pub use detection::{Detected, Undetectable, detect_patterns};
pub(crate) use evaluation::ask;
pub(crate) use evaluations::all_finite;
pub use evaluations::{Evaluations, NotFinite};
pub use formulas::{Differentiated, Formulas};
pub use layout::Layout;
pub use mass::Mass;

use std::sync::Arc;

use crate::chart::Chart;
use crate::linear::SolverChoice;
use crate::space::Space;
use crate::state::State;
use crate::system::{
    At, ConstrainedSystem, Description, Dims, Energy, Quantities, Quantity, Redundancy, SystemRef, Workspace,
};
use crate::turns::Turns;
use crate::typical::TypicalSizes;
use difference::{Stencil, Work};
use evaluation::Spread;
use layout::Palette;
use residual::Parts;

impl crate::checkpoint::Keep for Equations<'_> {
    /// The counters and the sizes of the motion; everything else follows from the system.
    fn keep(&mut self, archive: &mut crate::checkpoint::Archive) -> Result<(), crate::checkpoint::BadCheckpoint> {
        self.evaluations.0.keep(archive)?;
        self.held.keep(archive)?;
        self.typical.keep(archive)
    }
}

/// A system with every derivative available, counted and guarded.
pub struct Equations<'s> {
    system: SystemRef<'s>,
    workspace: Workspace,
    /// What the system is asked for; the rest is completed by differences.
    supplied: Quantities,
    /// What of it is asked for as it is: nothing in a chart, or where values of patterns are spread.
    direct: Quantities,
    /// What the system writes every entry of.
    overwritten: Quantities,
    /// Whether it pays to ask for several things at once.
    shares_work: bool,
    /// Where dense matrices are wanted of a system with patterns.
    spread: Option<Spread>,
    dims: Dims,
    layout: Layout,
    palette: Palette,
    has_constant_mass: bool,
    /// M, once it is known, where it never changes.
    constant_mass: Option<Arc<[f64]>>,
    space: Space,
    /// For [`enter`](Self::enter): the chart, and the space of its coordinates.
    chart: Option<Chart>,
    charted: bool,
    flat: Space,
    standard_reaction: bool,
    redundancy: Redundancy,
    general_rate: bool,
    evaluations: Evaluations,
    typical: TypicalSizes,
    /// Buffers of differences under way; a stack, because a differenced function may itself be differenced.
    works: Vec<Work>,
    /// How much shorter than usual steps of differences along q are, as G had them last; none before that.
    shares: Vec<f64>,
    /// How derivatives are differenced in a check, even those that only steer Newton's method.
    stencil: Option<Stencil>,
    buffers: Vec<Vec<f64>>,
    parts: Parts,
    /// The branches on which the system is asked; empty where it has no switches.
    held: Vec<f64>,
}

impl<'s> Equations<'s> {
    /// Wraps a system: `&system`, or an [`Arc`] of it.
    pub fn new(system: impl Into<SystemRef<'s>>) -> Self {
        Self::with_known(system, None)
    }

    /// The same with a layout that was analysed before, if it is the system's.
    pub(crate) fn with_known(system: impl Into<SystemRef<'s>>, known: Option<&Layout>) -> Self {
        let system = system.into();
        let description = system.description();
        let (dims, redundancy) = (description.dims, redundancy(description));
        let layout = match &description.patterns {
            Some(patterns) => {
                let known = known.filter(|known| known.fits(dims, patterns, redundancy, description.solver));
                let analyse = || Layout::sparse(dims, patterns.clone()).suited_to(redundancy, description.solver);
                known.cloned().unwrap_or_else(analyse)
            }
            None => dense_layout(description),
        };
        Self::with_layout(system, layout, None)
    }

    /// The same with dense matrices, whatever patterns the system states.
    pub fn dense(system: impl Into<SystemRef<'s>>) -> Self {
        let system = system.into();
        let description = system.description();
        let spread = description.patterns.as_ref().map(|patterns| Spread::new(description.dims, patterns));
        let layout = dense_layout(description);
        Self::with_layout(system, layout, spread)
    }

    fn with_layout(system: SystemRef<'s>, layout: Layout, spread: Option<Spread>) -> Self {
        let description = system.description();
        let (dims, general_rate) = (description.dims, description.has_general_rate());
        let supplied = description.supplied.and(Quantities::VALUES);
        // A system whose rotations do not fit is refused before it is integrated; see `initial`.
        let space = Space::new(dims, &description.rotations, general_rate).unwrap_or_default();
        let layout = layout.moving(dims, &space, general_rate);
        Equations {
            workspace: system.workspace(),
            supplied,
            direct: if spread.is_none() { supplied } else { Quantities::NONE },
            overwritten: description.overwritten,
            shares_work: description.shares_work,
            spread,
            dims,
            parts: if supplied.has(Quantity::Residual) { Parts::default() } else { Parts::new(&layout) },
            layout,
            palette: Palette::default(),
            has_constant_mass: description.constant_mass,
            constant_mass: None,
            space,
            chart: None,
            charted: false,
            flat: Space::default(),
            standard_reaction: description.has_standard_reaction(),
            redundancy: redundancy(description),
            general_rate,
            evaluations: Evaluations::default(),
            typical: TypicalSizes::none(if general_rate { dims.q } else { dims.v }, dims.v)
                .with_states(description.first_order()),
            works: Vec::new(),
            shares: Vec::new(),
            stencil: None,
            buffers: Vec::new(),
            held: vec![f64::NAN; description.switches.len()],
            system,
        }
    }

    /// The same where only these quantities are asked of the system, for checks. That M is constant is not believed either.
    fn masked(mut self, keep: Quantities) -> Self {
        self.supplied = self.supplied.only(keep);
        self.direct = self.direct.only(keep);
        self.has_constant_mass = false;
        self
    }

    /// The same with these differences throughout, for checks.
    fn under(&mut self, stencil: Stencil) -> &mut Self {
        self.stencil = Some(stencil);
        self
    }

    /// The system behind the equations, for names in messages.
    pub fn system(&self) -> &dyn ConstrainedSystem {
        &*self.system
    }

    /// The same, for other equations of it.
    pub(crate) fn system_ref(&self) -> SystemRef<'s> {
        self.system.clone()
    }

    /// What the system says of itself.
    pub fn description(&self) -> &Description {
        self.system.description()
    }

    /// Sizes of q, v, lambda, psi.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// A vector like q, v or a without what belongs to states of first order, which stand last.
    pub(crate) fn bodies<'x>(&self, x: &'x [f64]) -> &'x [f64] {
        self.typical.bodies(x)
    }

    /// Gives what stands still its value before, to the last bit: sums of polynomials round.
    pub(crate) fn keep_still(&self, before: &[f64], state: &mut State) {
        let first = before.len() - self.typical.still.min(before.len());
        state.v[first..].copy_from_slice(&before[first..]);
        state.a[first..].fill(0.0);
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

    /// Whether it pays to ask for several things at once.
    #[inline]
    pub(crate) fn shares_work(&self) -> bool {
        self.shares_work
    }

    /// Whether M never changes.
    pub fn has_constant_mass(&self) -> bool {
        self.has_constant_mass
    }

    /// Where the blocks may be nonzero.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Calls so far.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// From now on q means coordinates in a chart, until [`leave`](Self::leave). A chart has as many coordinates as there are
    /// velocities, and T has a block for each rotation: all patterns stay.
    pub(crate) fn enter(&mut self, chart: &Chart) {
        let Equations { chart: own, space, dims, .. } = self;
        own.get_or_insert_with(|| Chart::new(space, *dims)).assign(chart);
        (self.charted, self.direct) = (true, Quantities::NONE);
        (self.dims, self.general_rate) = (Chart::dims(self.dims), true);
    }

    /// q means configurations again.
    pub(crate) fn leave(&mut self) {
        self.charted = false;
        self.direct = if self.spread.is_none() { self.supplied } else { Quantities::NONE };
        (self.dims, self.general_rate) = (self.system.dims(), false);
    }

    /// Room for blocks of the rotations that a chart flattens; none outside of charts.
    pub(crate) fn turns(&self) -> Option<Turns> {
        self.charted.then(|| Turns::new(&self.space, self.dims.v))
    }

    /// Whether q means coordinates in a chart.
    pub(crate) fn is_charted(&self) -> bool {
        self.charted
    }

    /// Where configurations live.
    pub fn space(&self) -> &Space {
        if self.charted { &self.flat } else { &self.space }
    }

    /// q1 = q0 moved by dx.
    pub fn advance(&self, q0: &[f64], dx: &[f64], q1: &mut [f64]) {
        self.space().advance(q0, dx, q1);
    }

    /// M(t,q), v by v.
    pub fn mass(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if let Some(mass) = &self.constant_mass {
            out.copy_from_slice(mass);
            return Ok(());
        }
        self.value(Quantity::Mass, &At { t, q, ..At::default() }, out)?;
        if self.has_constant_mass {
            self.constant_mass = Some(Arc::from(&*out));
        }
        Ok(())
    }

    /// What of M has to be asked for with others: nothing where it never changes and is known, which is then in `out`.
    pub(crate) fn unknown_mass<'m>(
        &mut self,
        t: f64,
        q: &[f64],
        out: &'m mut [f64],
    ) -> Result<&'m mut [f64], NotFinite> {
        if !self.has_constant_mass {
            return Ok(out);
        }
        self.mass(t, q, out)?;
        Ok(&mut [])
    }

    /// f(t,q,v).
    pub fn force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        self.value(Quantity::Force, &At::new(t, q, v), out)
    }

    /// g(t,q).
    pub fn holonomic(&mut self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        self.value(Quantity::Holonomic, &At { t, q, ..At::default() }, out)
    }

    /// Whether [`holonomic_change`](Self::holonomic_change) is there.
    pub(crate) fn has_holonomic_change(&self) -> bool {
        let plain = !self.charted && self.space.is_flat() && self.spread.is_none();
        plain && self.dims.lambda > 0 && self.supplied.has(Quantity::HolonomicChange)
    }

    /// g(t + dt, q + dq) - g(t, q) with all its digits.
    pub(crate) fn holonomic_change(
        &mut self,
        (t, q): (f64, &[f64]),
        (dt, dq): (f64, &[f64]),
        out: &mut [f64],
    ) -> Result<(), NotFinite> {
        out.fill(0.0);
        self.evaluate(&At { t, q, dt, dq, ..At::default() }, [(Quantity::HolonomicChange, &mut *out)]);
        self.counted(Quantity::Holonomic, t + dt, out)
    }

    /// k(t,q,v).
    pub fn nonholonomic(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        self.value(Quantity::Nonholonomic, &At::new(t, q, v), out)
    }

    /// q' in tangent components: v, or U(t,q,v).
    pub fn rate(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        if !self.general_rate {
            out.copy_from_slice(v);
            return Ok(());
        }
        self.value(Quantity::Rate, &At::new(t, q, v), out)
    }

    /// The energy, where the system knows it. It is not counted, nor refused where it is not finite.
    pub fn energy(&mut self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        if !self.supplied.has(Quantity::Energy) {
            return None;
        }
        let mut energy = [0.0; 5];
        if self.direct.has(Quantity::Energy) {
            let at = At { held: &self.held, ..At::new(t, q, v) };
            self.system.single(Quantity::Energy, &at, &mut energy, &mut self.workspace);
        } else {
            self.evaluate(&At::new(t, q, v), [(Quantity::Energy, &mut energy)]);
        }
        Some(energy.into())
    }

    /// The values of the landmarks, as many as [`Description::landmarks`] says.
    pub fn landmarks(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.evaluate(&At::new(t, q, v), [(Quantity::Landmarks, out)]);
    }

    /// The values of the switches, as many as [`Description::switches`] says, on the branches that are held.
    pub fn switches(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if !out.is_empty() {
            self.evaluate(&At::new(t, q, v), [(Quantity::Switches, out)]);
        }
    }

    /// The values of the gaps, as many as [`Description::gaps`] says.
    pub fn gaps(&mut self, t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.evaluate(&At::new(t, q, &[]), [(Quantity::Gaps, out)]);
    }

    /// The branches on which the system is asked from now on, one for each of its switches: NaN where the value of the switch decides.
    pub fn hold(&mut self, branches: &[f64]) {
        self.held.copy_from_slice(branches);
    }

    /// The branches on which the system is asked.
    pub fn held(&self) -> &[f64] {
        &self.held
    }
}

/// What becomes of superfluous constraints: they can be shared out under the standard reaction only.
fn redundancy(description: &Description) -> Redundancy {
    if description.has_standard_reaction() { description.redundancy } else { Redundancy::Refused }
}

fn dense_layout(description: &Description) -> Layout {
    let dims = description.dims;
    let tangent = if description.has_general_rate() { dims.q } else { dims.v };
    Layout::dense(dims, tangent).suited_to(redundancy(description), description.solver)
}
