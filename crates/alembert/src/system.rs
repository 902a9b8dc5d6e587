//! What a user describes: a constrained mechanical system.
//!
//! ```text
//! q' = v                                        (or rate(t,q,v); rotations turn with v)
//! M(t,q) v' = f(t,q,v) + r(t,q,v,lambda,psi)    r = -G^T lambda - K^T psi unless the system has a reaction of its own
//! 0 = g(t,q)                                    holonomic,    G = g_q
//! 0 = k(t,q,v)                                  nonholonomic, K = k_v
//! ```
//!
//! A [`ConstrainedSystem`] has a [`Description`], which is data, and answers questions. A question is about some [`Quantities`]
//! [`At`] a point; they are answered together, so that what they have in common is computed once. Derivatives that are not
//! supplied are completed by differences. There are three ways to write a system:
//!
//! - [`Formulas`](crate::Formulas) in [`Differentiated`](crate::Differentiated): written once over generic numbers, every
//!   derivative exact;
//! - [`Functions`]: closures for M, f, g, k and whatever derivatives are at hand;
//! - the trait itself, where a large system shares work between quantities by hand.
//!
//! A large system states where its matrices may be nonzero ([`Description::patterns`]). The slices then hold only those
//! entries, and no array of n by n numbers is made anywhere.

mod answer;
mod description;
mod functions;
mod held;
mod quantity;
mod shared;

pub(crate) use answer::open;
pub use answer::{Answer, At, Point, Wanted, Workspace};
pub use description::{Description, Dims, Energy, Patterns, Redundancy, Supplied};
pub use functions::Functions;
pub use held::{Held, Switch};
pub use quantity::{Quantities, Quantity};
pub use shared::SystemRef;

/// What messages give a name to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A velocity, and the coordinate that belongs to it.
    Coordinate,
    /// A direction of q: a column of a derivative by q.
    Position,
    /// A holonomic constraint.
    Holonomic,
    /// A nonholonomic constraint.
    Nonholonomic,
    /// A [switch](Description::switches).
    Switch,
    /// What may come apart: one of the [gaps](Description::gaps).
    Gap,
}

impl Named {
    /// The name where the system has none of its own.
    pub fn standard(self, index: usize) -> String {
        let letter = match self {
            Named::Coordinate | Named::Position => 'q',
            Named::Holonomic => 'g',
            Named::Nonholonomic => 'k',
            Named::Switch => 's',
            Named::Gap => 'd',
        };
        format!("{letter}[{index}]")
    }
}

/// A mechanical system with constraints; see the [module](self) for the equations and [`Quantity`] for what it can be asked.
///
/// A system never changes. What it needs to evaluate itself is in the [`Workspace`] that its caller owns, so that one system
/// serves any number of runs and threads.
pub trait ConstrainedSystem: Send + Sync {
    /// What does not change while the system moves.
    fn description(&self) -> &Description;

    /// Buffers for [`evaluate`](Self::evaluate).
    fn workspace(&self) -> Workspace {
        Workspace::none()
    }

    /// Writes what is wanted of the [supplied](Description::supplied) quantities at a point; see [`Answer`] for the rules.
    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace);

    /// The same for one quantity that has entries, as most questions are about. It is here for systems whose formulas cost less
    /// than taking a question apart; nobody else need write it.
    fn single(&self, quantity: Quantity, at: &At, out: &mut [f64], workspace: &mut Workspace) {
        self.evaluate(at, &mut Answer::new(&mut [(quantity, out)]), workspace);
    }

    /// What messages call things. A name is made only when a message needs it: a large system has hundreds of thousands of them.
    fn name(&self, what: Named, index: usize) -> String {
        what.standard(index)
    }

    /// Sizes of q, v, lambda, psi.
    fn dims(&self) -> Dims {
        self.description().dims
    }

    /// One quantity, in a workspace made for this one question. It is for occasional questions; [`Equations`](crate::Equations)
    /// keeps its workspace, and completes what is not supplied.
    fn ask(&self, quantity: Quantity, at: &At, out: &mut [f64]) -> Supplied {
        if !self.description().supplied.has(quantity) {
            return Supplied::No;
        }
        out.fill(0.0);
        self.evaluate(at, &mut Answer::new(&mut [(quantity, out)]), &mut self.workspace());
        Supplied::Yes
    }
}

impl dyn ConstrainedSystem + '_ {
    /// What messages call velocity (and coordinate) `index`.
    pub fn coordinate_name(&self, index: usize) -> String {
        self.name(Named::Coordinate, index)
    }

    /// What messages call direction `index` of q.
    pub fn position_name(&self, index: usize) -> String {
        self.name(Named::Position, index)
    }

    /// What messages call holonomic constraint `row`.
    pub fn holonomic_name(&self, row: usize) -> String {
        self.name(Named::Holonomic, row)
    }

    /// What messages call nonholonomic constraint `row`.
    pub fn nonholonomic_name(&self, row: usize) -> String {
        self.name(Named::Nonholonomic, row)
    }

    /// What messages call switch `index`.
    pub fn switch_name(&self, index: usize) -> String {
        self.name(Named::Switch, index)
    }

    /// What messages call gap `index`.
    pub fn gap_name(&self, index: usize) -> String {
        self.name(Named::Gap, index)
    }
}
