//! What the forces of a start say: which accelerations are nothing, and how fast the mechanism would swing.
//!
//! ```text
//! |f|          the norm of M^-1 f                                 what constraints may hold
//! |f_q q|      that of the sums of |f_ij q_j| and |d_ij v_j|      terms that may cancel, as at rest on springs
//! nothing      |a_i| sqrt(M_ii) <= 1e-10 max(|f|, |f_q q|)        rounding, or what an equilibrium was found to
//! swing        sqrt(|q|/|f_q q|)                                  1/omega for a mass on a spring
//! ```

use super::NOTHING;
use crate::equations::{Equations, NotFinite};
use crate::state::State;

/// The forces of a start, each by its mass.
pub(super) struct Pull {
    force: f64,
    /// Terms that may cancel; zero where nothing is known of them.
    terms: f64,
}

impl Pull {
    /// At a start whose coordinates are that far from zero, with the diagonal of M.
    pub fn new(
        equations: &mut Equations,
        start: &State,
        (q, massive): (&[f64], bool),
        mass: &[f64],
    ) -> Result<Self, NotFinite> {
        let State { t, q: place, v, .. } = start;
        let norm = |x: &[f64]| {
            let by_mass = |(x, m): (&f64, &f64)| if *m == 0.0 { 0.0 } else { x * x / m.abs() };
            x.iter().zip(mass).map(by_mass).sum::<f64>().sqrt()
        };
        let mut force = vec![0.0; v.len()];
        equations.force(*t, place, v, &mut force)?;
        let force = norm(&force);
        let mut terms = vec![0.0; v.len()];
        let mut slopes = vec![0.0; equations.layout().top.len()];
        let mut add = |equations: &Equations, slopes: &[f64], x: &[f64]| {
            for (i, sum) in terms.iter_mut().enumerate() {
                *sum += equations.layout().top.row(i).map(|(j, e)| (slopes[e] * x[j]).abs()).sum::<f64>();
            }
        };
        // A force may have no derivative where it has a value: then its terms are not known.
        if massive && equations.force_q(*t, place, v, &mut slopes).is_ok() {
            add(equations, &slopes, q);
        }
        if equations.force_v(*t, place, v, &mut slopes).is_ok() {
            add(equations, &slopes, v);
        }
        let terms = norm(&terms);
        Ok(Pull { force, terms: if terms.is_finite() { terms } else { 0.0 } })
    }

    /// The accelerations of a start; zero where they are nothing beside what forces could do.
    pub fn accelerations(&self, a: &[f64], mass: &[f64]) -> Vec<f64> {
        let least = NOTHING * self.force.max(self.terms);
        let nothing = |a: f64, m: f64| m != 0.0 && a.abs() * m.abs().sqrt() <= least;
        a.iter().zip(mass).map(|(&a, &m)| if nothing(a, m) { 0.0 } else { a }).collect()
    }

    /// The time in which coordinates of this size would swing by themselves.
    pub fn swing(&self, q: f64) -> Option<f64> {
        Some((q / self.terms).sqrt()).filter(|time| time.is_finite() && *time > 0.0)
    }
}
