//! A method for vector spaces at work on a system with rotations: each step in a [chart](crate::chart) around its start.

use std::cell::RefCell;

use super::{Attempt, BadMethod, Method, Own, Scheme, StepFailure};
use crate::chart::{Chart, ChartChange};
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::state::State;
use crate::tolerance::Tolerance;

/// The inner method sees coordinates; everyone else sees configurations.
pub(super) struct Charted {
    inner: Box<dyn Method>,
    chart: Chart,
    old: Chart,
    now: State,
    /// The state of the last successful attempt.
    next: State,
    /// The start of the last step, and room for a state, in coordinates.
    from: State,
    scratch: RefCell<(State, Chart)>,
}

impl Charted {
    /// The scheme in charts.
    pub fn build(
        scheme: &dyn Scheme,
        equations: &Equations,
        tolerance: Tolerance,
    ) -> Result<Box<dyn Method>, BadMethod> {
        let dims = equations.dims();
        let chart = Chart::new(equations.space(), dims);
        let mut charted = Equations::with_known(equations.system_ref(), Some(equations.layout()));
        charted.enter(&chart);
        let coordinates = State::zero(Chart::dims(dims));
        Ok(Box::new(Charted {
            inner: scheme.build(&charted, tolerance)?,
            old: chart.clone(),
            now: State::zero(dims),
            next: State::zero(dims),
            from: coordinates.clone(),
            scratch: RefCell::new((coordinates, chart.clone())),
            chart,
        }))
    }

    /// Runs something of the inner method in the present chart.
    fn inside<R>(&mut self, equations: &mut Equations, run: impl FnOnce(&mut dyn Method, &mut Equations) -> R) -> R {
        equations.enter(&self.chart);
        let outcome = run(&mut *self.inner, equations);
        equations.leave();
        outcome
    }

    /// Takes over the inner method's state.
    fn look(&mut self) {
        let state = self.inner.state();
        copy(state, &mut self.now);
        self.now.q.copy_from_slice(self.chart.configuration(&state.q));
    }
}

/// All but q.
fn copy(from: &State, to: &mut State) {
    to.t = from.t;
    to.v.copy_from_slice(&from.v);
    to.a.copy_from_slice(&from.a);
    to.lambda.copy_from_slice(&from.lambda);
    to.psi.copy_from_slice(&from.psi);
}

impl Method for Charted {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.chart.centre(&start.q);
        let mut coordinates = std::mem::replace(&mut self.from, State::zero(Chart::dims(equations.dims())));
        copy(start, &mut coordinates);
        self.chart.coordinates(&start.q, &mut coordinates.q);
        let outcome = self.inside(equations, |inner, equations| inner.restart(equations, &coordinates));
        self.from = coordinates;
        self.look();
        // The start itself, not what the way through the chart has rounded.
        self.now.q.copy_from_slice(&start.q);
        outcome
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        let attempt = self.inside(equations, |inner, equations| inner.attempt(equations, h))?;
        if let Some(next) = self.inner.next() {
            copy(next, &mut self.next);
            self.next.q.copy_from_slice(self.chart.configuration(&next.q));
        }
        Ok(attempt)
    }

    fn accept(&mut self) {
        copy(&self.now, &mut self.from);
        self.from.q.copy_from_slice(&self.inner.state().q);
        self.inner.accept();
        self.look();
        self.old.assign(&self.chart);
        self.chart.centre(&self.now.q);
        let mut change = ChartChange { old: &mut self.old, new: &mut self.chart };
        change.apply(&mut self.from.q);
        self.inner.rechart(&mut change);
    }

    fn expect_no_retries(&mut self) {
        self.inner.expect_no_retries();
    }

    fn estimates_error(&self) -> bool {
        self.inner.estimates_error()
    }

    /// The chart had its centre at the start of the step: its directions are those of the tangent up to the turn in one step.
    fn error(&self) -> Option<(&[f64], &[f64])> {
        self.inner.error()
    }

    fn first_step(&mut self, equations: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        self.inside(equations, |inner, equations| inner.first_step(equations, t_end))
    }

    fn interpolate(&self, equations: &Equations, _: &State, t: f64, out: &mut State) {
        let (coordinates, chart) = &mut *self.scratch.borrow_mut();
        self.inner.interpolate(equations, &self.from, t, coordinates);
        copy(coordinates, out);
        chart.assign(&self.chart);
        out.q.copy_from_slice(chart.configuration(&coordinates.q));
    }

    /// A polynomial in the chart around the end of a step is not a polynomial in the chart around its start; two more degrees make up for it.
    fn degree(&self) -> usize {
        self.inner.degree() + 2
    }

    fn inner_places(&self) -> usize {
        self.inner.inner_places()
    }

    /// The chart has its centre at the start of the step: increments are the same in it.
    fn sketch(&self, place: usize, x: &mut [f64], v: &mut [f64], a: &mut [f64]) -> bool {
        self.inner.sketch(place, x, v, a)
    }

    fn state(&self) -> &State {
        &self.now
    }

    fn next(&self) -> Option<&State> {
        self.inner.next().map(|_| &self.next)
    }

    fn own(&self) -> Own<'_> {
        self.inner.own()
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.chart, self.now, self.next, self.from)?;
        self.inner.keep(archive)
    }

    fn linear_work(&self) -> LinearWork {
        self.inner.linear_work()
    }
}
