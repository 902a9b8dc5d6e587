//! Reusable argument buffers, one set per scalar type, so that differentiation allocates only once.

use std::any::{Any, TypeId};

use crate::scalar::Scalar;
use crate::system::Dims;

/// Arguments and results of a system's functions over one scalar type.
#[derive(Default)]
pub(crate) struct Scratch<S> {
    pub q: Vec<S>,
    pub q0: Vec<S>,
    pub dx: Vec<S>,
    pub q_dot: Vec<S>,
    pub v: Vec<S>,
    pub a: Vec<S>,
    pub lambda: Vec<S>,
    pub psi: Vec<S>,
    pub mass: Vec<S>,
    pub c: Vec<S>,
    pub out: Vec<S>,
    fits: Option<Dims>,
}

impl<S: Scalar> Scratch<S> {
    /// Gives every buffer its length; allocates only when a length grows.
    pub fn fit(&mut self, dims: Dims) {
        if self.fits == Some(dims) {
            return;
        }
        self.fits = Some(dims);
        self.q.resize(dims.q, S::default());
        self.q0.resize(dims.q, S::default());
        self.q_dot.resize(dims.q, S::default());
        self.dx.resize(dims.v, S::default());
        self.v.resize(dims.v, S::default());
        self.a.resize(dims.v, S::default());
        self.c.resize(dims.constraints(), S::default());
        self.lambda.resize(dims.lambda, S::default());
        self.psi.resize(dims.psi, S::default());
    }

    /// `rows` zeros in the output.
    pub fn clear_outputs(&mut self, rows: usize) {
        self.out.clear();
        self.out.resize(rows, S::default());
    }
}

/// Scratch buffers by scalar type: the workspace of formulas. A buffer in use is out of the pool, so nested use of another
/// type is fine.
#[derive(Default)]
pub(crate) struct Pool(Vec<(TypeId, Box<dyn Any + Send>)>);

impl Pool {
    pub fn with<S: Scalar, R>(&mut self, work: impl FnOnce(&mut Scratch<S>, &mut Pool) -> R) -> R {
        let id = TypeId::of::<S>();
        let found = self.0.iter().position(|(other, _)| *other == id).map(|i| self.0.swap_remove(i).1);
        let mut scratch: Box<Scratch<S>> =
            found.and_then(|any| any.downcast().ok()).unwrap_or_else(|| Box::new(Scratch::default()));
        let result = work(&mut scratch, self);
        self.0.push((id, scratch));
        result
    }
}
