//! Where frames of reference are: a point of a scene is `o + R p`.
//!
//! A quaternion `(w, u)` of any length turns by `R p = p + 2 (w u × p + u × (u × p)) / (w² + u²)`: quaternions between two frames, which are
//! not of length one, need no care.

use crate::scene::{Place, Quantity, Scene, Turn};
use crate::vector::{Vector, along, cross, dot};

/// Where a frame is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Its origin.
    pub origin: Vector,
    /// The turn, as a quaternion of any length but zero.
    turn: [f64; 4],
}

impl Pose {
    /// The world.
    pub const WORLD: Pose = Pose { origin: [0.0; 3], turn: [1.0, 0.0, 0.0, 0.0] };

    /// The pose with this origin and turn.
    pub fn new(origin: [Quantity; 3], turn: Turn, channels: &[f64]) -> Self {
        let turn = match turn {
            Turn::None => [1.0, 0.0, 0.0, 0.0],
            Turn::Angle(angle) => {
                let (sin, cos) = (0.5 * angle.at(channels)).sin_cos();
                [cos, 0.0, 0.0, sin]
            }
            Turn::Quaternion(numbers) => numbers.map(|number| number.at(channels)),
        };
        Pose { origin: origin.map(|x| x.at(channels)), turn }
    }

    /// The components in the world of a vector that is given in the frame.
    pub fn direction(&self, p: Vector) -> Vector {
        let [w, ref u @ ..] = self.turn;
        let u = *u;
        let size = w * w + dot(u, u);
        let first = cross(u, p);
        along(along(p, 2.0 * w / size, first), 2.0 / size, cross(u, first))
    }

    /// The place in the world of a point that is given in the frame.
    pub fn point(&self, p: Vector) -> Vector {
        along(self.origin, 1.0, self.direction(p))
    }
}

impl Scene {
    /// Where all frames are.
    pub fn poses(&self, channels: &[f64]) -> Vec<Pose> {
        self.frames.iter().map(|frame| Pose::new(frame.origin, frame.turn, channels)).collect()
    }
}

impl Place {
    /// Where it is in the world. Frames that there are not are the world.
    pub fn world(&self, poses: &[Pose], channels: &[f64]) -> Vector {
        self.pose(poses).point(self.at.map(|x| x.at(channels)))
    }

    /// The pose of its frame.
    pub fn pose(&self, poses: &[Pose]) -> Pose {
        poses.get(self.frame).copied().unwrap_or(Pose::WORLD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{length, minus};

    #[test]
    fn turns_are_those_of_the_textbook() {
        let fixed = |x: [f64; 3]| x.map(Quantity::Fixed);
        let quarter = Pose::new(
            fixed([1.0, 2.0, 3.0]),
            Turn::Angle(Quantity::Channel { c: 1 }),
            &[0.0, std::f64::consts::FRAC_PI_2],
        );
        assert!(length(minus(quarter.point([1.0, 0.0, 5.0]), [1.0, 3.0, 8.0])) < 1e-15);
        // A third of a turn about (1, 1, 1) moves each axis to the next, whatever the length of the quaternion and its sign.
        for scale in [1.0, -1.0, 3.7, 1e-5] {
            let numbers = [0.5 * scale; 4].map(Quantity::Fixed);
            let third = Pose::new(fixed([0.0; 3]), Turn::Quaternion(numbers), &[]);
            assert!(length(minus(third.point([1.0, 2.0, 3.0]), [3.0, 1.0, 2.0])) < 1e-14);
        }
    }
}
