//! Patterns of a system that states none, from its formulas.
//!
//! The formulas are evaluated with numbers that know on what they depend, so that patterns are those of the formulas as they
//! are written, not of the values at a point: only the branches taken there matter. Every function is a vector of n or m
//! numbers, and no array of n by n is made. The mass matrix is the exception: without patterns
//! [`mass`](Formulas::mass) writes n by n numbers, so [`inertia`](Formulas::inertia) has to give M a instead.
//!
//! This is for [`Formulas`] only. A [`ConstrainedSystem`](crate::ConstrainedSystem) can be called with plain numbers alone, whose
//! changes miss what vanishes at a point or drowns in rounding, and what it supplies without patterns (M, G, all derivatives) is
//! written row by row: there would be no way to pick out its entries without arrays of n by n numbers.

mod reaction;
mod search;
mod trace;

use std::fmt;

use super::formulas::Formulas;
use super::layout::Colours;
use crate::advice::{Advised, displayed};
use crate::linear::{Pattern, SolverChoice};
use crate::scalar::Scalar;
use crate::space::Space;
use crate::system::{Dims, Energy, Held, Patterns, Point, Redundancy, Supplied, Switch};
use search::{VARIES, search};
use trace::Trace;

/// Why patterns cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undetectable {
    /// [`Formulas::inertia`] is not there, and [`Formulas::mass`] would need n by n numbers.
    NoInertia,
    /// A general rate: such systems have no patterns.
    Kinematics,
    /// No point to look at.
    NoPoint,
    /// A point does not have the dimensions of the system.
    Misfit,
}

impl Advised for Undetectable {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undetectable::NoInertia => "patterns are found from M a, not from M, which has n by n numbers",
            Undetectable::Kinematics => "a system with a general rate has no patterns",
            Undetectable::NoPoint => "patterns are looked for at given points, and there are none",
            Undetectable::Misfit => "a point does not have the dimensions of the system",
        })
    }

    fn hint(&self) -> Option<String> {
        (*self == Undetectable::NoInertia).then(|| "implement `Formulas::inertia`".to_owned())
    }
}

displayed!(Undetectable);

/// Finds where the matrices of a system may be nonzero. Dependences are those of the formulas, whatever the values; where
/// formulas branch (contacts, `abs`), those of the branches taken at the points. The standard reaction adds what the
/// curvature of the constraints may couple, as in [`Patterns::new`]. With rotations columns are those of v and patterns are
/// [closed](Patterns::closed), and only what the curvature does couple is added: a ball joint between two bodies would couple all
/// their velocities otherwise, and it couples the three angular ones of each body.
///
/// Time grows with the number of entries, times a few evaluations for each doubling of the system; a function that depends on
/// everything, such as the length of a whole rope, makes it quadratic. Memory is that of the patterns.
///
/// # Errors
/// If the formulas have no [`inertia`](Formulas::inertia) or a kind of kinematics without patterns, or if there is no point or
/// one of other dimensions.
pub fn detect_patterns<F: Formulas>(formulas: &F, at: &[Point]) -> Result<Patterns, Undetectable> {
    let dims = formulas.dims();
    let (mut top, mut rows) = (Vec::new(), Vec::new());
    let mut standard = true;
    for at in at {
        let found = Found::at(formulas, dims, at)?;
        top.extend(entries(&found.top));
        rows.extend(entries(&found.rows));
        standard = found.standard_reaction;
    }
    if at.is_empty() {
        return Err(Undetectable::NoPoint);
    }
    let rows = Pattern::from_entries(dims.constraints(), dims.v, rows);
    let rotations = formulas.rotations();
    if standard && rotations.is_empty() {
        return Ok(Patterns::new(top, rows));
    }
    let diagonal = (0..dims.v).map(|i| (i, i));
    Ok(Patterns::of(Pattern::from_entries(dims.v, dims.v, top.into_iter().chain(diagonal)), rows).closed(rotations))
}

fn entries(pattern: &Pattern) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..pattern.rows()).flat_map(|i| pattern.row(i).map(move |(j, _)| (i, j)))
}

/// What one point shows.
struct Found {
    top: Pattern,
    rows: Pattern,
    standard_reaction: bool,
}

impl Found {
    fn at<F: Formulas>(formulas: &F, dims: Dims, at: &Point) -> Result<Self, Undetectable> {
        let Dims { v: n, lambda, .. } = dims;
        let m = dims.constraints();
        let idle = |x: &[f64]| -> Vec<Trace> { x.iter().map(|&value| Trace { value, on: VARIES }).collect() };
        let t = Trace { value: at.t, on: VARIES };
        let (mut q, mut v, mut a) = (idle(at.q), idle(at.v), idle(&vec![1.0; n]));
        let (mut la, mut psi) = (idle(at.lambda), idle(at.psi));
        if (q.len(), v.len(), la.len(), psi.len()) != (dims.q, n, lambda, dims.psi) {
            return Err(Undetectable::Misfit);
        }
        let zeros = |count: usize| vec![Trace::default(); count];
        if formulas.rate(t, &q, &v, &mut zeros(dims.q)) == Supplied::Yes {
            return Err(Undetectable::Kinematics);
        }
        let Ok(space) = Space::new(dims, formulas.rotations(), false) else { return Err(Undetectable::Misfit) };
        // Each number of a quaternion depends on all three velocities of its rotation.
        let movers = space.movers(n);
        let mark_q = |q: &mut [Trace], bits: &dyn Fn(usize) -> u64| {
            q.iter_mut().zip(&movers).for_each(|(q, by)| q.on = by.clone().fold(0, |all, j| all | bits(j)));
        };
        if formulas.inertia(t, &q, &a, &mut zeros(n)) == Supplied::No {
            return Err(Undetectable::NoInertia);
        }
        let standard_reaction = formulas.reaction(t, &q, &v, &la, &psi, &mut zeros(n)) == Supplied::No;

        let mut part = zeros(n);
        let top = search(n, n, |bits, out| {
            mark_q(&mut q, bits);
            mark(&mut v, bits);
            mark(&mut a, bits);
            let _ = formulas.inertia(t, &q, &a, out);
            part.fill(Trace::default());
            formulas.force(t, &q, &v, &mut part);
            add(&part, out);
            if !standard_reaction {
                part.fill(Trace::default());
                let _ = formulas.reaction(t, &q, &v, &la, &psi, &mut part);
                add(&part, out);
            }
        });
        let rows = search(m, n, |bits, out| {
            mark_q(&mut q, bits);
            mark(&mut v, bits);
            let (g, k) = out.split_at_mut(lambda);
            formulas.holonomic(t, &q, g);
            formulas.nonholonomic(t, &q, &v, k);
        });
        if standard_reaction && space.is_flat() {
            return Ok(Found { top, rows, standard_reaction });
        }
        if standard_reaction {
            let curved = search(n, n, |bits, out| {
                mark_q(&mut q, bits);
                mark(&mut v, bits);
                reaction::trace(formulas, &rows, t, (&q, &v), out);
            });
            let both = entries(&top).chain(entries(&curved));
            return Ok(Found { top: Pattern::from_entries(n, n, both), rows, standard_reaction });
        }
        // The transposes of r_lambda and r_psi stand in the rows as well.
        mark(&mut q, &|_| VARIES);
        mark(&mut v, &|_| VARIES);
        let pushed = search(n, m, |bits, out| {
            mark(&mut la, bits);
            mark(&mut psi, &|j| bits(lambda + j));
            let _ = formulas.reaction(t, &q, &v, &la, &psi, out);
        });
        let both = entries(&rows).chain(entries(&pushed).map(|(i, j)| (j, i)));
        Ok(Found { top, rows: Pattern::from_entries(m, n, both), standard_reaction })
    }
}

fn mark(x: &mut [Trace], bits: &dyn Fn(usize) -> u64) {
    x.iter_mut().enumerate().for_each(|(j, x)| x.on = bits(j));
}

fn add(part: &[Trace], out: &mut [Trace]) {
    out.iter_mut().zip(part).for_each(|(out, part)| *out += *part);
}

/// M from M a: an a of ones in columns that share no row gives an entry of M in each row. `a` and `out` are as long as v.
pub(super) fn mass_of_inertia<S: Scalar>(
    formulas: &impl Formulas,
    (pattern, columns): (&Pattern, &Colours),
    t: S,
    q: &[S],
    (a, out): (&mut [S], &mut [S]),
    mass: &mut [S],
) {
    for colour in 0..columns.count {
        for (a, of) in a.iter_mut().zip(&columns.of) {
            *a = S::from(if *of as usize == colour { 1.0 } else { 0.0 });
        }
        out.fill(S::default());
        let _ = formulas.inertia(t, q, a, out);
        for (i, out) in out.iter().enumerate() {
            for (_, e) in pattern.row(i).filter(|(j, _)| columns.of[*j] as usize == colour) {
                mass[e] = *out;
            }
        }
    }
}

/// Formulas without patterns, with those that [`detect_patterns`] finds. Wrap it in
/// [`Differentiated`](crate::Differentiated) to integrate it.
#[derive(Debug)]
pub struct Detected<F> {
    formulas: F,
    patterns: Patterns,
    /// Columns of the mass matrix that share no row.
    columns: Colours,
}

impl<F: Formulas> Detected<F> {
    /// Looks for patterns at some points.
    ///
    /// # Errors
    /// See [`detect_patterns`].
    pub fn new(formulas: F, at: &[Point]) -> Result<Self, Undetectable> {
        let patterns = detect_patterns(&formulas, at)?;
        let columns = Colours::of_columns(&patterns.top);
        Ok(Detected { formulas, patterns, columns })
    }

    /// The formulas.
    pub fn formulas(&self) -> &F {
        &self.formulas
    }
}

/// `holonomic_q` is not passed on: without patterns it has all entries.
impl<F: Formulas> Formulas for Detected<F> {
    fn dims(&self) -> Dims {
        self.formulas.dims()
    }
    fn rotations(&self) -> &[usize] {
        self.formulas.rotations()
    }
    fn patterns(&self) -> Option<Patterns> {
        Some(self.patterns.clone())
    }
    /// For others than [`Differentiated`](crate::Differentiated), which takes M from M a without allocating.
    fn mass<S: Scalar>(&self, t: S, q: &[S], mass: &mut [S]) {
        let n = self.dims().v;
        let (mut a, mut out) = (vec![S::default(); n], vec![S::default(); n]);
        let columns = &self.columns;
        mass_of_inertia(&self.formulas, (&self.patterns.top, columns), t, q, (&mut a, &mut out), mass);
    }
    fn mass_is_inertia(&self) -> bool {
        true
    }
    fn inertia<S: Scalar>(&self, t: S, q: &[S], a: &[S], out: &mut [S]) -> Supplied {
        self.formulas.inertia(t, q, a, out)
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        self.formulas.force(t, q, v, force);
    }
    fn switches(&self) -> &[Switch] {
        self.formulas.switches()
    }
    fn switch_values(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.formulas.switch_values(t, q, v, out);
    }
    fn force_on<S: Scalar>(&self, held: Held, t: S, q: &[S], v: &[S], force: &mut [S]) {
        self.formulas.force_on(held, t, q, v, force);
    }
    fn switch_name(&self, index: usize) -> String {
        self.formulas.switch_name(index)
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        self.formulas.holonomic(t, q, g);
    }
    fn nonholonomic<S: Scalar>(&self, t: S, q: &[S], v: &[S], k: &mut [S]) {
        self.formulas.nonholonomic(t, q, v, k);
    }
    fn reaction<S: Scalar>(&self, t: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        self.formulas.reaction(t, q, v, lambda, psi, r)
    }
    fn mass_is_constant(&self) -> bool {
        self.formulas.mass_is_constant()
    }
    fn redundancy(&self) -> Redundancy {
        self.formulas.redundancy()
    }
    fn allows_indefinite_mass(&self) -> bool {
        self.formulas.allows_indefinite_mass()
    }
    fn linear_solver(&self) -> SolverChoice {
        self.formulas.linear_solver()
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        self.formulas.holonomic_t(t, q, out)
    }
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
        self.formulas.residual(t, q, v, a, lambda, psi, r, c)
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        self.formulas.energy(t, q, v)
    }
    fn coordinate_name(&self, index: usize) -> String {
        self.formulas.coordinate_name(index)
    }
    fn holonomic_name(&self, row: usize) -> String {
        self.formulas.holonomic_name(row)
    }
    fn nonholonomic_name(&self, row: usize) -> String {
        self.formulas.nonholonomic_name(row)
    }
}
