//! A system that is borrowed, or owned together with others.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::{Answer, At, ConstrainedSystem, Description, Named, Quantity, Workspace};

/// The system of a run: `&system` where it outlives the run, an [`Arc`] where the run has to own it (to be kept, moved to a
/// thread, or handed to another language).
#[derive(Clone)]
pub enum SystemRef<'s> {
    /// Somebody else's.
    Borrowed(&'s dyn ConstrainedSystem),
    /// Owned, and shared with whoever else has it.
    Shared(Arc<dyn ConstrainedSystem>),
}

impl<'s> Deref for SystemRef<'s> {
    type Target = dyn ConstrainedSystem + 's;

    fn deref(&self) -> &(dyn ConstrainedSystem + 's) {
        match self {
            SystemRef::Borrowed(system) => *system,
            SystemRef::Shared(system) => &**system,
        }
    }
}

impl fmt::Debug for SystemRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            SystemRef::Borrowed(_) => "borrowed",
            SystemRef::Shared(_) => "shared",
        };
        write!(f, "SystemRef({kind}, {:?})", self.dims())
    }
}

impl<'s, S: ConstrainedSystem> From<&'s S> for SystemRef<'s> {
    fn from(system: &'s S) -> Self {
        SystemRef::Borrowed(system)
    }
}

impl<'s> From<&'s dyn ConstrainedSystem> for SystemRef<'s> {
    fn from(system: &'s dyn ConstrainedSystem) -> Self {
        SystemRef::Borrowed(system)
    }
}

impl<'s> From<&'s Box<dyn ConstrainedSystem>> for SystemRef<'s> {
    fn from(system: &'s Box<dyn ConstrainedSystem>) -> Self {
        SystemRef::Borrowed(&**system)
    }
}

impl<S: ConstrainedSystem + 'static> From<Arc<S>> for SystemRef<'_> {
    fn from(system: Arc<S>) -> Self {
        SystemRef::Shared(system)
    }
}

impl From<Arc<dyn ConstrainedSystem>> for SystemRef<'_> {
    fn from(system: Arc<dyn ConstrainedSystem>) -> Self {
        SystemRef::Shared(system)
    }
}

impl From<Box<dyn ConstrainedSystem>> for SystemRef<'_> {
    fn from(system: Box<dyn ConstrainedSystem>) -> Self {
        SystemRef::Shared(system.into())
    }
}

/// A shared system is one.
impl<S: ConstrainedSystem + ?Sized> ConstrainedSystem for Arc<S> {
    fn description(&self) -> &Description {
        (**self).description()
    }

    fn workspace(&self) -> Workspace {
        (**self).workspace()
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        (**self).evaluate(at, answer, workspace);
    }

    fn single(&self, quantity: Quantity, at: &At, out: &mut [f64], workspace: &mut Workspace) {
        (**self).single(quantity, at, out, workspace);
    }

    fn name(&self, what: Named, index: usize) -> String {
        (**self).name(what, index)
    }
}
