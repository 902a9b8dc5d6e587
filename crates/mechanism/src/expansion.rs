//! A scalar function of attached vectors with its derivatives: what primitives say, and what rows are sums of.
//!
//! ```text
//! g(t, z)     value, g_t, g_tt,  gradient g_z,  its change g_tz,  couplings g_zz          holonomic
//! k = b(t) + sum A_k(z).z'_k     value b, b_t,  gradient A,  couplings (k, l): dA_k/dz_l     nonholonomic
//! ```
//!
//! The velocity level of a holonomic row is of the second form, with symmetric couplings. That is why one assembler
//! ([`Assembly`](crate::Assembly)) serves both.

use crate::algebra::{Matrix, Vector, add, scaled, times, transposed, transposed_times};
use crate::attached::Located;

/// How much of an expansion is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// The value.
    Value,
    /// Gradients besides.
    Gradient,
    /// Couplings besides.
    Coupling,
}

/// A block of three by three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Block {
    /// A multiple of the unit matrix.
    Scalar(f64),
    /// Any matrix.
    Full(Matrix),
}

impl Block {
    /// c B.
    #[inline]
    pub fn scaled(&self, c: f64) -> Block {
        match self {
            Block::Scalar(b) => Block::Scalar(c * b),
            Block::Full(b) => Block::Full(b.map(|row| scaled(c, &row))),
        }
    }

    /// B^T.
    #[inline]
    pub fn transposed(&self) -> Block {
        match self {
            Block::Scalar(b) => Block::Scalar(*b),
            Block::Full(b) => Block::Full(transposed(b)),
        }
    }

    /// B x.
    #[inline]
    pub fn times(&self, x: &Vector) -> Vector {
        match self {
            Block::Scalar(b) => scaled(*b, x),
            Block::Full(b) => times(b, x),
        }
    }

    /// B^T x.
    #[inline]
    pub fn transposed_times(&self, x: &Vector) -> Vector {
        match self {
            Block::Scalar(b) => scaled(*b, x),
            Block::Full(b) => transposed_times(b, x),
        }
    }
}

/// How what belongs to vector k changes with vector l.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    pub k: usize,
    pub l: usize,
    pub block: Block,
}

/// A function at an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expansion {
    pub value: f64,
    /// By time.
    pub t: f64,
    /// Twice by time.
    pub tt: f64,
    /// One for each vector of the element.
    pub gradient: Vec<Vector>,
    /// Its explicit change with time.
    pub gradient_t: Vec<Vector>,
    pub couplings: Vec<Coupling>,
}

impl Expansion {
    /// Room for so many vectors and couplings.
    pub fn with_room(vectors: usize, couplings: usize) -> Self {
        Expansion {
            gradient: Vec::with_capacity(vectors),
            gradient_t: Vec::with_capacity(vectors),
            couplings: Vec::with_capacity(couplings),
            ..Expansion::default()
        }
    }

    /// Zero, of so many vectors.
    #[inline]
    pub fn clear(&mut self, vectors: usize) {
        (self.value, self.t, self.tt) = (0.0, 0.0, 0.0);
        for gradient in [&mut self.gradient, &mut self.gradient_t] {
            gradient.clear();
            gradient.resize(vectors, [0.0; 3]);
        }
        self.couplings.clear();
    }

    /// sum gradient.z', the rate of the function but for its explicit change with time.
    #[inline]
    pub fn rate(&self, z: &[Located]) -> f64 {
        self.gradient.iter().zip(z).map(|(g, z)| crate::algebra::dot(g, &z.rate)).sum()
    }

    /// The change of sum gradient.z' with each z, and the explicit change of the gradient: what Gamma and k_q are made of.
    #[inline]
    pub fn along(&self, z: &[Located], out: &mut Vec<Vector>) {
        out.clear();
        out.extend_from_slice(&self.gradient_t);
        for Coupling { k, l, block } in &self.couplings {
            add(&mut out[*l], 1.0, &block.transposed_times(&z[*k].rate));
        }
    }
}

/// The vectors of a primitive.
#[derive(Clone, Copy, Debug)]
pub struct Vectors<'a> {
    /// All of the element.
    pub(crate) all: &'a [Located],
    /// Which of them are the primitive's.
    pub(crate) own: &'a [u8],
}

impl Vectors<'_> {
    /// The primitive's vector k.
    #[inline]
    pub fn z(&self, k: usize) -> &Vector {
        &self.all[self.own[k] as usize].z
    }
}

/// Where a primitive adds its share of a row.
#[derive(Debug)]
pub struct Share<'a> {
    pub(crate) sum: &'a mut Expansion,
    pub(crate) own: &'a [u8],
    pub(crate) weight: f64,
    pub(crate) order: Order,
    /// Whether couplings are second derivatives, and stand for their transposes too.
    pub(crate) symmetric: bool,
}

impl Share<'_> {
    /// Whether gradients are wanted.
    #[inline]
    pub fn wants_gradient(&self) -> bool {
        self.order >= Order::Gradient
    }

    /// Whether couplings are wanted.
    #[inline]
    pub fn wants_couplings(&self) -> bool {
        self.order >= Order::Coupling
    }

    /// The value; of a nonholonomic primitive what does not depend on z'.
    #[inline]
    pub fn value(&mut self, value: f64) {
        self.sum.value += self.weight * value;
    }

    /// Explicit derivatives by time, first and second.
    #[inline]
    pub fn time(&mut self, t: f64, tt: f64) {
        self.sum.t += self.weight * t;
        self.sum.tt += self.weight * tt;
    }

    /// The gradient by vector k.
    #[inline]
    pub fn gradient(&mut self, k: usize, gradient: &Vector) {
        add(&mut self.sum.gradient[self.own[k] as usize], self.weight, gradient);
    }

    /// The explicit change with time of the gradient by vector k.
    #[inline]
    pub fn gradient_t(&mut self, k: usize, change: &Vector) {
        add(&mut self.sum.gradient_t[self.own[k] as usize], self.weight, change);
    }

    /// How the gradient by k changes with l; of a holonomic primitive each pair once.
    #[inline]
    pub fn couple(&mut self, k: usize, l: usize, block: Block) {
        let block = block.scaled(self.weight);
        let (at_k, at_l) = (self.own[k] as usize, self.own[l] as usize);
        // Two vectors of a primitive may be the same one of the element: the pair then counts twice, as it should.
        if self.symmetric && k != l {
            self.sum.couplings.push(Coupling { k: at_l, l: at_k, block: block.transposed() });
        }
        self.sum.couplings.push(Coupling { k: at_k, l: at_l, block });
    }
}
