//! A run says what is wrong with it, and nothing where all is well; energy balances against exact work.

#[path = "events/common.rs"]
mod common;

use alembert::audit::{ConstraintLevel, EnergyBalance};
use alembert::controller::{Retry, StepController, Verdict};
use alembert::method::{Attempt, Form, Projection, Scheme, StepFailure};
use alembert::verdict::Concern;
use alembert::{
    Bdf, ConstrainedSystem, Differentiated, Dims, Energy, ErrorControl, Formulas, GeneralizedAlpha, HhtAlpha,
    Integrator, RungeKutta, Scalar, Tolerance, Unobserved,
};
use common::{Steps, integrator, methods, start};

fn index2(name: &str, scheme: Box<dyn Scheme>) -> Box<dyn Scheme> {
    let index2 = HhtAlpha::new(-0.1).expect("in range").with_form(Form::Index2);
    if name.starts_with("hht") { Box::new(index2) } else { scheme }
}

/// Runs every method; the balance, the last state's energy, and that there are no warnings where steps are chosen by error.
fn balances(
    system: &dyn ConstrainedSystem,
    q: Vec<f64>,
    v: Vec<f64>,
    t_end: f64,
) -> Vec<(&'static str, EnergyBalance)> {
    let start = start(system, q, v);
    let run = |(name, scheme, steps): (&'static str, Box<dyn Scheme>, Steps)| {
        let scheme = if system.dims().psi > 0 { index2(name, scheme) } else { scheme };
        let mut integrator = integrator(system, &start, &*scheme, steps, 1e-8);
        integrator.run(t_end, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let summary = integrator.summary();
        // That BDF of order 4 is not stable for oscillations is said of every run; this one is right.
        let warnings = summary.warnings().into_iter().filter(|warning| warning.concern != Concern::Method);
        assert_eq!(warnings.collect::<Vec<_>>(), [], "{name}: {summary}");
        (name, summary.energy.expect("the system says"))
    };
    methods().into_iter().map(run).collect()
}

/// How well a method of this name does here.
fn limit(name: &str) -> f64 {
    match name {
        "radau 5" | "radau 3" | "variable bdf" => 1e-5,
        "soi2" | "hht" | "radau 2, fixed" | "bdf 4, fixed" => 2e-4,
        _ => 2e-2,
    }
}

/// A solid ball that rolls on a turntable: x, y of its centre, then angles whose rates are its angular velocity.
struct Turntable {
    spin: f64,
    radius: f64,
}

impl Formulas for Turntable {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 0, psi: 2 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let inertia = 0.4 * self.radius * self.radius;
        for (i, m) in [1.0, 1.0, inertia, inertia].into_iter().enumerate() {
            mass[5 * i] = S::from(m);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        k[0] = v[0] - v[3] * self.radius + q[1] * self.spin;
        k[1] = v[1] + v[2] * self.radius - q[0] * self.spin;
    }
    fn energy(&self, _: f64, _: &[f64], v: &[f64]) -> Option<Energy> {
        let inertia = 0.4 * self.radius * self.radius;
        let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + inertia * (v[2] * v[2] + v[3] * v[3]));
        Some(Energy { kinetic, ..Energy::default() })
    }
}

#[test]
fn a_turntable_works_on_the_ball_that_rolls_on_it() {
    let table = Turntable { spin: 3.0, radius: 0.1 };
    let system = Differentiated::new(Turntable { ..table });
    let ([x0, y0], [vx, vy]) = ([1.0, 0.2], [0.3, 0.5]);
    // The centre goes round a circle with 2/7 of the table's angular velocity.
    let at = |t: f64| {
        let rate = 2.0 / 7.0 * table.spin;
        let (s, c) = (rate * t).sin_cos();
        let (x, y) = (x0 + (vx * s + vy * (c - 1.0)) / rate, y0 + (vx * (1.0 - c) + vy * s) / rate);
        let (u, w) = (vx * c - vy * s, vx * s + vy * c);
        [u, w, (table.spin * x - w) / table.radius, (u + table.spin * y) / table.radius]
    };
    let energy = |v: [f64; 4]| system.formulas().energy(0.0, &[0.0; 4], &v).expect("known").kinetic;
    let work = energy(at(4.0)) - energy(at(0.0));
    assert!(work.abs() > 0.5, "{work}");
    for (name, balance) in balances(&system, vec![x0, y0, 0.0, 0.0], at(0.0).to_vec(), 4.0) {
        let error = (balance.drives - work).abs();
        println!("{name}: drives {error:.1e}, defect {:.1e}", balance.largest);
        assert!(error < limit(name) && balance.largest < limit(name), "{name}: {error:e} {balance:?}");
        assert_eq!((balance.dissipated, balance.taken), (0.0, 0.0), "{name}");
        assert_eq!(balance.input, balance.drives, "{name}");
    }
}

/// A point on an arm that turns by alpha t^2/2, in a liquid that brakes it by -c v.
struct Arm {
    alpha: f64,
    drag: f64,
}

impl Formulas for Arm {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(2.0), S::from(2.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        (force[0], force[1]) = (-v[0] * self.drag, -v[1] * self.drag);
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        let angle = t * t * (0.5 * self.alpha);
        (g[0], g[1]) = (q[0] - angle.cos() * 0.5, q[1] - angle.sin() * 0.5);
    }
    fn energy(&self, _: f64, _: &[f64], v: &[f64]) -> Option<Energy> {
        let square = v[0] * v[0] + v[1] * v[1];
        Some(Energy { kinetic: square, input: -self.drag * square, ..Energy::default() })
    }
}

#[test]
fn drives_and_friction_are_told_apart() {
    let arm = Arm { alpha: 1.5, drag: 0.7 };
    let system = Differentiated::new(Arm { ..arm });
    // The speed is alpha t/2: the drag takes out c alpha^2 t^3/12, the drive that and the kinetic energy.
    let t = 2.0_f64;
    let (taken, kinetic) = (arm.drag * arm.alpha.powi(2) * t.powi(3) / 12.0, (0.5 * arm.alpha * t).powi(2));
    for (name, balance) in balances(&system, vec![0.5, 0.0], vec![0.0, 0.0], t) {
        let errors =
            [balance.taken - taken, balance.drives - taken - kinetic, balance.input - kinetic, balance.given()];
        println!("{name}: {errors:?}");
        assert!(errors.iter().all(|error| error.abs() < limit(name)), "{name}: {errors:?} {balance:?}");
        // Kinetic, taken out, put in.
        assert!((balance.turnover - 2.0 * (taken + kinetic)).abs() < 4.0 * limit(name), "{name}: {balance:?}");
    }
}

/// Mass 1 + t, no force: the momentum is kept, and time takes energy out.
struct Growing;

impl Formulas for Growing {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, t: S, _: &[S], mass: &mut [S]) {
        mass[0] = t + 1.0;
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        force[0] = -v[0];
    }
    fn energy(&self, t: f64, _: &[f64], v: &[f64]) -> Option<Energy> {
        let square = v[0] * v[0];
        Some(Energy { kinetic: 0.5 * (1.0 + t) * square, drive: -0.5 * square, ..Energy::default() })
    }
}

#[test]
fn time_itself_is_a_drive() {
    // v = 3/(1 + t) and T = 4.5/(1 + t).
    let work = 4.5 / 3.0 - 4.5;
    for (name, balance) in balances(&Differentiated::new(Growing), vec![0.0], vec![3.0], 2.0) {
        let error = (balance.drives - work).abs();
        assert!(error < limit(name) && balance.largest < limit(name), "{name}: {error:e} {balance:?}");
    }
}

#[test]
fn energy_from_nowhere_is_a_warning() {
    let problem = alembert_problems::by_name("pendulum_horizontal").expect("known");
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    // Order 3 is not stable on the imaginary axis.
    let scheme = Bdf::new(3).expect("in range");
    let mut grown = integrator(&*problem.system, &start, &scheme, Steps::Fixed(0.05), 1e-10);
    grown.run(60.0, &mut Unobserved).expect("runs");
    let summary = grown.summary();
    let warnings = summary.warnings();
    let [method, warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!((method.concern, method.value, method.limit), (Concern::Method, 3.0, 2.0));
    assert_eq!(warning.concern, Concern::Energy);
    // The pendulum swings from rest at the height of its pivot: its energy is zero.
    let state = grown.state();
    let energy = 0.5 * (state.v[0].powi(2) + state.v[1].powi(2)) + 9.81 * state.q[1];
    assert!(energy > 100.0 && warning.value > 0.5 && warning.value <= 1.0, "{energy} {warning:?}");
    assert!(warning.to_string().starts_with("the energy balance, with a defect of "), "{warning}");
    // A method that is stable there is not accused.
    let scheme = Bdf::new(2).expect("in range");
    let mut kept = integrator(&*problem.system, &start, &scheme, Steps::Fixed(0.001), 1e-10);
    kept.run(10.0, &mut Unobserved).expect("runs");
    assert_eq!(kept.summary().warnings(), []);
}

#[test]
fn a_constraint_that_drifts_is_named_with_its_level() {
    let problem = alembert_problems::by_name("pendulum_horizontal").expect("known");
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    let plain = RungeKutta::radau(2).expect("in range").with_projection(Projection::Off);
    let classical = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range").with_velocity_level(false);
    for (name, scheme) in [("radau", &plain as &dyn Scheme), ("soi2", &classical)] {
        let mut integrator = integrator(&*problem.system, &start, scheme, Steps::Fixed(0.01), 1e-10);
        integrator.run(1.0, &mut Unobserved).expect("runs");
        let summary = integrator.summary();
        let of = |level: ConstraintLevel| {
            let same = |warning: &&alembert::Warning| warning.concern == Concern::Residual(level);
            summary.warnings().iter().find(same).cloned()
        };
        let warning = of(ConstraintLevel::Velocity).unwrap_or_else(|| panic!("{name}: {summary}"));
        assert!(warning.value > 1e-9 && warning.limit == 1e-11 && warning.subject == "g[0]", "{name}: {warning:?}");
        let words = warning.to_string();
        assert!(words.starts_with("g[0] is not met: at the velocity level it is off by "), "{words}");
        // g itself is an equation of both.
        assert_eq!(of(ConstraintLevel::Position), None, "{name}: {summary}");
    }
}

/// A pendulum of any length, its constraint multiplied by any number.
struct Scaled {
    length: f64,
    factor: f64,
}

impl Formulas for Scaled {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-9.81);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = (q[0] * q[0] + q[1] * q[1] - self.length * self.length) * self.factor;
    }
    fn energy(&self, _: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        // The zero of the potential is anywhere.
        let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1]);
        Some(Energy { kinetic, potential: 9.81 * q[1] + 1e6, ..Energy::default() })
    }
}

#[test]
fn tiny_and_huge_numbers_are_no_reason_for_warnings() {
    for (length, factor) in [(1e-5, 1.0), (1e5, 1.0), (1.0, 1e10), (1.0, 1e-10), (1e3, 1e9), (1e-3, 1e9)] {
        let system = Differentiated::new(Scaled { length, factor });
        let start = start(&system, vec![length, 0.0], vec![0.0, 0.0]);
        let atol = 1e-6 * length.min(1.0);
        let tolerance = Tolerance::new(1e-6, atol).expect("in range");
        let t_end = 2.0 * length.sqrt();
        let schemes: [&dyn Scheme; 2] =
            [&RungeKutta::default(), &GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")];
        for scheme in schemes {
            let control = ErrorControl::new();
            let mut integrator = Integrator::new(&system, &start, scheme, control, tolerance).expect("starts");
            integrator.run(t_end, &mut Unobserved).unwrap_or_else(|e| panic!("{length} {factor}: {e}"));
            assert_eq!(integrator.summary().warnings(), [], "{length:e} {factor:e} {}", scheme.name());
        }
    }
}

/// Accepts every third attempt only.
struct Fickle(u32);

impl StepController for Fickle {
    fn propose(&mut self, _: f64, remaining: f64) -> f64 {
        remaining.min(0.02)
    }
    fn judge(&mut self, h: f64, _: &Attempt) -> Verdict {
        self.0 += 1;
        if self.0.is_multiple_of(3) { Verdict::Accept } else { Verdict::Reject { h: 0.9 * h } }
    }
    fn after_failure(&mut self, _: f64, _: &StepFailure) -> Retry {
        Retry::Never
    }
}

#[test]
fn work_thrown_away_is_a_warning() {
    let problem = alembert_problems::by_name("pendulum_horizontal").expect("known");
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let scheme = RungeKutta::radau(3).expect("in range");
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, Fickle(0), tolerance).expect("starts");
    integrator.run(1.0, &mut Unobserved).expect("runs");
    let warnings = integrator.summary().warnings();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(warning.concern, Concern::Again);
    assert!((warning.value - 2.0 / 3.0).abs() < 1e-12, "{warning:?}");
    assert!(warning.to_string().starts_with("67 % of the "), "{warning}");
}
