//! Every problem, by name.

use crate::*;

type Constructor = fn() -> Problem;

const PROBLEMS: &[(&str, Constructor)] = &[
    ("oscillator", oscillator::new),
    ("polar_oscillator", polar_oscillator::new),
    ("paper1", paper1::new),
    ("spring_pendulum", spring_pendulum::new),
    ("paper2", paper2::new),
    ("rolling_disk", rolling_disk::new),
    ("rolling_disk_printed", rolling_disk::printed),
    ("paper3", paper3::new),
    ("sleigh", sleigh::flat),
    ("sleigh_bowl", sleigh::bowl),
    ("rheonomic_pendulum", rheonomic_pendulum::new),
    ("pendulum", pendulum::normalised),
    ("pendulum_printed", pendulum::normalised_printed),
    ("pendulum_horizontal", pendulum::horizontal),
    ("paper5_circle", paper5::circle),
    ("paper5_sphere", paper5::sphere),
    ("andrews", andrews::new),
    ("car_axis", car_axis::new),
    ("slider_crank", slider_crank::new),
    ("chain", chain::new),
    ("two_bars", two_bars::soft),
    ("wheelset", wheelset::new),
    ("heavy_top", heavy_top::new),
    ("free_body", free_body::new),
    ("spatial_pendulum", spatial_pendulum::new),
];

/// The names that [`by_name`] knows.
pub const NAMES: [&str; PROBLEMS.len()] = {
    let mut names = [""; PROBLEMS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = PROBLEMS[i].0;
        i += 1;
    }
    names
};

/// Every problem.
pub fn all() -> Vec<Problem> {
    PROBLEMS.iter().map(|(_, new)| new()).collect()
}

/// The problem called `name`.
pub fn by_name(name: &str) -> Option<Problem> {
    PROBLEMS.iter().find(|(known, _)| *known == name).map(|(_, new)| new())
}
