//! Loads that are written once, over any [`Scalar`]: their derivatives come from numbers that carry them.
//!
//! ```text
//! F_k(z, z'),  U(z)       by each vector in turn: three derivatives at a time, so that no vector is differentiated by what it does not know
//! dissipation = -sum F_k.z'_k - U',   U' along z'
//! ```

use std::fmt::Debug;

use alembert::Scalar;
use alembert::scalar::Dual;

use super::{Load, Loading, Room};
use crate::algebra::{Vector, ZERO, dot};
use crate::attached::Located;
use crate::expansion::Block;
use crate::law::Powers;

/// A formula has at most so many vectors.
const MOST: usize = 6;

/// Vectors with numbers of some kind.
pub(crate) type Vectors<S> = [[S; 3]; MOST];

/// Forces on some vectors, of positions and rates.
pub(crate) trait Formula: Debug + Send + Sync {
    /// How many vectors there are.
    const VECTORS: usize;
    /// Whether the position of a vector counts: that of a turn does not.
    const BY_POSITION: &'static [usize];
    /// Whether its rate does.
    const BY_RATE: &'static [usize];
    /// Which of them are pulled.
    const PULLED: &'static [usize];

    /// Whether it acts only where its [depth](Self::depth) is positive.
    const TOUCHES: bool = false;

    /// The forces where bodies touch; what is not written is zero. A touch is continued a little where the depth is negative.
    fn force<S: Scalar>(&self, z: &Vectors<S>, rate: &Vectors<S>, force: &mut Vectors<S>);

    /// How deep bodies are in each other.
    fn depth<S: Scalar>(&self, _: &Vectors<S>) -> S {
        S::from(1.0)
    }

    /// Potential energy.
    fn potential<S: Scalar>(&self, _: &Vectors<S>) -> S {
        S::default()
    }

    /// Whether its power comes from outside, and is not lost.
    fn is_from_outside(&self) -> bool {
        false
    }
}

/// A formula as a load.
#[derive(Debug)]
pub(crate) struct Written<F>(pub F);

fn numbers<S: Scalar>(z: &[Located], of: impl Fn(&Located) -> &Vector) -> Vectors<S> {
    let mut numbers = [[S::default(); 3]; MOST];
    numbers.iter_mut().zip(z).for_each(|(number, z)| *number = of(z).map(S::from));
    numbers
}

impl<F: Formula> Written<F> {
    /// The forces, and their derivatives by one vector or its rate.
    fn by(&self, l: usize, rates: bool, z: &[Located], out: &mut Loading) {
        let mut at: Vectors<Dual<3>> = numbers(z, |z| &z.z);
        let mut rate: Vectors<Dual<3>> = numbers(z, |z| &z.rate);
        let varied = if rates { &mut rate[l] } else { &mut at[l] };
        (0..3).for_each(|i| varied[i].d[i] = 1.0);
        let mut force = [[Dual::<3>::default(); 3]; MOST];
        self.0.force(&at, &rate, &mut force);
        for &k in F::PULLED {
            let mut block = ZERO;
            (0..3).for_each(|i| block[i] = force[k][i].d);
            let put = if rates { Loading::couple_rate } else { Loading::couple };
            put(out, k, l, Block::Full(block));
        }
    }

    fn forces(&self, z: &[Located]) -> Vectors<f64> {
        let mut force = [[0.0; 3]; MOST];
        self.0.force(&numbers(z, |z| &z.z), &numbers(z, |z| &z.rate), &mut force);
        force
    }
}

impl<F: Formula> Load for Written<F> {
    fn couplings(&self) -> Vec<(usize, usize)> {
        let known = || F::BY_POSITION.iter().chain(F::BY_RATE).copied();
        F::PULLED.iter().flat_map(|k| known().map(move |l| (*k, l))).collect()
    }

    fn switches(&self) -> bool {
        F::TOUCHES
    }

    fn switch(&self, _: f64, z: &[Located], _: &mut Room) -> Option<f64> {
        F::TOUCHES.then(|| self.0.depth(&numbers(z, |z| &z.z)))
    }

    fn evaluate(&self, _: f64, z: &[Located], out: &mut Loading, room: &mut Room) {
        if F::TOUCHES && room.select(self.0.depth(&numbers(z, |z| &z.z))) <= 0.0 {
            return;
        }
        let force = self.forces(z);
        out.force[..F::VECTORS].copy_from_slice(&force[..F::VECTORS]);
        if out.derivatives {
            F::BY_POSITION.iter().for_each(|l| self.by(*l, false, z, out));
            F::BY_RATE.iter().for_each(|l| self.by(*l, true, z, out));
        }
    }

    fn powers(&self, _: f64, z: &[Located], _: &mut Loading, _: &mut Room) -> Powers {
        if F::TOUCHES && self.0.depth::<f64>(&numbers(z, |z| &z.z)) <= 0.0 {
            return Powers::default();
        }
        let power: f64 = self.forces(z).iter().zip(z).map(|(force, z)| dot(force, &z.rate)).sum();
        if self.0.is_from_outside() {
            return Powers { input: power, ..Powers::default() };
        }
        let mut moving = [[Dual::<1>::default(); 3]; MOST];
        for (moving, z) in moving.iter_mut().zip(z) {
            *moving = [0, 1, 2].map(|i| Dual { x: z.z[i], d: [z.rate[i]] });
        }
        let potential = self.0.potential(&moving);
        Powers { potential: potential.x, dissipation: -power - potential.d[0], input: 0.0 }
    }
}
