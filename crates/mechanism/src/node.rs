//! What has columns of its own in the equations: bodies in space and in the plane, and single numbers.
//!
//! Everything is formulated with six world components: a shift dp and a turn phi about the world's axes. The columns of a
//! node are what its own motion makes of them:
//!
//! ```text
//! spatial   q = (p, quaternion)   v = (p', w)          dp,   phi = R theta: turns are about body axes
//! planar    q = (x, y, theta)     v = q'               dp = (dx, dy, 0),   phi = (0, 0, d theta)
//! particle  q = p                 v = p'               dp;  in the plane the first two of it
//! number    q = x                 v = x'               dp = (dx, 0, 0)
//! ground    nothing
//! ```
//!
//! So a generalised force is (F, R^T T) of a force F and a torque T about p, or those components of it that a node has.

use crate::algebra::{IDENTITY, Matrix, Vector, times, transposed_times};

/// Index of a node; the ground is 0.
pub type NodeId = usize;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The world itself.
    Ground,
    /// A body in space.
    Spatial,
    /// A body in the plane of x and y.
    Planar,
    /// A point mass in space.
    Particle,
    /// A point mass in the plane.
    PlanarParticle,
    /// A number without a body, as the parameter of a curve.
    Number,
}

/// A node and where its numbers stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    /// First entry in q.
    pub q: usize,
    /// First entry in v, and first column.
    pub v: usize,
}

/// Where a node is and how it moves, in world components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    /// Its axes are the columns.
    pub r: Matrix,
    pub p: Vector,
    /// p'.
    pub speed: Vector,
    /// Angular velocity.
    pub spin: Vector,
    /// The angle of a planar body, which counts turns.
    pub angle: f64,
}

impl Pose {
    /// At rest in the origin.
    pub const HOME: Pose = Pose { r: IDENTITY, p: [0.0; 3], speed: [0.0; 3], spin: [0.0; 3], angle: 0.0 };
}

/// R of a quaternion.
pub fn axes(e: &[f64]) -> Matrix {
    let [a, b, c, d] = [e[0], e[1], e[2], e[3]];
    let (bb, cc, dd) = (2.0 * b * b, 2.0 * c * c, 2.0 * d * d);
    let (ab, ac, ad) = (2.0 * a * b, 2.0 * a * c, 2.0 * a * d);
    let (bc, bd, cd) = (2.0 * b * c, 2.0 * b * d, 2.0 * c * d);
    [[1.0 - (cc + dd), bc - ad, bd + ac], [bc + ad, 1.0 - (bb + dd), cd - ab], [bd - ac, cd + ab, 1.0 - (bb + cc)]]
}

impl Kind {
    /// Columns of shifts and of turns.
    pub fn columns(self) -> [usize; 2] {
        match self {
            Kind::Ground => [0, 0],
            Kind::Spatial => [3, 3],
            Kind::Planar => [2, 1],
            Kind::Particle => [3, 0],
            Kind::PlanarParticle => [2, 0],
            Kind::Number => [1, 0],
        }
    }

    /// Numbers in q and in v.
    pub fn sizes(self) -> [usize; 2] {
        match self {
            Kind::Ground => [0, 0],
            Kind::Spatial => [7, 6],
            Kind::Planar | Kind::Particle => [3, 3],
            Kind::PlanarParticle => [2, 2],
            Kind::Number => [1, 1],
        }
    }
}

impl Node {
    /// Its columns.
    pub fn columns(&self) -> std::ops::Range<usize> {
        self.v..self.v + self.kind.sizes()[1]
    }

    /// Reads the configuration.
    #[inline]
    pub fn place(&self, q: &[f64], pose: &mut Pose) {
        let q = &q[self.q..];
        match self.kind {
            Kind::Ground => {}
            Kind::Spatial => {
                pose.p = [q[0], q[1], q[2]];
                pose.r = axes(&q[3..7]);
            }
            Kind::Planar => {
                let (s, c) = q[2].sin_cos();
                pose.p = [q[0], q[1], 0.0];
                pose.r = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
                pose.angle = q[2];
            }
            Kind::Particle => pose.p = [q[0], q[1], q[2]],
            Kind::PlanarParticle => pose.p = [q[0], q[1], 0.0],
            Kind::Number => pose.p = [q[0], 0.0, 0.0],
        }
    }

    /// Reads the velocity, or any vector of its kind; the configuration must be there.
    #[inline]
    pub fn moving(&self, v: &[f64], pose: &mut Pose) {
        let v = &v[self.v..];
        match self.kind {
            Kind::Ground => {}
            Kind::Spatial => {
                pose.speed = [v[0], v[1], v[2]];
                pose.spin = times(&pose.r, &[v[3], v[4], v[5]]);
            }
            Kind::Planar => {
                pose.speed = [v[0], v[1], 0.0];
                pose.spin = [0.0, 0.0, v[2]];
            }
            Kind::Particle => pose.speed = [v[0], v[1], v[2]],
            Kind::PlanarParticle => pose.speed = [v[0], v[1], 0.0],
            Kind::Number => pose.speed = [v[0], 0.0, 0.0],
        }
    }

    /// Adds the generalised force of a force and a torque about p.
    #[inline]
    pub fn add_wrench(&self, pose: &Pose, force: &Vector, torque: &Vector, out: &mut [f64]) {
        match self.kind {
            Kind::Ground => {}
            Kind::Spatial => {
                let turned = transposed_times(&pose.r, torque);
                let out = &mut out[self.v..self.v + 6];
                for i in 0..3 {
                    out[i] += force[i];
                    out[3 + i] += turned[i];
                }
            }
            Kind::Planar => {
                let out = &mut out[self.v..self.v + 3];
                out[0] += force[0];
                out[1] += force[1];
                out[2] += torque[2];
            }
            Kind::Particle | Kind::PlanarParticle => {
                let count = self.kind.columns()[0];
                out[self.v..self.v + count].iter_mut().zip(force).for_each(|(out, force)| *out += force);
            }
            Kind::Number => out[self.v] += force[0],
        }
    }
}
