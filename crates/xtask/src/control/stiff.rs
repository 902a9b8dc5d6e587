//! A stiff problem: steps against the period of the fastest mode.

use std::ops::ControlFlow;

use alembert::{Accepted, Equations, ErrorControl, GeneralizedAlpha, Integrator, State};
use alembert_problems::slider_crank;

use super::{RHO, errors, references, start, tolerance_of};
use crate::TaskError;

/// Power iterations for the fastest mode; the mode is well apart from the next.
const ROUNDS: usize = 200;

/// 2 pi over the largest frequency of `M z'' = f_q z` on the constraints, at a state.
fn fastest_period(equations: &mut Equations, state: &State) -> Result<f64, TaskError> {
    let dims = equations.dims();
    let (n, m) = (dims.v, dims.constraints());
    let State { t, q, v, .. } = state;
    let (mut mass, mut force_q, mut g_q) = (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; m * n]);
    equations.mass(*t, q, &mut mass)?;
    equations.force_q(*t, q, v, &mut force_q)?;
    equations.holonomic_q(*t, q, &mut g_q)?;
    // | M  G^T |
    // | G   0  |
    let mut matrix = vec![vec![0.0; n + m]; n + m];
    for i in 0..n {
        matrix[i][..n].copy_from_slice(&mass[i * n..(i + 1) * n]);
    }
    for i in 0..m {
        for j in 0..n {
            (matrix[n + i][j], matrix[j][n + i]) = (g_q[i * n + j], g_q[i * n + j]);
        }
    }
    let mut z: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64)).collect();
    let mut square = 0.0;
    for _ in 0..ROUNDS {
        let mut rhs = vec![0.0; n + m];
        for (rhs, row) in rhs.iter_mut().zip(force_q.chunks_exact(n)) {
            *rhs = row.iter().zip(&z).map(|(f, z)| f * z).sum();
        }
        solve(matrix.clone(), &mut rhs).ok_or("the constraints are dependent")?;
        square = rhs[..n].iter().map(|x| x * x).sum::<f64>().sqrt();
        z = rhs[..n].iter().map(|x| x / square).collect();
    }
    Ok(std::f64::consts::TAU / square.sqrt())
}

/// Replaces `rhs` by the solution, by elimination with pivots from the column; none if the matrix is singular.
fn solve(mut matrix: Vec<Vec<f64>>, rhs: &mut [f64]) -> Option<()> {
    let size = rhs.len();
    for k in 0..size {
        let pivot = (k..size).max_by(|i, j| matrix[*i][k].abs().total_cmp(&matrix[*j][k].abs()))?;
        matrix.swap(k, pivot);
        rhs.swap(k, pivot);
        let row = matrix[k].clone();
        if row[k] == 0.0 {
            return None;
        }
        for i in k + 1..size {
            let factor = matrix[i][k] / row[k];
            (k..size).for_each(|j| matrix[i][j] -= factor * row[j]);
            rhs[i] -= factor * rhs[k];
        }
    }
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|j| matrix[k][j] * rhs[j]).sum();
        rhs[k] = (rhs[k] - known) / matrix[k][k];
    }
    Some(())
}

pub fn run() -> Result<(), TaskError> {
    let problem = slider_crank::new();
    let (start, exact) = (start(&problem)?, references(&problem));
    let period = fastest_period(&mut Equations::new(&*problem.system), &start)?;
    println!("\nflexible slider crank, soi2 rho {RHO}: fastest period {period:.2e}");
    println!("{:>8} {:>10} {:>12} {:>14} {:>13}", "tol", "steps", "error q", "mean h/period", "most h/period");
    for digits in 3..=7 {
        let tol = 10f64.powi(-digits);
        let scheme = GeneralizedAlpha::from_rho_infinity(RHO)?;
        let tolerance = tolerance_of(tol, &exact)?;
        let mut integrator =
            Integrator::new(&*problem.system, &start, &scheme, ErrorControl::new().per_step(), tolerance)?;
        let mut longest = 0.0_f64;
        integrator.run(problem.t_end, &mut |step: &Accepted| {
            longest = longest.max(step.h);
            ControlFlow::Continue(())
        })?;
        let (steps, error) = (integrator.stats().steps, errors(integrator.state(), &exact[exact.len() - 1])[0]);
        let mean = (problem.t_end - problem.start.t) / steps as f64;
        println!("{tol:>8.0e} {steps:>10} {error:>12.1e} {:>14.2} {:>13.2}", mean / period, longest / period);
    }
    Ok(())
}
