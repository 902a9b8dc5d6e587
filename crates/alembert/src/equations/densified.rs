//! A system with patterns, seen as one without: for whoever needs dense matrices of it.

use std::cell::RefCell;

use crate::linear::{Pattern, SolverChoice};
use crate::system::{ConstrainedSystem, Dims, Energy, Patterns, Point, Redundancy, Supplied};

/// Fills in the zeros.
pub(super) struct Densified<'s> {
    system: &'s dyn ConstrainedSystem,
    top: Pattern,
    holonomic: Pattern,
    nonholonomic: Pattern,
    values: RefCell<Vec<f64>>,
}

impl<'s> Densified<'s> {
    pub fn new(system: &'s dyn ConstrainedSystem, patterns: Patterns) -> Self {
        let (dims, Patterns { top, rows }) = (system.dims(), patterns);
        Densified {
            system,
            top,
            holonomic: rows.part(0..dims.lambda),
            nonholonomic: rows.part(dims.lambda..dims.constraints()),
            values: RefCell::default(),
        }
    }

    /// Lets `function` write the entries of a pattern and puts them where they stand.
    fn spread<R>(&self, pattern: &Pattern, out: &mut [f64], function: impl FnOnce(&mut [f64]) -> R) -> R {
        let mut values = self.values.borrow_mut();
        values.clear();
        values.resize(pattern.len(), 0.0);
        let result = function(&mut values);
        for i in 0..pattern.rows() {
            for (j, e) in pattern.row(i) {
                out[i * pattern.columns() + j] = values[e];
            }
        }
        result
    }
}

impl ConstrainedSystem for Densified<'_> {
    fn dims(&self) -> Dims {
        self.system.dims()
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.spread(&self.top, mass, |values| self.system.mass(t, q, values));
    }
    fn mass_is_constant(&self) -> bool {
        self.system.mass_is_constant()
    }
    fn redundancy(&self) -> Redundancy {
        self.system.redundancy()
    }
    fn allows_indefinite_mass(&self) -> bool {
        self.system.allows_indefinite_mass()
    }
    fn linear_solver(&self) -> SolverChoice {
        self.system.linear_solver()
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
    fn residual(&self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Supplied {
        self.system.residual(at, a, r, c)
    }
    fn residual_q(&self, at: Point, a: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.top, out, |values| self.system.residual_q(at, a, values))
    }
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.holonomic, out, |values| self.system.holonomic_q(t, q, values))
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.system.holonomic_t(t, q, out)
    }
    fn holonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.system.holonomic_bias(t, q, v, out)
    }
    fn holonomic_velocity_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.holonomic, out, |values| self.system.holonomic_velocity_q(t, q, v, values))
    }
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.nonholonomic, out, |values| self.system.nonholonomic_v(t, q, v, values))
    }
    fn nonholonomic_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.nonholonomic, out, |values| self.system.nonholonomic_q(t, q, v, values))
    }
    fn nonholonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.system.nonholonomic_bias(t, q, v, out)
    }
    fn mass_q(&self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.top, out, |values| self.system.mass_q(t, q, a, values))
    }
    fn force_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.top, out, |values| self.system.force_q(t, q, v, values))
    }
    fn force_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.spread(&self.top, out, |values| self.system.force_v(t, q, v, values))
    }
    fn reaction_q(&self, at: Point, out: &mut [f64]) -> Supplied {
        self.spread(&self.top, out, |values| self.system.reaction_q(at, values))
    }
    fn reaction_v(&self, at: Point, out: &mut [f64]) -> Supplied {
        self.spread(&self.top, out, |values| self.system.reaction_v(at, values))
    }
    fn reaction_lambda(&self, at: Point, out: &mut [f64]) -> Supplied {
        self.spread(&self.holonomic, out, |values| self.system.reaction_lambda(at, values))
    }
    fn reaction_psi(&self, at: Point, out: &mut [f64]) -> Supplied {
        self.spread(&self.nonholonomic, out, |values| self.system.reaction_psi(at, values))
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        self.system.energy(t, q, v)
    }
    fn coordinate_name(&self, index: usize) -> String {
        self.system.coordinate_name(index)
    }
    fn holonomic_name(&self, row: usize) -> String {
        self.system.holonomic_name(row)
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        self.system.nonholonomic_name(row)
    }
}
