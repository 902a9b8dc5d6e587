//! From the world to a picture: parallel projection.
//!
//! A camera has three unit vectors: to the right and up in the picture, and towards the eye. A view adds a scale and a place, such that
//! everything that ever moves is seen.

use crate::scene::Scene;
use crate::vector::{Spot, Vector, along, beside, cross, dot, times, unit};

/// Where the eye is in space, in degrees: turned from the first axis about the upward one, and raised above the horizon.
const TURNED: f64 = -58.0;
const RAISED: f64 = 24.0;

/// A direction to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// To the right in the picture.
    pub right: Vector,
    /// Up in the picture.
    pub up: Vector,
    /// Out of the picture, towards the eye.
    pub eye: Vector,
}

impl Camera {
    /// The camera that suits a scene.
    pub fn of(scene: &Scene) -> Self {
        if scene.planar { Self::planar() } else { Self::spatial(scene.up) }
    }

    /// The plane of the first two axes.
    pub fn planar() -> Self {
        Camera { right: [1.0, 0.0, 0.0], up: [0.0, 1.0, 0.0], eye: [0.0, 0.0, 1.0] }
    }

    /// From the side and from above, where `up` is upward; the first axis runs to the right, if it is level.
    pub fn spatial(up: Vector) -> Self {
        let up = unit(up, [0.0, 0.0, 1.0]);
        let level = along([1.0, 0.0, 0.0], -up[0], up);
        let first = if dot(level, level) > 1e-6 { unit(level, beside(up)) } else { beside(up) };
        let second = cross(up, first);
        let ((sin, cos), (rise, reach)) = (TURNED.to_radians().sin_cos(), RAISED.to_radians().sin_cos());
        let eye = along(along(times(reach * cos, first), reach * sin, second), rise, up);
        let right = unit(cross(up, eye), first);
        Camera { right, up: cross(eye, right), eye }
    }

    /// To the right, up and towards the eye.
    pub fn seen(&self, p: Vector) -> Vector {
        [dot(p, self.right), dot(p, self.up), dot(p, self.eye)]
    }
}

/// A range of two coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The lower ends.
    pub least: [f64; 2],
    /// The upper ends.
    pub most: [f64; 2],
}

impl Extent {
    /// The range without anything in it.
    pub const EMPTY: Extent = Extent { least: [f64::INFINITY; 2], most: [f64::NEG_INFINITY; 2] };

    /// Takes in a circle; none that is not finite.
    pub fn take(&mut self, x: f64, y: f64, radius: f64) {
        if x.is_finite() && y.is_finite() && radius.is_finite() {
            for (k, x) in [x, y].into_iter().enumerate() {
                self.least[k] = self.least[k].min(x - radius);
                self.most[k] = self.most[k].max(x + radius);
            }
        }
    }

    /// How wide and how high it is; zero if it is empty.
    pub fn edges(&self) -> [f64; 2] {
        [0, 1].map(|k| (self.most[k] - self.least[k]).max(0.0))
    }

    /// Its middle; zero if it is empty.
    pub fn middle(&self) -> [f64; 2] {
        [0, 1].map(|k| if self.most[k] >= self.least[k] { 0.5 * (self.least[k] + self.most[k]) } else { 0.0 })
    }
}

/// Where things are in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The direction of the look.
    pub camera: Camera,
    /// Pixels for a unit of length.
    pub scale: f64,
    /// What is in the middle, to the right and up as the camera sees it.
    middle: [f64; 2],
    /// Where the middle is.
    centre: Spot,
}

impl View {
    /// The view that shows an extent in a rectangle with this corner and these edges, as large as it can be.
    pub fn fit(camera: Camera, extent: Extent, corner: Spot, edges: [f64; 2]) -> Self {
        let ratio = |k: usize| edges[k] / extent.edges()[k];
        let scale = ratio(0).min(ratio(1));
        // A single point has no size of its own.
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 0.25 * edges[0].min(edges[1]) };
        View { camera, scale, middle: extent.middle(), centre: [0, 1].map(|k| corner[k] + 0.5 * edges[k]) }
    }

    /// Where a point of the world is, and how near to the eye.
    pub fn spot(&self, p: Vector) -> (Spot, f64) {
        let [x, y, depth] = self.camera.seen(p);
        let [right, up] = [x - self.middle[0], y - self.middle[1]].map(|x| self.scale * x);
        ([self.centre[0] + right, self.centre[1] - up], depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::length;

    #[test]
    fn cameras_are_right_handed_and_see_up_as_up() {
        for up in [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -2.0], [1.0, 2.0, -3.0], [0.0; 3]] {
            let camera = Camera::spatial(up);
            for axis in [camera.right, camera.up, camera.eye] {
                assert!((length(axis) - 1.0).abs() < 1e-12);
            }
            assert!((dot(cross(camera.right, camera.up), camera.eye) - 1.0).abs() < 1e-12, "{up:?}");
            let up = unit(up, [0.0, 0.0, 1.0]);
            let [right, seen, towards] = camera.seen(up);
            assert!(right.abs() < 1e-12 && (seen - 24_f64.to_radians().cos()).abs() < 1e-12, "{up:?}");
            assert!((towards - 24_f64.to_radians().sin()).abs() < 1e-12);
        }
        // The first axis runs to the right, the second one away from the eye.
        let camera = Camera::spatial([0.0, 0.0, 1.0]);
        assert!(camera.seen([1.0, 0.0, 0.0])[0] > 0.8 && camera.seen([0.0, 1.0, 0.0])[2] < -0.7);
    }

    #[test]
    fn a_view_fits_what_it_shows() {
        let mut extent = Extent::EMPTY;
        extent.take(0.0, 0.0, 0.5);
        extent.take(3.5, 1.0, 0.0);
        extent.take(f64::NAN, 1e9, 0.0);
        extent.take(1.0, f64::INFINITY, 0.0);
        let view = View::fit(Camera::planar(), extent, [10.0, 20.0], [400.0, 300.0]);
        // Four units across 400 pixels, one and a half up: centred in 300.
        assert_eq!(view.scale, 100.0);
        assert_eq!(view.spot([-0.5, 0.25, 9.0]), ([10.0, 170.0], 9.0));
        assert_eq!(view.spot([3.5, 1.0, 0.0]).0, [410.0, 95.0]);
        let view = View::fit(Camera::planar(), Extent::EMPTY, [0.0, 0.0], [100.0, 100.0]);
        assert_eq!((view.spot([0.0; 3]).0, view.scale), ([50.0, 50.0], 25.0));
    }
}
