//! What a test problem is: a system, where it starts, how long it runs, and its solution.

use alembert::{At, ConstrainedSystem, Quantity, State};

use crate::linear;
use crate::reference::{self, Settings};

/// A function of time that gives the whole state.
pub type SolutionFn = Box<dyn Fn(f64) -> State + Send + Sync>;
/// Total energy E(t,q,v).
pub type EnergyFn = Box<dyn Fn(f64, &[f64], &[f64]) -> f64 + Send + Sync>;

/// Start values: q and v satisfy the constraints, the multipliers choose the branch of a nonlinear reaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Guess of the multipliers of the holonomic constraints.
    pub lambda: Vec<f64>,
    /// Guess of the multipliers of the nonholonomic constraints.
    pub psi: Vec<f64>,
}

/// Where the reference solution comes from.
pub enum Reference {
    /// A closed form, good to rounding.
    Exact(SolutionFn),
    /// An equivalent ODE in minimal coordinates, integrated by extrapolation; the rest follows from the constraints.
    Reduced(SolutionFn),
    /// The system itself, as an index-1 system with projection, by extrapolation.
    Integrated(Settings),
    /// Known values at some times, in increasing order; other times are integrated.
    EndValue {
        /// The known states.
        states: Vec<State>,
        /// For all other times.
        between: Settings,
    },
}

/// A test problem.
pub struct Problem {
    /// Short name, as in [`by_name`](crate::by_name).
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// The equations.
    pub system: Box<dyn ConstrainedSystem>,
    /// Where to start.
    pub start: Start,
    /// Where the source of the problem stops.
    pub t_end: f64,
    /// The solution.
    pub reference: Reference,
    /// The energy, where it is conserved.
    pub energy: Option<EnergyFn>,
}

impl Problem {
    /// q, v, a = v', lambda, psi at time `t`.
    ///
    /// # Panics
    /// If the reference has to be integrated and the system cannot be evaluated on the way.
    pub fn reference_at(&self, t: f64) -> State {
        match &self.reference {
            Reference::Exact(solution) | Reference::Reduced(solution) => solution(t),
            Reference::Integrated(settings) => self.integrate(t, *settings),
            Reference::EndValue { states, between } => match states.iter().find(|s| s.t == t) {
                Some(state) => state.clone(),
                None => self.integrate(t, *between),
            },
        }
    }

    /// The state at `t` by extrapolation from the start, whatever the kind of reference.
    ///
    /// # Panics
    /// If the system cannot be evaluated on the way.
    pub fn integrate(&self, t: f64, settings: Settings) -> State {
        match reference::integrate(&*self.system, &self.start, t, settings) {
            Ok(state) => state,
            Err(failure) => panic!("the reference of {} failed: {failure}", self.name),
        }
    }
}

/// M^-1 f(t,q,v): what paper 1 calls `a` in HHT-alpha, the acceleration without reactions.
///
/// # Panics
/// If the mass matrix is singular.
pub fn applied_acceleration(system: &dyn ConstrainedSystem, state: &State) -> Vec<f64> {
    let n = system.dims().v;
    let (mut mass, mut a) = (vec![0.0; n * n], vec![0.0; n]);
    let _ = system.ask(Quantity::Mass, &At::new(state.t, &state.q, &[]), &mut mass);
    let _ = system.ask(Quantity::Force, &At::new(state.t, &state.q, &state.v), &mut a);
    assert!(linear::solve(&mut mass, &mut a), "the mass matrix is singular at t = {}", state.t);
    a
}
