//! Speeds of joint coordinates that a start holds, and those that contradict joints, drivers, or each other.
//!
//! ```text
//! G v = c                 rates of all constraints, drivers among them
//! H v = s                 rates of the coordinates that are held:    the nearest v in W to the velocities of the bodies, which are rough
//! held alone              a speed that G v = c does not leave is named with the rate that is left
//! left out                if all of them can be had one by one, those without any of which the others can be had are named
//! ```
//!
//! Rows that follow from others take part in no solution, and whether they are met is looked at afterwards. Constraints that cannot be met by
//! any velocity are not told here: a [consistent](alembert::consistent) start names them.

use super::Search;
use super::normal::SparseRows;
use super::place::Place;
use super::unclosed::{Cause, StartValue, Unclosed};
use crate::expansion::{Expansion, Order};
use crate::mechanism::Mechanism;
use crate::row::{Level, Row};
use crate::support::Support;

/// Speeds agree if they do to so many digits: who writes 0.333333 for a third means it.
const AGREE: f64 = 1e-6;
/// Beside the fastest part of a mechanism what is slower by this factor is rounding.
const ROUNDING: f64 = 1e-11;
/// Corrections of a solution. One suffices where rows are decomposed; damped least squares of large mechanisms take a few.
const CORRECTIONS: usize = 20;
/// So many of the speeds that contradict each other are left out one by one.
const LEFT_OUT: usize = 50;

/// Rates of constraints and of held coordinates, as rows of v.
struct Rates {
    rows: SparseRows,
    /// What they must be.
    wanted: Vec<f64>,
    /// How many of them are those of constraints.
    constraints: usize,
    /// Which of the values that the start holds the others belong to.
    held: Vec<usize>,
}

impl Mechanism {
    /// Velocities with the speeds that are held, as near as can be to those that were given; none where nothing is held.
    pub(super) fn held_velocities(&self, search: &Search, place: &Place) -> Result<Option<Vec<f64>>, Unclosed> {
        if self.held().iter().all(|held| held.speed.is_none()) {
            return Ok(None);
        }
        let rates = self.rates(search, place);
        if let Some(v) = rates.velocities(search, self, |_| true) {
            return Ok(Some(v));
        }
        let Some(free) = rates.velocities(search, self, |_| false) else { return Ok(None) };
        let count = rates.held.len();
        let tried = 0..count.min(LEFT_OUT);
        let refused: Vec<usize> =
            (0..count).filter(|at| rates.velocities(search, self, |other| other == *at).is_none()).collect();
        if !refused.is_empty() {
            let values = refused.into_iter().map(|at| rates.told(self, at, &free)).collect();
            return Err(Unclosed { gaps: Vec::new(), cause: Cause::Speeds { values, alone: true } });
        }
        let without = |at: usize| rates.velocities(search, self, |other| other != at).map(|v| rates.told(self, at, &v));
        let mut values: Vec<StartValue> = tried.filter_map(without).collect();
        if values.is_empty() {
            values = (0..count).map(|at| rates.told(self, at, &free)).collect();
        }
        Err(Unclosed { gaps: Vec::new(), cause: Cause::Speeds { values, alone: false } })
    }

    fn rates(&self, search: &Search, place: &Place) -> Rates {
        let n = search.weights.len();
        let v0 = &self.guess().v;
        let (mut rows, mut wanted, mut out) = (SparseRows::new(n), Vec::new(), vec![0.0; n]);
        let mut poses = place.poses.clone();
        search.nodes.iter().zip(&mut poses).for_each(|(node, pose)| node.moving(v0, pose));
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        let mut put = |support: &Support, row: &Row, rate: f64| {
            support.locate(&poses, &mut z);
            row.expand(self.guess().t, &z, Order::Gradient, &mut sum);
            for (z, gradient) in z.iter().zip(&sum.gradient) {
                let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
                z.add_wrench(gradient, &mut force, &mut torque);
                let node = support.nodes[z.slot];
                search.nodes[node].add_wrench(&poses[node], &force, &torque, &mut out);
            }
            wanted.push(rate - if row.level == Level::Position { sum.t } else { sum.value });
            rows.push(&mut out, support.nodes.iter().flat_map(|node| search.nodes[*node].columns()));
        };
        for constraint in 0..self.named().len() {
            let (support, rows) = self.assembly.joint_rows(constraint);
            rows.for_each(|(row, _)| put(&support, row, 0.0));
        }
        let mut held = Vec::new();
        for (at, start) in self.held().iter().enumerate() {
            let (Some(speed), Some(coordinate)) = (start.speed, self.held_coordinate(start)) else { continue };
            put(&coordinate.support, &coordinate.row, speed);
            held.push(at);
        }
        let constraints = wanted.len() - held.len();
        Rates { rows, wanted, constraints, held }
    }
}

impl Rates {
    /// The nearest velocities with some of the held speeds, if these can be had.
    fn velocities(&self, search: &Search, mechanism: &Mechanism, keep: impl Fn(usize) -> bool) -> Option<Vec<f64>> {
        let kept: Vec<usize> =
            (0..self.wanted.len()).filter(|i| *i < self.constraints || keep(*i - self.constraints)).collect();
        let rows = self.rows.chosen(&kept);
        let v0 = &mechanism.guess().v;
        // In unit rows all rates are speeds of the farthest markers.
        let lengths: Vec<f64> = (0..kept.len()).map(|i| search.length(rows.row(i))).collect();
        let terms = |i: usize, v: &[f64]| rows.row(i).iter().map(|(j, a)| (a * v[*j]).abs()).sum::<f64>();
        let missing = |v: &[f64]| -> Vec<f64> {
            kept.iter().enumerate().map(|(i, k)| self.wanted[*k] - rows.times(i, v)).collect()
        };
        let mut v = v0.clone();
        let mut before = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let left = missing(&v);
            let sizes: Vec<f64> = (0..kept.len()).map(|i| self.wanted[kept[i]].abs() + terms(i, &v)).collect();
            let speed = |i: usize| (sizes[i] + terms(i, v0)) / lengths[i];
            let still = ROUNDING * (0..kept.len()).map(speed).fold(0.0, f64::max);
            let worst = left.iter().zip(&lengths).map(|(left, length)| left.abs() / length).fold(0.0, f64::max);
            if worst <= still {
                return Some(v);
            }
            if worst > 0.5 * before {
                let good = |i: usize| left[i].abs() <= (AGREE * sizes[i]).max(still * lengths[i]);
                return (0..kept.len()).all(good).then_some(v);
            }
            before = worst;
            let change = search.shortest(&rows, &left)?;
            v.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
        }
        None
    }

    /// A held speed, and what it is with other velocities.
    fn told(&self, mechanism: &Mechanism, at: usize, v: &[f64]) -> StartValue {
        let held = mechanism.held()[self.held[at]];
        let row = self.constraints + at;
        let given = held.speed.unwrap_or_default();
        // The explicit part of a rate stands on the other side.
        let would_be = self.rows.times(row, v) + given - self.wanted[row];
        let rate = self.rows.row(row).iter().map(|(j, a)| (a * v[*j]).abs()).sum::<f64>() + given.abs();
        StartValue {
            joint: mechanism.name_of(held.of.joint).to_owned(),
            coordinate: held.of.name,
            given,
            would_be: if would_be.abs() < ROUNDING * rate { 0.0 } else { would_be },
        }
    }
}
