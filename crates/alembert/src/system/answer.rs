//! A question and its answer: where, what, and the room that a system needs to work it out.

use std::any::{Any, TypeId};
use std::fmt;

use super::{Quantities, Quantity};

/// Arguments of a reaction force.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Velocity.
    pub v: &'a [f64],
    /// Multipliers of the holonomic constraints.
    pub lambda: &'a [f64],
    /// Multipliers of the nonholonomic constraints.
    pub psi: &'a [f64],
}

/// Arguments of everything that a system can be asked. What the quantities asked for do not depend on may be empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct At<'a> {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Velocity.
    pub v: &'a [f64],
    /// Acceleration, for M a.
    pub a: &'a [f64],
    /// Multipliers of the holonomic constraints.
    pub lambda: &'a [f64],
    /// Multipliers of the nonholonomic constraints.
    pub psi: &'a [f64],
    /// How far time and configuration have come from there, for [`Quantity::HolonomicChange`].
    pub dt: f64,
    /// The same of the configuration.
    pub dq: &'a [f64],
    /// The branches on which the system is asked, one for each of its [switches](super::Description::switches); none (NaN, or an
    /// empty slice) where the values of the switches decide. See [`Held`](super::Held).
    pub held: &'a [f64],
}

impl<'a> At<'a> {
    /// A configuration in motion.
    pub fn new(t: f64, q: &'a [f64], v: &'a [f64]) -> Self {
        At { t, q, v, ..At::default() }
    }

    /// Without the acceleration.
    pub fn point(&self) -> Point<'a> {
        let At { t, q, v, lambda, psi, .. } = *self;
        Point { t, q, v, lambda, psi }
    }
}

impl<'a> From<Point<'a>> for At<'a> {
    fn from(Point { t, q, v, lambda, psi }: Point<'a>) -> Self {
        At { t, q, v, lambda, psi, ..At::default() }
    }
}

/// A quantity that is asked for, and where its numbers go.
pub type Wanted<'a> = (Quantity, &'a mut [f64]);

/// What a system is asked for. A quantity that is not there is not wanted, nor is one without entries: constraints that a
/// system does not have are never asked for.
///
/// The rule for all slices stands only here: they are zero when a system sees them, so only what is not zero need be
/// written; but for those that it says to [overwrite](super::Description::overwritten), which may hold anything. A matrix is row-major: entry (i, j) of one with `c` columns is `out[i * c + j]`; with
/// [patterns](super::Description::patterns) only the entries of the pattern are there, in the same order. What has no value
/// at the point is NaN; the integrator then treats the step as failed.
#[derive(Debug)]
pub struct Answer<'w, 'a> {
    wanted: &'w mut [Wanted<'a>],
    open: Quantities,
    /// What comes before is not open.
    first: usize,
}

/// What is wanted of a question: all that has entries.
#[inline(always)]
pub(crate) fn open(wanted: &[Wanted]) -> Quantities {
    let wants = |set: Quantities, (quantity, out): &Wanted| if out.is_empty() { set } else { set.with(*quantity) };
    wanted.iter().fold(Quantities::NONE, wants)
}

impl<'w, 'a> Answer<'w, 'a> {
    /// Room for some quantities, each of them once.
    #[inline]
    pub fn new(wanted: &'w mut [Wanted<'a>]) -> Self {
        let open = open(wanted);
        Answer::of(wanted, open)
    }

    /// The same where it is known which of them have entries.
    #[inline]
    pub(crate) fn of(wanted: &'w mut [Wanted<'a>], open: Quantities) -> Self {
        Answer { wanted, open, first: 0 }
    }

    /// What is still wanted: all that was not taken.
    #[inline]
    pub fn open(&self) -> Quantities {
        self.open
    }

    /// Whether a quantity is still wanted.
    #[inline]
    pub fn wants(&self, quantity: Quantity) -> bool {
        self.open.has(quantity)
    }

    /// The room for a quantity, if it is wanted. The caller that takes it fills it.
    #[inline]
    pub fn take(&mut self, quantity: Quantity) -> Option<&'a mut [f64]> {
        if !self.open.has(quantity) {
            return None;
        }
        self.open = self.open.without(quantity);
        let found = self.wanted.iter_mut().find(|(other, _)| *other == quantity);
        found.map(|(_, out)| std::mem::take(out))
    }

    /// Any quantity that is still wanted.
    #[inline]
    pub fn take_any(&mut self) -> Option<Wanted<'a>> {
        while let Some((quantity, out)) = self.wanted.get_mut(self.first) {
            self.first += 1;
            if self.open.has(*quantity) {
                self.open = self.open.without(*quantity);
                return Some((*quantity, std::mem::take(out)));
            }
        }
        None
    }
}

/// What a system needs to evaluate itself besides its arguments, one for each run and thread: its caller owns it, so that the
/// system itself never changes and can be shared.
pub struct Workspace {
    buffers: Box<dyn Any + Send>,
    /// What they are.
    kind: TypeId,
}

impl Workspace {
    /// Some buffers.
    pub fn new<T: Any + Send>(buffers: T) -> Self {
        Workspace { buffers: Box::new(buffers), kind: TypeId::of::<T>() }
    }

    /// Nothing.
    pub fn none() -> Self {
        Workspace::new(())
    }

    /// The buffers. They are made afresh where those of another system were handed over.
    #[inline]
    pub fn buffers<T: Any + Send>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if self.kind != TypeId::of::<T>() {
            *self = Workspace::new(make());
        }
        match self.buffers.downcast_mut() {
            Some(buffers) => buffers,
            None => unreachable!("they have just been made"),
        }
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workspace")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quantity_is_taken_once() {
        let (mut f, mut g) = ([0.0; 2], [0.0]);
        let mut wanted = [(Quantity::Force, &mut f[..]), (Quantity::Holonomic, &mut g[..])];
        let mut answer = Answer::new(&mut wanted);
        assert!(answer.take(Quantity::Mass).is_none() && answer.wants(Quantity::Force));
        let force = answer.take(Quantity::Force).expect("wanted");
        assert!(answer.take(Quantity::Force).is_none());
        let (quantity, rest) = answer.take_any().expect("one more");
        assert_eq!(quantity, Quantity::Holonomic);
        // Both are there at the same time.
        (force[1], rest[0]) = (2.0, 3.0);
        assert!(answer.take_any().is_none() && answer.open().is_empty());
        assert_eq!((f, g), ([0.0, 2.0], [3.0]));
    }

    #[test]
    fn what_has_no_entries_is_not_wanted() {
        let mut f = [0.0; 2];
        let mut wanted = [(Quantity::Holonomic, &mut [][..]), (Quantity::Force, &mut f[..])];
        let mut answer = Answer::new(&mut wanted);
        assert!(!answer.wants(Quantity::Holonomic) && answer.take(Quantity::Holonomic).is_none());
        assert_eq!(answer.take_any().map(|(quantity, _)| quantity), Some(Quantity::Force));
    }

    #[test]
    fn a_workspace_of_another_system_is_replaced() {
        let mut workspace = Workspace::none();
        workspace.buffers(|| vec![1.0]).push(2.0);
        assert_eq!(workspace.buffers(Vec::<f64>::new), &[1.0, 2.0]);
        assert_eq!(*workspace.buffers(|| 7_u8), 7);
    }
}
