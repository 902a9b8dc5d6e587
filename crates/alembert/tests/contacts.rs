//! Forces that set in during a step: one-sided springs against their closed form, at any stiffness. A step that jumps over such a force
//! and damps what it met must not be accepted.

use std::f64::consts::PI;

use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, ErrorControl, Formulas, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Limits, Scalar, Stats,
    Tolerance, Unobserved, VariableBdf, consistent,
};
use alembert_problems::kinked_pendulum::{self, Force};

const G: f64 = 9.81;

/// A unit mass between a floor at 0 and a ceiling, both springs of stiffness k.
struct Ball {
    k: f64,
    ceiling: f64,
    /// A mass on a spring of its own, which is stiff all the time; none without.
    stiff: Option<f64>,
}

impl Ball {
    fn floor(k: f64) -> Self {
        Ball { k, ceiling: f64::INFINITY, stiff: None }
    }
}

impl Formulas for Ball {
    fn dims(&self) -> Dims {
        let n = if self.stiff.is_some() { 2 } else { 1 };
        Dims { q: n, v: n, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        (0..q.len()).for_each(|i| mass[i * q.len() + i] = S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        let x = q[0];
        let depth = if x.value() < 0.0 {
            x
        } else if x.value() > self.ceiling {
            x - self.ceiling
        } else {
            S::from(0.0)
        };
        force[0] = S::from(-G) - depth * self.k;
        if let Some(stiff) = self.stiff {
            force[1] = q[1] * -stiff;
        }
    }
}

/// Height and speed of a mass dropped from 1 onto a floor of stiffness k: parabolas and harmonic arcs.
fn exact(k: f64, t: f64) -> [f64; 2] {
    let (w, v) = (k.sqrt(), (2.0 * G).sqrt());
    if t < v / G {
        return [1.0 - 0.5 * G * t * t, -G * t];
    }
    let touch = 2.0 * (PI - (v * w / G).atan()) / w;
    let s = (t - v / G) % (touch + 2.0 * v / G);
    if s < touch {
        let (sin, cos) = (w * s).sin_cos();
        return [G / k * (cos - 1.0) - v / w * sin, -G / w * sin - v * cos];
    }
    let s = s - touch;
    [v * s - 0.5 * G * s * s, v - G * s]
}

fn methods() -> Vec<(Box<dyn Scheme>, f64)> {
    // With the error in tolerances that five bounces may leave.
    vec![
        (Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")), 2.0),
        (Box::new(GeneralizedAlpha::from_rho_infinity(0.0).expect("in range")), 4.0),
        (Box::new(HhtAlpha::new(-0.1).expect("in range")), 3.0),
        (Box::new(VariableBdf::new()), 30.0),
    ]
}

fn start<'s>(system: &'s Differentiated<Ball>, scheme: &dyn Scheme, q: Vec<f64>, tol: f64) -> Integrator<'s> {
    let v = vec![0.0; q.len()];
    let start = consistent(system, &Guess::new(0.0, q, v)).expect("consistent");
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let mut integrator = Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("suits");
    integrator.limit(Limits { attempts: Some(100_000), ..Limits::default() });
    integrator
}

/// Largest error at ten times until t = 5, relative to 1 + size, and of the energy at the end, relative to that of the start.
fn bounces(k: f64, scheme: &dyn Scheme, tol: f64) -> ([f64; 2], Stats) {
    let system = Differentiated::new(Ball::floor(k));
    let mut integrator = start(&system, scheme, vec![1.0], tol);
    let mut worst = 0.0_f64;
    for i in 1..=10 {
        let t = 0.5 * f64::from(i);
        integrator.run(t, &mut Unobserved).unwrap_or_else(|error| panic!("{} k {k:e}: {error}", scheme.name()));
        let ([x, v], state) = (exact(k, t), integrator.state());
        worst = worst.max((state.q[0] - x).abs() / 2.0).max((state.v[0] - v).abs() / (1.0 + (2.0 * G).sqrt()));
    }
    let (x, v) = (integrator.state().q[0], integrator.state().v[0]);
    let energy = 0.5 * v * v + G * x + 0.5 * k * x.min(0.0).powi(2);
    ([worst, (energy / G - 1.0).abs()], integrator.stats())
}

#[test]
fn the_closed_form_meets_itself() {
    for k in [1e3, 1e8] {
        for t in [0.3, 0.4516, 0.46, 1.2, 3.3] {
            let [x, v] = exact(k, t);
            let energy = 0.5 * v * v + G * x + 0.5 * k * x.min(0.0).powi(2);
            assert!((energy / G - 1.0).abs() < 1e-12, "k {k:e} t {t}: {energy}");
            let d = 1e-7;
            let slope = (exact(k, t + d)[0] - exact(k, t - d)[0]) / (2.0 * d);
            assert!((slope - v).abs() < 1e-5, "k {k:e} t {t}: {slope} {v}");
        }
    }
}

#[test]
fn a_mass_bounces_off_a_spring_of_any_stiffness() {
    for (scheme, most) in methods() {
        for k in [1e3, 1e6, 1e8, 1e10, 1e13] {
            for tol in [1e-3, 1e-4, 1e-5] {
                let ([error, energy], stats) = bounces(k, &*scheme, tol);
                let told = format!("{}, k {k:e}, {tol:e}: {error:e} {energy:e} {stats}", scheme.name());
                assert!(error < most * tol && energy < most * tol, "{told}");
            }
        }
    }
}

/// Thrown between floor and ceiling: contacts in quick succession, against the period by the same closed forms.
#[test]
fn two_contacts_in_succession() {
    let (k, ceiling) = (1e8, 0.5_f64);
    let system = Differentiated::new(Ball { k, ceiling, stiff: None });
    // Dropped from inside the ceiling's spring, at rest: one period later it is there again.
    let (depth, w) = (1e-3, k.sqrt());
    // Leaves the ceiling's spring, whose arc is harmonic around depth -G/k.
    let top = depth + G / k;
    let turn = (G / k / top).acos() / w;
    let out = w * (top * top - (G / k) * (G / k)).sqrt();
    let down = (out * out + 2.0 * G * ceiling).sqrt();
    let fall = (down - out) / G;
    let touch = (PI - (down * w / G).atan()) / w;
    let period = 2.0 * (turn + fall + touch);
    for (scheme, most) in methods() {
        for tol in [1e-3, 1e-5] {
            let mut integrator = start(&system, &*scheme, vec![ceiling + depth], tol);
            // In the middle of a fall, after ten contacts.
            let s = 0.5 * fall;
            integrator.run(5.0 * period + turn + s, &mut Unobserved).expect("runs");
            let [x, v] = [ceiling - out * s - 0.5 * G * s * s, -out - G * s];
            let state = integrator.state();
            let error = ((state.q[0] - x).abs() / (1.0 + ceiling)).max((state.v[0] - v).abs() / (1.0 + down));
            assert!(error < most * tol, "{}, {tol:e}: {error:e} {}", scheme.name(), integrator.stats());
        }
    }
}

/// A spring that is stiff all the time is damped on purpose, beside a contact that is not.
#[test]
fn a_stiff_neighbour_does_not_hide_a_contact() {
    let system = Differentiated::new(Ball { stiff: Some(1e10), ..Ball::floor(1e8) });
    for (scheme, most) in methods() {
        let tol = 1e-4;
        let mut integrator = start(&system, &*scheme, vec![1.0, 0.0], tol);
        integrator.run(2.0, &mut Unobserved).expect("runs");
        let ([x, v], state) = (exact(1e8, 2.0), integrator.state());
        let error = ((state.q[0] - x).abs() / 2.0).max((state.v[0] - v).abs() / (1.0 + (2.0 * G).sqrt()));
        assert!(error < most * tol, "{}: {error:e} {}", scheme.name(), integrator.stats());
        assert!(integrator.stats().steps < 20_000, "{}: {}", scheme.name(), integrator.stats());
    }
}

/// A rod that swings against stops, kinks and jumps, against piecewise references.
#[test]
fn a_pendulum_meets_forces_that_are_not_smooth() {
    let forces = [
        (Force::Stop { k: 1e4, d: -0.3 }, "stop 1e4"),
        (Force::Stop { k: 1e6, d: -0.7 }, "stop 1e6"),
        // Stiffer ones are touched for less than the 2 ms at which the reference looks for them.
        (Force::Stop { k: 1e6, d: 0.1 }, "stop 1e6, early"),
        // Hardly touched: the swing ends at x = -1.
        (Force::Stop { k: 1e6, d: -0.9999 }, "grazed"),
        (Force::Kink { k: 20.0, d: -0.2 }, "kink"),
        (Force::Jump { c: -3.0, d: 0.4 }, "jump"),
    ];
    for (force, name) in forces {
        let problem = kinked_pendulum::new(force);
        let exact: Vec<_> = (1..=4).map(|part| problem.reference_at(f64::from(part))).collect();
        let start = consistent(&*problem.system, &Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 0.0])).expect("consistent");
        for (scheme, _) in methods() {
            for tol in [1e-3, 1e-4] {
                let tolerance = Tolerance::new(tol, tol).expect("in range");
                let mut integrator =
                    Integrator::new(&*problem.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("suits");
                let mut ratio = 0.0_f64;
                for exact in &exact {
                    integrator.run(exact.t, &mut Unobserved).expect("runs");
                    let state = integrator.state();
                    for (x, y) in [(&state.q, &exact.q), (&state.v, &exact.v)] {
                        let size = y.iter().fold(1.0, |sum, y| sum + y.abs());
                        ratio = x.iter().zip(y).fold(ratio, |max, (x, y)| max.max((x - y).abs() / size / tol));
                    }
                }
                assert!(ratio < 30.0, "{} at {tol:e}, {name}: {ratio} {}", scheme.name(), integrator.stats());
            }
        }
    }
}

/// A unit mass on a spring of length 1 with stiffness k, released at rest beside its hinge.
struct Swing(f64);

impl Formulas for Swing {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        let r = (q[0] * q[0] + q[1] * q[1]).sqrt();
        let pull = (r - 1.0) * -self.0 / r;
        (force[0], force[1]) = (q[0] * pull, q[1] * pull - G);
    }
}

/// A spring of 1e8 stretches by 3 g/k = 3e-7 and is a rod to that accuracy.
#[test]
fn a_stiff_spring_swings_like_a_rod() {
    let system = Differentiated::new(Swing(1e8));
    let rod = kinked_pendulum::new(Force::Kink { k: 0.0, d: 0.0 });
    let exact: Vec<_> = (1..=4).map(|part| rod.reference_at(f64::from(part))).collect();
    let start = consistent(&system, &Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 0.0])).expect("consistent");
    for (tol, most) in [(1e-3, 2e-3), (1e-4, 5e-4), (1e-5, 5e-5)] {
        let tolerance = Tolerance::new(tol, tol).expect("in range");
        let bdf = VariableBdf::new();
        let mut integrator = Integrator::new(&system, &start, &bdf, ErrorControl::new(), tolerance).expect("suits");
        for exact in &exact {
            integrator.run(exact.t, &mut Unobserved).expect("runs");
            let off = integrator.state().q.iter().zip(&exact.q).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
            assert!(off < most, "{tol:e}, t = {}: {off:e} {}", exact.t, integrator.stats());
        }
        assert!(integrator.stats().steps < 2000, "damped, not resolved: {}", integrator.stats());
    }
}
