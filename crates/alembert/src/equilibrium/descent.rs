//! The way downhill; see [`equilibrium`](super).

use super::NoEquilibrium;
use crate::equations::{Equations, NotFinite};
use crate::linear::{Bordered, Kkt};
use crate::state::State;
use crate::system::{ConstrainedSystem, Dims, Point};
use crate::tolerance::largest;

/// Steps at most; runaways are known much earlier. Stiff springs along the way make steps short: with a stiffness of 1e9 it takes a
/// thousand of them to get round a circle.
const MOST: usize = 20_000;
/// What sigma is divided by after a good step, and multiplied by after a bad one.
const EASE: f64 = 4.0;
const BRAKE: f64 = 4.0;
/// The longest step, beside the largest coordinate so far, and beside the last step.
const REACH: f64 = 0.5;
const LONGER: f64 = 4.0;
/// The first step is at most this share of the size of the model, or this much where it has none.
const FIRST: f64 = 0.1;
/// Forces are in balance when what is left of them is this share of their terms: rounding. Otherwise the step that is left must be this
/// share of the size of the model, and nearly that of Newton's method: sigma M must take up no more than this share of the forces.
const BALANCED: f64 = 1e-14;
const STILL: f64 = 1e-9;
const NEWTON: f64 = 1e-2;
/// The work of a step that is rounding only, beside forces times the size of the model.
const ROUNDING: f64 = 1e-13;
/// Who has gone this many times the size of the model is not held by anything.
const FAR: f64 = 1e10;
/// Corrections of constraints after a step, and residuals that are met, relative to the size of the model.
const CORRECTIONS: usize = 20;
const MET: f64 = 1e-13;

/// What a step is made of.
pub(super) struct Blocks {
    pub mass: Vec<f64>,
    /// S.
    pub stiffness: Vec<f64>,
    /// C.
    pub rows: Vec<f64>,
    /// The transpose of r_mu.
    pub border: Vec<f64>,
    /// f, and f + r.
    force: Vec<f64>,
    total: Vec<f64>,
    /// Sizes of the terms of f + r.
    terms: f64,
}

/// A configuration on its way.
pub(super) struct Descent {
    t: f64,
    q: Vec<f64>,
    mu: Vec<f64>,
    /// Static accelerations.
    a: Vec<f64>,
    dims: Dims,
    kkt: Kkt,
    /// The largest coordinate at the beginning, and so far.
    size: f64,
    reach: f64,
}

impl Descent {
    pub fn new(equations: &mut Equations, start: &State) -> Result<Descent, NoEquilibrium> {
        let dims = equations.dims();
        let mu = [&start.lambda[..], &start.psi[..]].concat();
        let size = largest(&start.q);
        let kkt = Kkt::new(&equations.layout().structure);
        let a = vec![0.0; dims.v];
        Ok(Descent { t: start.t, q: start.q.clone(), mu, a, dims, kkt, size, reach: size })
    }

    /// Where it is, with multipliers.
    pub fn place(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (lambda, psi) = self.mu.split_at(self.dims.lambda);
        (self.q.clone(), lambda.to_vec(), psi.to_vec())
    }

    /// The largest accelerations that are left, by name.
    pub fn accelerations(&self, system: &dyn ConstrainedSystem) -> Vec<(String, f64)> {
        let mut found: Vec<(usize, f64)> = self.a.iter().copied().enumerate().collect();
        found.sort_by(|x, y| y.1.abs().total_cmp(&x.1.abs()));
        let largest = found.first().map_or(0.0, |(_, a)| a.abs());
        found.retain(|(_, a)| a.abs() > 1e-6 * largest);
        found.into_iter().take(3).map(|(i, a)| (system.coordinate_name(i), a)).collect()
    }

    pub fn blocks(&self, equations: &mut Equations) -> Result<Blocks, NotFinite> {
        let layout = equations.layout().clone();
        let (n, t, q) = (self.dims.v, self.t, &self.q);
        let v = vec![0.0; n];
        let mut g_q = vec![0.0; layout.holonomic_q.len()];
        let mut blocks = Blocks {
            mass: vec![0.0; layout.top.len()],
            stiffness: vec![0.0; layout.top.len()],
            rows: vec![0.0; layout.rows.len()],
            border: vec![0.0; layout.rows.len()],
            force: vec![0.0; n],
            total: vec![0.0; n],
            terms: 0.0,
        };
        let (lambda, psi) = self.mu.split_at(self.dims.lambda);
        let at = Point { t, q, v: &v, lambda, psi };
        equations.mass(t, q, &mut blocks.mass)?;
        equations.holonomic_q(t, q, &mut g_q)?;
        let (w_v, k_v) = blocks.rows.split_at_mut(layout.holonomic.len());
        equations.velocity_v(t, q, &v, &g_q, w_v)?;
        equations.nonholonomic_v(t, q, &v, k_v)?;
        equations.reaction_mu(at, w_v, k_v, &mut blocks.border)?;
        equations.force(t, q, &v, &mut blocks.force)?;
        equations.reaction(at, w_v, k_v, &mut blocks.total)?;
        for (total, force) in blocks.total.iter_mut().zip(&blocks.force) {
            blocks.terms = blocks.terms.max(force.abs()).max(total.abs());
            *total += force;
        }
        let mut work = vec![0.0; layout.top.len()];
        equations.residual_q(at, &v, &mut blocks.stiffness, &mut work)?;
        Ok(blocks)
    }

    /// Multipliers and accelerations of the release from rest.
    fn release(&mut self, equations: &mut Equations) -> Result<Blocks, NoEquilibrium> {
        let n = self.dims.v;
        // Twice, since a reaction may be nonlinear in the multipliers and the stiffness depends on them.
        for _ in 0..2 {
            let Blocks { mass, rows, border, total, .. } = self.blocks(equations)?;
            let parts = Bordered { top: &[(1.0, &mass)], border: (1.0, &border), rows: &[(1.0, &rows)], corner: None };
            self.kkt.factor(parts)?;
            let mut rhs = total;
            rhs.resize(n + self.dims.constraints(), 0.0);
            self.kkt.solve(&mut rhs);
            self.a.copy_from_slice(&rhs[..n]);
            self.mu.iter_mut().zip(&rhs[n..]).for_each(|(mu, d)| *mu += d);
        }
        Ok(self.blocks(equations)?)
    }

    /// Onto the constraints with the factors there are: the whole displacement, or none if that fails.
    fn corrected(&mut self, equations: &mut Equations, w: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let Dims { v: n, lambda, .. } = self.dims;
        let (mut q, mut whole) = (self.q.clone(), w.to_vec());
        equations.advance(&self.q, w, &mut q);
        let mut g = vec![0.0; lambda];
        let mut before = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            equations.holonomic(self.t, &q, &mut g).ok()?;
            let mut rhs = vec![0.0; n + self.dims.constraints()];
            rhs[n..n + lambda].iter_mut().zip(&g).for_each(|(rhs, g)| *rhs = -g);
            self.kkt.solve(&mut rhs);
            let step = largest(&rhs[..n]);
            if step.is_nan() || step > 2.0 * before {
                return None;
            }
            let from = q.clone();
            equations.advance(&from, &rhs[..n], &mut q);
            whole.iter_mut().zip(&rhs).for_each(|(w, d)| *w += d);
            if step <= MET * self.reach || (step >= 0.5 * before && step <= 1e3 * MET * self.reach) {
                return Some((q, whole));
            }
            before = step;
        }
        None
    }

    /// Steps until forces balance; how many it took.
    pub fn run(&mut self, equations: &mut Equations) -> Result<usize, NoEquilibrium> {
        let n = self.dims.v;
        let mut here = self.release(equations)?;
        let mut sigma = self.first_sigma(&here);
        let mut last = f64::INFINITY;
        for step in 0..MOST {
            let norm = self.norm(equations, &here);
            let scale = here.terms.max(largest(&here.stiffness) * self.reach);
            let left = largest(&here.total);
            // Beside stiff springs what counts as rounding may still move what is soft: there the last step says how far.
            if left <= BALANCED * scale && (last == f64::INFINITY || last <= STILL * self.reach) {
                return Ok(step);
            }
            let top: &[(f64, &[f64])] = &[(sigma, &here.mass), (1.0, &here.stiffness)];
            let parts = Bordered { top, border: (1.0, &here.border), rows: &[(1.0, &here.rows)], corner: None };
            if self.kkt.factor(parts).is_err() {
                sigma *= BRAKE;
                continue;
            }
            let mut rhs = here.total.clone();
            rhs.resize(n + self.dims.constraints(), 0.0);
            self.kkt.solve(&mut rhs);
            let w = rhs[..n].to_vec();
            let length = largest(&w);
            let longest = (REACH * self.reach).max(if last.is_finite() { LONGER * last } else { 0.0 });
            if length.is_nan() || length > longest {
                sigma *= BRAKE;
                continue;
            }
            let mut damped = vec![0.0; n];
            equations.layout().top.multiply_add(sigma, &here.mass, &w, &mut damped);
            let ends = length <= STILL * self.reach;
            let Some((q, whole)) = self.corrected(equations, &w) else {
                sigma *= BRAKE;
                continue;
            };
            let kept = (std::mem::replace(&mut self.q, q), self.mu.clone(), self.a.clone());
            let good = self.release(equations).ok().filter(|there| {
                let pairs = here.force.iter().zip(&there.force).zip(&whole);
                let work: f64 = pairs.map(|((old, new), w)| 0.5 * (old + new) * w).sum();
                let rounding = ROUNDING * here.terms * self.reach;
                work > rounding || (work >= -rounding && self.norm(equations, there) < norm)
            });
            if ends && largest(&damped) <= NEWTON * left {
                // Rounding decides which way is down; Newton's method knows better.
                return Ok(step + 1);
            }
            let Some(there) = good else {
                (self.q, self.mu, self.a) = kept;
                if ends {
                    return Ok(step);
                }
                sigma *= BRAKE;
                continue;
            };
            (here, last) = (there, length);
            sigma /= EASE;
            self.reach = self.reach.max(largest(&self.q));
            if self.reach > FAR * self.size {
                return Err(NoEquilibrium::Runaway { accelerations: self.accelerations(equations.system()) });
            }
        }
        Err(NoEquilibrium::NotFound { accelerations: self.accelerations(equations.system()) })
    }

    /// So large that the first step is short and the matrix is dominated by the mass.
    fn first_sigma(&mut self, here: &Blocks) -> f64 {
        let length = if self.size > 0.0 { FIRST * self.size } else { FIRST };
        if self.size == 0.0 {
            (self.size, self.reach) = (1.0, 1.0);
        }
        let by_stiffness = largest(&here.stiffness) / largest(&here.mass).max(f64::MIN_POSITIVE);
        (largest(&self.a) / length).max(by_stiffness).max(f64::MIN_POSITIVE)
    }

    /// Twice the energy of the acceleration: what falls towards an equilibrium.
    fn norm(&self, equations: &Equations, here: &Blocks) -> f64 {
        let mut inertia = vec![0.0; self.a.len()];
        equations.layout().top.multiply_add(1.0, &here.mass, &self.a, &mut inertia);
        inertia.iter().zip(&self.a).map(|(x, a)| x * a).sum()
    }

    /// Away from a saddle, by a share of the size of the model, along a direction that the constraints allow.
    pub fn leave(&mut self, equations: &mut Equations, direction: &[f64], share: f64) -> Result<(), NoEquilibrium> {
        self.release(equations)?;
        let size = largest(direction).max(f64::MIN_POSITIVE);
        for sign in [1.0, -1.0] {
            let w: Vec<f64> = direction.iter().map(|x| sign * share * self.reach * x / size).collect();
            if let Some((q, _)) = self.corrected(equations, &w) {
                self.q = q;
                return Ok(());
            }
        }
        Err(NoEquilibrium::Singular)
    }
}
