//! A system written once, over generic numbers; every derivative follows exactly.
//!
//! The derivatives come from forward differentiation: columns in chunks of [`Dual`] numbers, the biases of the
//! constraints from one pass of [`Jet`] numbers along the motion, and the curvature terms of the standard reaction
//! `-G^T lambda - K^T psi` from nested duals.

use crate::equations::detection::mass_of_inertia;
use crate::equations::pool::{Pool, Scratch};
use crate::linear::SolverChoice;
use crate::scalar::{Dual, Scalar};
use crate::space::advance;
use crate::system::{
    At, Description, Dims, Energy, Held, Patterns, Quantities, Quantity, Redundancy, Supplied, Switch,
};

/// The functions of a system over any [`Scalar`]. Wrap it in [`Differentiated`] to integrate it.
///
/// The meaning of each function is that of its namesake among the [quantities](Quantity) or in the
/// [`Description`]. Whether an optional function is there must not depend on its arguments: [`Differentiated::new`] calls
/// `rate`, `reaction`, `residual`, `holonomic_q` and `energy` once with zeros to find out, and does not look at their values.
#[allow(unused_variables, missing_docs)] // documented at their namesakes
pub trait Formulas: Send + Sync {
    fn dims(&self) -> Dims;
    fn mass<S: Scalar>(&self, t: S, q: &[S], mass: &mut [S]);
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]);
    /// Where the force has kinks or jumps; see [`Description::switches`].
    fn switches(&self) -> &[Switch] {
        &[]
    }
    /// The values of the switches.
    fn switch_values(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {}
    /// The force on branches that are held: what [`Held::select`] gives decides in place of the values of the switches. A
    /// system with switches writes this, and lets `force` call it with `Held::default()`.
    fn force_on<S: Scalar>(&self, held: Held, t: S, q: &[S], v: &[S], force: &mut [S]) {
        self.force(t, q, v, force);
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {}
    fn nonholonomic<S: Scalar>(&self, t: S, q: &[S], v: &[S], k: &mut [S]) {}
    fn reaction<S: Scalar>(&self, t: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        Supplied::No
    }
    fn rate<S: Scalar>(&self, t: S, q: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        Supplied::No
    }
    fn rotations(&self) -> &[usize] {
        &[]
    }
    fn patterns(&self) -> Option<Patterns> {
        None
    }
    fn mass_is_constant(&self) -> bool {
        false
    }
    fn redundancy(&self) -> Redundancy {
        Redundancy::Refused
    }
    fn allows_indefinite_mass(&self) -> bool {
        false
    }
    fn linear_solver(&self) -> SolverChoice {
        SolverChoice::Automatic
    }
    /// M a without M, in time and memory of a vector: for [`Detected`](crate::Detected), which gives a system without patterns
    /// those of its formulas. Linear in a.
    fn inertia<S: Scalar>(&self, t: S, q: &[S], a: &[S], out: &mut [S]) -> Supplied {
        Supplied::No
    }
    /// Whether M is to be had from M a only, as in [`Detected`](crate::Detected).
    #[doc(hidden)]
    fn mass_is_inertia(&self) -> bool {
        false
    }
    /// G by hand, where its evaluation in every residual matters; otherwise it is differentiated.
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }
    /// g_t by hand: nothing to write where g does not depend on time.
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        Supplied::No
    }
    /// The whole residual by hand, reaction and constraints included, where common subexpressions are worth sharing.
    fn residual<S: Scalar>(
        &self,
        t: S,
        q: &[S],
        v: &[S],
        a: &[S],
        lambda: &[S],
        psi: &[S],
        r: &mut [S],
        c: &mut [S],
    ) -> Supplied {
        Supplied::No
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        None
    }
    fn coordinate_name(&self, index: usize) -> String {
        format!("q[{index}]")
    }
    fn holonomic_name(&self, row: usize) -> String {
        format!("g[{row}]")
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        format!("k[{row}]")
    }
    fn switch_name(&self, index: usize) -> String {
        format!("s[{index}]")
    }
}

/// A system whose derivatives are all taken exactly from [`Formulas`].
#[derive(Debug)]
pub struct Differentiated<F> {
    formulas: F,
    description: Description,
    /// Whether the formulas give a general rate q' = U(t,q,v).
    general: bool,
    /// Whether they give the residual as a whole.
    in_one_pass: bool,
    /// Where their matrices may be nonzero, if they say so.
    sparse: Option<Sparse>,
}

/// Which argument varies along the columns of a derivative.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    Q,
    V,
    Lambda,
    Psi,
}

/// A function at a time and the arguments seated in a scratch, into its output.
type Seated<'f, D, const N: usize> = dyn Fn(&D, Dual<N>, &mut Scratch<Dual<N>>, &mut Pool) + 'f;

/// Calls `$self.$method::<N>(args)` with a chunk size that suits `$columns`.
macro_rules! by_chunk {
    ($columns:expr, $self:ident . $method:ident ( $($arg:expr),* )) => {
        match $columns {
            0..=2 => $self.$method::<2>($($arg),*),
            3..=4 => $self.$method::<4>($($arg),*),
            _ => $self.$method::<8>($($arg),*),
        }
    };
}

mod reaction;
mod residual;
mod sparse;
mod system;

use sparse::{Block, Sparse};

impl<F: Formulas> Differentiated<F> {
    /// Wraps formulas.
    pub fn new(formulas: F) -> Self {
        let description = describe(&formulas);
        let (general, in_one_pass) = (description.has_general_rate(), description.supplied.has(Quantity::ResidualQ));
        let sparse = description.patterns.clone().map(|patterns| Sparse::new(description.dims, patterns));
        Differentiated { formulas, description, general, in_one_pass, sparse }
    }

    /// The formulas.
    pub fn formulas(&self) -> &F {
        &self.formulas
    }

    /// Width of a derivative along `along`.
    fn columns(&self, along: Along) -> usize {
        let dims = self.description.dims;
        match along {
            Along::Q if self.general => dims.q,
            Along::Q | Along::V => dims.v,
            Along::Lambda => dims.lambda,
            Along::Psi => dims.psi,
        }
    }

    /// Fills the arguments of `s` from `at`; `seed(j)` is the derivative part of tangent column j.
    fn seat<S: Scalar>(&self, at: &At, along: Along, s: &mut Scratch<S>, seed: impl Fn(usize) -> S) {
        s.fit(self.description.dims);
        let fill = |to: &mut [S], from: &[f64], varies: bool| {
            for (j, (to, from)) in to.iter_mut().zip(from).enumerate() {
                *to = if varies { seed(j) + *from } else { S::from(*from) };
            }
        };
        if along == Along::Q && !self.general {
            fill(&mut s.q0, at.q, false);
            for (j, dx) in s.dx.iter_mut().enumerate() {
                *dx = seed(j);
            }
            advance(&self.description.rotations, &s.q0, &s.dx, &mut s.q);
        } else {
            fill(&mut s.q, at.q, along == Along::Q);
        }
        fill(&mut s.v, at.v, along == Along::V);
        fill(&mut s.lambda, at.lambda, along == Along::Lambda);
        fill(&mut s.psi, at.psi, along == Along::Psi);
    }

    /// The same with the unit directions from column `first` on, or from that group of columns on.
    fn seat_chunk<const N: usize>(&self, at: &At, along: Along, block: Block, s: &mut Scratch<Dual<N>>, first: usize) {
        let seed = |j: usize| match j.checked_sub(first) {
            Some(i) if i < N => Dual::variable(0.0, i),
            _ => Dual::default(),
        };
        match &self.sparse {
            None => self.seat(at, along, s, seed),
            Some(sparse) => {
                let colours = sparse.colours(block, along);
                self.seat(at, along, s, |j| seed(colours.of[j] as usize));
            }
        }
    }

    /// Passes over all columns of a block, with one direction each: columns, or groups of them.
    fn directions(&self, block: Block, along: Along) -> usize {
        self.sparse.as_ref().map_or_else(|| self.columns(along), |sparse| sparse.colours(block, along).count)
    }

    /// Columns of the derivative of `function` along `along`: the values of a block, or of its transpose along multipliers.
    /// The function itself comes with them, for `value`.
    fn jacobian<const N: usize>(
        &self,
        (at, along, block): (&At, Along, Block),
        pool: &mut Pool,
        out: &mut [f64],
        value: Option<&mut [f64]>,
        function: &Seated<'_, Self, N>,
    ) {
        let (rows, columns) = (self.rows(block), self.columns(along));
        let transposed = matches!(along, Along::Lambda | Along::Psi);
        let rows = if transposed { self.description.dims.v } else { rows };
        let directions = self.directions(block, along);
        pool.with(|s: &mut Scratch<Dual<N>>, pool| {
            // Without directions there is still a value.
            for first in (0..directions.max(usize::from(value.is_some()))).step_by(N) {
                self.seat_chunk(at, along, block, s, first);
                s.clear_outputs(rows);
                function(self, Dual::constant(at.t), s, pool);
                if let Some(sparse) = &self.sparse {
                    sparse.gather(block, along, first, &s.out, out);
                    continue;
                }
                for i in 0..N.min(columns - first) {
                    for row in 0..rows {
                        let e = if transposed { (first + i) * rows + row } else { row * columns + first + i };
                        out[e] = s.out[row].d[i];
                    }
                }
            }
            if let Some(value) = value {
                value.iter_mut().zip(&s.out).for_each(|(value, x)| *value = x.x);
            }
        });
    }

    /// Rows of a block.
    fn rows(&self, block: Block) -> usize {
        let dims = self.description.dims;
        match block {
            Block::Top => dims.v,
            Block::Holonomic => dims.lambda,
            Block::Nonholonomic => dims.psi,
            Block::Rate => dims.q,
        }
    }

    /// Number of values of M.
    fn mass_len(&self) -> usize {
        let n = self.description.dims.v;
        self.sparse.as_ref().map_or(n * n, Sparse::top_len)
    }

    /// y = M x for the values of M.
    fn multiply_mass<S: Scalar>(&self, mass: &[S], x: &[f64], y: &mut [S]) {
        if let Some(sparse) = &self.sparse {
            return sparse.multiply_top(mass, x, y);
        }
        for (row, y) in mass.chunks_exact(x.len().max(1)).zip(y) {
            *y = row.iter().zip(x).fold(S::default(), |sum, (m, x)| sum + *m * *x);
        }
    }

    /// The values of M over any numbers, from the formulas or from M a.
    fn mass<S: Scalar>(&self, t: S, q: &[S], pool: &mut Pool, mass: &mut [S]) {
        match &self.sparse {
            Some(sparse) if self.formulas.mass_is_inertia() => pool.with(|s: &mut Scratch<S>, _| {
                s.fit(self.description.dims);
                s.clear_outputs(self.description.dims.v);
                mass_of_inertia(&self.formulas, sparse.top(), t, q, (&mut s.a, &mut s.out), mass);
            }),
            _ => self.formulas.mass(t, q, mass),
        }
    }

    /// M a, with room for M and for a in the same numbers.
    fn inertia<S: Scalar>(&self, t: S, q: &[S], a: &[f64], (mass, lifted): (&mut Vec<S>, &mut [S]), out: &mut [S]) {
        if self.formulas.mass_is_inertia() {
            lifted.iter_mut().zip(a).for_each(|(to, a)| *to = S::from(*a));
            out.fill(S::default());
            let _ = self.formulas.inertia(t, q, lifted, out);
            return;
        }
        mass.clear();
        mass.resize(self.mass_len(), S::default());
        self.formulas.mass(t, q, mass);
        self.multiply_mass(mass, a, out);
    }

    fn holonomic_jacobian<const N: usize>(&self, at: &At, pool: &mut Pool, out: &mut [f64], g: Option<&mut [f64]>) {
        let what = (at, Along::Q, Block::Holonomic);
        self.jacobian::<N>(what, pool, out, g, &|me, t, s, _| me.formulas.holonomic(t, &s.q, &mut s.out));
    }

    fn nonholonomic_jacobian<const N: usize>(
        &self,
        at: &At,
        along: Along,
        pool: &mut Pool,
        out: &mut [f64],
        k: Option<&mut [f64]>,
    ) {
        self.jacobian::<N>((at, along, Block::Nonholonomic), pool, out, k, &|me, t, s, _| {
            me.formulas.nonholonomic(t, &s.q, &s.v, &mut s.out);
        });
    }

    fn force_jacobian<const N: usize>(
        &self,
        at: &At,
        along: Along,
        pool: &mut Pool,
        out: &mut [f64],
        f: Option<&mut [f64]>,
    ) {
        self.jacobian::<N>((at, along, Block::Top), pool, out, f, &|me, t, s, _| {
            me.formulas.force_on(Held(at.held), t, &s.q, &s.v, &mut s.out);
        });
    }

    fn rate_jacobian<const N: usize>(&self, at: &At, along: Along, pool: &mut Pool, out: &mut [f64]) {
        self.jacobian::<N>((at, along, Block::Rate), pool, out, None, &|me, t, s, _| {
            let Scratch { q, v, out, .. } = s;
            let _ = me.formulas.rate(t, q, v, out);
        });
    }

    fn mass_jacobian<const N: usize>(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        self.jacobian::<N>((at, Along::Q, Block::Top), pool, out, None, &|me, t, s, _| {
            let Scratch { q, a, mass, out, .. } = s;
            me.inertia(t, q, at.a, (mass, a), out);
        });
    }

    /// d/dq of the second-derivative-free velocity constraint g_t + G v: g with an outer direction (1, v) in (t, q).
    fn velocity_jacobian<const N: usize>(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        let dims = self.description.dims;
        self.jacobian::<N>((at, Along::Q, Block::Holonomic), pool, out, None, &|me, t, s, pool| {
            pool.with(|o: &mut Scratch<Dual<1, Dual<N>>>, _| {
                o.fit(dims);
                let Scratch { q, v, q_dot, .. } = s;
                if me.general {
                    let _ = me.formulas.rate(t, q, v, q_dot);
                    for ((to, q), rate) in o.q.iter_mut().zip(&*q).zip(&*q_dot) {
                        *to = Dual { x: *q, d: [*rate] };
                    }
                } else {
                    for (to, q) in o.q0.iter_mut().zip(&*q) {
                        *to = Dual::constant(*q);
                    }
                    for (dx, v) in o.dx.iter_mut().zip(&*v) {
                        *dx = Dual { x: Dual::default(), d: [*v] };
                    }
                    advance(&me.description.rotations, &o.q0, &o.dx, &mut o.q);
                }
                o.clear_outputs(dims.lambda);
                me.formulas.holonomic(Dual { x: t, d: [Dual::from(1.0)] }, &o.q, &mut o.out);
                for (to, g) in s.out.iter_mut().zip(&o.out) {
                    *to = g.d[0];
                }
            });
        });
    }
}

/// What formulas say of themselves. Which of the optional functions are there, they say when they are called: once here, at
/// an arbitrary point, and the values are thrown away.
fn describe<F: Formulas>(formulas: &F) -> Description {
    use Quantity::*;
    let dims = formulas.dims();
    let zeros = |count: usize| vec![0.0; count];
    let (q, v, lambda, psi) = (zeros(dims.q), zeros(dims.v), zeros(dims.lambda), zeros(dims.psi));
    let (mut r, mut c) = (zeros(dims.v), zeros(dims.constraints()));
    let general = formulas.rate(0.0, &q, &v, &mut zeros(dims.q)) == Supplied::Yes;
    let own_reaction = formulas.reaction(0.0, &q, &v, &lambda, &psi, &mut r) == Supplied::Yes;
    // Derivatives bring values with them; what is written by hand has nothing to share.
    let patterns = formulas.patterns();
    let tangent = if general { dims.q } else { dims.v };
    let len = patterns.as_ref().map_or(dims.lambda * tangent, |patterns| patterns.rows.part(0..dims.lambda).len());
    let writes_rows = dims.lambda == 0 || formulas.holonomic_q(0.0, &q, &mut zeros(len)) == Supplied::Yes;
    // A residual as a whole knows nothing of branches.
    let in_one_pass = formulas.switches().is_empty()
        && formulas.residual(0.0, &q, &v, &v, &lambda, &psi, &mut r, &mut c) == Supplied::Yes;
    let always = Quantities::of(&[
        HolonomicQ,
        HolonomicT,
        HolonomicBias,
        HolonomicVelocityQ,
        NonholonomicV,
        NonholonomicQ,
        NonholonomicBias,
        MassQ,
        ForceQ,
        ForceV,
        ReactionQ,
        ReactionV,
        ReactionLambda,
        ReactionPsi,
    ]);
    let sometimes = [
        (own_reaction, Quantities::of(&[Reaction])),
        (general, Quantities::of(&[Rate, RateV, RateQ])),
        (in_one_pass || !general, Quantities::of(&[Residual])),
        (in_one_pass, Quantities::of(&[ResidualQ])),
        (formulas.rotations().is_empty(), Quantities::of(&[HolonomicChange])),
        (formulas.energy(0.0, &q, &v).is_some(), Quantities::of(&[Energy])),
        (!formulas.switches().is_empty(), Quantities::of(&[Switches])),
    ];
    let supplied = sometimes.into_iter().filter(|(there, _)| *there).fold(always, |all, (_, more)| all.and(more));
    // Columns of derivatives and biases are written one by one, all of them; what is written by hand may leave zeros.
    let by_hand = Quantities::of(&[HolonomicQ, HolonomicT, Reaction, Rate, Residual, Energy, Switches]);
    let by_hand = by_hand.and(Quantities::VALUES);
    Description {
        supplied: supplied.and(Quantities::VALUES),
        overwritten: supplied.except(by_hand),
        shares_work: !writes_rows || dims.psi > 0,
        rotations: formulas.rotations().to_vec(),
        patterns,
        constant_mass: formulas.mass_is_constant(),
        indefinite_mass: formulas.allows_indefinite_mass(),
        redundancy: formulas.redundancy(),
        solver: formulas.linear_solver(),
        switches: formulas.switches().to_vec(),
        ..Description::new(dims)
    }
}
