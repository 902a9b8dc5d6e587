//! On what the standard reaction -G^T lambda - K^T psi depends: derivatives of the constraints over numbers that know on what they
//! depend. A coordinate that enters a constraint linearly has a constant derivative there, which depends on nothing.

use super::trace::Trace;
use crate::equations::Formulas;
use crate::equations::layout::Colours;
use crate::linear::Pattern;
use crate::scalar::Dual;
use crate::space::advance;

/// Columns that are differentiated at once.
const WIDTH: usize = 4;
type Number = Dual<WIDTH, Trace>;

/// Adds what the reaction along each velocity depends on; `rows` is the pattern of G above K.
pub(super) fn trace<F: Formulas>(
    formulas: &F,
    rows: &Pattern,
    t: Trace,
    (q, v): (&[Trace], &[Trace]),
    out: &mut [Trace],
) {
    let (dims, rotations) = (formulas.dims(), formulas.rotations());
    let lift = |x: &[Trace]| -> Vec<Number> { x.iter().map(|x| Dual::constant(*x)).collect() };
    let (q0, mut q, v0, t) = (lift(q), lift(q), lift(v), Dual::constant(t));
    let colours = Colours::of_columns(rows);
    for first in (0..colours.count).step_by(WIDTH) {
        let direction = |j: usize| (colours.of[j] as usize).checked_sub(first).filter(|i| *i < WIDTH);
        let seed = |j: usize, from: Number| match direction(j) {
            Some(i) => from + Dual::variable(Trace::default(), i),
            None => from,
        };
        let dx: Vec<Number> = (0..dims.v).map(|j| seed(j, Number::default())).collect();
        advance(rotations, &q0, &dx, &mut q);
        let mut c = vec![Number::default(); dims.constraints()];
        formulas.holonomic(t, &q, &mut c[..dims.lambda]);
        let v: Vec<Number> = (0..dims.v).map(|j| seed(j, v0[j])).collect();
        formulas.nonholonomic(t, &q0, &v, &mut c[dims.lambda..]);
        for (i, c) in c.iter().enumerate() {
            for (j, _) in rows.row(i) {
                if let Some(direction) = direction(j) {
                    out[j] += c.d[direction];
                }
            }
        }
    }
}
