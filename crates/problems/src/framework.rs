//! Points and rods in the plane under gravity: what lattices and trains of parallelograms are made of.
//!
//! A rod joins two points, or a point and a place on the ground. Points may be heavy, rods too, with their mass spread
//! evenly. The coordinates are those of the points, with patterns, so that a step costs in proportion to their number:
//!
//! ```text
//! g = (|p_b - p_a|^2 - l^2) / 2
//! M = m of each point, and of a rod of mass m: m/3 of each end, m/6 between the ends; half its weight on each end
//! ```
//!
//! A rod pulls with lambda times its length.

use alembert::{Dims, Formulas, Pattern, Patterns, Scalar, State, Supplied};

/// Gravity.
pub(crate) const G: f64 = 9.81;

/// What a rod begins at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// A point of the framework.
    Point(usize),
    /// A place on the ground.
    Ground([f64; 2]),
}

/// A rod from an end to a point of the framework with a higher number than that of the end.
#[derive(Clone, Debug)]
pub(crate) struct Rod {
    pub name: String,
    pub from: End,
    pub to: usize,
    pub length: f64,
    pub mass: f64,
}

/// The equations.
#[derive(Clone, Debug)]
pub(crate) struct Framework {
    rods: Vec<Rod>,
    patterns: Patterns,
    /// Values of M.
    mass: Vec<f64>,
    /// What gravity pulls at each point.
    weight: Vec<f64>,
}

impl Framework {
    /// From the masses of the points, and the rods.
    pub fn new(points: &[f64], rods: Vec<Rod>) -> Self {
        let n = 2 * points.len();
        let columns = |rod: &Rod| {
            let from = if let End::Point(a) = rod.from { 2 * a..2 * a + 2 } else { 0..0 };
            from.chain(2 * rod.to..2 * rod.to + 2)
        };
        let entries = rods.iter().enumerate().flat_map(|(r, rod)| columns(rod).map(move |j| (r, j)));
        // The curvature of a rod couples x with x and y with y only.
        let pairs = rods.iter().flat_map(|rod| match rod.from {
            End::Point(a) => vec![(a, rod.to), (rod.to, a)],
            End::Ground(_) => Vec::new(),
        });
        let coupled = pairs.flat_map(|(a, b)| [(2 * a, 2 * b), (2 * a + 1, 2 * b + 1)]).chain((0..n).map(|i| (i, i)));
        let patterns =
            Patterns::of(Pattern::from_entries(n, n, coupled), Pattern::from_entries(rods.len(), n, entries));
        let mut mass = vec![0.0; patterns.top.len()];
        let mut weight: Vec<f64> = points.iter().map(|m| m * G).collect();
        let mut put = |a: usize, b: usize, m: f64| {
            for axis in 0..2 {
                if let Some(e) = patterns.top.position(2 * a + axis, 2 * b + axis) {
                    mass[e] += m;
                }
            }
        };
        points.iter().enumerate().for_each(|(i, m)| put(i, i, *m));
        for rod in &rods {
            put(rod.to, rod.to, rod.mass / 3.0);
            weight[rod.to] += 0.5 * rod.mass * G;
            if let End::Point(a) = rod.from {
                put(a, a, rod.mass / 3.0);
                put(a, rod.to, rod.mass / 6.0);
                put(rod.to, a, rod.mass / 6.0);
                weight[a] += 0.5 * rod.mass * G;
            }
        }
        Framework { rods, patterns, mass, weight }
    }

    fn along<S: Scalar>(rod: &Rod, q: &[S]) -> [S; 2] {
        [0, 1].map(|axis| match rod.from {
            End::Point(a) => q[2 * rod.to + axis] - q[2 * a + axis],
            End::Ground(place) => q[2 * rod.to + axis] - place[axis],
        })
    }

    /// Kinetic and potential energy.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let mut momentum = vec![0.0; v.len()];
        self.patterns.top.multiply(&self.mass, v, &mut momentum);
        let kinetic: f64 = momentum.iter().zip(v).map(|(p, v)| 0.5 * p * v).sum();
        kinetic + self.weight.iter().enumerate().map(|(i, weight)| weight * q[2 * i + 1]).sum::<f64>()
    }

    /// The state with given positions, velocities and accelerations: the multipliers with the least squares that make
    /// these accelerations, by conjugate gradients for G G^T lambda = G (f - M a).
    pub fn state(&self, t: f64, q: Vec<f64>, v: Vec<f64>, a: Vec<f64>) -> State {
        let rows = &self.patterns.rows;
        let (n, m) = (q.len(), self.rods.len());
        let mut g_q = vec![0.0; rows.len()];
        let _ = self.holonomic_q(t, &q, &mut g_q);
        let mut rest = vec![0.0; n];
        self.force(t, &q, &v, &mut rest);
        self.patterns.top.multiply_add(-1.0, &self.mass, &a, &mut rest);
        let (mut lambda, mut slope) = (vec![0.0; m], vec![0.0; m]);
        rows.multiply(&g_q, &rest, &mut slope);
        let mut direction = slope.clone();
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let (first, mut size) = (square(&slope), square(&slope));
        // Rounding ends the descent; in exact arithmetic m steps would.
        for _ in 0..20 * m {
            if size <= 1e-30 * first {
                break;
            }
            let mut change = vec![0.0; n];
            rows.multiply_transposed_add(1.0, &g_q, &direction, &mut change);
            let step = size / square(&change);
            lambda.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
            rest.iter_mut().zip(&change).for_each(|(x, d)| *x -= step * d);
            rows.multiply(&g_q, &rest, &mut slope);
            let before = std::mem::replace(&mut size, square(&slope));
            direction.iter_mut().zip(&slope).for_each(|(d, s)| *d = s + size / before * *d);
        }
        State { t, q, v, a, lambda, psi: Vec::new() }
    }
}

impl Formulas for Framework {
    fn dims(&self) -> Dims {
        let n = 2 * self.weight.len();
        Dims { q: n, v: n, lambda: self.rods.len(), psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        Some(self.patterns.clone())
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass.iter_mut().zip(&self.mass).for_each(|(to, m)| *to = S::from(*m));
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        self.weight.iter().enumerate().for_each(|(i, weight)| force[2 * i + 1] = S::from(-weight));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for (g, rod) in g.iter_mut().zip(&self.rods) {
            let [x, y] = Self::along(rod, q);
            *g = (x * x + y * y - rod.length * rod.length) * 0.5;
        }
    }
    fn holonomic_q(&self, _: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        for (r, rod) in self.rods.iter().enumerate() {
            let ([x, y], first) = (Self::along(rod, q), self.patterns.rows.start(r));
            match rod.from {
                End::Point(_) => out[first..first + 4].copy_from_slice(&[-x, -y, x, y]),
                End::Ground(_) => out[first..first + 2].copy_from_slice(&[x, y]),
            }
        }
        Supplied::Yes
    }
    fn coordinate_name(&self, index: usize) -> String {
        format!("{} of point {}", if index.is_multiple_of(2) { "x" } else { "y" }, index / 2)
    }
    fn holonomic_name(&self, row: usize) -> String {
        self.rods[row].name.clone()
    }
}
