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
