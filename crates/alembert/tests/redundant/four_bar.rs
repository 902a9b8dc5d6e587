//! A four-bar linkage in space: crank, coupler and rocker, each with six degrees of freedom, and four hinges with parallel axes,
//! each with five constraints. That is 20 for 18, and yet it moves: three follow from the others. The plane of the linkage
//! is tilted, so that every constraint takes part in every coordinate; what is left undetermined turns with the bodies.
//!
//! A hinge between bodies A and B at points a, b with axis n, and e1, e2 across it:
//!
//! ```text
//! x_A + R_A a = x_B + R_B b,    (R_A e1).(R_B n) = 0,    (R_A e2).(R_B n) = 0
//! ```

use alembert::rotation::{Vector, cross, dot, exp, to_space};
use alembert::{Differentiated, Dims, Formulas, Guess, Redundancy, Scalar};

/// Ground, crank, coupler, rocker.
const LENGTHS: [f64; 4] = [2.0, 0.7, 1.8, 1.5];
const MASSES: [f64; 3] = [1.0, 2.0, 1.5];
const INERTIAS: [[f64; 3]; 3] = [[0.05, 0.07, 0.09], [0.4, 0.5, 0.7], [0.2, 0.3, 0.4]];
/// Gravity, in the plane of the linkage and across it.
const GRAVITY: [f64; 3] = [1.0, -8.0, 3.0];
/// Start angle of the crank.
const START: f64 = 1.0;

#[derive(Clone, Debug)]
pub struct FourBar {
    /// Constraints of each hinge that are taken.
    hinges: [usize; 4],
    redundancy: Redundancy,
    /// The axes of the plane and across it, in space.
    axes: [Vector; 3],
}

/// Angular velocities among the velocities.
const SPINS: [usize; 3] = [3, 9, 15];

impl FourBar {
    /// The last hinge holds as many as `last` of its five: the first two are those that are needed.
    pub fn system(last: usize, redundancy: Redundancy) -> Differentiated<FourBar> {
        let turn = exp(&[0.4, -0.7, 0.9]);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| to_space(&turn, &axis));
        Differentiated::new(FourBar { hinges: [5, 5, 5, last], redundancy, axes })
    }

    fn in_space<S: Scalar>(&self, u: [f64; 3]) -> Vector<S> {
        [0, 1, 2].map(|i| S::from((0..3).map(|axis| u[axis] * self.axes[axis][i]).sum::<f64>()))
    }

    /// A start near the linkage, turning.
    pub fn guess() -> Guess {
        let [ground, crank, coupler, rocker] = LENGTHS;
        // Crank's end, and the angles of coupler and rocker by the law of cosines.
        let (x, y) = (crank * START.cos() - ground, crank * START.sin());
        let (diagonal, direction) = (x.hypot(y), y.atan2(x));
        let inner = ((diagonal * diagonal + rocker * rocker - coupler * coupler) / (2.0 * diagonal * rocker)).acos();
        let rocker_angle = direction - inner;
        let end = (ground + rocker * rocker_angle.cos(), rocker * rocker_angle.sin());
        let (dx, dy) = (end.0 - crank * START.cos(), end.1 - crank * START.sin());
        let angles = [START, dy.atan2(dx), rocker_angle];
        let begins = [(0.0, 0.0), (crank * START.cos(), crank * START.sin()), (ground, 0.0)];
        let linkage = FourBar::system(5, Redundancy::Refused);
        let mut q = Vec::new();
        for ((angle, begin), length) in angles.into_iter().zip(begins).zip([crank, coupler, rocker]) {
            let centre = [begin.0 + 0.5 * length * angle.cos(), begin.1 + 0.5 * length * angle.sin(), 0.0];
            q.extend(linkage.formulas().in_space::<f64>(centre));
            q.extend(exp(&linkage.formulas().in_space::<f64>([0.0, 0.0, angle])));
        }
        let mut v = vec![0.0; 18];
        v[3..6].copy_from_slice(&linkage.formulas().in_space::<f64>([0.0, 0.0, 4.0]));
        Guess::new(0.0, q, v)
    }
}

impl Formulas for FourBar {
    fn dims(&self) -> Dims {
        Dims { q: 21, v: 18, lambda: self.hinges.iter().sum(), psi: 0 }
    }
    fn rotations(&self) -> &[usize] {
        &SPINS
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for body in 0..3 {
            for i in 0..3 {
                mass[(6 * body + i) * 19] = S::from(MASSES[body]);
                mass[(6 * body + 3 + i) * 19] = S::from(INERTIAS[body][i]);
            }
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        for body in 0..3 {
            let weight: Vector<S> = self.in_space(GRAVITY.map(|g| g * MASSES[body]));
            let spin = [3, 4, 5].map(|i| v[6 * body + i]);
            let momentum = [0, 1, 2].map(|i| spin[i] * INERTIAS[body][i]);
            let gyroscopic = cross(&spin, &momentum);
            for i in 0..3 {
                force[6 * body + i] = weight[i];
                force[6 * body + 3 + i] = -gyroscopic[i];
            }
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let [ground, crank, coupler, rocker] = LENGTHS;
        // None is the ground.
        let place = |body: Option<usize>, u: [f64; 3], offset: bool| -> Vector<S> {
            let u = self.in_space(u);
            let Some(body) = body else { return u };
            let at = |i: usize| q[7 * body + i];
            let turned = to_space(&[at(3), at(4), at(5), at(6)], &u);
            [0, 1, 2].map(|i| if offset { turned[i] + at(i) } else { turned[i] })
        };
        let hinges = [
            (None, 0.0, Some(0), -0.5 * crank),
            (Some(0), 0.5 * crank, Some(1), -0.5 * coupler),
            (Some(1), 0.5 * coupler, Some(2), 0.5 * rocker),
            (None, ground, Some(2), -0.5 * rocker),
        ];
        let mut g = g.iter_mut();
        for ((a, at_a, b, at_b), count) in hinges.into_iter().zip(self.hinges) {
            let (first, second) = (place(a, [at_a, 0.0, 0.0], true), place(b, [at_b, 0.0, 0.0], true));
            let gap = [0, 1, 2].map(|i| first[i] - second[i]);
            let across = place(b, [0.0, 0.0, 1.0], false);
            // The gap along the axes of the plane and across it.
            let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|u| dot(&gap, &self.in_space(u)));
            let [e1, e2] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|u| dot(&place(a, u, false), &across));
            [x, y, z, e1, e2].into_iter().take(count).for_each(|value| {
                if let Some(g) = g.next() {
                    *g = value;
                }
            });
        }
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
    fn holonomic_name(&self, row: usize) -> String {
        format!("{} of hinge {}", ["x", "y", "z", "tilt 1", "tilt 2"][row % 5], row / 5 + 1)
    }
}
