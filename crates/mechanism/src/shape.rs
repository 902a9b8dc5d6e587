//! Mass and inertia of simple solids of uniform density, about their centres.
//!
//! ```text
//! box        m/12 (b^2 + c^2, ...)                  sphere    2/5 m r^2
//! cylinder   axial m r^2/2, across m (3 r^2 + l^2)/12
//! capsule    a cylinder of length l with half spheres at its ends
//! bar        m l^2/12 across, nothing about itself
//! ```

use crate::algebra::{IDENTITY, Matrix, Vector, add_matrix, outer};

/// What a solid looks like; axes are unit vectors of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// With edges along the axes of the drawing.
    Cuboid(Vector),
    /// Of a radius.
    Sphere(f64),
    /// Of radius, length and axis.
    Cylinder(f64, f64, Vector),
    /// Of radius, length of the cylinder and axis.
    Capsule(f64, f64, Vector),
}

/// A solid in the drawing of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    shape: Shape,
    mass: f64,
    pub(crate) centre: Vector,
}

impl Shape {
    /// The volume.
    pub fn volume(&self) -> f64 {
        use std::f64::consts::PI;
        match *self {
            Shape::Cuboid([a, b, c]) => a * b * c,
            Shape::Sphere(r) => 4.0 / 3.0 * PI * r * r * r,
            Shape::Cylinder(r, l, _) => PI * r * r * l,
            Shape::Capsule(r, l, _) => PI * r * r * (l + 4.0 / 3.0 * r),
        }
    }

    /// A solid of this shape and mass, at the origin of the drawing.
    pub fn with_mass(self, mass: f64) -> Solid {
        Solid { shape: self, mass, centre: [0.0; 3] }
    }

    /// A solid of this shape and density.
    pub fn with_density(self, density: f64) -> Solid {
        self.with_mass(density * self.volume())
    }
}

/// Inertia `along` an axis and `across` it.
fn round(along: f64, across: f64, axis: &Vector) -> Matrix {
    let mut moments = outer(axis, &axis.map(|x| x * (along - across)));
    add_matrix(&mut moments, across, &IDENTITY);
    moments
}

impl Solid {
    /// The same with its centre elsewhere.
    #[must_use]
    pub fn centred(self, centre: Vector) -> Self {
        Solid { centre, ..self }
    }

    /// Its mass.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Its inertia about its centre.
    pub fn moments(&self) -> Matrix {
        let m = self.mass;
        match self.shape {
            Shape::Cuboid(edges) => {
                let square = edges.map(|x| x * x * m / 12.0);
                let mut moments = crate::algebra::ZERO;
                (0..3).for_each(|i| moments[i][i] = square[(i + 1) % 3] + square[(i + 2) % 3]);
                moments
            }
            Shape::Sphere(r) => round(0.4 * m * r * r, 0.4 * m * r * r, &[0.0, 0.0, 1.0]),
            Shape::Cylinder(r, l, axis) => round(0.5 * m * r * r, m * (3.0 * r * r + l * l) / 12.0, &axis),
            Shape::Capsule(r, l, axis) => {
                // Shares of the cylinder and of both half spheres together; 3/8 r is from the centre of a ball to that of a half.
                let balls = m * (4.0 / 3.0 * r) / (l + 4.0 / 3.0 * r);
                let barrel = m - balls;
                let arm = 0.5 * l;
                let along = 0.5 * barrel * r * r + 0.4 * balls * r * r;
                let across =
                    barrel * (3.0 * r * r + l * l) / 12.0 + balls * (0.4 * r * r + arm * arm + 2.0 * arm * 0.375 * r);
                round(along, across, &axis)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass and inertia by summing small cubes.
    fn summed(inside: impl Fn(Vector) -> bool, half: f64) -> (f64, [f64; 3]) {
        let n = 120;
        let (mut volume, mut moments) = (0.0, [0.0; 3]);
        let step = 2.0 * half / f64::from(n);
        let place = |i: i32| -half + (f64::from(i) + 0.5) * step;
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let x = [place(i), place(j), place(k)];
                    if inside(x) {
                        let square = x.map(|x| x * x);
                        volume += step.powi(3);
                        (0..3).for_each(|a| moments[a] += step.powi(3) * (square[(a + 1) % 3] + square[(a + 2) % 3]));
                    }
                }
            }
        }
        (volume, moments)
    }

    #[test]
    fn solids_are_sums_of_small_cubes() {
        let axis = [1.0, 0.0, 0.0];
        let round = |x: Vector| (x[1] * x[1] + x[2] * x[2]).sqrt();
        let capsule = move |x: Vector| {
            let beyond = (x[0].abs() - 0.4).max(0.0);
            (beyond * beyond + round(x).powi(2)).sqrt() < 0.5
        };
        type Inside = Box<dyn Fn(Vector) -> bool>;
        let cases: [(Shape, Inside); 4] = [
            (Shape::Cuboid([0.6, 1.2, 1.8]), Box::new(|x| x[0].abs() < 0.3 && x[1].abs() < 0.6 && x[2].abs() < 0.9)),
            (Shape::Sphere(0.8), Box::new(|x| x.iter().map(|x| x * x).sum::<f64>() < 0.64)),
            (Shape::Cylinder(0.5, 1.5, axis), Box::new(move |x| x[0].abs() < 0.75 && round(x) < 0.5)),
            (Shape::Capsule(0.5, 0.8, axis), Box::new(capsule)),
        ];
        for (shape, inside) in cases {
            let (volume, moments) = summed(inside, 0.9);
            let solid = shape.with_density(1.0);
            assert!((solid.mass() / volume - 1.0).abs() < 5e-3, "{shape:?}: {} {volume}", solid.mass());
            for i in 0..3 {
                let ratio = solid.moments()[i][i] / moments[i];
                assert!((ratio - 1.0).abs() < 8e-3, "{shape:?}, axis {i}: {ratio}");
            }
        }
    }
}
