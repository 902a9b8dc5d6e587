//! Never silently wrong: what a result says about itself.
//!
//! ```text
//! position       |g|/(1+|q|)                velocity       |g_t + G q'|/(1+|v|)
//! nonholonomic   |k|/(1+|v|)                acceleration   |C a + bias|/(1+|a|+|bias|)
//! ```
//!
//! These are the measures of the methods. A row of large or tiny numbers is better judged beside its own terms, with L, V and
//! A the largest |q|, |v| and |a| so far:
//!
//! ```text
//! |g_i|/(|G_i| L + s)    |(g_t + G q')_i|/(|g_t,i| + |W_i| V + s)    |k_i|/(|k - K v|_i + |K_i| V + s)
//! |(C a + bias)_i|/(|C_i| A + |bias_i| + s)        |.| of a row the sum of its entries, s the smallest terms that count
//! ```
//!
//! Positions, velocities and nonholonomic constraints are looked at in every step, and row by row where they are worse than
//! before. The acceleration level takes an evaluation of C and of the bias; it is looked at in steps 1, 2, 4, 8 and so on, or
//! [in each](crate::Integrator::audit_accelerations).
//!
//! The energy is that of the system ([`Quantity::Energy`]); see [`EnergyBalance`].

mod balance;

pub use balance::EnergyBalance;

use std::fmt;
use std::ops::Range;

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, NotFinite};
use crate::linear::Pattern;
use crate::state::State;
use crate::stats::Residuals;
use crate::system::{At, Dims, Quantity};
use crate::tolerance::largest;
use balance::Ledger;

/// Smaller terms do not count in a relative residual. Projections leave some 1e-15 of numbers of size 1, and that is less than
/// 1e-11 of this.
const SMALLEST: f64 = 1e-2;

/// A level of the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintLevel {
    /// g.
    Position,
    /// g_t + G q'.
    Velocity,
    /// k.
    Nonholonomic,
    /// The time derivative of the last two.
    Acceleration,
}

impl fmt::Display for ConstraintLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConstraintLevel::Position => "position",
            ConstraintLevel::Velocity => "velocity",
            ConstraintLevel::Nonholonomic => "nonholonomic",
            ConstraintLevel::Acceleration => "acceleration",
        })
    }
}

const LEVELS: [ConstraintLevel; 4] = [
    ConstraintLevel::Position,
    ConstraintLevel::Velocity,
    ConstraintLevel::Nonholonomic,
    ConstraintLevel::Acceleration,
];

/// The largest residual of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct LargestResidual {
    /// The level.
    pub level: ConstraintLevel,
    /// The residual, relative to 1 + the size of what it is made of; or to the terms of its row.
    pub residual: f64,
    /// The constraint.
    pub constraint: String,
    /// When.
    pub t: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    residual: f64,
    t: f64,
    mode: usize,
    row: usize,
}

impl Keep for Worst {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.residual, self.t, self.mode, self.row)
    }
}

impl Audit {
    /// Whether all rows it remembers are there; `rows` says how many a mode has.
    pub fn is_within(&self, rows: impl Fn(usize) -> Option<usize>) -> bool {
        let known = self.worst.iter().chain(&self.strained).flatten();
        known.into_iter().all(|worst| rows(worst.mode).is_some_and(|rows| worst.row < rows))
    }
}

impl Keep for Audit {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.worst, self.strained, self.ledger, self.steps, self.sizes)?;
        keep!(archive; self.start, self.range, self.shortest)
    }
}

/// The largest |q|, |v| and |a| of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Of coordinates.
    pub q: f64,
    /// Of velocities.
    pub v: f64,
    /// Of accelerations.
    pub a: f64,
}

impl Keep for Sizes {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.q, self.v, self.a)
    }
}

/// What is watched in every step.
pub(crate) struct Audit {
    worst: [Option<Worst>; 4],
    /// The same beside the terms of the rows.
    strained: [Option<Worst>; 4],
    ledger: Ledger,
    /// Whether the acceleration level is looked at in every step.
    pub every: bool,
    steps: u64,
    sizes: Sizes,
    start: Vec<f64>,
    /// How far a coordinate has gone from the start.
    range: f64,
    /// Length of the shortest step, and when it began.
    shortest: Option<(f64, f64)>,
    /// G where that is not W, which is above K in C.
    g_q: Vec<f64>,
}

impl Audit {
    pub fn new(dims: Dims) -> Self {
        Audit {
            worst: [None; 4],
            strained: [None; 4],
            ledger: Ledger::new(),
            every: false,
            steps: 0,
            sizes: Sizes::default(),
            start: vec![0.0; dims.q],
            range: 0.0,
            shortest: None,
            g_q: Vec::new(),
        }
    }

    /// Takes the sizes of a mode; nothing is allocated as long as they stay.
    fn fit(&mut self, equations: &Equations) {
        self.g_q.resize(if equations.has_general_rate() { equations.layout().holonomic_q.len() } else { 0 }, 0.0);
    }

    /// The start.
    pub fn begin(&mut self, equations: &mut Equations, state: &State) {
        self.fit(equations);
        // What steps will need is on the shelf from now on.
        let shelf = &equations.layout().structure.shelf;
        shelf.put(shelf.take(room(equations)));
        self.measure(equations, state);
        self.start.copy_from_slice(&state.q);
        self.ledger.begin(equations, state);
    }

    fn measure(&mut self, equations: &Equations, state: &State) {
        let Sizes { q, v, a } = &mut self.sizes;
        for (size, x) in [(q, &state.q), (v, &state.v), (a, &state.a)] {
            *size = size.max(largest(equations.bodies(x)));
        }
    }

    /// Looks at an accepted step that ended in `state`, `cut` short there or not. `at` interpolates, and energies are integrated in
    /// this many parts. What cannot be evaluated is left out: the next step will say so.
    pub fn look(
        &mut self,
        mode: usize,
        equations: &mut Equations,
        residuals: Residuals,
        ([before, state], cut): ([&State; 2], bool),
        parts: usize,
        at: impl Fn(&Equations, f64, &mut State),
    ) {
        self.fit(equations);
        self.steps += 1;
        self.measure(equations, state);
        let gone = state.q.iter().zip(&self.start).map(|(q, start)| (q - start).abs());
        self.range = gone.fold(self.range, f64::max);
        let h = state.t - before.t;
        // A step that an event or a switch has cut says nothing about how short steps must be.
        if !cut && self.shortest.is_none_or(|(shortest, _)| h < shortest) {
            self.shortest = Some((h, before.t));
        }
        if self.is_record(residuals) || self.every || self.steps.is_power_of_two() {
            let _: Result<(), NotFinite> = self.look_at_constraints(mode, equations, state);
        }
        if self.ledger.balance.is_some() {
            self.ledger.look(equations, ([before, state], cut), parts, at);
        }
    }

    /// Looks at a state between steps.
    pub fn look_between(&mut self, mode: usize, equations: &mut Equations, residuals: Residuals, state: &State) {
        self.fit(equations);
        self.measure(equations, state);
        if self.is_record(residuals) {
            let _: Result<(), NotFinite> = self.look_at_constraints(mode, equations, state);
        }
    }

    /// Whether one of the residuals is the largest of its level so far.
    fn is_record(&self, residuals: Residuals) -> bool {
        let known = |worst: Option<Worst>| worst.map_or(0.0, |worst| worst.residual);
        let seen = [residuals.position, residuals.velocity, residuals.nonholonomic];
        seen.iter().zip(&self.worst).any(|(seen, worst)| *seen > known(*worst))
    }

    /// Residuals of all levels, with their rows.
    fn look_at_constraints(&mut self, mode: usize, equations: &mut Equations, state: &State) -> Result<(), NotFinite> {
        let structure = equations.layout().structure.clone();
        let mut room = structure.shelf.take(room(equations));
        let looked = self.look_in_room(mode, equations, state, &mut room);
        structure.shelf.put(room);
        looked
    }

    fn look_in_room(
        &mut self,
        mode: usize,
        equations: &mut Equations,
        state: &State,
        room: &mut [f64],
    ) -> Result<(), NotFinite> {
        let (nl, m) = (equations.dims().lambda, equations.dims().constraints());
        let (c_v, room) = room.split_at_mut(equations.layout().rows.len());
        let (c, room) = room.split_at_mut(m);
        let (terms, all_bias) = room.split_at_mut(m);
        let State { t, q, v, a, .. } = state;
        let (length, speed, sizes) =
            (1.0 + largest(equations.bodies(q)), 1.0 + largest(equations.bodies(v)), self.sizes);
        let (bias, bias_k) = all_bias.split_at_mut(nl);
        let (w_v, k_v) = c_v.split_at_mut(equations.layout().holonomic.len());
        let general = equations.has_general_rate();
        let wanted = [
            (Quantity::HolonomicQ, if general { &mut self.g_q[..] } else { &mut *w_v }),
            (Quantity::Holonomic, &mut c[..nl]),
            (Quantity::HolonomicBias, bias),
        ];
        equations.ask(&At::new(*t, q, v), wanted)?;
        if general {
            equations.velocity_v(*t, q, v, &self.g_q, w_v)?;
        }
        equations.nonholonomic_v(*t, q, v, k_v)?;
        equations.ask(&At::new(*t, q, v), [(Quantity::NonholonomicBias, bias_k)])?;

        terms[..nl].fill(0.0);
        let g_q = if general { &self.g_q } else { &c_v[..equations.layout().holonomic.len()] };
        add_rows(&equations.layout().holonomic_q, g_q, sizes.q, &mut terms[..nl]);
        self.note(0, (*t, mode), 0..nl, length, c, terms);

        equations.holonomic_t(*t, q, &mut terms[..nl])?;
        terms[..nl].iter_mut().for_each(|term| *term = term.abs());
        add_rows(&equations.layout().rows, c_v, sizes.v, &mut terms[..nl]);
        let g_q = if general { &self.g_q } else { &c_v[..equations.layout().holonomic.len()] };
        equations.velocity(*t, q, v, g_q, &mut c[..nl])?;
        self.note(1, (*t, mode), 0..nl, speed, c, terms);

        equations.nonholonomic(*t, q, v, &mut c[nl..])?;
        // k - K v, then its size and that of K v.
        terms[nl..].copy_from_slice(&c[nl..]);
        let k_v = &c_v[equations.layout().holonomic.len()..];
        equations.layout().nonholonomic.multiply_add(-1.0, k_v, v, &mut terms[nl..]);
        terms[nl..].iter_mut().for_each(|term| *term = term.abs());
        add_rows(&equations.layout().nonholonomic, k_v, sizes.v, &mut terms[nl..]);
        self.note(2, (*t, mode), nl..m, speed, c, terms);

        c.copy_from_slice(all_bias);
        equations.layout().rows.multiply_add(1.0, c_v, a, c);
        terms.iter_mut().zip(&*all_bias).for_each(|(term, bias)| *term = bias.abs());
        add_rows(&equations.layout().rows, c_v, sizes.a, terms);
        let size = 1.0 + largest(equations.bodies(a)) + largest(all_bias);
        self.note(3, (*t, mode), 0..m, size, c, terms);
        Ok(())
    }

    /// Remembers the largest of some rows, beside `size` and beside their terms, if it is the largest so far.
    fn note(&mut self, level: usize, (t, mode): (f64, usize), rows: Range<usize>, size: f64, c: &[f64], terms: &[f64]) {
        for (beside_terms, worst) in [(false, &mut self.worst[level]), (true, &mut self.strained[level])] {
            let residual = |row: usize| c[row].abs() / if beside_terms { terms[row] + SMALLEST } else { size };
            let row = rows.clone().max_by(|x, y| residual(*x).total_cmp(&residual(*y)));
            let Some((row, residual)) = row.map(|row| (row, residual(row))) else { continue };
            if worst.is_none_or(|worst| residual.is_nan() || residual > worst.residual) {
                *worst = Some(Worst { residual, t, mode, row });
            }
        }
    }

    /// The motion jumps from one state to another.
    pub fn jump(&mut self, equations: &mut Equations, before: &State, after: &State) {
        self.measure(equations, after);
        self.ledger.jump(equations, before, after);
    }

    /// The balance so far, where the system has an energy.
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.ledger.balance
    }

    /// The largest |q|, |v| and |a| so far.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// How far a coordinate has gone from the start.
    pub fn range(&self) -> f64 {
        self.range
    }

    /// The shortest step and when it began.
    pub fn shortest(&self) -> Option<(f64, f64)> {
        self.shortest
    }

    /// The largest residuals so far, and the largest beside the terms of their rows; `name` names the constraint in a row
    /// of a mode.
    pub fn largest(&self, name: impl Fn(usize, usize) -> String) -> [Vec<LargestResidual>; 2] {
        let named = |(level, worst): (&ConstraintLevel, &Option<Worst>)| {
            worst.map(|Worst { residual, t, mode, row }| LargestResidual {
                level: *level,
                residual,
                constraint: name(mode, row),
                t,
            })
        };
        [&self.worst, &self.strained].map(|all| LEVELS.iter().zip(all).filter_map(named).collect())
    }
}

/// How many numbers a look at the constraints takes: C, and three for each row.
fn room(equations: &Equations) -> usize {
    equations.layout().rows.len() + 3 * equations.dims().constraints()
}

/// Adds `factor` times the sizes of the entries of each row.
fn add_rows(pattern: &Pattern, values: &[f64], factor: f64, out: &mut [f64]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out += factor * pattern.row(i).map(|(_, entry)| values[entry].abs()).sum::<f64>();
    }
}
