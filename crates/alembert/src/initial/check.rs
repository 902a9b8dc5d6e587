//! What a guess must be before anything is computed from it.

use super::{Guess, InitialError, Metric, Options};
use crate::equations::Equations;
use crate::system::Description;

/// The same options where states of first order are what they are.
pub(super) fn holding(options: &Options, description: &Description) -> Options {
    let mut options = options.clone();
    options.fixed_v.extend(description.dims.v - description.first_order().0..description.dims.v);
    options
}

/// Lengths, finite entries, indices in range.
pub(super) fn check(guess: &Guess, options: &Options, equations: &Equations) -> Result<(), InitialError> {
    let dims = equations.dims();
    if !guess.t.is_finite() {
        return Err(InitialError::BadEntry { vector: "t", entry: 0, value: guess.t });
    }
    let optional = |x: &[f64], n: usize| if x.is_empty() { 0 } else { n };
    for (vector, x, expected) in [
        ("q", &guess.q, dims.q),
        ("v", &guess.v, dims.v),
        ("lambda", &guess.lambda, optional(&guess.lambda, dims.lambda)),
        ("psi", &guess.psi, optional(&guess.psi, dims.psi)),
    ] {
        if x.len() != expected {
            return Err(InitialError::WrongLength { vector, expected, actual: x.len() });
        }
        if let Some(entry) = x.iter().position(|x| !x.is_finite()) {
            return Err(InitialError::BadEntry { vector, entry, value: x[entry] });
        }
    }
    if let Metric::Weights(weights) = &options.metric {
        let expected = equations.tangent();
        if weights.len() != expected {
            return Err(InitialError::WrongLength { vector: "weights", expected, actual: weights.len() });
        }
        if let Some(entry) = weights.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(InitialError::BadEntry { vector: "weights", entry, value: weights[entry] });
        }
    }
    for (vector, fixed, count) in
        [("fixed_q", &options.fixed_q, equations.tangent()), ("fixed_v", &options.fixed_v, dims.v)]
    {
        if let Some(&index) = fixed.iter().find(|&&i| i >= count) {
            return Err(InitialError::NoSuchCoordinate { vector, index, count });
        }
    }
    Ok(())
}
