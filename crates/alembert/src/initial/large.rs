//! A consistent start of a large system: the same three steps with sparse matrices.
//!
//! ```text
//! | M  C^T | (x)   (0)          q <- q + x   until g = 0                  Newton's method, the least displacement in each step
//! | C   0  | (.) = (-c)         v <- v + x   until g_t + G v = 0, k = 0
//! ```
//!
//! then accelerations and multipliers. Where a pivot vanishes or nearly so, constraints that follow from others are looked for.

use super::dependence::dependences;
use super::diagnosis::name;
use super::error::{Dependence, InitialError, Level, RowResidual};
use super::{Guess, Metric, Options, Repair, Report, in_vain, mass, vanishing};
use crate::acceleration::{AccelerationFailure, AccelerationLevel};
use crate::equations::Equations;
use crate::linear::{Bordered, Kkt, Singular};
use crate::newton::Descent;
use crate::redundancy::{start_size, tolerated};
use crate::state::{ConsistentState, State};
use crate::system::Dims;
use crate::tolerance::largest;

const MAX_ITERATIONS: usize = 60;
const HALVINGS: i32 = 12;
/// Pivots above this share of what they are made of are those of independent constraints.
const SOUND: f64 = 1e-5;

/// Blocks of one (1,0,0) matrix.
struct Large<'a, 's> {
    equations: &'a mut Equations<'s>,
    t: f64,
    mass: Vec<f64>,
    g_q: Vec<f64>,
    c_v: Vec<f64>,
    border: Vec<f64>,
    kkt: Kkt,
}

pub(super) fn consistent(
    equations: &mut Equations,
    guess: &Guess,
    options: &Options,
) -> Result<(ConsistentState, Report), InitialError> {
    if !options.fixed_q.is_empty() || !options.fixed_v.is_empty() || matches!(options.metric, Metric::Weights(_)) {
        return Err(InitialError::TooLarge { velocities: equations.dims().v });
    }
    let (dims, layout) = (equations.dims(), equations.layout().clone());
    let mut large = Large {
        equations,
        t: guess.t,
        mass: vec![0.0; layout.top.len()],
        g_q: vec![0.0; layout.holonomic_q.len()],
        c_v: vec![0.0; layout.rows.len()],
        border: vec![0.0; layout.rows.len()],
        kkt: Kkt::new(&layout.structure),
    };
    let mut state = State::zero(dims);
    state.t = guess.t;
    state.q.copy_from_slice(&guess.q);
    state.v.copy_from_slice(&guess.v);
    large.equations.mass(guess.t, &guess.q, &mut large.mass)?;
    mass::definite(large.equations, &large.mass)?;
    let positions = large.repair(Level::Position, &mut state, options)?;
    vanishing::velocity_free(large.equations, guess.t, &state.q, &state.v)?;
    let velocities = large.repair(Level::Velocity, &mut state, options)?;
    // Also where nothing had to move.
    large.linearize(&state)?;
    mass::definite(large.equations, &large.mass)?;
    let redundant = large.redundant();
    if !redundant.is_empty() && !layout.is_softened() {
        return Err(InitialError::Redundant { rows: in_vain(redundant, large.equations.system()) });
    }
    // Its memory serves the next matrix.
    large.kkt = Kkt::new(&layout.structure);

    let mut mu = vec![0.0; dims.constraints()];
    mu[..guess.lambda.len()].copy_from_slice(&guess.lambda);
    mu[dims.lambda..][..guess.psi.len()].copy_from_slice(&guess.psi);
    let (lambda, psi) = mu.split_at(dims.lambda);
    state.lambda.copy_from_slice(lambda);
    state.psi.copy_from_slice(psi);
    let mut level = AccelerationLevel::new(large.equations);
    match level.complete_once(large.equations, &mut state) {
        Ok(()) => {}
        Err(AccelerationFailure::NotFinite(e)) => return Err(e.into()),
        Err(AccelerationFailure::Singular(singular)) => return Err(large.dependence(singular)),
        Err(_) => return Err(InitialError::MultipliersNotFound { starts: 1, residual: None }),
    }
    let motion_residual = level.motion_residual(&state);
    let rank = dims.constraints() - redundant.len();
    let (motion_iterations, beyond_kinematics) = (1, 0.0);
    let report =
        Report { positions, velocities, motion_residual, motion_iterations, rank, redundant, beyond_kinematics };
    Ok((ConsistentState::new(state, Some(layout)), report))
}

impl Large<'_, '_> {
    /// M, G, C and the factors of [M C^T; C] at a state.
    fn linearize(&mut self, state: &State) -> Result<(), InitialError> {
        let Large { equations, t, mass, g_q, c_v, border, kkt } = self;
        let State { q, v, .. } = state;
        let (w_v, k_v) = c_v.split_at_mut(equations.layout().holonomic.len());
        equations.mass(*t, q, mass)?;
        equations.holonomic_q(*t, q, g_q).map_err(|e| vanishing::named(e, equations))?;
        equations.velocity_v(*t, q, v, g_q, w_v)?;
        equations.nonholonomic_v(*t, q, v, k_v).map_err(|e| vanishing::named(e, equations))?;
        border.iter_mut().zip(&*c_v).for_each(|(b, c)| *b = -c);
        let factored =
            kkt.factor(Bordered { top: &[(1.0, mass)], border: (1.0, border), rows: &[(1.0, c_v)], corner: None });
        factored.map_err(|singular| self.dependence(singular))
    }

    /// The constraints of a level.
    fn residual(&mut self, level: Level, state: &State, out: &mut [f64]) -> Result<(), InitialError> {
        let (holonomic, nonholonomic) = out.split_at_mut(self.equations.dims().lambda);
        match level {
            Level::Position => {
                nonholonomic.fill(0.0);
                self.equations.holonomic(self.t, &state.q, holonomic)?;
            }
            Level::Velocity => {
                self.equations.velocity(self.t, &state.q, &state.v, &self.g_q, holonomic)?;
                self.equations.nonholonomic(self.t, &state.q, &state.v, nonholonomic)?;
            }
        }
        Ok(())
    }

    fn repair(&mut self, level: Level, state: &mut State, options: &Options) -> Result<Repair, InitialError> {
        let Dims { v: n, .. } = self.equations.dims();
        let m = self.equations.dims().constraints();
        let rows = self.equations.layout().rows.clone();
        let (mut rhs, mut c, mut trial_c) = (vec![0.0; n + m], vec![0.0; m], vec![0.0; m]);
        let start = start_size(if level == Level::Position { &state.q } else { &state.v });
        self.linearize(state)?;
        self.residual(level, state, &mut c)?;
        let (before, mut moved, mut iterations) = (largest(&c), 0.0, 0);
        let mut met;
        loop {
            let reach = 1.0 + largest(if level == Level::Position { &state.q } else { &state.v });
            let size: Vec<f64> = (0..m).map(|i| rows.row(i).map(|(_, e)| self.c_v[e].abs()).sum()).collect();
            met = (0..m).all(|i| c[i].abs() <= options.tolerance * reach * size[i]);
            // Relative to its row: the rounding of one in large units must not hide what another in small ones gains.
            let merit = |c: &[f64]| {
                let scaled = c.iter().zip(&size).map(|(c, s)| if *s > 0.0 { c.abs() / s } else { c.abs() });
                scaled.fold(0.0_f64, f64::max)
            };
            if largest(&c) == 0.0 || iterations == MAX_ITERATIONS {
                break;
            }
            rhs[..n].fill(0.0);
            rhs[n..].iter_mut().zip(&c).for_each(|(rhs, c)| *rhs = -c);
            self.kkt.solve(&mut rhs);
            let mut trial = state.clone();
            let descent = Descent::new(met, HALVINGS);
            let found = descent.shares().any(|share| {
                let dx: Vec<f64> = rhs[..n].iter().map(|x| share * x).collect();
                match level {
                    Level::Position => self.equations.advance(&state.q, &dx, &mut trial.q),
                    Level::Velocity => {
                        for ((to, v), dx) in trial.v.iter_mut().zip(&state.v).zip(&dx) {
                            *to = v + dx;
                        }
                    }
                }
                let evaluated = self.residual(level, &trial, &mut trial_c).is_ok();
                evaluated && descent.gains(share, merit(&c), merit(&trial_c))
            });
            if !found {
                break;
            }
            moved += rhs[..n].iter().map(|x| x * x).sum::<f64>().sqrt();
            iterations += 1;
            *state = trial;
            c.copy_from_slice(&trial_c);
            self.linearize(state)?;
        }
        let reach = start.max(largest(if level == Level::Position { &state.q } else { &state.v }));
        let nearly = self.equations.layout().is_softened()
            && (0..m).all(|i| c[i].abs() <= tolerated(rows.row(i).map(|(_, e)| self.c_v[e].abs()).sum(), reach));
        if met || nearly {
            let residual_after = largest(&c);
            return Ok(Repair { residual_before: before, residual_after, moved, iterations, metric: Metric::Mass });
        }
        let worst = largest(&c);
        let unmet = (0..m).filter(|&i| c[i].abs() > 1e-3 * worst);
        let rows = unmet.map(|i| RowResidual { name: name(self.equations, i), residual: c[i] }).collect();
        let closest = if level == Level::Position { state.q.clone() } else { state.v.clone() };
        Err(InitialError::Unreachable { level, rows, closest })
    }

    /// The constraints that follow from others: none of a matrix with sound pivots.
    fn redundant(&self) -> Vec<Dependence> {
        let sound = self.kkt.is_sparse() && self.kkt.fallbacks() == 0 && self.kkt.weak(SOUND).is_empty();
        if sound { Vec::new() } else { dependences(self.equations, &self.mass, &self.c_v) }
    }

    /// Names the rows that depend on each other, or the direction without mass.
    fn dependence(&mut self, singular: Singular) -> InitialError {
        let Dims { v: n, .. } = self.equations.dims();
        let Some(row) = singular.column.checked_sub(n) else {
            let coordinate = self.equations.system().coordinate_name(singular.column);
            return InitialError::MasslessDirection { coordinates: vec![(coordinate, 1.0)] };
        };
        let mut rows = dependences(self.equations, &self.mass, &self.c_v);
        if rows.is_empty() {
            rows.push(Dependence { row: name(self.equations, row), on: Vec::new(), in_vain: false });
        }
        InitialError::Redundant { rows }
    }
}
