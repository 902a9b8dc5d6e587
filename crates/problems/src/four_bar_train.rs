//! N four-bars in a row (problem A02 of the IFToMM library of multibody benchmarks): N + 1 cranks of length 1 on the ground at
//! (i, 0), joined at their tips B_i by N couplers of length 1, all uniform rods of mass 1. The cranks start upright,
//! and B_0 moves with 1 m/s to the right.
//!
//! All cranks turn alike, so the angle theta from the vertical tells everything:
//!
//! ```text
//! theta'' = g ((N+1)/2 + N) / ((N+1)/3 + N) sin theta,    theta(0) = 0,  theta'(0) = 1,    B_i = (i + sin theta, cos theta)
//! ```
//!
//! Where the cranks lie level, at t = 0.7216 for N = 40 for the first time, the constraints are dependent, and N other ways
//! to go on open. The problem therefore ends before; the library's text goes on to t = 20.

use alembert::{Differentiated, State};

use crate::framework::{End, Framework, G, Rod};
use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

fn framework(loops: usize) -> Framework {
    let mut rods = Vec::new();
    for i in 0..=loops {
        let rod = |name: String, from: End| Rod { name, from, to: i, length: 1.0, mass: 1.0 };
        rods.push(rod(format!("crank {i}"), End::Ground([i as f64, 0.0])));
        if i > 0 {
            rods.push(rod(format!("coupler {i}"), End::Point(i - 1)));
        }
    }
    Framework::new(&vec![0.0; loops + 1], rods)
}

/// theta'' / sin theta.
fn drive(loops: usize) -> f64 {
    let n = loops as f64;
    G * ((n + 1.0) / 2.0 + n) / ((n + 1.0) / 3.0 + n)
}

/// theta and theta' at a time.
fn angle(loops: usize, t: f64) -> [f64; 2] {
    let drive = drive(loops);
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| (out[0], out[1]) = (y[1], drive * y[0].sin());
    match t > 0.0 {
        true => match extrapolate(rhs, 0.0, &[0.0, 1.0], t, Settings::default()) {
            Ok(y) => [y[0], y[1]],
            Err(failure) => panic!("the reference of the four-bar train failed: {failure}"),
        },
        false => [0.0, 1.0],
    }
}

fn solution(framework: &Framework, loops: usize, t: f64) -> State {
    let [angle, spin] = angle(loops, t);
    let (sin, cos) = angle.sin_cos();
    let turn = drive(loops) * sin;
    let all = |x: f64, y: f64, apart: f64| (0..=loops).flat_map(|i| [x + apart * i as f64, y]).collect();
    framework.state(
        t,
        all(sin, cos, 1.0),
        all(cos * spin, -sin * spin, 0.0),
        all(cos * turn - sin * spin * spin, -sin * turn - cos * spin * spin, 0.0),
    )
}

/// A train of `loops` four-bars, until t = 0.6.
///
/// # Panics
/// If `loops` is zero.
pub fn new(loops: usize) -> Problem {
    assert!(loops > 0, "a train has four-bars");
    let framework = framework(loops);
    let State { q, v, lambda, psi, .. } = solution(&framework, loops, 0.0);
    let (known, weighed) = (framework.clone(), framework.clone());
    Problem {
        name: "four_bar_train",
        title: "train of four-bars (IFToMM A02)",
        system: Box::new(Differentiated::new(framework)),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 0.6,
        reference: Reference::Reduced(Box::new(move |t| solution(&known, loops, t))),
        energy: Some(Box::new(move |_, q, v| weighed.energy(q, v))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the library's reference, computed there in extended precision.
    #[test]
    fn the_reference_has_the_published_values() {
        for (loops, t, published) in [
            (2, 1.0, [3.337_870_803_105_098, 6.807_385_240_869_446]),
            (2, 10.0, [31.750_597_186_986_1, 1.506_642_180_841_829_5]),
            (40, 10.0, [31.597_433_743_985_74, 1.167_622_108_751_707]),
        ] {
            for (ours, published) in angle(loops, t).into_iter().zip(published) {
                assert!((ours - published).abs() < 1e-10 * published, "N = {loops}, t = {t}: {:e}", ours - published);
            }
        }
    }
}
