//! Functions of events over generic numbers, and their exact derivatives.
//!
//! ```text
//! phi_t,   phi_q = d/dx phi(t, q o x, v) at x = 0,   phi_v       by forward differentiation, a few columns at a time
//! ```

use super::Gradient;
use crate::scalar::{Dual, Scalar};
use crate::space::{Space, advance};
use crate::state::State;

/// Columns that are differentiated at a time.
const COLUMNS: usize = 4;

/// The function of an event, written once over any [`Scalar`]; see [`Event::from_formula`](super::Event::from_formula).
pub trait EventFormula: Send + Sync {
    /// phi(t,q,v). A surface to bounce off must not depend on v.
    fn value<S: Scalar>(&self, t: S, q: &[S], v: &[S]) -> S;
}

/// Writes the derivatives of a formula; `out` has the sizes of the space.
pub(super) fn gradient(formula: &impl EventFormula, state: &State, space: &Space, out: &mut Gradient) {
    type Number = Dual<COLUMNS>;
    let constants = |x: &[f64]| x.iter().map(|x| Number::from(*x)).collect::<Vec<Number>>();
    let (t, q, mut v) = (Number::from(state.t), constants(&state.q), constants(&state.v));
    out.t = formula.value(Dual::variable(state.t, 0), &q, &v).d[0];
    let mut dx = vec![Number::default(); out.q.len()];
    let mut moved = q.clone();
    for first in (0..out.q.len()).step_by(COLUMNS) {
        let columns = first..(first + COLUMNS).min(out.q.len());
        dx[columns.clone()].iter_mut().enumerate().for_each(|(i, dx)| *dx = Dual::variable(0.0, i));
        advance(space.rotations(), &q, &dx, &mut moved);
        let value = formula.value(t, &moved, &v);
        out.q[columns.clone()].iter_mut().zip(value.d).for_each(|(out, d)| *out = d);
        dx[columns].fill(Number::default());
    }
    for first in (0..v.len()).step_by(COLUMNS) {
        let columns = first..(first + COLUMNS).min(v.len());
        v[columns.clone()].iter_mut().enumerate().for_each(|(i, v)| v.d[i] = 1.0);
        let value = formula.value(t, &q, &v);
        out.v[columns.clone()].iter_mut().zip(value.d).for_each(|(out, d)| *out = d);
        v[columns].iter_mut().for_each(|v| v.d = [0.0; COLUMNS]);
    }
}
