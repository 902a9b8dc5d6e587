//! Starts that say something else than what was meant, and the words they are refused or told with: pivots, formulas without
//! velocities, negative masses, quaternions written by hand.

use super::systems::*;
use alembert::initial::{Guess, InitialError, Level, Options, consistent, consistent_with};
use alembert::{
    Bdf, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, Functions, Integrator, Named, Pattern, Patterns,
    Redundancy, RungeKutta, Scalar, Supplied, Tolerance, Unobserved, VariableBdf,
};

#[test]
fn a_start_at_a_pivot_is_refused_with_words() {
    // The centre of a circle, by differences and exactly, and the distance itself, which has no derivative there.
    struct Rod {
        root: bool,
    }
    impl Formulas for Rod {
        fn dims(&self) -> Dims {
            Dims { q: 2, v: 2, lambda: 1, psi: 0 }
        }
        fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
            (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
        }
        fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
        fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
            let square = q[0] * q[0] + q[1] * q[1];
            g[0] = if self.root { square.sqrt() - 2.0 } else { square - 4.0 };
        }
        fn holonomic_name(&self, _: usize) -> String {
            "rod".into()
        }
        fn coordinate_name(&self, index: usize) -> String {
            ["x", "y"][index].into()
        }
    }
    let guess = Guess::new(0.0, vec![0.0; 2], vec![0.0; 2]);
    let circle = error(&Differentiated::new(Rod { root: false }), &guess);
    let InitialError::NoGradient { level: Level::Position, row, residual } = &circle else { panic!("{circle}") };
    assert_eq!((row.as_str(), *residual), ("rod", -4.0));
    assert!(circle.hint().contains("start elsewhere"));
    let root = error(&Differentiated::new(Rod { root: true }), &guess);
    let InitialError::NoDerivative { row, by, .. } = &root else { panic!("{root}") };
    assert_eq!((row.as_str(), by.as_str()), ("rod", "x"));
    for system in [pendulum(), plane(1, |_, q, g| g[0] = q[0].hypot(q[1]) - 1.0)] {
        let differences = error(&system, &guess);
        assert!(matches!(differences, InitialError::NoGradient { .. }), "{differences}");
    }
    // Two masses in one place, although the first rod gives the first of them a direction.
    let dims = Dims { q: 4, v: 4, lambda: 2, psi: 0 };
    let chain = closures(dims, &[1.0; 4], |_, q, g| {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        g[1] = (q[2] - q[0]).powi(2) + (q[3] - q[1]).powi(2) - 1.0;
    });
    let together = error(&chain, &Guess::new(0.0, vec![1.3, 0.0, 1.3, 0.0], vec![0.0; 4]));
    assert!(matches!(&together, InitialError::NoGradient { row, .. } if row == "g[1]"), "{together}");
    // A hair beside it there is a direction.
    consistent(&pendulum(), &Guess::new(0.0, vec![1e-3, 0.0], vec![0.0; 2])).unwrap();
}

#[test]
fn a_prescribed_speed_cannot_be_reached_from_rest() {
    let system = rolling(|_, _, v, k| k[0] = v[0] * v[0] + v[1] * v[1] - 1.0);
    let refused = error(&system, &Guess::new(0.0, vec![0.0; 2], vec![0.0; 2]));
    assert!(matches!(refused, InitialError::NoGradient { level: Level::Velocity, .. }), "{refused}");
    consistent(&system, &Guess::new(0.0, vec![0.0; 2], vec![0.1, 0.0])).unwrap();
}

#[test]
fn a_velocity_free_formula_is_not_nonholonomic() {
    type Formula = fn(f64, &[f64], &[f64], &mut [f64]);
    let free: [Formula; 3] =
        [|_, q, _, k| k[0] = q[0] - 1.0, |t, q, _, k| k[0] = q[0] * q[1] - t, |t, _, _, k| k[0] = t];
    for formula in free {
        let system = rolling(formula);
        let refused = error(&system, &Guess::new(0.0, vec![0.3, 0.4], vec![0.0; 2]));
        assert!(matches!(&refused, InitialError::WithoutVelocities { rows } if rows[..] == ["k[0]"]), "{refused}");
        assert!(refused.to_string().contains("k[0] does not depend on velocities"), "{refused}");
        assert!(refused.hint().contains("write it under holonomic"), "{refused}");
    }
    // One whose derivative happens to vanish at the start is one of velocities.
    let system = rolling(|_, q, v, k| k[0] = q[0] * v[0] - v[1] * v[1] * v[1]);
    let other = consistent(&system, &Guess::new(0.0, vec![0.0, 0.4], vec![0.0; 2])).unwrap_err();
    assert!(!matches!(other, InitialError::WithoutVelocities { .. }), "{other}");
}

/// A mass matrix, nothing else; `rows` by `rows` copies of it where it is sparse.
struct Heavy {
    mass: Vec<f64>,
    n: usize,
    copies: usize,
    meant: bool,
}

impl Heavy {
    fn system(&self) -> Functions<'_> {
        let Heavy { ref mass, n, copies, meant } = *self;
        let blocks = (0..copies).flat_map(|c| (0..n * n).map(move |k| (c * n + k / n, c * n + k % n)));
        let none = Pattern::from_entries(0, n * copies, []);
        let patterns = (copies > 1).then(|| Patterns::new(blocks, none));
        Functions::new(Dims { q: n * copies, v: n * copies, lambda: 0, psi: 0 })
            .mass(move |_, _, out| {
                // Blocks follow each other in the pattern row by row, as in a block by itself; only the last one is as given.
                for (k, m) in out.iter_mut().enumerate() {
                    let (block, entry) = (k / (n * n), k % (n * n));
                    let unit = f64::from(entry / n == entry % n);
                    *m = if block + 1 == copies { mass[entry] } else { unit };
                }
            })
            .force(|_, _, _, force| force[0] = 1.0)
            .describe(|description| (description.patterns, description.indefinite_mass) = (patterns, meant))
            .named(Named::Coordinate, |index| format!("q{index}"))
    }
}

#[test]
fn negative_and_indefinite_masses_are_refused_unless_meant() {
    let diagonal = |m: [f64; 3]| vec![m[0], 0.0, 0.0, 0.0, m[1], 0.0, 0.0, 0.0, m[2]];
    let cases = [
        (diagonal([1.0, -2.0, 3.0]), Some(("q1", -2.0))),
        (diagonal([1e-9, 1.0, -1e-12]), Some(("q2", -1e-12))),
        // Coupled more than the masses bear: 1 - 2 + 1/4 along (-1/2, 1).
        (vec![1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0], Some(("q1", -0.75))),
        (diagonal([1.0, 2.0, 3.0]), None),
        (diagonal([1e-6, 1.0, 1e6]), None),
        (vec![2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0], None),
        // A pointer without mass of its own that shares some: free, it could take any energy from its neighbour.
        (vec![1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0], Some(("", 0.0))),
        // Not symmetric, as in papers 2 and 3: only the symmetric part is energy.
        (vec![1.0, 0.5, 0.0, -0.3, 1.0, 0.2, 0.0, 0.1, 1.0], None),
    ];
    for (mass, expected) in cases {
        for copies in [1, 80] {
            let system = Heavy { mass: mass.clone(), n: 3, copies, meant: false };
            let (n, last) = (3 * copies, 3 * (copies - 1));
            let guess = Guess::new(0.0, vec![0.0; n], vec![0.0; n]);
            match (consistent(&system.system(), &guess), expected) {
                (Ok(_), None) => {}
                // Large systems have no null space at hand: what becomes of a free pointer is another matter.
                (_, Some(("", _))) if copies > 1 => {}
                (Err(InitialError::NegativeMass { .. }), Some(("", _))) => {}
                (Err(InitialError::NegativeMass { coordinates, mass: found }), Some((name, m))) => {
                    let index: usize = name[1..].parse().unwrap();
                    assert!(
                        coordinates.iter().any(|(c, share)| *c == format!("q{}", last + index) && share.abs() == 1.0)
                    );
                    assert!((found - m).abs() <= 1e-9 * m.abs(), "{found} {m}");
                }
                (other, expected) => panic!("{copies} copies of {mass:?}: {other:?} {expected:?}"),
            }
            let meant = Heavy { mass: mass.clone(), n: 3, copies, meant: true };
            consistent(&meant.system(), &guess).unwrap_or_else(|e| panic!("{mass:?}: {e}"));
        }
    }
}

/// An arm on a ball joint, its attitude a quaternion written by hand: q = (x, y, z, p), x = R(p) (0, 0, l).
struct Arm {
    /// The unit norm is a constraint.
    norm: bool,
    redundancy: Redundancy,
}

const L: f64 = 0.5;

impl Formulas for Arm {
    fn dims(&self) -> Dims {
        Dims { q: 7, v: 6, lambda: 3 + usize::from(self.norm), psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for (i, m) in [2.0, 2.0, 2.0, 0.1, 0.2, 0.3].into_iter().enumerate() {
            mass[7 * i] = S::from(m);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], f: &mut [S]) {
        f[2] = S::from(-2.0 * 9.81);
        let (i, w) = ([0.1, 0.2, 0.3], &v[3..]);
        for k in 0..3 {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            f[3 + k] = w[a] * w[b] * (i[a] - i[b]);
        }
    }
    fn rate<S: Scalar>(&self, _: S, q: &[S], v: &[S], out: &mut [S]) -> Supplied {
        let (p, w) = (&q[3..], &v[3..]);
        out[..3].copy_from_slice(&v[..3]);
        out[3] = (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) * -0.5;
        out[4] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) * 0.5;
        out[5] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) * 0.5;
        out[6] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) * 0.5;
        Supplied::Yes
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let p = &q[3..];
        // The homogeneous formula, which scales with the square of the quaternion.
        let axis = [
            (p[1] * p[3] + p[0] * p[2]) * 2.0,
            (p[2] * p[3] - p[0] * p[1]) * 2.0,
            p[0] * p[0] - p[1] * p[1] - p[2] * p[2] + p[3] * p[3],
        ];
        for i in 0..3 {
            g[i] = q[i] - axis[i] * L;
        }
        if self.norm {
            g[3] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] - 1.0;
        }
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
    fn holonomic_name(&self, row: usize) -> String {
        ["tip x", "tip y", "tip z", "norm"][row].into()
    }
}

fn arm(norm: bool, redundancy: Redundancy) -> Differentiated<Arm> {
    Differentiated::new(Arm { norm, redundancy })
}

fn square(p: &[f64]) -> f64 {
    p.iter().map(|p| p * p).sum()
}

/// The tip a little off, and turning.
fn off(scale: f64) -> Guess {
    let (s, c) = 0.3_f64.sin_cos();
    let q = vec![0.25, 0.05, 0.38, scale * c, scale * s * 0.6, scale * s * 0.8, 0.0];
    Guess::new(0.0, q, vec![0.0, 0.0, 0.0, 0.3, -0.2, 0.1])
}

#[test]
fn the_repair_of_a_start_does_not_shrink_a_quaternion() {
    let (state, report) = consistent_with(&arm(false, Redundancy::Refused), &off(1.0), &Options::default()).unwrap();
    assert!(report.positions.residual_before > 0.02 && report.positions.residual_after < 1e-15, "{report:?}");
    assert!((square(&state.q[3..]) - 1.0).abs() < 4e-16, "{:e}", square(&state.q[3..]) - 1.0);
    // The arm is as long as it was meant.
    assert!((square(&state.q[..3]).sqrt() - L).abs() < 1e-15, "{}", square(&state.q[..3]).sqrt());
    assert_eq!(report.beyond_kinematics, 0.0);
    // Far away as well.
    let mut far = off(1.0);
    (far.q[0], far.q[1], far.q[2]) = (-0.3, 0.1, -0.8);
    let state = consistent(&arm(false, Redundancy::Refused), &far).unwrap();
    assert!((square(&state.q[3..]) - 1.0).abs() < 1e-14, "{:e}", square(&state.q[3..]) - 1.0);
}

#[test]
fn a_unit_norm_that_follows_from_the_kinematics_is_called_so() {
    let refused = error(&arm(true, Redundancy::Refused), &off(1.0));
    assert!(matches!(&refused, InitialError::Kinematic { rows } if rows[..] == ["norm"]), "{refused}");
    assert!(refused.to_string().contains("norm follows from the kinematics"), "{refused}");
}

#[test]
fn a_unit_norm_is_accepted_and_kept_where_it_is_asked_for() {
    let system = arm(true, Redundancy::LeastSquares);
    // Also from a quaternion that is no unit: then the length has to change, which is told.
    for (scale, beyond) in [(1.0, 0.0), (1.1, 0.1)] {
        let (state, report) = consistent_with(&system, &off(scale), &Options::default()).unwrap();
        assert!((square(&state.q[3..]) - 1.0).abs() < 1e-15 && (square(&state.q[..3]).sqrt() - L).abs() < 1e-14);
        assert!((report.beyond_kinematics - beyond).abs() < 1e-9, "{report:?}");
        assert_eq!((report.rank, report.redundant.len()), (3, 1));
        assert_eq!(report.redundant[0].row, "norm");
        // Without that constraint the motion is the same.
        let plain = arm(false, Redundancy::Refused);
        let start = Guess::new(0.0, state.q.clone(), state.v.clone());
        let expected = {
            let start = consistent(&plain, &start).unwrap();
            let radau = RungeKutta::radau(5).unwrap();
            let tolerance = Tolerance::new(1e-11, 1e-11).unwrap();
            let mut run = Integrator::new(&plain, &start, &radau, ErrorControl::new(), tolerance).unwrap();
            run.run(1.0, &mut Unobserved).unwrap();
            run.state().clone()
        };
        let start = consistent(&system, &start).unwrap();
        let tolerance = Tolerance::new(1e-7, 1e-7).unwrap();
        let radau = RungeKutta::radau(3).unwrap();
        let mut runs = [
            Integrator::new(&system, &start, &radau, ErrorControl::new(), tolerance).unwrap(),
            Integrator::new(&system, &start, &VariableBdf::new(), ErrorControl::new(), tolerance).unwrap(),
            Integrator::new(&system, &start, &Bdf::new(3).unwrap(), FixedSteps::new(1e-3).unwrap(), tolerance).unwrap(),
        ];
        for run in &mut runs {
            run.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("{e}"));
            let state = run.state();
            let error = state.q.iter().zip(&expected.q).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
            assert!(error < 1e-4, "{error:e}");
            assert!((square(&state.q[3..]) - 1.0).abs() < 1e-13, "{:e}", square(&state.q[3..]) - 1.0);
            assert!(state.lambda[3].abs() < 1e-6, "{:?}", state.lambda);
        }
    }
}
