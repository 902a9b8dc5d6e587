//! Why a mechanism does not close, found by closing it with something left out.
//!
//! ```text
//! values of the start     everything closes without them
//! misfit                  gap < 1e-2 S: rank at the best configuration to 20 gap / S, rows that follow from others left out: closes;
//!                         and they follow from them along all motions, not in this configuration only
//! contradiction           beside the best configuration rank to 1e-3, the same: closes
//! unreachable             all joints but one closed: what is left there
//! ```
//!
//! A misfit of an over-constrained loop below 1e-4 S is absorbed where redundant constraints are accepted: the rows that are blamed are left out
//! for good, so that the joint gives way by the misfit. (Shifting the constants of the rows instead would close the loop at the start, but leave
//! a rigid structure: rows that should depend on each other are independent by the misfit.) Bars that are stretched between points too far apart
//! have rows that depend on each other as well, but only there: left out, they would let the joint go.

use std::sync::Arc;

use super::partial::Replacement;
use super::place::Place;
use super::search::{Rows, Search};
use super::unclosed::{Absorbed, Cause, StartValue, Unclosed};
use super::{Attempt, Closed, EXACT, Found};
use crate::analysis::Blamed;
use crate::analysis::block::{Block, DEPENDENT};
use crate::assembly::Loose;
use crate::mechanism::Mechanism;
use crate::row::Row;

/// A gap below this share of the size is a misfit, and below the other it is absorbed.
const MISFIT: f64 = 1e-2;
pub(super) const ABSORBED: f64 = 1e-4;
/// How much more the joint that gives way may open than each of a loop over which the gap is spread; and how much wider it may become on
/// the way than it is at the start, if that is more than what would have been absorbed.
const OPENS_BY: f64 = 30.0;
/// How much larger than the misfit, as shares of the size, rows must be to count as independent.
const DEPENDENT_BY: f64 = 20.0;
/// How much rows may cease to depend on each other along the motions, in units of the misfit's share of the size, to follow from each other
/// everywhere, and no more than this. Of loops that do not reach it is of the order 1.
const BENDS_BY: f64 = 100.0;
const BENDS: f64 = 0.2;
/// Independent beside a configuration with a large gap, and the step there.
const BESIDE: f64 = 1e-3;
const STEP: f64 = 1e-2;
/// How little the rows of the joint count that is left open.
const FAINT: f64 = 1e-3;
/// Beginnings at random while causes are sought.
const TRIALS: usize = 6;

/// What was blamed, and rows without it.
struct Cure {
    joints: Vec<String>,
    blamed: Vec<Blamed>,
    replacements: Vec<Replacement>,
}

impl Mechanism {
    /// Closes an over-constrained loop of rounded dimensions where that is allowed; or says why nothing closes.
    pub(super) fn absorb(&mut self, attempt: Attempt) -> Result<Closed, Unclosed> {
        let search = Search::new(self);
        let strayed = attempt.near.as_ref().and_then(|near| search.strayed(near, &attempt.q));
        let best = strayed.unwrap_or(attempt.q);
        let gaps = search.gaps(&best);
        if let Some(values) = self.contradicting_start() {
            return Err(Unclosed { gaps, cause: Cause::Start(values) });
        }
        if let Some(found) = self.give_way(&best) {
            return found.map_err(|cause| Unclosed { gaps, cause });
        }
        let search = Search::new(self);
        if search.gap(Rows::Relaxed, &best) >= MISFIT * search.size
            && let Some((Cure { joints, blamed, .. }, _)) = self.cured(&self.beside(&search, &best), BESIDE, None)
        {
            return Err(Unclosed { gaps, cause: Cause::Contradiction { joints, blamed } });
        }
        let cause = self.unreachable(&search, best, &gaps);
        Err(Unclosed { gaps, cause })
    }

    /// Refuses rods that drivers make shorter than nothing at the start.
    pub(super) fn check_rods(&self) -> Result<(), Unclosed> {
        for prescribed in &self.prescribed {
            let joint = &self.joints[prescribed.of.joint];
            let [length, ..] = prescribed.law.at(self.guess().t);
            if joint.rod().is_some() && length <= 0.0 {
                let cause = Cause::Length { joint: self.name_of(prescribed.of.joint).to_owned(), length };
                return Err(Unclosed { gaps: Vec::new(), cause });
            }
        }
        Ok(())
    }

    /// Where the gaps of a place are the misfit of an over-constrained loop: closes it, if that is allowed, or says what does not fit.
    pub(super) fn give_way(&mut self, best: &Place) -> Option<Result<Closed, Cause>> {
        let search = Search::new(self);
        let (gap, size) = (search.gap(Rows::Relaxed, best), search.size);
        let share = gap / size;
        let threshold = (DEPENDENT_BY * share).max(DEPENDENT);
        if share >= MISFIT {
            return None;
        }
        let (cure, found) = self.cured(&best.q, threshold, Some((best, OPENS_BY * gap)))?;
        if !self.stays_redundant(&best.q, threshold, (BENDS_BY * share).min(BENDS)) {
            return None;
        }
        let Cure { joints, blamed, replacements } = cure;
        let open: Vec<f64> = replacements.iter().map(|other| search.gap_of(other.constraint, &found.place)).collect();
        if open.iter().all(|open| *open < EXACT * size) {
            // It closes there as it is: the gap was not a misfit.
            return None;
        }
        let fits = open.iter().all(|open| *open < OPENS_BY * gap);
        if !(self.accepts_redundancy() && share < ABSORBED && fits) {
            return Some(Err(Cause::Misfit { joints, gap, share, cure: blamed }));
        }
        let most = |open: f64| (OPENS_BY * open.max(gap)).max(ABSORBED * size);
        let opens = replacements.iter().zip(&open);
        let loose: Vec<Loose> = opens.map(|(other, open)| self.loose(other.constraint, most(*open))).collect();
        let absorbed = blamed.into_iter().zip(open).map(|(blamed, gap)| Absorbed { blamed, gap }).collect();
        let Found { place, moved, steps, beginnings, .. } = found;
        self.replace_rows(replacements);
        self.assembly.look_after(loose);
        let v = match self.held_velocities(&Search::new(self), &place) {
            Ok(v) => v,
            Err(refused) => return Some(Err(refused.cause)),
        };
        self.settle(place.q, v);
        self.settle_redundancy();
        let moved = moved.max(self.welded.moved);
        Some(Ok(Closed { moved, steps, beginnings, absorbed }))
    }

    /// Values of the start that contradict the loops, if they are all that does.
    fn contradicting_start(&self) -> Option<Vec<StartValue>> {
        let held: Vec<_> = self.held().iter().filter(|held| held.value.is_some()).collect();
        if held.is_empty() {
            return None;
        }
        let free = Search::new(self).without_held().close(self, TRIALS).ok()?;
        if free.strayed.is_some() {
            // Without them it closes elsewhere.
            return None;
        }
        let value = |at: usize, place: &Place| {
            let of = held[at].of;
            let found = self.coordinate(of, self.guess().t, &place.q, &self.guess().v);
            StartValue {
                joint: self.name_of(of.joint).to_owned(),
                coordinate: of.name,
                given: held[at].value.unwrap_or_default(),
                would_be: found.unwrap_or_default().0,
            }
        };
        let mut single = Vec::new();
        if held.len() > 1 {
            for at in 0..held.len() {
                if let Ok(found) = Search::new(self).holding(|other| other != at).close(self, TRIALS) {
                    single.push(value(at, &found.place));
                }
            }
        }
        if single.is_empty() {
            single = (0..held.len()).map(|at| value(at, &free.place)).collect();
        }
        Some(single)
    }

    /// Whether what follows from others at a configuration does so along all motions, where rows are independent by so much.
    fn stays_redundant(&self, q: &[f64], threshold: f64, bends: f64) -> bool {
        let weights = self.weights();
        self.decide(q, &weights, threshold).iter().all(|block| self.bends(q, block, &weights) < bends)
    }

    /// What closes without the rows that follow from others at a configuration, where rows are independent by so much. Where a place is given,
    /// it closes there if the gaps that open elsewhere are not that small.
    fn cured(&self, q: &[f64], threshold: f64, near: Option<(&Place, f64)>) -> Option<(Cure, Found)> {
        let blocks: Vec<Block> = self.decide(q, &self.weights(), threshold);
        let mut cure = Cure { joints: Vec::new(), blamed: Vec::new(), replacements: Vec::new() };
        for block in blocks.iter().filter(|block| block.null.rows() > 0) {
            let shares = self.blame(block);
            for share in &shares {
                let words: Vec<&'static str> = share.rows.iter().map(|at| block.rows[*at].direction).collect();
                cure.replacements.push(self.without_rows(share.constraint, &words)?);
            }
            let names = self.named();
            cure.joints.extend(self.sharing(block).into_iter().map(|at| names[at].to_owned()));
            cure.blamed.extend(self.blamed(block, &shares));
        }
        if cure.replacements.is_empty() {
            return None;
        }
        let search = Search::new(self).replacing(cure.replacements.clone());
        let found = search.close(self, TRIALS).ok();
        let found = match near {
            Some((place, limit)) => {
                let whole = Search::new(self);
                let gap = |found: &Found, other: &Replacement| whole.gap_of(other.constraint, &found.place);
                let fits = |found: &Found| cure.replacements.iter().all(|other| gap(found, other) < limit);
                found.filter(fits).or_else(|| search.close_from(self, place))
            }
            None => found,
        }?;
        Some((cure, found))
    }

    /// A step along a random motion that the constraints allow to first order, where a dead point is one no more.
    fn beside(&self, search: &Search, at: &Place) -> Vec<f64> {
        let weights = self.weights();
        let mut dx = vec![0.0; weights.len()];
        for block in self.decide(&at.q, &weights, BESIDE) {
            let motions = block.qr.motions();
            for i in 0..motions.rows() {
                // Different shares for each motion; which is all that random ones would do.
                let share = 1.0 / (1.0 + i as f64);
                block.columns.iter().zip(motions.row(i)).for_each(|(j, m)| dx[*j] += share * m / weights[*j].sqrt());
            }
        }
        let length = search.norm(&dx);
        if length == 0.0 {
            return at.q.clone();
        }
        dx.iter_mut().for_each(|x| *x *= STEP * search.size / length);
        at.advanced(search, &dx).q
    }

    /// The loop that cannot close, and the gap of its last joint where all others are closed.
    fn unreachable(&self, search: &Search, best: Place, gaps: &[(String, f64)]) -> Cause {
        let open = |name: &str| gaps.iter().any(|(other, _)| other == name);
        let loops = self.graph().blocks().into_iter().filter(|block| block.len() > 1);
        let on_loops: Vec<usize> = loops.flatten().collect();
        let last = self
            .joints
            .iter()
            .rfind(|joint| open(&self.named()[joint.constraint]) && on_loops.contains(&joint.constraint));
        let Some(cut) = last.or(self.joints.last()) else {
            let gap = gaps.first().map_or(0.0, |(_, gap)| *gap);
            return Cause::Unreachable { joints: Vec::new(), cut: String::new(), gap };
        };
        let faint = |row: &Row| Row { scale: FAINT * row.scale, ..row.clone() };
        let (support, rows) = self.searched(cut);
        let replacement = Replacement {
            constraint: cut.constraint,
            support: support.into_owned(),
            rows: rows.into_iter().map(|row| Arc::new(faint(row))).collect(),
            relaxed: None,
            together: None,
        };
        let mut place = best;
        let faint = Search::new(self).replacing(vec![replacement]);
        faint.levenberg_marquardt(&mut place, &mut 0);
        let names = self.named();
        let joints = self.graph().cycle(cut.constraint);
        Cause::Unreachable {
            joints: joints.into_iter().map(|at| names[at].to_owned()).collect(),
            cut: names[cut.constraint].to_owned(),
            gap: search.gap_of(cut.constraint, &place),
        }
    }
}
