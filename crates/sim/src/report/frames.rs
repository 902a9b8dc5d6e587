//! The frames of an animation, from the rows of a result.
//!
//! ```text
//! x(0) = 0,  x(h) = q1 - q0,  x' = v        between rows: the cubic in a chart at q0, so that bodies stay rigid
//! ```
//!
//! Where there are more rows than frames, frames are rows. Accelerations and multipliers that are no columns of the result belong to
//! its coordinates and velocities, and are computed anew.

use alembert::{ConstrainedSystem, Dynamics, Equations, State};
use alembert_model::Model;
use alembert_model::view::Workspace;
use alembert_picture::Motion;

use crate::sheet::Sheet;

/// Frames of an animation at the most, and how many there are where rows are fewer.
const MOST: usize = 1200;
const SMOOTH: usize = 480;
/// Numbers of a motion: many bodies have fewer frames.
const NUMBERS: usize = 1 << 22;

/// Why nothing moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Still(pub String);

/// The channels of a model's view along a result.
///
/// # Errors
/// If there is nothing to draw, or coordinates or velocities are not columns of the result.
pub fn frames(model: &Model, sheet: &Sheet) -> Result<Motion, Still> {
    let Some(view) = &model.view else {
        let words = "the model says nothing of what it looks like: it has no [view], and mechanisms of more than 400 bodies do not draw themselves";
        return Err(Still(words.to_owned()));
    };
    let rows = Rows::new(model, sheet)?;
    let most = (NUMBERS / view.channels().max(1)).clamp(2, MOST);
    let chosen = rows.thinned(most);
    let mut states = rows.states(model, &chosen);
    if states.is_empty() {
        return Err(Still("the result has no rows".to_owned()));
    }
    if !rows.has_multipliers {
        let mut dynamics = Dynamics::new(&model.system);
        for state in &mut states {
            if dynamics.complete(state).is_err() {
                [&mut state.a, &mut state.lambda, &mut state.psi].into_iter().for_each(|part| part.fill(f64::NAN));
            }
        }
    }
    let mut motion = Motion::default();
    let mut workspace = Workspace::default();
    let mut channels = vec![0.0; view.channels()];
    let mut take = |state: &State| {
        view.channels_into(state, &mut workspace, &mut channels);
        motion.t.push(state.t);
        motion.values.extend_from_slice(&channels);
    };
    let smooth = SMOOTH.min(most);
    let span = states.last().map_or(0.0, |last| last.t) - states[0].t;
    let mut equations = Equations::new(&model.system);
    take(&states[0]);
    for pair in states.windows(2) {
        let [from, to] = pair else { continue };
        let parts = if states.len() < smooth && span > 0.0 {
            ((to.t - from.t) / span * smooth as f64).round().max(1.0) as usize
        } else {
            1
        };
        for part in 1..parts {
            take(&between(&mut equations, from, to, part as f64 / parts as f64));
        }
        take(to);
    }
    Ok(motion)
}

/// Where the numbers of states stand in rows.
struct Rows<'s> {
    sheet: &'s Sheet,
    q: Vec<usize>,
    v: Vec<usize>,
    a: Vec<Option<usize>>,
    lambda: Vec<Option<usize>>,
    psi: Vec<Option<usize>>,
    has_multipliers: bool,
}

impl<'s> Rows<'s> {
    fn new(model: &Model, sheet: &'s Sheet) -> Result<Self, Still> {
        let place = |name: &String| sheet.columns.iter().position(|column| column == name);
        let needed = |names: &[String]| -> Result<Vec<usize>, Still> {
            let missing = |name: &String| {
                Still(format!(
                    "the animation needs all coordinates and velocities, and `{name}` is no column of the result"
                ))
            };
            names.iter().map(|name| place(name).ok_or_else(|| missing(name))).collect()
        };
        let names = &model.names;
        let velocities: Vec<String> = names.v.iter().chain(&names.states).cloned().collect();
        let some = |names: &[String]| -> Vec<Option<usize>> { names.iter().map(place).collect() };
        let (lambda, psi) = (some(&names.lambda), some(&names.psi));
        let has_multipliers = lambda.iter().chain(&psi).all(Option::is_some);
        Ok(Rows {
            sheet,
            q: needed(&names.q)?,
            v: needed(&velocities)?,
            a: some(&names.a),
            lambda,
            psi,
            has_multipliers,
        })
    }

    /// Rows that are about equally far apart in time, at most so many. All, if they are few.
    fn thinned(&self, most: usize) -> Vec<usize> {
        let rows = &self.sheet.rows;
        if rows.len() <= most {
            return (0..rows.len()).collect();
        }
        let (first, last) = (rows[0][0], rows[rows.len() - 1][0]);
        let wanted = |k: usize| first + (last - first) * k as f64 / (most - 1) as f64;
        let mut chosen: Vec<usize> = (0..most)
            .map(|k| {
                let after = rows.partition_point(|row| row[0] < wanted(k)).min(rows.len() - 1);
                let nearer = after > 0 && wanted(k) - rows[after - 1][0] < rows[after][0] - wanted(k);
                after - usize::from(nearer)
            })
            .collect();
        chosen.dedup();
        chosen
    }

    fn states(&self, model: &Model, chosen: &[usize]) -> Vec<State> {
        let dims = model.system.dims();
        let padded = |mut values: Vec<f64>, length: usize| {
            values.resize(length, 0.0);
            values
        };
        let known = |row: &[f64], places: &[Option<usize>], length: usize| {
            padded(places.iter().map(|place| place.map_or(0.0, |k| row[k])).collect(), length)
        };
        let state = |k: &usize| {
            let row = self.sheet.rows[*k].as_slice();
            State {
                t: row[0],
                q: padded(self.q.iter().map(|k| row[*k]).collect(), dims.q),
                v: padded(self.v.iter().map(|k| row[*k]).collect(), dims.v),
                a: known(row, &self.a, dims.v),
                lambda: known(row, &self.lambda, dims.lambda),
                psi: known(row, &self.psi, dims.psi),
            }
        };
        chosen.iter().map(state).filter(|state| state.q.iter().chain(&state.v).all(|x| x.is_finite())).collect()
    }
}

/// The state between two rows, at a share of their distance.
fn between(equations: &mut Equations, from: &State, to: &State, share: f64) -> State {
    let h = to.t - from.t;
    let n = equations.tangent();
    let [mut x, mut start, mut end] = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
    let space = equations.space().clone();
    space.difference(&from.q, &to.q, &mut x);
    if equations.has_general_rate() {
        let rates = [(from, &mut start), (to, &mut end)];
        if rates.into_iter().any(|(at, rate)| equations.rate(at.t, &at.q, &at.v, rate).is_err()) {
            start.iter_mut().zip(&mut end).zip(&x).for_each(|((start, end), x)| (*start, *end) = (x / h, x / h));
        }
    } else {
        start.copy_from_slice(&from.v[..n]);
        space.chart_rate(&x, &to.v, &mut end);
    }
    let s = share;
    let (onto, out, into) = (s * s * (3.0 - 2.0 * s), h * s * (1.0 - s) * (1.0 - s), -h * s * s * (1.0 - s));
    let dx: Vec<f64> = (0..n).map(|i| onto * x[i] + out * start[i] + into * end[i]).collect();
    let mut q = from.q.clone();
    space.advance(&from.q, &dx, &mut q);
    let mix = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (1.0 - s) * x + s * y).collect();
    State {
        t: from.t + s * h,
        q,
        v: mix(&from.v, &to.v),
        a: mix(&from.a, &to.a),
        lambda: mix(&from.lambda, &to.lambda),
        psi: mix(&from.psi, &to.psi),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alembert::{Dims, Functions};

    #[test]
    fn between_rows_a_cubic_motion_is_exact() {
        // q = t^3, v = 3 t^2, and a constant multiplier-free system: only the interpolation can be wrong.
        let system = Functions::new(Dims { q: 1, v: 1, lambda: 0, psi: 0 }).mass(|_, _, mass| mass[0] = 1.0);
        let at = |t: f64| State {
            t,
            q: vec![t.powi(3)],
            v: vec![3.0 * t * t],
            a: vec![6.0 * t],
            lambda: vec![],
            psi: vec![],
        };
        let mut equations = Equations::new(&system);
        for share in [0.25, 0.5, 0.9] {
            let found = between(&mut equations, &at(1.0), &at(2.0), share);
            let exact = (1.0 + share).powi(3);
            assert!((found.q[0] - exact).abs() < 1e-14 * exact, "{share}: {} {exact}", found.q[0]);
            assert!((found.t - 1.0 - share).abs() < 1e-15 && (found.a[0] - 6.0 * (1.0 + share)).abs() < 1e-13);
        }
    }
}
