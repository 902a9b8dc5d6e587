//! A given force at a point and a given torque, in world axes or in axes of a body.
//!
//! ```text
//! F = sum f_m(t) u_m     u_m the axes of the world, or directions of a body: dF/du_m = f_m I
//! ```

use std::sync::Arc;

use super::{Load, Loading, Room};
use crate::algebra::{IDENTITY, add};
use crate::attached::Located;
use crate::expansion::Block;
use crate::law::TimeLaw;

/// In which axes a vector is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Of the world.
    World,
    /// Of the body that it acts on; they turn with it.
    Body,
}

/// Three functions of time along three axes.
#[derive(Clone, Debug)]
struct Components {
    laws: [Arc<dyn TimeLaw>; 3],
    axes: Axes,
}

impl Components {
    /// On vector 0; the axes of the body are vectors 1, 2, 3.
    fn put(&self, t: f64, z: &[Located], out: &mut Loading) {
        for (m, law) in self.laws.iter().enumerate() {
            let [f, ..] = law.at(t);
            let axis = if self.axes == Axes::World { IDENTITY[m] } else { z[1 + m].z };
            add(&mut out.force[0], f, &axis);
            if out.derivatives && self.axes == Axes::Body {
                out.couple(0, 1 + m, Block::Scalar(f));
            }
        }
    }

    fn couplings(&self) -> Vec<(usize, usize)> {
        if self.axes == Axes::World { Vec::new() } else { vec![(0, 1), (0, 2), (0, 3)] }
    }
}

/// A force at a point, vector 0.
#[derive(Clone, Debug)]
pub(crate) struct Pull(Components);

/// A torque on a body, whose turn is vector 0.
#[derive(Clone, Debug)]
pub(crate) struct Twist(Components);

macro_rules! given {
    ($($load:ident),+) => {$(
        impl $load {
            /// Along three axes.
            pub fn new(laws: [Arc<dyn TimeLaw>; 3], axes: Axes) -> Self {
                $load(Components { laws, axes })
            }
        }

        impl Load for $load {
            fn couplings(&self) -> Vec<(usize, usize)> {
                self.0.couplings()
            }

            fn evaluate(&self, t: f64, z: &[Located], out: &mut Loading, _: &mut Room) {
                self.0.put(t, z, out);
            }
        }
    )+};
}

given!(Pull, Twist);
