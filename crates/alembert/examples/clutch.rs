//! A dry clutch: two flywheels slip until they run at the same speed, then a nonholonomic constraint holds them together,
//! until its torque is more than the clutch can carry.
//!
//! Run with `cargo run --example clutch`.

use alembert::{
    Action, Differentiated, Dims, Direction, Energy, ErrorControl, Event, Formulas, GeneralizedAlpha, Guess,
    Integrator, Scalar, Tolerance, Unobserved, consistent,
};

const INERTIA: [f64; 2] = [1.0, 2.0];
/// What the clutch can carry.
const CAPACITY: f64 = 3.0;
/// Torque of the engine at t = 0, and how fast it grows.
const ENGINE: [f64; 2] = [0.5, 0.8];

struct Clutch {
    locked: bool,
}

impl Formulas for Clutch {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: usize::from(self.locked) }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(INERTIA[0]), S::from(INERTIA[1]));
    }
    fn force<S: Scalar>(&self, t: S, _: &[S], _: &[S], force: &mut [S]) {
        let friction = if self.locked { 0.0 } else { CAPACITY };
        force[0] = t * ENGINE[1] + ENGINE[0] - friction;
        force[1] = S::from(friction);
    }
    fn nonholonomic<S: Scalar>(&self, _: S, _: &[S], v: &[S], k: &mut [S]) {
        if let Some(k) = k.first_mut() {
            *k = v[0] - v[1];
        }
    }
    fn energy(&self, t: f64, _: &[f64], v: &[f64]) -> Option<Energy> {
        let kinetic = 0.5 * (INERTIA[0] * v[0] * v[0] + INERTIA[1] * v[1] * v[1]);
        let dissipation = if self.locked { 0.0 } else { CAPACITY * (v[0] - v[1]) };
        let input = (ENGINE[0] + ENGINE[1] * t) * v[0];
        Some(Energy { kinetic, dissipation, input, ..Energy::default() })
    }
    fn nonholonomic_name(&self, _: usize) -> String {
        "clutch".into()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (slipping, locked) =
        (Differentiated::new(Clutch { locked: false }), Differentiated::new(Clutch { locked: true }));
    let start = consistent(&slipping, &Guess::new(0.0, vec![0.0, 0.0], vec![4.0, 0.0]))?;
    let (scheme, tolerance) = (GeneralizedAlpha::from_rho_infinity(0.8)?, Tolerance::new(1e-6, 1e-6)?);
    let mut integrator = Integrator::new(&slipping, &start, &scheme, ErrorControl::new(), tolerance)?;
    let locked = integrator.add_mode(&locked, &scheme)?;
    let slipping = 0;
    let same = Event::new("the clutch locks", |state| state.v[0] - state.v[1]).with_direction(Direction::Falling);
    integrator.add_event(same.in_mode(slipping).with_action(move |_| Action::Switch(locked)));
    let overload = Event::new("the clutch slips", |state| CAPACITY - state.psi[0]).with_direction(Direction::Falling);
    integrator.add_event(overload.in_mode(locked).with_action(move |_| Action::Switch(slipping)));
    integrator.run(6.0, &mut Unobserved)?;
    for event in integrator.occurrences() {
        println!("{event}, both at {:.4}", event.after.v[1]);
    }
    println!("{}", integrator.summary());
    Ok(())
}
