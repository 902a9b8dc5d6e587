//! What rounding of the constraints costs in a step: asked only where steps fail, to say why.
//!
//! ```text
//! | M  -r_mu | (dq)   (    0    )      e_i = +- eps sum_j |G_ij q_j|,   dv = dq/h
//! | G    0   | (. ) = (    e    )
//! ```
//!
//! A rounding e of g is made up for by moving q by dq, which in a step of length h looks like a velocity. Light bodies between heavy
//! ones move farthest, by many times eps |q|. Where nothing moves farther than eps |q|, the reason is something else.

use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::state::State;
use crate::system::Dims;
use crate::tolerance::{Tolerance, largest};

/// Patterns of signs that are tried.
const TRIALS: u64 = 16;

/// If a coordinate moves by more than this many roundings of q, the matrix has amplified the rounding.
const AMPLIFIED: f64 = 30.0;

/// Rounding as the reason why steps of length h fail at a state, where it changes a velocity by more than the tolerance allows.
pub(crate) fn reason(
    equations: &mut Equations,
    level: &mut AccelerationLevel,
    state: &State,
    h: f64,
    tolerance: &Tolerance,
) -> Option<StepFailure> {
    let dims = equations.dims();
    if dims.lambda == 0 || equations.has_general_rate() {
        return None;
    }
    let mut state = state.clone();
    level.restart();
    level.complete(equations, &mut state).ok()?;
    // Where q has entries that belong to rotations their sizes are not those of the columns: the largest serves for all.
    let size = |j: usize| if dims.q == dims.v { state.q[j].abs() } else { largest(equations.bodies(&state.q)) };
    let rows = &equations.layout().holonomic;
    let rounding: Vec<f64> = (0..dims.lambda)
        .map(|i| f64::EPSILON * rows.row(i).map(|(j, entry)| (level.g_q()[entry] * size(j)).abs()).sum::<f64>())
        .collect();
    let moved = distances(level, &rounding, dims);
    let amplified = |moved: &[f64]| largest(moved) > AMPLIFIED * f64::EPSILON * largest(equations.bodies(&state.q));
    // With equal masses the same happens near a dead point, and only there.
    let mass = level.mass.own();
    mass.fill(0.0);
    for i in 0..dims.v {
        mass[equations.layout().top.position(i, i)?] = 1.0;
    }
    level.factor().ok()?;
    if !amplified(&moved) || amplified(&distances(level, &rounding, dims)) {
        return None;
    }
    let sizes = &equations.typical().v;
    let shortest = |j: usize| moved[j] / (tolerance.atol_v + tolerance.rtol * (sizes[j] + state.v[j].abs()));
    let coordinate = (0..dims.v).max_by(|a, b| shortest(*a).total_cmp(&shortest(*b)))?;
    let (moved, shortest) = (moved[coordinate], shortest(coordinate));
    (shortest > h).then_some(StepFailure::Rounding { coordinate, moved, shortest })
}

/// How far roundings of the constraints move each coordinate, with the matrix that was factored last.
fn distances(level: &mut AccelerationLevel, rounding: &[f64], dims: Dims) -> Vec<f64> {
    let mut rhs = vec![0.0; dims.v + dims.constraints()];
    let mut moved = vec![0.0_f64; dims.v];
    // A linear congruential generator: signs that are the same in every run.
    let mut random = 1_u64;
    for _ in 0..TRIALS {
        rhs.fill(0.0);
        for (rhs, e) in rhs[dims.v..].iter_mut().zip(rounding) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *rhs = if random >> 63 == 0 { *e } else { -e };
        }
        level.kkt.solve(&mut rhs);
        moved.iter_mut().zip(&rhs).for_each(|(most, x)| *most = most.max(x.abs()));
    }
    moved
}
