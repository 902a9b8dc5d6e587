//! Parameters that a start determines: `find = { l = "x - 0.3" }`.
//!
//! ```text
//! F(p) = 0        F: the conditions at the consistent start of the model with the parameters p
//! ```
//!
//! Newton's method with differences. Parameters are constants of formulas, so that each evaluation compiles the model anew; a step that
//! does not make |F| smaller, or at which there is no start, is halved.

use alembert_model::Model;

use crate::failure::Failure;
use crate::start::{digits, start};

const MOST: usize = 40;
const HALVINGS: u32 = 30;
/// The change of a parameter for a difference, relative to it, or to one where it is zero.
const DIFFERENCE: f64 = 1e-7;
/// Steps below this share of a parameter are none.
const FOUND: f64 = 1e-11;
/// Columns of derivatives below this share of the largest determine nothing.
const NOTHING: f64 = 1e-10;

/// Names with values as text.
type Settings = Vec<(String, String)>;

/// A model and what its conditions are at the start.
struct Tried {
    model: Model,
    values: Vec<f64>,
}

fn size(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The model that a file and settings give, with the parameters that its start determines.
///
/// # Errors
/// If `make` has any, or if no values are found.
pub fn solved(
    settings: &[(String, String)],
    make: impl Fn(&[(String, String)]) -> Result<Model, Failure>,
) -> Result<Model, Failure> {
    let first = make(settings)?;
    if first.find.is_empty() {
        return Ok(first);
    }
    let names: Vec<String> = first.find.iter().map(|find| find.parameter.clone()).collect();
    let value =
        |name: &String| first.parameters.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value);
    let mut p: Vec<f64> = names.iter().map(value).collect();
    let with = |p: &[f64]| -> Result<Tried, Failure> {
        let more = names.iter().cloned().zip(p.iter().map(|value| format!("{value:e}")));
        let settings: Settings = settings.iter().cloned().chain(more).collect();
        let model = make(&settings)?;
        let (state, _) = start(&model)?;
        let values: Vec<f64> = model.find.iter().map(|find| find.value(&state)).collect();
        Ok(Tried { model, values })
    };
    let listed = names.join(", ");
    let conditions: Vec<String> = first.find.iter().map(|find| format!("`{}`", find.text)).collect();
    let hint = "give values of these parameters that are closer, or a condition that they can meet";
    let mut here = with(&p).map_err(|failure| Failure {
        message: format!("cannot find {listed}: with the values given, {}", failure.message),
        ..failure
    })?;
    let not_found = |p: &[f64], values: &[f64]| {
        let left: Vec<String> = values.iter().map(|value| digits(*value)).collect();
        let at: Vec<String> = names.iter().zip(p).map(|(name, p)| format!("{name} = {}", digits(*p))).collect();
        let message = format!(
            "cannot find {listed}: no values found for which {} is zero at the start; it is {} at {}",
            conditions.join(", "),
            left.join(", "),
            at.join(", ")
        );
        Failure::usage(message).with_hint(hint).with_parameter(&names[0])
    };
    for round in 0..MOST {
        let n = p.len();
        let mut slopes = vec![0.0; n * n];
        for (j, name) in names.iter().enumerate() {
            let change = DIFFERENCE * if p[j] == 0.0 { 1.0 } else { p[j].abs() };
            let mut beside = p.clone();
            beside[j] += change;
            let there = with(&beside).or_else(|_| {
                beside[j] = p[j] - change;
                with(&beside)
            })?;
            for i in 0..n {
                slopes[i * n + j] = (there.values[i] - here.values[i]) / (beside[j] - p[j]);
            }
            if (0..n).all(|i| slopes[i * n + j] == 0.0) && size(&here.values) > 0.0 {
                let message =
                    format!("cannot find {name}: {} does not depend on it at the start", conditions.join(", "));
                return Err(Failure::usage(message).with_hint(hint).with_parameter(name));
            }
        }
        let Some(step) = eliminated(slopes, here.values.iter().map(|f| -f).collect()) else {
            if size(&here.values) == 0.0 {
                break;
            }
            let message = format!("cannot find {listed}: {} do not determine them", conditions.join(", "));
            return Err(Failure::usage(message).with_hint(hint).with_parameter(&names[0]));
        };
        let small = step.iter().zip(&p).all(|(step, p)| step.abs() <= FOUND * p.abs().max(f64::MIN_POSITIVE));
        let mut better = None;
        for halving in 0..HALVINGS {
            let share = 0.5_f64.powi(halving as i32);
            let next: Vec<f64> = p.iter().zip(&step).map(|(p, step)| p + share * step).collect();
            let Ok(there) = with(&next) else { continue };
            if size(&there.values) < size(&here.values) {
                better = Some((next, there));
                break;
            }
            if small {
                break;
            }
        }
        match better {
            Some((next, there)) => (p, here) = (next, there),
            // What does not get smaller any more is rounding, if the step is.
            None if small => break,
            None => return Err(not_found(&p, &here.values)),
        }
        if small || size(&here.values) == 0.0 {
            break;
        }
        if round + 1 == MOST {
            return Err(not_found(&p, &here.values));
        }
    }
    let mut model = here.model;
    model.found = names.into_iter().zip(p).collect();
    Ok(model)
}

/// Gauss's elimination with pivots; none if the matrix is singular.
fn eliminated(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    // Rows of one size, so that units of conditions do not matter.
    for i in 0..n {
        let largest = a[i * n..][..n].iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        a[i * n..][..n].iter_mut().for_each(|x| *x /= largest);
        b[i] /= largest;
    }
    // Columns too, for units of parameters.
    let mut sizes = vec![0.0_f64; n];
    for (k, x) in a.iter().enumerate() {
        sizes[k % n] = sizes[k % n].max(x.abs());
    }
    if sizes.contains(&0.0) {
        return None;
    }
    a.iter_mut().enumerate().for_each(|(k, x)| *x /= sizes[k % n]);
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
        if a[pivot * n + k].abs() <= NOTHING {
            return None;
        }
        (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            b[i] -= factor * b[k];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| a[i * n + j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i * n + i];
    }
    b.iter_mut().zip(&sizes).for_each(|(x, size)| *x /= size);
    Some(b)
}
