//! Do things stay together that no constraint holds together?
//!
//! A system may leave out constraints that follow from others up to a misfit, and name what they would have closed as
//! [gaps](crate::Quantity::Gaps), each with the largest value that it may have. As long as the constraints still follow from the others, a gap stays what the misfit
//! makes of it; where they cease to, as in a dead point, nothing holds it, and the motion would go on as that of another system.

use crate::equations::Equations;
use crate::method::StepFailure;
use crate::state::State;

/// Room for the gaps of a system.
pub(crate) struct GapWatch {
    values: Vec<f64>,
}

impl GapWatch {
    /// Room for those of a system; most have none.
    pub fn new(equations: &Equations) -> Self {
        GapWatch { values: vec![0.0; equations.description().gaps.len()] }
    }

    /// The gap that exceeds most what it may be, where one does at a state.
    pub fn look(&mut self, equations: &mut Equations, state: &State) -> Option<StepFailure> {
        if self.values.is_empty() {
            return None;
        }
        equations.gaps(state.t, &state.q, &mut self.values);
        let most = &equations.description().gaps;
        let share = |i: &usize| self.values[*i].abs() / most[*i];
        let open = |i: &usize| share(i).is_nan() || share(i) > 1.0;
        let worst = (0..most.len()).filter(open).max_by(|i, j| share(i).total_cmp(&share(j)))?;
        Some(StepFailure::Opened { gap: worst, open: self.values[worst], most: most[worst] })
    }
}
