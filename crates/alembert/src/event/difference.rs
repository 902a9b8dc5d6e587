//! Limits of difference quotients, with the distance chosen by the estimated error.
//!
//! ```text
//! D(s) = (f(s) - f(-s))/2s,     B(s) = (f(s) - 2 f(0) + f(-s))/s^2      D(0) + c2 s^2 + c4 s^4 + ...
//! T1(s) = (r^2 D(s/r) - D(s))/(r^2 - 1)
//! T2(s) = (r^4 T1(s/r) - T1(s))/(r^4 - 1)            error  max |T2(s) - T1(s/r)|, |T2(s) - T1(s)|
//! ```
//!
//! Distances grow from one where rounding is all there is, by factors r (not 2, or rounding would repeat itself). First the error falls, because rounding is
//! divided by s; then it rises, because the function bends. The best is taken, and nothing is looked at beyond it, where the
//! function may do something else altogether: a ball of a millimetre has another side. What is found this way is right
//! whatever the units are; what is not smooth at any distance has a large error.

/// The ratio r of neighbouring distances.
const RATIO: f64 = 1.7;
/// This many of the shortest distances tell how much rounding there is. Farther away it is divided by s (or s^2), and an error that
/// looks smaller than that is chance.
const TELLING: usize = 8;
/// Distances whose error is this many times that of the best one are too long.
const BEYOND: f64 = 100.0;
/// After so many of them in a row the search ends.
const PATIENCE: usize = 6;
/// With a relative error above this, a slope is not known.
const ROUGH: f64 = 1e-3;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub value: f64,
    /// Infinite where nothing is known.
    pub error: f64,
}

/// Distances to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distances {
    pub shortest: f64,
    pub longest: f64,
}

/// The derivative of `f` at zero; `rounding` is what the smallest change of its argument may be.
pub(crate) fn derivative(mut f: impl FnMut(f64) -> f64, distances: Distances, rounding: f64) -> Estimate {
    limit(distances, 1, |s| {
        let (up, down) = (f(s), f(-s));
        let quotient = (up - down) / (2.0 * s);
        (quotient, (f64::EPSILON * (up.abs() + down.abs()) + rounding * quotient.abs()) / s)
    })
}

/// The second derivative of `f` at zero.
pub(crate) fn second_derivative(mut f: impl FnMut(f64) -> f64, distances: Distances) -> Estimate {
    let here = f(0.0);
    limit(distances, 2, |s| {
        let (up, down) = (f(s), f(-s));
        let noise = f64::EPSILON * (up.abs() + down.abs() + 2.0 * here.abs());
        (((up - here) + (down - here)) / (s * s), noise / (s * s))
    })
}

/// The limit at zero of a function with an expansion in s^2 that gives a value and its rounding; rounding is divided by
/// this power of s.
fn limit(distances: Distances, power: i32, mut quotient: impl FnMut(f64) -> (f64, f64)) -> Estimate {
    let mut best = Estimate { value: 0.0, error: f64::INFINITY };
    // Differences of exactly zero: the function is flat, or its change is lost in the rounding of larger terms.
    let mut flat = false;
    let (square, fourth) = (RATIO.powi(2), RATIO.powi(4));
    let (mut before, mut first_before): (Option<f64>, Option<f64>) = (None, None);
    let mut noise = 0.0_f64;
    let mut telling: Vec<(Estimate, f64)> = Vec::with_capacity(TELLING);
    let (mut s, mut beyond) = (distances.shortest, 0);
    while s <= distances.longest && beyond < PATIENCE {
        let (value, rounding) = quotient(s);
        let first = before.map(|before| (square * before - value) / (square - 1.0));
        if let (Some(inner), Some(outer)) = (first_before, first) {
            let value = (fourth * inner - outer) / (fourth - 1.0);
            let error = f64::max((value - inner).abs(), (value - outer).abs()).max(rounding);
            let divisor = s.powi(power);
            if inner == 0.0 && outer == 0.0 {
                flat = true;
            } else if !value.is_finite() {
                beyond += 1;
            } else if telling.len() < TELLING {
                noise = noise.max(error * divisor);
                telling.push((Estimate { value, error }, divisor));
            } else {
                let error = error.max(noise / divisor);
                if error < best.error {
                    best = Estimate { value, error };
                    beyond = 0;
                } else if error > BEYOND * best.error {
                    beyond += 1;
                }
            }
            if telling.len() == TELLING && best.error == f64::INFINITY {
                best = told(&telling, noise);
            }
        }
        (before, first_before) = (Some(value), first);
        s *= RATIO;
    }
    if best.error == f64::INFINITY {
        best = told(&telling, noise);
    }
    if flat && best.error > ROUGH * best.value.abs() { Estimate { value: 0.0, error: 0.0 } } else { best }
}

/// The best of the shortest distances, now that it is known how much rounding there is.
fn told(telling: &[(Estimate, f64)], noise: f64) -> Estimate {
    let errors = telling.iter().map(|(Estimate { value, error }, divisor)| (*value, error.max(noise / divisor)));
    let best = errors.min_by(|x, y| x.1.total_cmp(&y.1));
    best.map_or(Estimate { value: 0.0, error: f64::INFINITY }, |(value, error)| Estimate { value, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Distances = Distances { shortest: 1e-13, longest: 1e3 };

    #[test]
    fn derivatives_are_right_at_every_scale() {
        for scale in [1e-6, 1e-3, 1.0, 1e3] {
            let f = |s: f64| scale * ((1.0 + s / scale).ln() + (s / scale).sin());
            let Estimate { value, error } = derivative(f, WIDE, 0.0);
            assert!((value - 2.0).abs() < 1e-9 && error < 1e-8, "{scale}: {value} {error}");
            let Estimate { value, error } = second_derivative(f, WIDE);
            assert!((value * scale + 1.0).abs() < 1e-5 && error * scale < 1e-4, "{scale}: {value} {error}");
        }
    }

    #[test]
    fn far_sides_and_periods_are_not_mistaken_for_the_function() {
        // The far side of a small ball; a period that fits the distances; a clipped ramp.
        let ball = derivative(|s| (s + 1e-6_f64).abs() - 1e-6, WIDE, 0.0);
        assert!((ball.value - 1.0).abs() < 1e-9, "{ball:?}");
        let wave = derivative(|s| (std::f64::consts::TAU * 8.0 * s).sin(), WIDE, 0.0);
        assert!((wave.value / (std::f64::consts::TAU * 8.0) - 1.0).abs() < 1e-9, "{wave:?}");
        let hidden = derivative(|s| (s + 1e7) - 1e7, WIDE, 0.0);
        assert!((hidden.value - 1.0).abs() < 1e-9, "{hidden:?}");
        let lost = derivative(|s| (s * 3.000_01 - 10.188_136_863_58) - (s * 3.0 - 10.188_136_863_5), WIDE, 0.0);
        assert!((lost.value - 1e-5).abs() < 1e-10, "{lost:?}");
        let even = derivative(|s| s * s, WIDE, 0.0);
        assert!(even.value == 0.0 && even.error < 1e-20, "{even:?}");
        let ramp = derivative(|s| s.clamp(-1e-4, 1e-4), WIDE, 0.0);
        assert!((ramp.value - 1.0).abs() < 1e-9, "{ramp:?}");
    }

    #[test]
    fn what_is_not_smooth_or_not_a_number_has_a_large_error() {
        let root = derivative(|s| s.abs().sqrt().copysign(s), WIDE, 0.0);
        assert!(root.error > 0.1 * root.value.abs(), "{root:?}");
        assert!(derivative(|_| f64::NAN, WIDE, 0.0).error.is_infinite());
    }
}
