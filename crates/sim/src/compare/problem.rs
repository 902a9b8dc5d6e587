//! A model as a problem to compare methods on.

use alembert::State;
use alembert_model::Model;
use alembert_problems::reference::Settings;
use alembert_problems::{Problem, Reference, Start};

use crate::failure::Failure;
use crate::start::start;

/// A model as a problem, with its exact solution or one by extrapolation.
///
/// # Errors
/// If it has events, or no start.
pub fn problem(model: Model, name: &str) -> Result<Problem, Failure> {
    if let Some(event) = model.events.first() {
        return Err(Failure::usage(format!("cannot compare methods on a model with events (`{}`)", event.name)));
    }
    let (begin, _) = start(&model)?;
    let State { t, q, v, lambda, psi, .. } = (*begin).clone();
    // A problem's name lives as long as the program, and comparisons are few.
    let (name, title): (&'static str, &'static str) = (name.to_owned().leak(), model.name.clone().leak());
    let known =
        |state: &State| [&state.q, &state.v, &state.lambda, &state.psi].into_iter().flatten().all(|x| !x.is_nan());
    let reference = match model.exact(model.run.t_end) {
        Some(end) if known(&end) => Reference::EndValue { states: vec![end], between: Settings::default() },
        _ => Reference::Integrated(Settings::default()),
    };
    Ok(Problem {
        name,
        title,
        start: Start { t, q, v, lambda, psi },
        t_end: model.run.t_end,
        system: Box::new(model.system),
        reference,
        energy: None,
    })
}
