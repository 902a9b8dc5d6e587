//! What an integration says of itself, and where it looks at its steps for that.

use super::{Integrator, Mode};
use crate::audit::EnergyBalance;
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::Attempt;
use crate::sensitivity::DerivedErrors;
use crate::state::State;
use crate::stats::Stats;
use crate::summary::Summary;

impl Integrator<'_> {
    /// Whether the matrices of the present mode hold the entries of patterns only, see [`SolverChoice`](crate::SolverChoice).
    pub fn is_sparse(&self) -> bool {
        self.modes[self.mode()].equations.layout().is_sparse()
    }

    /// What it has cost so far.
    pub fn stats(&self) -> Stats {
        let mut stats = self.stats;
        for mode in &self.modes {
            let LinearWork { factorisations, solves, fallbacks } = mode.linear_work();
            stats.factorisations += factorisations;
            stats.solves += solves;
            stats.fallbacks += fallbacks;
            stats.evaluations += mode.equations.evaluations();
        }
        stats
    }

    /// Looks at the acceleration level in every step, not only now and then. A look costs an evaluation of C and of the bias.
    pub fn audit_accelerations(&mut self) {
        self.audit.every = true;
    }

    /// Where the energy went so far, if the system says what its energy is.
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.audit.energy()
    }

    /// What it did so far, and how well it kept what it must.
    pub fn summary(&self) -> Summary {
        let name = |mode: usize, row: usize| {
            let equations = &self.modes[mode].equations;
            match row.checked_sub(equations.dims().lambda) {
                None => equations.system().holonomic_name(row),
                Some(row) => equations.system().nonholonomic_name(row),
            }
        };
        let [residuals, relative_residuals] = self.audit.largest(name);
        Summary {
            t_start: self.t_start,
            t: self.state().t,
            method: self.modes[self.mode()].name,
            cautions: self.modes.iter().filter_map(|mode| mode.caution).collect(),
            stats: self.stats(),
            events: self.happened as usize,
            slid: self.slid_along(),
            residuals,
            relative_residuals,
            energy: self.audit.energy(),
            tolerance: self.controller.needs_estimate().then_some(self.tolerance),
            accumulation: self.modes[self.mode()].accumulation,
            typical: self.typical(),
            sizes: self.audit.sizes(),
            range: self.audit.range(),
            shortest: self.audit.shortest(),
            derived: self.modes.iter().filter_map(Mode::derived).reduce(DerivedErrors::max),
        }
    }

    /// Looks at the step just made, and at the jump it ends with.
    pub(super) fn audit_step(&mut self, attempt: &Attempt) {
        let Mode { equations, method, .. } = &mut self.modes[self.mode];
        let (before, turn) = (&self.before, self.turn.as_ref());
        let end = turn.map_or_else(|| method.state(), |turn| &turn.before);
        let at = |equations: &Equations, t: f64, out: &mut State| method.interpolate(equations, before, t, out);
        let parts = self.rows.parts(before.t, end.t);
        let cut = end.t < method.state().t;
        self.audit.look(self.mode, equations, attempt.residuals, ([before, end], cut), parts, at);
        let norm = attempt.error.map_or(1.0, |error| error.norm);
        self.modes[self.mode].look_at_derived(before, turn.map(|turn| &turn.before), norm);
        if let Some(turn) = turn {
            self.audit.jump(&mut self.modes[turn.mode].equations, &turn.before, &turn.after);
        }
    }
}
