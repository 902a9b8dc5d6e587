//! A mass on a rope: pushed hard enough to rise above its pivot, it falls out of its circle and is caught again.
//!
//! Taut and slack are two modes of one system: the rope's constraint is dropped where its tension changes sign, and comes
//! back where the mass is as far away as the rope is long.
//!
//! Run with `cargo run --example rope`.

use alembert::{
    Action, Differentiated, Dims, Direction, Energy, ErrorControl, Event, Formulas, Guess, Integrator, RungeKutta,
    Scalar, Tolerance, Unobserved, consistent,
};

const GRAVITY: f64 = 9.81;

/// A unit mass on a rope of unit length.
struct Rope {
    taut: bool,
}

impl Formulas for Rope {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: usize::from(self.taut), psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-GRAVITY);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        if let Some(g) = g.first_mut() {
            *g = q[0] * q[0] + q[1] * q[1] - 1.0;
        }
    }
    fn energy(&self, _: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        Some(Energy { kinetic: 0.5 * (v[0] * v[0] + v[1] * v[1]), potential: GRAVITY * q[1], ..Energy::default() })
    }
    fn holonomic_name(&self, _: usize) -> String {
        "rope".into()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (taut, slack) = (Differentiated::new(Rope { taut: true }), Differentiated::new(Rope { taut: false }));
    let start = consistent(&taut, &Guess::new(0.0, vec![0.0, -1.0], vec![6.0, 0.0]))?;
    let (scheme, tolerance) = (RungeKutta::default(), Tolerance::new(1e-8, 1e-8)?);
    let mut integrator = Integrator::new(&taut, &start, &scheme, ErrorControl::new(), tolerance)?;
    let slack = integrator.add_mode(&slack, &scheme)?;
    let taut = 0;
    let tension = Event::new("the rope goes slack", |state| state.lambda[0]).with_direction(Direction::Falling);
    integrator.add_event(tension.in_mode(taut).with_action(move |_| Action::Switch(slack)));
    let length = Event::new("the rope catches", |state| state.q[0].hypot(state.q[1]) - 1.0);
    integrator
        .add_event(length.with_direction(Direction::Rising).in_mode(slack).with_action(move |_| Action::Switch(taut)));
    integrator.run(3.0, &mut Unobserved)?;
    for event in integrator.occurrences() {
        println!("{event}, impulse {:.4}", event.impulse.iter().map(|p| 2.0 * p).sum::<f64>());
    }
    println!("{}", integrator.summary());
    Ok(())
}
