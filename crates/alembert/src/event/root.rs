//! Roots and extrema of a function of one variable, with guaranteed convergence.
//!
//! [`root`] is ITP (Oliveira and Takahashi, "An enhancement of the bisection method average performance preserving
//! minmax optimality", 2020): a secant estimate, truncated towards the middle and projected onto an interval about the
//! middle that keeps the number of evaluations within one of bisection's, whatever the function. Smooth functions take
//! about eight evaluations to rounding.
//!
//! [`dip`] is golden section on the distance from zero.

/// How many evaluations more than bisection ITP may need.
const SLACK: i32 = 1;
/// (3 - sqrt 5)/2.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// A change of sign between `a` and `b` > `a`, with the values there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bracket {
    pub a: f64,
    pub b: f64,
    pub at_a: f64,
    pub at_b: f64,
}

/// The final bracket of a root: its end `b` is beyond the crossing, at most `tolerance` after it.
///
/// # Errors
/// Those of the function.
pub(crate) fn root<E>(
    bracket: Bracket,
    tolerance: f64,
    mut function: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Bracket, E> {
    let Bracket { mut a, mut b, at_a, at_b } = bracket;
    let sign = if at_a < 0.0 { 1.0 } else { -1.0 };
    let (mut y_a, mut y_b) = (sign * at_a, sign * at_b);
    let half = 0.5 * tolerance;
    let kappa = 0.2 / (b - a);
    let bisections = ((b - a) / tolerance).log2().ceil().max(0.0) as i32;
    for k in 0..=bisections + SLACK {
        let width = b - a;
        let middle = 0.5 * (a + b);
        if width <= tolerance || middle <= a || middle >= b {
            break;
        }
        let secant = (y_b * a - y_a * b) / (y_b - y_a);
        let towards = if middle >= secant { 1.0 } else { -1.0 };
        // At least half the tolerance beyond the secant point, so that the root is soon caught between two points.
        let truncation = (kappa * width * width).max(half);
        let truncated = if truncation <= (middle - secant).abs() { secant + towards * truncation } else { middle };
        let reach = (half * 2f64.powi(bisections + SLACK - k) - 0.5 * width).max(0.0);
        let x = if (truncated - middle).abs() <= reach { truncated } else { middle - towards * reach };
        let x = if x > a && x < b { x } else { middle };
        let y = sign * function(x)?;
        if y >= 0.0 {
            (b, y_b) = (x, y);
        } else {
            (a, y_a) = (x, y);
        }
    }
    Ok(Bracket { a, b, at_a: sign * y_a, at_b: sign * y_b })
}

/// Looks between `a` and `b` for a place where the function has the other sign than at its three known points, of which
/// `m` is closest to zero. Gives up when the function, convex about its extremum, cannot reach zero.
///
/// # Errors
/// Those of the function.
pub(crate) fn dip<E>(
    [mut a, mut m, mut b]: [f64; 3],
    values: [f64; 3],
    tolerance: f64,
    mut function: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<(f64, f64)>, E> {
    let sign = if values[1] > 0.0 { 1.0 } else { -1.0 };
    let [mut y_a, mut y_m, mut y_b] = values.map(|y| sign * y);
    // A line through an end and the middle bounds a convex function on the other side of the middle.
    let hopeless = |a: f64, m: f64, b: f64, y_a: f64, y_m: f64, y_b: f64| {
        let right = y_m - (y_a - y_m) * (b - m) / (m - a);
        let left = y_m - (y_b - y_m) * (m - a) / (b - m);
        right.min(left) > 0.0
    };
    while b - a > tolerance && !hopeless(a, m, b, y_a, y_m, y_b) {
        let right = b - m > m - a;
        let x = if right { m + GOLDEN * (b - m) } else { m - GOLDEN * (m - a) };
        if x <= a || x >= b || x == m {
            break;
        }
        let y = sign * function(x)?;
        if y <= 0.0 {
            return Ok(Some((x, sign * y)));
        }
        match (y < y_m, right) {
            (true, true) => (a, y_a, m, y_m) = (m, y_m, x, y),
            (true, false) => (b, y_b, m, y_m) = (m, y_m, x, y),
            (false, true) => (b, y_b) = (x, y),
            (false, false) => (a, y_a) = (x, y),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(a: f64, b: f64, tolerance: f64, f: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut calls = 0;
        let bracket = Bracket { a, b, at_a: f(a), at_b: f(b) };
        let found = root(bracket, tolerance, |x| {
            calls += 1;
            Ok::<f64, ()>(f(x))
        });
        (found.expect("cannot fail").b, calls)
    }

    #[test]
    fn smooth_roots_take_few_evaluations() {
        let (x, calls) = count(0.0, 1.0, 1e-14, |x| x.cos() - x);
        assert!((x - 0.739_085_133_215_160_6).abs() <= 1e-14, "{x}");
        assert!(calls <= 10, "{calls}");
    }

    #[test]
    fn no_function_takes_more_than_bisection_by_much() {
        // A step, a flat root of high order, and a root at either end.
        type Function = fn(f64) -> f64;
        let functions: [(Function, f64); 4] = [
            (|x| if x < 0.3 { -1e-9 } else { 1.0 }, 0.3),
            (|x| (x - 0.7).powi(15), 0.7),
            (|x| x - 1e-13, 1e-13),
            (|x| if x >= 1.0 { 1.0 } else { -1e9 }, 1.0),
        ];
        for (f, exact) in functions {
            let (x, calls) = count(0.0, 1.0, 1e-12, f);
            assert!(f(x) >= 0.0, "beyond the crossing");
            // The root of high order underflows in its neighbourhood.
            let slack = if exact == 0.7 { 1e-12_f64.max(1e-20_f64.powf(1.0 / 15.0)) } else { 1.1e-12 };
            assert!((x - exact).abs() <= slack, "{x} {exact}");
            assert!(calls <= 42, "{calls}");
        }
    }

    #[test]
    fn dips_are_found_where_they_are() {
        let look = |f: fn(f64) -> f64| {
            let points = [0.0, 0.5, 1.0];
            dip(points, points.map(f), 1e-12, |x| Ok::<f64, ()>(f(x))).expect("cannot fail")
        };
        let (x, y) = look(|x| (x - 0.37).powi(2) - 1e-10).expect("goes below zero");
        assert!(y <= 0.0 && (x - 0.37).abs() <= 1e-5);
        assert_eq!(look(|x| (x - 0.37).powi(2) + 1e-10), None);
        assert!(look(|x| 1e-8 - (x - 0.6).powi(2)).is_some_and(|(_, y)| y >= 0.0));
    }
}
