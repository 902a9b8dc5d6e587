//! What rolls and slides on a plane: a coin round its circle, a top that turns over.

use super::played::{Worst, play, play_with};

/// The steady motion: a circle of the radius r |w/Omega|, at a lean that does not change.
#[test]
fn the_coin_rolls_round_its_circle() {
    let (g, m, r, omega): (f64, f64, f64, f64) = (9.81, 8.5e-3, 0.012875, 8.0);
    let theta = 70.0_f64.to_radians();
    let (axial, across) = (m * r * r / 2.0, m * r * r / 4.0);
    let (s, c) = theta.sin_cos();
    let w = (across * omega * omega * s * c - m * g * r * c) / ((axial + m * r * r) * omega * s);
    let circle = r * w.abs() / omega;
    let played = play("rolling_coin");
    let [mut place, mut lean, mut height] = [Worst::default(), Worst::default(), Worst::default()];
    for [t, x, y, tilt, z] in played.rows(["t", "x", "y", "tilt", "coin.z"]) {
        place.add(x, circle * (omega * t).sin());
        place.add(y, -circle * (omega * t).cos());
        lean.add(tilt, 20.0);
        height.add(z, r * s);
    }
    place.within(1e-8, "centre, m");
    lean.within(1e-6, "lean, degrees");
    height.within(1e-10, "height, m");
    // Faster it nods, and loses nothing: rolling friction does no work.
    let wobbling = play_with("rolling_coin", &[("faster", "1.1")]);
    let tilts = wobbling.column("tilt");
    let (least, most) = (tilts.iter().copied().fold(90.0, f64::min), tilts.iter().copied().fold(0.0, f64::max));
    assert!(most - least > 1.5 && least > 15.0, "from {least} to {most}");
    let energies: Vec<f64> = wobbling.run.states.iter().filter_map(|state| wobbling.model.energy(state)).collect();
    let mut energy = Worst::default();
    energies.iter().for_each(|e| energy.add(*e, energies[0]));
    assert_eq!(energies.len(), tilts.len());
    energy.within(1e-12, "energy of 1.7e-3 J");
}

/// x'' of the linear bicycle: M x'' + v C x' + (g K0 + v^2 K2) x = 0 with lean and steering angle, published by Meijaard, Papadopoulos, Ruina
/// and Schwab, Proc. R. Soc. A 463 (2007), equations 5.3 to 5.5 and table 1.
fn linear_bicycle(v: f64, x: [f64; 2], rate: [f64; 2]) -> [f64; 2] {
    let m = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]];
    let c = [[0.0, 33.86641391492494], [-0.85035641456978, 1.6854039739756]];
    let k0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]];
    let k2 = [[0.0, 76.59734589573222], [0.0, 2.65431523794604]];
    let force = |i: usize| -> f64 {
        -(0..2).map(|j| v * c[i][j] * rate[j] + (9.81 * k0[i][j] + v * v * k2[i][j]) * x[j]).sum::<f64>()
    };
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    [(m[1][1] * force(0) - m[0][1] * force(1)) / det, (m[0][0] * force(1) - m[1][0] * force(0)) / det]
}

/// Small motions are those of the published linear equations, by the Runge-Kutta method; what is left is quadratic in the push.
#[test]
fn the_bicycle_sways_as_the_linear_equations_say() {
    for v in [3.0, 5.0] {
        let mut found = Vec::new();
        for push in [1e-3, 1e-2] {
            let (speed, pushed) = (v.to_string(), push.to_string());
            let played = play_with("bicycle", &[("v", &speed), ("push", &pushed)]);
            let rows: Vec<[f64; 5]> =
                played.rows(["t", "lean", "steer", "frame.omega.x", "steering.angle'"]).into_iter().collect();
            let (mut x, mut rate) = ([0.0, 0.0], [rows[0][3], rows[0][4]]);
            let (mut worst, mut size, mut t) = (0.0_f64, 0.0_f64, 0.0);
            for [until, lean, steer, ..] in rows {
                let steps = 40;
                let h = (until - t) / f64::from(steps);
                for _ in 0..steps {
                    let slope = |x: [f64; 2], rate: [f64; 2]| (rate, linear_bicycle(v, x, rate));
                    let by = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
                    let k1 = slope(x, rate);
                    let k2 = slope(by(x, k1.0, h / 2.0), by(rate, k1.1, h / 2.0));
                    let k3 = slope(by(x, k2.0, h / 2.0), by(rate, k2.1, h / 2.0));
                    let k4 = slope(by(x, k3.0, h), by(rate, k3.1, h));
                    for i in 0..2 {
                        x[i] += h / 6.0 * (k1.0[i] + 2.0 * (k2.0[i] + k3.0[i]) + k4.0[i]);
                        rate[i] += h / 6.0 * (k1.1[i] + 2.0 * (k2.1[i] + k3.1[i]) + k4.1[i]);
                    }
                }
                t = until;
                for (linear, degrees) in x.into_iter().zip([lean, steer]) {
                    worst = worst.max((linear - degrees.to_radians()).abs());
                    size = size.max(linear.abs());
                }
            }
            found.push(worst / size);
        }
        println!("{v} m/s: {found:?}");
        assert!(found[0] < 3e-5, "{v} m/s: {found:?}");
        // Ten times the push, a hundred times the error.
        assert!((50.0..200.0).contains(&(found[1] / found[0])), "{v} m/s: {found:?}");
    }
}

/// Jellett's constant is kept whatever the friction; with it the top turns over, without it does not.
#[test]
fn the_tippe_top_turns_over() {
    let played = play("tippe_top");
    let (jellett, tilt) = (played.column("jellett"), played.column("tilt"));
    let mut kept = Worst::default();
    jellett.iter().for_each(|j| kept.add(j / jellett[0], 1.0));
    kept.within(3e-8, "Jellett's constant");
    // At the start all spin is about the axis, which is tilted by 0.1.
    let (m, r) = (0.02, 0.02);
    let exact = 0.4 * m * r * r * 120.0 * (r * 0.1_f64.cos() - 0.3 * r);
    let mut start = Worst::default();
    start.add(jellett[0] / exact, 1.0);
    start.within(1e-12, "Jellett's constant at the start");
    assert!(tilt[0] < 6.0 && tilt.last().is_some_and(|last| *last > 178.0), "{tilt:?}");
    assert!(played.result("least_load") > 0.0, "it leaves the table");
    // It stands on its stem: its centre of mass is `offset` above the middle, and slides no more.
    let mut height = Worst::default();
    height.add(*played.column("height").last().expect("rows"), 1.3 * r);
    height.within(1e-5, "height at the end");
    // Upside down the spin about its own axis is backwards, that about the vertical is what Jellett's constant leaves.
    let spin = *played.column("spin_rate").last().expect("rows");
    let mut left = Worst::default();
    left.add(spin, -exact / (0.4 * m * r * r * 1.3 * r));
    left.within(0.02, "spin at the end, rad/s");
    let smooth = play_with("tippe_top", &[("mu", "0")]);
    assert!(smooth.column("tilt").iter().all(|tilt| *tilt < 15.0), "without friction it stays");
}
