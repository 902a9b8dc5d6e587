//! From rough poses to a configuration in which all joints close, near to the drawing.
//!
//! ```text
//! fit           bodies without a pose go where their joints lead                                                 (fit.rs)
//! proximal      min |g|^2 + w |q - q0|^2_W,   w = 1, 0.1, 0.01, 0.001: at most three Gauss-Newton steps each     near to the drawing
//! search        Levenberg-Marquardt on |g|^2,   (G^T G + mu W) dx = -G^T g,  Nielsen's rule                       to 1e-9 of the size
//! Newton        the shortest step in W on the true rows                                                         to rounding
//! signs         axes that are parallel point the same way
//! ```
//!
//! The search works on relaxed rows (`kit.rs`), in which parallel axes are differences of unit vectors. W measures shifts in metres and turns by
//! the farthest marker of a body, not by masses: light links and thin rods make no difference. Where it fails it begins again without
//! the first part, then at random places near the drawing, always the same ones.

mod failure;
mod fit;
pub(crate) mod held;
mod normal;
mod partial;
mod place;
mod search;
mod speeds;
mod unclosed;
mod walk;
mod winding;

use crate::analysis::dense::PivotedQr;
use crate::mechanism::Mechanism;
pub use unclosed::{Absorbed, Cause, StartValue, Unclosed};
pub(crate) use walk::walk;

use normal::{Factors, SparseRows};
use place::Place;
use search::{Rows, Search};

/// Gap of the search, and gap after Newton's method, relative to the size of the mechanism.
const CLOSED: f64 = 1e-9;
const EXACT: f64 = 1e-10;
/// A drawing that is closed to this share is left as it is.
const ROUNDING: f64 = 1e-14;
/// No body turns by more than this in one step.
const LARGEST_TURN: f64 = 1.0;
/// In so many steps, and more where there are more bodies, the search must come nearer, to this share of the sum of squares.
const PATIENCE: usize = 200;
const NEARER: f64 = 0.5;
/// A configuration that closes strays if it is farther from one with a small gap than so many of these gaps.
const STRAYS: f64 = 30.0;
/// Rows that follow from others while Newton's method closes the rest.
const DEPENDENT: f64 = 1e-9;
/// Up to so many velocities a dense decomposition decides which rows those are.
const DECIDED: usize = 600;
/// Beyond, unit rows have this damping, so often.
const DAMPING: f64 = 1e-9;
const REPEATED: usize = 3;
/// Beginnings at random.
const TRIALS: usize = 27;
/// How little the pose of a body counts that has none.
const UNPOSED: f64 = 0.01;
/// Returns to the drawing while that gains a share: of bodies with poses, when others have none.
const RETURNS: usize = 5;
const GAIN: f64 = 0.95;

/// A mechanism that has been closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// How far bodies were moved: the farthest marker of the body that moved most, in metres.
    pub moved: f64,
    /// Steps of all searches.
    pub steps: usize,
    /// How many beginnings were needed; one is the rule.
    pub beginnings: usize,
    /// Joints of loops that do not fit exactly, and what they give way in.
    pub absorbed: Vec<Absorbed>,
}

/// One attempt.
struct Attempt {
    q: Place,
    gap: f64,
    closed: bool,
    /// The first place on the way with a gap that may be a misfit, and the gap.
    near: Option<(Place, f64)>,
}

impl Mechanism {
    /// Moves the bodies of the start as little as need be so that all joints close. Where redundant constraints are accepted and there are none,
    /// the equations become the plain ones, which are more accurate. Velocities stay as they were given unless speeds of joints are held; a
    /// [consistent](alembert::consistent) start takes the nearest ones that joints allow.
    ///
    /// # Errors
    /// If no configuration was found, with the joints that stay open, or no velocities with the speeds that the start holds.
    pub fn close(&mut self) -> Result<Closed, Unclosed> {
        self.check_rods()?;
        let Found { place, moved, steps, beginnings, strayed } = match Search::new(self).close(self, TRIALS) {
            Ok(found) => found,
            Err(best) => return self.absorb(best),
        };
        // A loop of rounded dimensions may close exactly, but only far away, in a dead point.
        if let Some(near) = strayed {
            match self.give_way(&near) {
                Some(Ok(closed)) => return Ok(closed),
                // It closes there, but not with the speeds that are held.
                Some(Err(cause @ Cause::Speeds { .. })) => return Err(Unclosed { gaps: Vec::new(), cause }),
                _ => {}
            }
        }
        let v = self.held_velocities(&Search::new(self), &place)?;
        self.settle(place.q, v);
        self.settle_redundancy();
        let moved = moved.max(self.welded.moved);
        Ok(Closed { moved, steps, beginnings, absorbed: Vec::new() })
    }
}

fn largest(g: &[f64]) -> f64 {
    g.iter().fold(0.0_f64, |max, g| max.max(g.abs()))
}

/// A closed configuration and what it took.
struct Found {
    place: Place,
    moved: f64,
    steps: usize,
    beginnings: usize,
    /// A place near to where the search began that closes up to a gap much smaller than the way from there.
    strayed: Option<Place>,
}

impl Search<'_> {
    /// From the drawing, then without its springs, then from random places; the best attempt where none closes.
    fn close(&self, mechanism: &Mechanism, trials: usize) -> Result<Found, Attempt> {
        let posed = mechanism.posed();
        let drawn = Place::new(self, mechanism.guess().q.clone()).fitted(self, mechanism).wound(self);
        let mut steps = 0;
        let (mut best, mut near): (Option<Attempt>, _) = (None, None);
        for beginning in 0..trials + 2 {
            let from = match beginning {
                0 | 1 => drawn.clone(),
                _ => drawn.shaken(self, beginning - 2),
            };
            let attempt = self.attempt(&drawn, from, beginning == 0, &mut steps);
            if attempt.closed {
                // The first small gap on the way from the drawing is the nearest, even if that way led nowhere.
                let near = near.as_ref().or(attempt.near.as_ref());
                let strayed = near.and_then(|near| self.strayed(near, &attempt.q));
                let place = self.nearer(&drawn, attempt.q, posed, &mut steps);
                let moved = place.farthest(&drawn, self);
                return Ok(Found { place, moved, steps, beginnings: beginning + 1, strayed });
            }
            near = near.or_else(|| attempt.near.clone());
            if best.as_ref().is_none_or(|best| attempt.gap < best.gap) {
                best = Some(attempt);
            }
        }
        let best = best.map(|best| Attempt { near, ..best });
        Err(best.unwrap_or(Attempt { q: drawn, gap: f64::INFINITY, closed: false, near: None }))
    }

    /// The place near to one with a small gap that is as near to closed as can be there, if another one is much farther from it than the gap.
    fn strayed(&self, (first, gap): &(Place, f64), place: &Place) -> Option<Place> {
        if place.farthest(first, self) < STRAYS * gap {
            return None;
        }
        let mut near = first.clone();
        self.proximal(first, &mut near, &mut 0);
        Some(near)
    }

    /// From a place that is nearly closed.
    fn close_from(&self, mechanism: &Mechanism, from: &Place) -> Option<Found> {
        let drawn = Place::new(self, mechanism.guess().q.clone()).fitted(self, mechanism).wound(self);
        let mut steps = 0;
        let attempt = self.attempt(from, from.clone(), false, &mut steps);
        let strayed = attempt.near.as_ref().and_then(|near| self.strayed(near, &attempt.q));
        let place = attempt.q;
        let moved = place.farthest(&drawn, self);
        attempt.closed.then_some(Found { place, moved, steps, beginnings: 1, strayed })
    }

    fn attempt(&self, drawn: &Place, from: Place, proximal: bool, steps: &mut usize) -> Attempt {
        let mut place = from;
        let gap = self.gap(Rows::Relaxed, &place);
        if gap < ROUNDING * self.size && self.signs_agree(&place) {
            return Attempt { q: place, gap, closed: true, near: None };
        }
        if proximal {
            self.proximal(drawn, &mut place, steps);
        }
        let near = self.levenberg_marquardt(&mut place, steps);
        let gap = self.gap(Rows::Relaxed, &place);
        if gap > CLOSED * self.size {
            return Attempt { q: place, gap, closed: false, near };
        }
        let gap = self.newton(&mut place);
        let closed = gap < EXACT * self.size && self.signs_agree(&place);
        Attempt { q: place, gap: if closed { gap } else { gap.max(CLOSED * self.size) }, closed, near }
    }

    /// Where bodies have no pose: those that have one go back to the drawing, and everything closes again, while that brings them nearer.
    fn nearer(&self, drawn: &Place, found: Place, posed: &[bool], steps: &mut usize) -> Place {
        let mut found = found;
        if posed.iter().all(|posed| *posed) {
            return found;
        }
        for _ in 0..RETURNS {
            let from = found.returned(drawn, self, posed);
            let again = self.attempt(&from, from.clone(), true, steps);
            let nearer = again.q.distance(drawn, self, posed) < GAIN * found.distance(drawn, self, posed);
            if !(again.closed && nearer) {
                break;
            }
            found = again.q;
        }
        found
    }

    /// Gauss-Newton with a spring to the drawing that gets weaker.
    fn proximal(&self, drawn: &Place, place: &mut Place, steps: &mut usize) {
        for w in [1.0, 0.1, 0.01, 0.001] {
            for _ in 0..3 {
                *steps += 1;
                let (g, rows) = self.evaluate(Rows::Relaxed, place);
                let away = place.away(drawn, self);
                let cost = |g: &[f64], away: &[f64]| {
                    let apart: f64 = away.iter().zip(&self.springs).map(|(x, weight)| weight * x * x).sum();
                    g.iter().map(|g| g * g).sum::<f64>() + w * apart
                };
                let before = cost(&g, &away);
                let pull: Vec<f64> = away.iter().zip(&self.springs).map(|(x, weight)| w * weight * x).collect();
                let Some(mut dx) = self.step(&g, &rows, w, &self.springs, &pull) else { return };
                self.cap(place, &mut dx, largest(&g));
                let mut share = 1.0;
                let length = loop {
                    let scaled: Vec<f64> = dx.iter().map(|x| share * x).collect();
                    let next = place.advanced(self, &scaled);
                    let after = cost(&self.values(Rows::Relaxed, &next), &next.away(drawn, self));
                    if after < before || share < 0.05 {
                        *place = next;
                        break self.norm(&scaled);
                    }
                    share *= 0.5;
                };
                if length < 0.01 * self.size {
                    break;
                }
            }
        }
    }

    /// Goes on as long as it comes nearer; the first place on the way with a gap that may be a misfit, and the gap.
    fn levenberg_marquardt(&self, place: &mut Place, steps: &mut usize) -> Option<(Place, f64)> {
        let (mut mu, mut nu) = (1e-2, 2.0);
        let mut now = self.evaluate(Rows::Relaxed, place);
        let square = |g: &[f64]| g.iter().map(|g| g * g).sum::<f64>();
        let most = PATIENCE.max(2 * self.nodes.len());
        let (mut near, mut patience, mut wanted) = (None, most, NEARER * square(&now.0));
        while patience > 0 {
            let (g, rows) = &now;
            let largest = largest(g);
            if near.is_none() && largest < failure::ABSORBED * self.size {
                near = Some((place.clone(), largest));
            }
            // Not only closed: Newton's method begins from as near as it gets.
            if largest < 1e-3 * CLOSED * self.size || mu > 1e12 {
                break;
            }
            *steps += 1;
            patience -= 1;
            let Some(mut dx) = self.step(g, rows, mu, &self.weights, &[]) else { break };
            let capped = self.cap(place, &mut dx, largest);
            // What the linear model promises.
            let linear: f64 = (0..rows.rows()).map(|i| g[i] + rows.times(i, &dx)).map(|g| g * g).sum();
            let next = place.advanced(self, &dx);
            let after = square(&self.values(Rows::Relaxed, &next));
            let before = square(g);
            let ratio = (before - after) / (before - linear).max(f64::MIN_POSITIVE);
            if after < before && after.is_finite() {
                *place = next;
                now = self.evaluate(Rows::Relaxed, place);
                if after < wanted {
                    (patience, wanted) = (most, NEARER * after);
                }
                if !capped {
                    let factor: f64 = 1.0 - (2.0 * ratio - 1.0).powi(3);
                    mu *= factor.max(1.0 / 3.0);
                }
                nu = 2.0;
            } else {
                mu *= nu;
                nu *= 2.0;
            }
        }
        near
    }

    /// (G^T G + c W) dx = -G^T g - pull.
    fn step(&self, g: &[f64], rows: &SparseRows, c: f64, weights: &[f64], pull: &[f64]) -> Option<Vec<f64>> {
        let mut b: Vec<f64> = rows.transposed_times(g).iter().map(|b| -b).collect();
        b.iter_mut().zip(pull).for_each(|(b, pull)| *b -= pull);
        Some(Factors::new(rows, c, weights, &self.order)?.solve(&b))
    }

    /// The true rows to rounding, by the shortest steps; the gap that is left.
    fn newton(&self, place: &mut Place) -> f64 {
        let mut gap = self.gap(Rows::True, place);
        for _ in 0..20 {
            let (g, rows) = self.evaluate(Rows::True, place);
            let missing: Vec<f64> = g.iter().map(|g| -g).collect();
            let Some(mut dx) = self.shortest(&rows, &missing) else { break };
            self.cap(place, &mut dx, gap);
            let next = place.advanced(self, &dx);
            let after = self.gap(Rows::True, &next);
            if after.is_nan() || after >= gap {
                break;
            }
            (*place, gap) = (next, after);
        }
        gap
    }

    /// The shortest x in W with A x = b, or as near to it as can be. Rows that follow from others are left out where a mechanism is small;
    /// where it is large, least squares with next to no damping do the same, and are repeated.
    fn shortest(&self, rows: &SparseRows, b: &[f64]) -> Option<Vec<f64>> {
        let scales: Vec<f64> = (0..rows.rows()).map(|i| 1.0 / self.length(rows.row(i))).collect();
        let unit = rows.scaled(|i| scales[i]);
        let b: Vec<f64> = b.iter().zip(&scales).map(|(b, scale)| b * scale).collect();
        if self.weights.len() <= DECIDED {
            let mut all = unit.dense();
            for i in 0..all.rows() {
                all.row_mut(i).iter_mut().zip(&self.weights).for_each(|(x, weight)| *x /= weight.sqrt());
            }
            let mut x = PivotedQr::new(all, DEPENDENT).shortest(&b);
            x.iter_mut().zip(&self.weights).for_each(|(x, weight)| *x /= weight.sqrt());
            return Some(x);
        }
        let factors = Factors::new(&unit, DAMPING, &self.weights, &self.order)?;
        let mut x = vec![0.0; self.weights.len()];
        for _ in 0..REPEATED {
            let left: Vec<f64> = b.iter().enumerate().map(|(i, b)| b - unit.times(i, &x)).collect();
            let more = factors.solve(&unit.transposed_times(&left));
            x.iter_mut().zip(&more).for_each(|(x, more)| *x += more);
        }
        Some(x)
    }
}
