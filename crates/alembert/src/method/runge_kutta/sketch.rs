//! A first sketch of the inside of a step, from its stages: the polynomial through the accelerations K_i, and its integrals.
//!
//! ```text
//! a = sum l_j(theta) K_j,   v - v0 = h sum I_j K_j,   x = theta h v0 + h^2 sum_j (sum_i I_i a_ij) K_j,   or   h sum I_j P_j
//! ```
//!
//! with the integrals I_j of Lagrange's polynomials at the stages from 0 to theta. It is of the order of the stages, far less
//! accurate than the end of the step; see [`between`](crate::between), which starts from here.

use super::polynomial::{lagrange, lagrange_integrals};
use super::rows::add_heads;
use super::step::Stages;
use super::tableau::Tableau;

/// Weights of the stages at one place.
struct Place {
    theta: f64,
    values: Vec<f64>,
    integrals: Vec<f64>,
    double: Vec<f64>,
}

/// The weights at all inner places of a step.
pub(super) struct Sketch {
    places: Vec<Place>,
}

/// Increments since the start of the step, and accelerations.
pub(super) struct Inside<'a> {
    pub x: &'a mut [f64],
    pub v: &'a mut [f64],
    pub a: &'a mut [f64],
}

impl Sketch {
    /// For `m` places inside the step; nothing where two stages have the same time.
    pub fn new(tableau: &Tableau, m: usize) -> Option<Self> {
        let (c, s) = (tableau.c(), tableau.stages());
        let place = |i: usize| {
            let theta = crate::between::place(m, i);
            let integrals = lagrange_integrals(c, 0.0, theta);
            let double = |j: usize| integrals.iter().enumerate().map(|(i, w)| w * tableau.a()[i * s + j]).sum();
            let double = (0..s).map(double).collect();
            Place { theta, values: (0..s).map(|j| lagrange(c, j, theta)).collect(), integrals, double }
        };
        tableau.has_distinct_nodes().then(|| Sketch { places: (1..=m).map(place).collect() })
    }

    /// The inside of a step of length h that began with the velocity v0, at the place of this number.
    pub fn draw(&self, place: usize, stages: &Stages, h: f64, v0: &[f64], Inside { x, v, a }: Inside) -> bool {
        let Some(Place { theta, values, integrals, double }) = self.places.get(place) else { return false };
        let width = stages.x.len() / values.len();
        a.fill(0.0);
        add_heads(values, 1.0, &stages.x, width, a);
        v.fill(0.0);
        add_heads(integrals, h, &stages.x, width, v);
        if stages.p.is_empty() {
            x.iter_mut().zip(v0).for_each(|(x, v0)| *x = theta * h * v0);
            add_heads(double, h * h, &stages.x, width, x);
        } else {
            x.fill(0.0);
            add_heads(integrals, h, &stages.p, x.len().max(1), x);
        }
        true
    }
}
