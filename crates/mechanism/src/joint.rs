//! Joints: what bodies are held together by. Each is a file that says which rows it has, and a line of the table below.
//!
//! Markers are i and j, d is the way from the origin of i to that of j, the joint axis is z.

use std::fmt::Debug;

use crate::kit::Kit;

/// A type of joint between two markers.
pub trait Joint: Debug + Send + Sync {
    /// What files and messages call it.
    fn name(&self) -> &'static str;

    /// Whether it makes sense in the plane.
    fn in_plane(&self) -> bool {
        false
    }

    /// Whether its first marker must be on the ground.
    fn on_ground(&self) -> bool {
        false
    }

    /// Whether all axes of both markers coincide always: bodies that are held so can be one.
    fn welds(&self) -> bool {
        false
    }

    /// Adds its rows and coordinates.
    fn build(&self, kit: &mut Kit);

    /// What is wrong with its parameters.
    fn mistake(&self) -> Option<String> {
        None
    }
}

macro_rules! joints {
    ($($module:ident: $($joint:ident),+;)+) => {
        $(mod $module; pub use $module::{$($joint),+};)+
    };
}

joints! {
    spherical: Spherical;
    revolute: Revolute;
    fixed: Fixed;
    prismatic: Prismatic;
    cylindrical: Cylindrical;
    universal: Universal;
    planar: Planar;
    constant_velocity: ConstantVelocity;
    point_on: PointOnLine, PointOnPlane;
    distance: Distance, Rod;
    orientation: Parallel, Perpendicular, Orientation;
    rolling: RollingDisk, RollingSphere;
    knife_edge: KnifeEdge;
    curve: PointOnCurve;
}
