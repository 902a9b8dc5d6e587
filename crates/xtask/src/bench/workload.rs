//! Which motions are measured, and with which methods.

use alembert::integrator::StartError;
use alembert::method::Output;
use alembert::{
    Bdf, ConsistentState, ErrorControl, FixedSteps, GeneralizedAlpha, HhtAlpha, Integrator, RungeKutta, Tolerance,
    VariableBdf,
};
use alembert_problems::long_chain::{self, Loads};
use alembert_problems::{Problem, andrews, four_bar_train, lattice, pendulum};

use super::mechanisms;
use crate::TaskError;

/// How errors at the end are measured.
#[derive(Clone, Copy, PartialEq)]
pub enum Measure {
    /// Largest error of a coordinate and of a velocity.
    Largest,
    /// The same relative to the size of each.
    Relative,
    /// Largest error of a place, angles left out, and of a velocity.
    Places,
    /// Largest error of a centre of mass, of bodies in space, and of a velocity.
    Centres,
    /// Largest relative error of the angles of Andrews' mechanism, and of their rates, from x, y, angle of its bodies.
    Angles,
}

/// A motion.
pub struct Workload {
    /// Name in tables.
    pub name: String,
    /// Where it ends.
    pub t_end: f64,
    /// Step of the methods with fixed steps.
    pub h: f64,
    /// Parts by which memory is told: links, points.
    pub parts: usize,
    /// How errors are measured.
    pub measure: Measure,
    make: Box<dyn Fn() -> Problem>,
}

impl Workload {
    /// The problem, made anew.
    pub fn problem(&self) -> Problem {
        (self.make)()
    }
}

fn chain(links: usize, t_end: f64) -> Workload {
    Workload {
        name: format!("chain-{links}"),
        t_end,
        h: 1e-3,
        parts: links,
        measure: Measure::Places,
        make: Box::new(move || long_chain::new(links, Loads::default())),
    }
}

fn balls(links: usize, t_end: f64) -> Workload {
    Workload {
        name: format!("balls-{links}"),
        t_end,
        h: 1e-3,
        parts: links,
        measure: Measure::Centres,
        make: Box::new(move || mechanisms::ball_chain(links)),
    }
}

/// All of them, by increasing size.
pub fn all() -> Vec<Workload> {
    let named = |name: &str, t_end: f64, h: f64, parts: usize, measure: Measure, make: fn() -> Problem| Workload {
        name: name.to_owned(),
        t_end,
        h,
        parts,
        measure,
        make: Box::new(make),
    };
    vec![
        named("pendulum", 100.0, 1e-3, 1, Measure::Largest, pendulum::horizontal),
        named("andrews", 0.03, 3e-5, 7, Measure::Relative, andrews::new),
        chain(10, 1.0),
        chain(100, 1.0),
        chain(1000, 1.0),
        chain(10_000, 0.1),
        chain(100_000, 0.01),
        named("four-bar-40", 0.6, 1e-3, 41, Measure::Largest, || four_bar_train::new(40)),
        named("lattice-10", 0.5, 1e-3, 100, Measure::Largest, || lattice::new(10)),
        named("lattice-30", 0.5, 1e-3, 900, Measure::Largest, || lattice::new(30)),
        named("andrews-bodies", 0.03, 3e-5, 7, Measure::Angles, mechanisms::andrews_bodies),
        balls(10, 1.0),
        balls(100, 1.0),
        balls(1000, 1.0),
        balls(10_000, 0.02),
    ]
}

/// The workload of a name.
pub fn by_name(name: &str) -> Result<Workload, TaskError> {
    all().into_iter().find(|w| w.name == name).ok_or_else(|| format!("there is no workload `{name}`").into())
}

/// Who integrates, and who chooses the steps.
pub struct Contender {
    /// Name in tables.
    pub name: &'static str,
    /// Whether it has a tolerance of errors, not only of Newton's method.
    pub chooses_steps: bool,
    /// Whether `bench` runs it: the others are for `instructions` only.
    benched: bool,
}

/// All methods.
pub const METHODS: [Contender; 7] = [
    Contender { name: "soi2", chooses_steps: false, benched: true },
    Contender { name: "soi2 own", chooses_steps: false, benched: true },
    Contender { name: "radau5", chooses_steps: true, benched: true },
    Contender { name: "bdf", chooses_steps: true, benched: true },
    Contender { name: "hht", chooses_steps: false, benched: false },
    Contender { name: "radau5 fixed", chooses_steps: false, benched: false },
    Contender { name: "bdf2 fixed", chooses_steps: false, benched: false },
];

/// Parts of a system up to which methods that choose their steps are run.
const CONTROLLED: usize = 1000;

/// The method of a name.
pub fn method(name: &str) -> Result<&'static Contender, TaskError> {
    METHODS.iter().find(|m| m.name == name).ok_or_else(|| format!("there is no method `{name}`").into())
}

impl Contender {
    /// Whether the method is run on a workload.
    pub fn suits(&self, workload: &Workload) -> bool {
        self.benched && (!self.chooses_steps || workload.parts <= CONTROLLED)
    }

    /// The integrator.
    pub fn integrator<'s>(
        &self,
        problem: &'s Problem,
        start: &ConsistentState,
        h: f64,
        tolerance: f64,
    ) -> Result<Integrator<'s>, TaskError> {
        let (system, tolerance) = (&*problem.system, Tolerance::new(tolerance, tolerance)?);
        let (fixed, control) = (FixedSteps::new(h)?, ErrorControl::default);
        let made: Result<Integrator, StartError> = match self.name {
            // The damping of the peer that is compared with it at the same step.
            "soi2" => Integrator::new(system, start, &GeneralizedAlpha::from_rho_infinity(0.9)?, fixed, tolerance),
            "soi2 own" => {
                let own = GeneralizedAlpha::from_rho_infinity(0.9)?.with_output(Output::Own);
                Integrator::new(system, start, &own, fixed, tolerance)
            }
            "hht" => Integrator::new(system, start, &HhtAlpha::new(-0.1)?, fixed, tolerance),
            "radau5 fixed" => Integrator::new(system, start, &RungeKutta::default(), fixed, tolerance),
            "bdf2 fixed" => Integrator::new(system, start, &Bdf::new(2)?, fixed, tolerance),
            "radau5" => Integrator::new(system, start, &RungeKutta::default(), control(), tolerance),
            _ => Integrator::new(system, start, &VariableBdf::new(), control(), tolerance),
        };
        Ok(made?)
    }
}
