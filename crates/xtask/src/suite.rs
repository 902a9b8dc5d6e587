//! What `bench` and `iterations` run: schemes, starts, fixed steps.

use alembert::integrator::StartError;
use alembert::method::{BadMethod, Form, Scheme};
use alembert::{ConsistentState, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Tolerance, consistent};
use alembert_problems::Problem;

use crate::TaskError;

/// A scheme with the name it has in tables.
pub struct Named {
    pub name: &'static str,
    pub scheme: Box<dyn Scheme>,
}

fn named(name: &'static str, scheme: impl Scheme + 'static) -> Named {
    Named { name, scheme: Box::new(scheme) }
}

/// With and without the velocity level: what SOI2 adds to the plain index-3 form.
pub const SOI2: &str = "soi2 rho 0.8";
pub const PLAIN: &str = "index-3 rho 0.8";

/// The schemes that are timed.
pub fn schemes() -> Result<Vec<Named>, BadMethod> {
    let hht = HhtAlpha::new(-0.1)?;
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8)?;
    Ok(vec![
        named("soi2 rho 0.2", GeneralizedAlpha::from_rho_infinity(0.2)?),
        named(SOI2, soi2),
        named(PLAIN, soi2.with_velocity_level(false)),
        named("hht -0.1", hht),
        named("hht -0.1 b 0.3", hht.with_b(0.3)?),
        named("hht -0.1 predicted", hht.with_form(Form::Predicted)),
        named("hht -0.1 midpoint", hht.with_form(Form::Midpoint)),
        named("hht -0.1 index 2", hht.with_form(Form::Index2)),
    ])
}

/// Whether a scheme says something of its own on a problem: not an alias of another one that is listed.
pub fn suits(name: &str, problem: &Problem) -> bool {
    let dims = problem.system.dims();
    match name {
        PLAIN => dims.lambda > 0,
        "soi2 rho 0.2" | SOI2 | "hht -0.1" => true,
        "hht -0.1 index 2" => dims.psi > 0,
        _ => dims.lambda > 0,
    }
}

/// The consistent start of a problem.
pub fn start(problem: &Problem) -> Result<ConsistentState, TaskError> {
    let alembert_problems::Start { t, q, v, lambda, psi } = problem.start.clone();
    Ok(consistent(&*problem.system, &Guess::new(t, q, v).with_multipliers(lambda, psi))?)
}

/// An integrator with steps of length h.
///
/// # Errors
/// `Ok(None)` if the scheme is not made for such a system.
pub fn integrator<'s>(
    problem: &'s Problem,
    start: &ConsistentState,
    scheme: &dyn Scheme,
    h: f64,
    tolerance: f64,
) -> Result<Option<Integrator<'s>>, TaskError> {
    let steps = FixedSteps::new(h)?;
    match Integrator::new(&*problem.system, start, scheme, steps, Tolerance::new(tolerance, tolerance)?) {
        Ok(integrator) => Ok(Some(integrator)),
        Err(StartError::Method(BadMethod::Unsuited { .. })) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// An end time that `steps` steps of length h do not reach, so that none is shortened to end on time.
pub fn horizon(start: &ConsistentState, h: f64, steps: usize) -> f64 {
    start.t + h * (steps + 10) as f64
}
