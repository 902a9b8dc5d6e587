//! The exact solution of a file: errors against it, and whether it is one.

use alembert::State;
use alembert_model::{Model, Names};

use super::reference::Reference;
use super::torn::is_torn;
use super::track::{Errors, Pair, Track, parts};

/// A formula is wrong if it is further than this from two references that agree, relative to its size.
const WRONG: f64 = 1e-7;

/// The formulas at these times and at those of the run's own events, as a run. It jumps when the run does.
fn formulas(model: &Model, run: &Track, times: &[f64]) -> Track {
    let states: Vec<State> = times.iter().filter_map(|&t| model.exact(t)).collect();
    Track { states, instants: run.instants.clone(), end: crate::simulate::End::Reached }
}

/// The largest errors of a run at these times.
pub fn errors(model: &Model, run: &Track, times: &[f64], span: f64) -> Errors {
    Pair { run, truth: &formulas(model, run, times), span, model: Some(model) }.errors(times)
}

/// The variables whose formulas are not what two references agree upon.
pub fn strangers(model: &Model, reference: &Reference, times: &[f64]) -> Vec<String> {
    if model.exact(times.first().copied().unwrap_or(0.0)).is_none() {
        return Vec::new();
    }
    let Names { q, v, states, a, lambda, psi, .. } = &model.names;
    let names = [q, &[v.as_slice(), states].concat(), a, lambda, psi];
    for (i, names) in names.iter().enumerate() {
        let (mut apart, mut size) = (vec![0.0_f64; names.len()], 0.0_f64);
        for state in &reference.track.states {
            let Some(exact) = model.exact(state.t) else { continue };
            let jumped =
                |t: f64| reference.track.instants.iter().any(|event| (event.t - t).abs() < 1e-6 * (1.0 + t.abs()));
            let is_derived = i >= 2;
            if jumped(state.t) || (is_derived && is_torn(model, state, &exact, 1e-9 * (1.0 + state.t.abs()))) {
                continue;
            }
            for (k, (x, y)) in parts(state)[i].iter().zip(parts(&exact)[i]).take(names.len()).enumerate() {
                // What a formula does not know is NaN.
                apart[k] = if y.is_nan() { apart[k] } else { apart[k].max((x - y).abs()) };
                size = size.max(x.abs());
            }
        }
        let allowed = (WRONG * (1.0 + size)).max(10.0 * reference.uncertainty[i].unwrap_or(f64::INFINITY));
        let wrong = names.iter().zip(&apart).filter(|(_, apart)| **apart > allowed);
        let wrong: Vec<String> = wrong.map(|(name, apart)| format!("{name} (off by {apart:.1e})")).collect();
        // Velocities and accelerations follow from coordinates: naming them too would hide the cause.
        if !wrong.is_empty() {
            return wrong;
        }
    }
    Vec::new()
}
