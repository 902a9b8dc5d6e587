//! A pendulum swings against a wall and loses a part of its speed at every impact.
//!
//! Run with `cargo run --example bouncing_pendulum`.

use alembert::{
    Differentiated, Dims, Direction, Energy, ErrorControl, Event, Formulas, Guess, Integrator, RungeKutta, Scalar,
    Tolerance, Unobserved, consistent,
};

const GRAVITY: f64 = 9.81;

/// A unit mass on a unit rod, in Cartesian coordinates.
struct Pendulum;

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-GRAVITY);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
    fn energy(&self, _: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        Some(Energy { kinetic: 0.5 * (v[0] * v[0] + v[1] * v[1]), potential: GRAVITY * q[1], ..Energy::default() })
    }
    fn holonomic_name(&self, _: usize) -> String {
        "rod".into()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Differentiated::new(Pendulum);
    let start = consistent(&system, &Guess::new(0.0, vec![-1.0, 0.0], vec![0.0, 0.0]))?;
    let tolerance = Tolerance::new(1e-8, 1e-8)?;
    let mut integrator = Integrator::new(&system, &start, &RungeKutta::default(), ErrorControl::new(), tolerance)?;
    // The wall is at x = 0.3; the distance to it falls when the mass arrives.
    let wall = Event::new("wall", |state| 0.3 - state.q[0]).with_direction(Direction::Falling).with_bounce(0.7);
    integrator.add_event(wall);
    integrator.run(6.0, &mut Unobserved)?;
    for impact in integrator.occurrences() {
        println!("{impact}: impulse of the wall {:.4}, of the rod {:.4}", impact.contact, 2.0 * impact.impulse[0]);
    }
    println!("{}", integrator.summary());
    Ok(())
}
