//! The motions.

use alembert_problems::kinked_pendulum::{self, Force};
use alembert_problems::scaled_pendulum::{self, Size};
use alembert_problems::{Problem, by_name, gas_crank};

/// How smooth motions are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Smooth,
    /// Smooth between switches that the system declares, as model files do by themselves.
    Declared,
    /// With kinks and jumps that nobody says anything about.
    Rough,
}

/// Motions of a kind.
pub struct Family {
    pub name: &'static str,
    pub problems: Vec<Problem>,
    pub kind: Kind,
    /// What is added to the size of a quantity to measure its errors by: nothing where the motion is far from size 1.
    pub floor: f64,
}

const SMOOTH: &[&str] = &[
    "oscillator",
    "polar_oscillator",
    "free_body",
    "pendulum",
    "andrews",
    "chain",
    "car_axis",
    "rolling_disk",
    "paper1",
    "paper2",
    "paper3",
    "rheonomic_pendulum",
    "sleigh",
    "sleigh_bowl",
    "heavy_top",
    "spatial_pendulum",
];
const STIFF: &[&str] = &["spring_pendulum", "slider_crank"];
const NOISY: &[&str] = &["wheelset"];

const TINY: &[Size] =
    &[Size { length: 1e-9, mass: 1e-20 }, Size { length: 1e-6, mass: 1e-12 }, Size { length: 1e-3, mass: 1.0 }];
const HUGE: &[Size] =
    &[Size { length: 1e3, mass: 1e6 }, Size { length: 1e4, mass: 1.0 }, Size { length: 1e6, mass: 1e12 }];

const KINKS: &[Force] = &[
    Force::Kink { k: 5.0, d: 0.3 },
    Force::Kink { k: 20.0, d: -0.2 },
    Force::Kink { k: 1.0, d: 0.0 },
    Force::Kink { k: 50.0, d: 0.55 },
];
const JUMPS: &[Force] = &[
    Force::Jump { c: 2.0, d: 0.1 },
    Force::Jump { c: -3.0, d: 0.4 },
    Force::Jump { c: 0.5, d: -0.5 },
    Force::Jump { c: 1.0, d: 0.0 },
];
const STOPS: &[Force] = &[
    Force::Stop { k: 1e4, d: -0.3 },
    Force::Stop { k: 1e5, d: -0.5 },
    Force::Stop { k: 1e6, d: 0.1 },
    Force::Stop { k: 1e6, d: -0.7 },
];
const STEEP: &[Force] = &[
    Force::Steep { c: 3.0, d: 0.2, width: 1e-2 },
    Force::Steep { c: 3.0, d: 0.2, width: 1e-3 },
    Force::Steep { c: -2.0, d: -0.3, width: 1e-4 },
    Force::Steep { c: 1.0, d: 0.0, width: 1e-3 },
];
const SWITCHED: &[Force] = &[Force::Switched { c: 5.0, at: 1.234 }, Force::Switched { c: -2.0, at: 0.5 }];

/// All forces on pendulums that are not smooth.
pub fn forces() -> impl Iterator<Item = Force> {
    [KINKS, JUMPS, STOPS, STEEP, SWITCHED].into_iter().flatten().copied()
}

/// All of them.
pub fn families() -> Vec<Family> {
    let named = |name, names: &[&str]| {
        let problems = names.iter().filter_map(|name| by_name(name)).collect();
        Family { name, problems, kind: Kind::Smooth, floor: 1.0 }
    };
    let forced = |name, forces: &[Force]| {
        let problems = forces.iter().map(|force| kinked_pendulum::new(*force)).collect();
        Family { name, problems, kind: Kind::Rough, floor: 1.0 }
    };
    let declared = |name, forces: &[Force]| {
        let problems = forces.iter().map(|force| kinked_pendulum::declared(*force)).collect();
        Family { name, problems, kind: Kind::Declared, floor: 1.0 }
    };
    let scaled = |name, sizes: &[Size]| {
        let problems = sizes.iter().map(|size| scaled_pendulum::new(*size)).collect();
        Family { name, problems, kind: Kind::Smooth, floor: 0.0 }
    };
    vec![
        named("smooth", SMOOTH),
        scaled("tiny, pendulums of 1 nm to 1 mm", TINY),
        scaled("huge, pendulums of 1 km to 1000 km", HUGE),
        named("stiff", STIFF),
        Family { kind: Kind::Rough, ..named("wheelset, whose forces are rough", NOISY) },
        forced("kinks, k abs(x - d)", KINKS),
        forced("jumps, c sign(x - d)", JUMPS),
        forced("contacts, k max(0, d - x)", STOPS),
        declared("kinks, declared as switches", KINKS),
        declared("jumps, declared as switches", JUMPS),
        declared("contacts, declared as switches", STOPS),
        forced("transitions, c tanh((x - d)/w)", STEEP),
        forced("forces switched in time", SWITCHED),
        Family { name: "gas force on a crank", problems: vec![gas_crank::new()], kind: Kind::Rough, floor: 1.0 },
    ]
}
