//! Friction of joints, put together: which coordinates slip, and which rows press.

use super::build::{Work, fault};
use crate::algebra::{IDENTITY, length};
use crate::assembly::Loaded;
use crate::attached::What;
use crate::error::{BuildError, Fault};
use crate::friction::Friction;
use crate::load::{Pressed, Slip};
use crate::marker::GROUND;
use crate::primitive::SpinDifference;
use crate::row::{Level, Row};
use crate::support::Support;

/// Joints that may rub.
const KINDS: [&str; 5] = ["revolute", "prismatic", "cylindrical", "spherical", "planar"];
/// Reactions below this share of the weight of the bodies do not press; where there is no gravity, below so many newtons.
const NOTHING: f64 = 1e-6;

impl Work {
    /// Friction in a joint.
    pub(super) fn friction(
        &mut self,
        name: &str,
        joint: usize,
        of: Friction,
        gravity: &[f64; 3],
    ) -> Result<(), BuildError> {
        let Some(built) = self.joints.get(joint) else { return Err(fault(name, Fault::NoJoint)) };
        if !KINDS.contains(&built.kind) {
            let words = format!(
                "a {} joint has no friction; it is for revolute, prismatic, cylindrical, spherical and planar ones",
                built.kind
            );
            return Err(fault(name, Fault::Parameter(words)));
        }
        let mut support = Support::default();
        let mut slips: Vec<(Row, f64)> = Vec::new();
        for coordinate in built.coordinates() {
            let map = support.join(&coordinate.support);
            let lever = if coordinate.name.contains("angle") { of.radius } else { 1.0 };
            slips.push((coordinate.row.mapped(&map).rate(), lever));
        }
        if slips.is_empty() {
            // A ball in space: its relative spin about three axes of the world.
            for axis in IDENTITY {
                let [i, j] = built.markers();
                let along = support.attach(GROUND.0, What::Direction, axis);
                let turns = [i, j].map(|marker| support.turn(&marker));
                slips.push((Row::of("spin", SpinDifference, &[along, turns[0], turns[1]]).nonholonomic(), of.radius));
            }
        }
        let turns = built.kind != "prismatic";
        if let Some(words) = of.mistake(turns) {
            return Err(fault(name, Fault::Parameter(words)));
        }
        if of.preload > 0.0 {
            let load = Slip::new(slips.clone(), of.speed, of.mu * of.preload);
            self.loads.push(Loaded { support: support.clone(), load: Box::new(load), pressed: None });
        }
        let weight = |row: &Row| match of.arm {
            _ if row.level == Level::Velocity => 0.0,
            Some(arm) if row.name.starts_with("turn") => row.scale / arm,
            None if row.name.starts_with("turn") => 0.0,
            _ => 1.0,
        };
        let weights = self.constraints[built.constraint].rows.iter().map(|row| weight(row)).collect();
        let mass: f64 = built
            .markers()
            .iter()
            .map(|marker| self.welded.inertias.get(marker.body.0).unwrap_or(&self.nodes[marker.body.0].2).mass)
            .sum();
        let carried = mass * length(gravity);
        let floor = NOTHING * if carried > 0.0 { carried } else { 1.0 };
        let pressed = Pressed { mu: of.mu, floor, constraint: built.constraint, weights };
        let load = Slip::new(slips, of.speed, 0.0);
        self.loads.push(Loaded { support, load: Box::new(load), pressed: Some(pressed) });
        Ok(())
    }
}
