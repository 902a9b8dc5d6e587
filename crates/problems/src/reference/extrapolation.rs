//! Gragg-Bulirsch-Stoer extrapolation; see the parent for the method.

use super::{ReferenceFailure, Settings};

/// Columns of the extrapolation table: order 2 `COLUMNS`.
const COLUMNS: usize = 7;
/// Attempts in a row before a step is called impossible.
const ATTEMPTS: usize = 60;
/// Steps shorter than this many roundings of t do not advance.
const SHORTEST: f64 = 16.0;

/// What carries over from one stretch of time to the next: the length of the step, and how much work is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The step to begin with; a hundredth of the way if none.
    pub h: Option<f64>,
    /// Evaluations of the right-hand side that may still be made.
    pub evaluations: u64,
}

/// y' = f(t,y), with something to do after each accepted step.
pub(super) trait Ode {
    fn rhs(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), ReferenceFailure>;
    fn accepted(&mut self, t: f64, y: &mut [f64]) -> Result<(), ReferenceFailure>;
}

struct Plain<F>(F);

impl<F: FnMut(f64, &[f64], &mut [f64])> Ode for Plain<F> {
    fn rhs(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), ReferenceFailure> {
        (self.0)(t, y, out);
        if out.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        Err(ReferenceFailure { t, reason: "the right-hand side is not finite" })
    }
    fn accepted(&mut self, _: f64, _: &mut [f64]) -> Result<(), ReferenceFailure> {
        Ok(())
    }
}

/// y(t_end) for y' = f(t,y), y(t0) = y0, where `rhs` writes f. Runs backwards too.
///
/// # Errors
/// If the right-hand side is not finite near the solution, or no step is small enough.
pub fn extrapolate(
    rhs: impl FnMut(f64, &[f64], &mut [f64]),
    t0: f64,
    y0: &[f64],
    t_end: f64,
    settings: Settings,
) -> Result<Vec<f64>, ReferenceFailure> {
    let mut y = y0.to_vec();
    run(&mut Plain(rhs), t0, &mut y, t_end, settings, &mut Pace { h: None, evaluations: u64::MAX })?;
    Ok(y)
}

/// Carries `y` from `t` to `t_end`.
pub(super) fn run(
    ode: &mut dyn Ode,
    t0: f64,
    y: &mut Vec<f64>,
    t_end: f64,
    settings: Settings,
    pace: &mut Pace,
) -> Result<(), ReferenceFailure> {
    let (mut t, mut rate) = (t0, vec![0.0; y.len()]);
    // The first step is a guess; the controller corrects it within a few attempts.
    let mut h = pace.h.unwrap_or((t_end - t0) / 100.0);
    // One for the start of a step, and those of each column, 2, 4, ..., of which the first is known.
    let cost = (1 + COLUMNS * (COLUMNS + 1)) as u64;
    // |y| may pass zero: errors are measured against the largest value so far.
    let mut size: Vec<f64> = y.iter().map(|y| y.abs()).collect();
    while t != t_end {
        ode.rhs(t, y, &mut rate)?;
        let mut done = false;
        for _ in 0..ATTEMPTS {
            // A last step barely shorter than the remainder would leave a sliver.
            let last = (t_end - t).abs() <= h.abs() * 1.01;
            let step = if last { t_end - t } else { h };
            if !last && step.abs() <= SHORTEST * f64::EPSILON * t.abs() {
                return Err(ReferenceFailure { t, reason: "it cannot advance: steps become too short" });
            }
            let Some(left) = pace.evaluations.checked_sub(cost) else {
                return Err(ReferenceFailure { t, reason: "it takes too many evaluations" });
            };
            pace.evaluations = left;
            let outcome = attempt(ode, t, y, &rate, step);
            let error = match &outcome {
                Ok((new, error)) => (0..y.len())
                    .map(|i| error[i].abs() / (settings.relative * size[i].max(new[i].abs()) + settings.absolute))
                    .fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) }),
                Err(_) => f64::INFINITY,
            };
            let factor = 0.9 * (0.5 / error.max(1e-30)).powf(1.0 / (2 * COLUMNS - 1) as f64);
            if error <= 1.0 {
                let (mut new, _) = outcome?;
                t = if last { t_end } else { t + step };
                ode.accepted(t, &mut new)?;
                *y = new;
                for (size, y) in size.iter_mut().zip(y.iter()) {
                    *size = size.max(y.abs());
                }
                // A step cut short by the end says little about the next.
                let next = step * factor.clamp(0.2, 3.0);
                h = if last && next.abs() < h.abs() { h } else { next };
                done = true;
                break;
            }
            h = step * if error.is_finite() { factor.clamp(0.1, 0.8) } else { 0.25 };
        }
        if !done {
            return Err(ReferenceFailure { t, reason: "no step is small enough for the tolerance" });
        }
    }
    pace.h = Some(h);
    Ok(())
}

/// One extrapolated step: the value of order 14 and its difference to order 12.
fn attempt(
    ode: &mut dyn Ode,
    t: f64,
    y: &[f64],
    rate: &[f64],
    step: f64,
) -> Result<(Vec<f64>, Vec<f64>), ReferenceFailure> {
    let n = y.len();
    let mut table: Vec<Vec<f64>> = Vec::with_capacity(COLUMNS);
    let (mut older, mut old, mut slope) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut error = vec![0.0; n];
    for k in 0..COLUMNS {
        let substeps = 2 * (k + 1);
        let h = step / substeps as f64;
        // Increments from y are carried, not values: rounding is then that of the increment.
        older.fill(0.0);
        for i in 0..n {
            old[i] = h * rate[i];
        }
        let mut point = vec![0.0; n];
        for m in 1..substeps {
            for i in 0..n {
                point[i] = y[i] + old[i];
            }
            ode.rhs(t + m as f64 * h, &point, &mut slope)?;
            for i in 0..n {
                older[i] += 2.0 * h * slope[i];
            }
            std::mem::swap(&mut older, &mut old);
        }
        // Gragg's smoothing (y_N-1 + y_N + h f(y_N))/2: without it no column sees the last fourteenth of the step, where a
        // force may jump.
        for i in 0..n {
            point[i] = y[i] + old[i];
        }
        ode.rhs(t + step, &point, &mut slope)?;
        for i in 0..n {
            old[i] = 0.5 * (older[i] + old[i] + h * slope[i]);
        }
        // Aitken-Neville in h^2, upwards through the row: T_k,j+1 = T_k,j + (T_k,j - T_k-1,j)/((n_k/n_k-j-1)^2 - 1).
        let mut value = old.clone();
        for j in 0..k {
            let ratio = substeps as f64 / (2 * (k - j)) as f64;
            let before = &mut table[j];
            for i in 0..n {
                let difference = (value[i] - before[i]) / (ratio * ratio - 1.0);
                before[i] = value[i];
                value[i] += difference;
                error[i] = difference;
            }
        }
        table.push(value);
    }
    let increment = &table[COLUMNS - 1];
    Ok((y.iter().zip(increment).map(|(y, d)| y + d).collect(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_and_oscillator_to_rounding() {
        let solution = extrapolate(
            |_, y, out| {
                out[0] = -y[0];
                out[1] = y[2];
                out[2] = -y[1];
            },
            0.0,
            &[1.0, 1.0, 0.0],
            20.0,
            Settings::default(),
        )
        .expect("smooth");
        assert!((solution[0] - (-20.0_f64).exp()).abs() < 1e-14);
        assert!((solution[1] - 20.0_f64.cos()).abs() < 1e-13, "{:e}", solution[1] - 20.0_f64.cos());
        assert!((solution[2] + 20.0_f64.sin()).abs() < 1e-13);
    }

    /// Dry friction on a spring: the force jumps wherever the velocity passes zero, also just before the end of a step.
    #[test]
    fn jumps_are_seen_wherever_they_fall_in_a_step() {
        let friction = |_: f64, y: &[f64], out: &mut [f64]| {
            (out[0], out[1]) = (y[1], -y[0] - 0.1 * y[1].signum());
        };
        for k in 0..20 {
            // Half a turn about 0.1 after half a turn about -0.1 after a rise to the first turning point.
            let rise = 0.5 + 0.01 * f64::from(k);
            let start = [-0.1 + 1.2 * rise.cos(), 1.2 * rise.sin()];
            let t = rise + 1.5 * std::f64::consts::PI;
            let end = extrapolate(friction, 0.0, &start, t, Settings::default()).expect("jumps are crossed");
            // At 1.1 after the rise; 0.1 + 1.0 cos(s) until s = pi, then -0.1 - 0.8 cos(s - pi).
            let exact = [-0.1, 0.8];
            assert!((end[0] - exact[0]).abs() < 1e-9 && (end[1] - exact[1]).abs() < 1e-9, "{rise}: {end:?}");
        }
    }

    #[test]
    fn a_failure_is_an_error() {
        let blow_up = extrapolate(|_, y, out| out[0] = y[0] * y[0], 0.0, &[1.0], 2.0, Settings::default());
        assert!(blow_up.is_err());
    }
}
