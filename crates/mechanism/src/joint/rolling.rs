//! Wheels that roll on a plane without slipping: a holonomic row for the contact, two nonholonomic ones for the rolling.
//!
//! The first marker is on the ground: its z is the normal of the plane, its origin lies in it, x and y are the directions of the rolling rows.
//! The second marker is the centre of the wheel, its z the axle of a disk.

use super::Joint;
use crate::kit::Kit;
use crate::primitive::{DiskHeight, Rolling};
use crate::row::Row;

fn roll(kit: &mut Kit, radius: f64, disk: bool) {
    let [x, y, normal] = kit.first_axes();
    let (centre, turn, axle) = (kit.point(1), kit.turn(1), kit.axis(1, 2));
    let level = kit.first_level();
    if disk {
        kit.row(Row::of("contact", DiskHeight { normal, radius }, &[centre, axle]).less(level));
    } else {
        let ground = kit.point(0);
        let height = crate::primitive::CoordinateDifference { axis: normal };
        kit.row(Row::of("contact", height, &[ground, centre]).less(radius));
    }
    for (name, tangent) in [("slip along x", x), ("slip along y", y)] {
        let rolling = Rolling { tangent, normal, radius, disk };
        kit.row(Row::of(name, rolling, &[centre, turn, axle]).nonholonomic());
    }
}

fn bad_radius(radius: f64) -> Option<String> {
    let good = radius > 0.0 && radius.is_finite();
    (!good).then(|| format!("its radius is {radius}, and must be positive"))
}

/// A thin disk.
#[derive(Clone, Copy, Debug)]
pub struct RollingDisk {
    /// Of the disk.
    pub radius: f64,
}

impl Joint for RollingDisk {
    fn name(&self) -> &'static str {
        "rolling disk"
    }

    fn on_ground(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        roll(kit, self.radius, true);
    }

    fn mistake(&self) -> Option<String> {
        bad_radius(self.radius)
    }
}

/// A ball.
#[derive(Clone, Copy, Debug)]
pub struct RollingSphere {
    /// Of the ball.
    pub radius: f64,
}

impl Joint for RollingSphere {
    fn name(&self) -> &'static str {
        "rolling sphere"
    }

    fn on_ground(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        roll(kit, self.radius, false);
    }

    fn mistake(&self) -> Option<String> {
        bad_radius(self.radius)
    }
}
