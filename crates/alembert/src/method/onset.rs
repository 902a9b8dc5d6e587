//! A force that sets in during a step.
//!
//! Error estimates are filtered with the matrix of the step's end, so that stiff modes which a method damps do not govern:
//!
//! ```text
//! e  <-  (M + h D + h^2 S)^-1 M e
//! ```
//!
//! A contact that sets in during the step is also a stiff mode at its end. The filter then takes all that the step did wrong out of the
//! estimate, and the step takes the energy out of the motion. A mode that is damped on purpose was stiff before: where it is the filter
//! that makes a step acceptable, D and S at the start of the step must lead to the same verdict.

use super::StepFailure;
use super::runge_kutta::blocks::Blocks;
use super::runge_kutta::eigensystem::Eigensystem;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::state::State;
use crate::system::Point;

/// The filter of the start of a step.
pub(super) struct Onset {
    blocks: Blocks,
    mode: Eigensystem<f64>,
    rhs: Vec<f64>,
    /// From so many tolerances of a step on, an error by this filter alone is one.
    alarm: f64,
    /// Whether the blocks are those of the present start.
    known: bool,
    /// Whether Newton's matrix has been evaluated since the start of the step.
    pub renewed: bool,
    /// Whether the last step, and the attempt, owed their acceptance to a filter that the starts of their steps confirmed.
    /// As long as this goes on with the same matrix, there is nothing new.
    confirmed: bool,
    confirms: bool,
}

impl Keep for Onset {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.confirmed)
    }
}

impl Onset {
    /// An `alarm` above 1 leaves modes alone that turn during a step, the gyroscopic one of a fast top for example. As an error in the few
    /// steps of a contact it must be nothing beside those of all others.
    pub fn new(equations: &Equations, alarm: f64) -> Self {
        let blocks = Blocks::new(equations);
        let rhs = vec![0.0; blocks.dims.v + blocks.dims.constraints()];
        Onset {
            mode: Eigensystem::new(0, 1.0, &blocks),
            blocks,
            rhs,
            alarm,
            known: false,
            renewed: true,
            confirmed: false,
            confirms: false,
        }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        (self.known, self.renewed, self.confirmed, self.confirms) = (false, false, false, false);
    }

    /// The attempt has been accepted.
    pub fn accept(&mut self) {
        (self.known, self.renewed, self.confirmed) = (false, false, self.confirms);
    }

    /// The norm of an error, given what it is before and after the filter of the step's end and how to measure what this filter,
    /// for a step of length h, makes of it.
    pub fn norm(
        &mut self,
        [raw, filtered]: [f64; 2],
        equations: &mut Equations,
        (start, h): (&State, f64),
        measure: impl FnOnce(&mut Self, &Equations) -> f64,
    ) -> Result<f64, StepFailure> {
        self.confirms = raw > self.alarm && filtered <= 1.0;
        if !self.confirms || (self.confirmed && !self.renewed) {
            return Ok(filtered);
        }
        self.prepare(equations, start, h)?;
        let norm = measure(self, equations);
        // A value that is not a number is an alarm too.
        self.confirms = norm <= self.alarm;
        Ok(if self.confirms { filtered } else { norm })
    }

    /// Factors M + h D + h^2 S at the start.
    fn prepare(&mut self, equations: &mut Equations, start: &State, h: f64) -> Result<(), StepFailure> {
        if !self.known {
            let State { t, q, v, a, lambda, psi } = start;
            self.blocks.evaluate(equations, Point { t: *t, q, v, lambda, psi }, a)?;
            self.known = true;
        }
        Ok(self.mode.factor(h, &self.blocks)?)
    }

    /// Filters a change of v, or of q along v. What it does to the constraints stays.
    pub fn damp(&mut self, e: &mut [f64]) {
        let (top, rows) = self.rhs.split_at_mut(e.len());
        self.blocks.layout.top.multiply(&self.blocks.mass, e, top);
        self.blocks.layout.rows.multiply(&self.blocks.c_v, e, rows);
        self.mode.kkt.solve(&mut self.rhs);
        e.copy_from_slice(&self.rhs[..e.len()]);
    }

    pub fn work(&self) -> LinearWork {
        self.mode.kkt.work()
    }
}
