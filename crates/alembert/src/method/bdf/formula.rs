//! Backward differentiation on any grid.
//!
//! ```text
//! x'(t_n) ~ P'(t_n) + alpha (x_n - P(t_n)),     alpha = sum_{i=1..k} 1/(t_n - t_{n-i})
//! ```
//!
//! P interpolates the last k points, or the last k+1: the formula is the same, because the two polynomials differ by a
//! multiple of prod_{i=1..k} (t - t_{n-i}), whose derivative at t_n is alpha times its value. The longer one predicts
//! better. The defect is `x'(t_n) - D_n x = c_n x^(k+1)` with `c_n = prod_{i=1..k} (t_n - t_{n-i}) / (k+1)!`, that is
//! h^k/(k+1) for equal steps.

/// Highest order with a stable formula at equal steps.
pub(super) const MAX_ORDER: usize = 6;
/// Most points a polynomial passes through.
pub(super) const MAX_POINTS: usize = MAX_ORDER + 1;

/// The formula of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Formula {
    /// The leading coefficient.
    pub alpha: f64,
    /// sum_{i=1..k+1} 1/(t_n - t_{n-i}), where there are k+1 points.
    pub sigma: f64,
    /// c_n.
    pub defect: f64,
    /// Points that P passes through.
    pub points: usize,
    /// P(t_n) = x_{n-1} + sum value_i (x_{n-i} - x_{n-1}), newest first.
    pub value: [f64; MAX_POINTS],
    /// P'(t_n) in the same way.
    pub slope: [f64; MAX_POINTS],
}

impl Formula {
    /// The formula of order `order` at `t`, after `times` (newest first, at least `order` of them; what is beyond
    /// order + 1 is ignored).
    pub fn new(order: usize, t: f64, times: impl Iterator<Item = f64>) -> Self {
        let mut back = [0.0; MAX_POINTS];
        let mut points = 0;
        for (back, past) in back.iter_mut().zip(times.take(order + 1)) {
            *back = t - past;
            points += 1;
        }
        let mut formula = Formula { points, ..Formula::default() };
        formula.defect = 1.0;
        for (i, back) in back[..points].iter().enumerate() {
            if i < order {
                formula.alpha += 1.0 / back;
                formula.defect *= back / (i + 1) as f64;
            }
            formula.sigma += 1.0 / back;
        }
        formula.defect /= (order + 1) as f64;
        let (value, slope) = lagrange(&back[..points]);
        formula.value = value;
        formula.slope = slope;
        formula
    }

    /// |alpha/sigma - 1|: the local error of a step is this times x_n - P(t_n).
    pub fn error_factor(&self) -> f64 {
        (self.alpha / self.sigma - 1.0).abs()
    }
}

/// Value and derivative at 0 of the Lagrange polynomials with nodes at -back; 0 may be a node.
pub(super) fn lagrange(back: &[f64]) -> ([f64; MAX_POINTS], [f64; MAX_POINTS]) {
    let (mut values, mut slopes) = ([0.0; MAX_POINTS], [0.0; MAX_POINTS]);
    for i in 0..back.len() {
        let (mut value, mut slope) = (1.0, 0.0);
        for j in (0..back.len()).filter(|j| *j != i) {
            let width = back[j] - back[i];
            slope = (slope * back[j] + value) / width;
            value *= back[j] / width;
        }
        values[i] = value;
        slopes[i] = slope;
    }
    (values, slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x' at t by the formula from exact values of `x`.
    fn derivative(order: usize, t: f64, times: &[f64], x: impl Fn(f64) -> f64) -> f64 {
        let formula = Formula::new(order, t, times.iter().copied());
        let mut value = x(times[0]);
        let mut slope = 0.0;
        for i in 0..formula.points {
            let change = x(times[i]) - x(times[0]);
            value += formula.value[i] * change;
            slope += formula.slope[i] * change;
        }
        slope + formula.alpha * (x(t) - value)
    }

    #[test]
    fn polynomials_of_the_order_are_differentiated_exactly() {
        let times = [0.9, 0.7, 0.65, 0.4, 0.1, -0.3, -0.35];
        for order in 1..=MAX_ORDER {
            for points in [order, order + 1] {
                for degree in 0..=order as i32 {
                    let found = derivative(order, 1.0, &times[..points], |t| t.powi(degree));
                    assert!((found - f64::from(degree)).abs() < 1e-11, "{order} {points} {degree}: {found}");
                }
            }
        }
    }

    #[test]
    fn the_defect_is_that_of_the_next_power() {
        let times = [0.9, 0.7, 0.65, 0.4, 0.1, -0.3, -0.35];
        for order in 1..=MAX_ORDER {
            let degree = order as i32 + 1;
            let factorial: f64 = (1..=degree).map(f64::from).product();
            let found = f64::from(degree) - derivative(order, 1.0, &times[..order], |t| t.powi(degree));
            let formula = Formula::new(order, 1.0, times.into_iter());
            assert!((found - formula.defect * factorial).abs() < 1e-10 * factorial, "{order}");
        }
    }

    #[test]
    fn equal_steps_give_the_textbook_coefficients() {
        let formula = Formula::new(3, 0.3, [0.2, 0.1, 0.0].into_iter());
        assert!((formula.alpha - 11.0 / 0.6).abs() < 1e-12);
        assert!((formula.defect - 1e-3 / 4.0).abs() < 1e-15);
        assert!((formula.slope[0] - formula.alpha * formula.value[0] + 3.0 / 0.1).abs() < 1e-10);
    }
}
