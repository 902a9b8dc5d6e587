//! Steps one by one, for callers that write their own `for` loop.

use super::{IntegrateError, Integrator};
use crate::solution::StepRecord;

/// The steps of an integration on the way to a time; see [`Integrator::steps`].
pub struct Steps<'i, 's> {
    integrator: &'i mut Integrator<'s>,
    t_end: f64,
    close: f64,
    ended: bool,
}

impl<'s> Integrator<'s> {
    /// The steps from here to `t_end`, each made when it is asked for and none kept. They end at `t_end`, with an event that says
    /// stop, or with an error. If they are dropped half-way, the integrator can go on from there.
    ///
    /// ```
    /// # use alembert::{ErrorControl, Integrator, RungeKutta, Tolerance, consistent, Guess};
    /// # use alembert::{Differentiated, Dims, Formulas, Scalar};
    /// # struct Free;
    /// # impl Formulas for Free {
    /// #     fn dims(&self) -> Dims {
    /// #         Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    /// #     }
    /// #     fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
    /// #         mass[0] = S::from(1.0);
    /// #     }
    /// #     fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
    /// #         force[0] = S::from(-9.81);
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let system = Differentiated::new(Free);
    /// # let start = consistent(&system, &Guess::new(0.0, vec![10.0], vec![0.0]))?;
    /// # let mut integrator =
    /// #     Integrator::new(&system, &start, &RungeKutta::radau(3)?, ErrorControl::new(), Tolerance::relative(1e-6)?)?;
    /// for step in integrator.steps(1.0) {
    ///     let step = step?;
    ///     println!("t = {}, height {}", step.state.t, step.state.q[0]);
    /// }
    /// # assert!((integrator.state().q[0] - (10.0 - 9.81 / 2.0)).abs() < 1e-9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn steps(&mut self, t_end: f64) -> Steps<'_, 's> {
        let close = self.close_to(t_end);
        Steps { integrator: self, t_end, close, ended: false }
    }
}

impl Iterator for Steps<'_, '_> {
    type Item = Result<StepRecord, IntegrateError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let known = self.integrator.first_new_event();
        let made = self.integrator.step(self.t_end).map(|step| StepRecord::without_inside(&step));
        let over = self.integrator.stopping_event(known).is_some();
        self.ended = made.is_err() || over || self.t_end - self.integrator.state().t <= self.close;
        Some(made)
    }
}
