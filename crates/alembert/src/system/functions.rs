//! A system put together from closures.

use std::fmt;

use super::{Answer, At, ConstrainedSystem, Description, Dims, Energy, Named, Point, Quantity, Workspace};

/// One quantity.
type Function<'f> = Box<dyn Fn(&At, &mut [f64]) + Send + Sync + 'f>;
/// Names of one kind of things.
type Names<'f> = Box<dyn Fn(usize) -> String + Send + Sync + 'f>;

/// A system of closures: M, f, g, k and whatever derivatives are at hand. The others are completed by differences.
///
/// Outputs are zero when a closure sees them; see [`Answer`] for the rules.
///
/// ```
/// use alembert::{Dims, Functions, Guess, consistent};
///
/// // A pendulum of length 1, mass 1.
/// let pendulum = Functions::new(Dims { q: 2, v: 2, lambda: 1, psi: 0 })
///     .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
///     .force(|_, _, _, force| force[1] = -9.81)
///     .holonomic(|_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
///     .holonomic_q(|_, q, out| (out[0], out[1]) = (2.0 * q[0], 2.0 * q[1]));
/// let start = consistent(&pendulum, &Guess::new(0.0, vec![1.0, 0.1], vec![0.0, 0.0]))?;
/// assert!((start.q[0].hypot(start.q[1]) - 1.0).abs() < 1e-15);
/// # Ok::<(), alembert::initial::InitialError>(())
/// ```
pub struct Functions<'f> {
    description: Description,
    /// By quantity.
    functions: [Option<Function<'f>>; Quantity::ALL.len()],
    names: [Option<Names<'f>>; 4],
}

impl fmt::Debug for Functions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<&str> = self.given().map(Quantity::name).collect();
        f.debug_struct("Functions").field("dims", &self.description.dims).field("given", &given).finish()
    }
}

/// A function of (t, q).
macro_rules! of_place {
    ($($name:ident, $quantity:ident, $words:expr;)*) => {$(
        #[doc = $words]
        #[must_use]
        pub fn $name(self, function: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'f) -> Self {
            self.quantity(Quantity::$quantity, move |at, out| function(at.t, at.q, out))
        }
    )*};
}

/// A function of (t, q, v).
macro_rules! of_motion {
    ($($name:ident, $quantity:ident, $words:expr;)*) => {$(
        #[doc = $words]
        #[must_use]
        pub fn $name(self, function: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'f) -> Self {
            self.quantity(Quantity::$quantity, move |at, out| function(at.t, at.q, at.v, out))
        }
    )*};
}

/// A function of (t, q, v, lambda, psi).
macro_rules! of_point {
    ($($name:ident, $quantity:ident, $words:expr;)*) => {$(
        #[doc = $words]
        #[must_use]
        pub fn $name(self, function: impl Fn(Point, &mut [f64]) + Send + Sync + 'f) -> Self {
            self.quantity(Quantity::$quantity, move |at, out| function(at.point(), out))
        }
    )*};
}

impl<'f> Functions<'f> {
    /// A system of these dimensions without masses and forces.
    pub fn new(dims: Dims) -> Self {
        Functions {
            description: Description::new(dims),
            functions: [const { None }; Quantity::ALL.len()],
            names: [const { None }; 4],
        }
    }

    of_place! {
        mass, Mass, "The mass matrix M(t,q), v by v.";
        holonomic, Holonomic, "Holonomic constraints g(t,q).";
        holonomic_q, HolonomicQ, "G = g_q, lambda by v.";
        holonomic_t, HolonomicT, "g_t, the explicit time derivative.";
    }

    of_motion! {
        force, Force, "The force f(t,q,v), reactions excluded.";
        nonholonomic, Nonholonomic, "Nonholonomic constraints k(t,q,v).";
        rate, Rate, "General kinematics q' = U(t,q,v), where q' is not v.";
        holonomic_bias, HolonomicBias, "The second time derivative of g at v' = 0.";
        holonomic_velocity_q, HolonomicVelocityQ, "Gamma = d/dq (g_t + G v), lambda by v.";
        nonholonomic_v, NonholonomicV, "K = k_v, psi by v.";
        nonholonomic_q, NonholonomicQ, "k_q, psi by v.";
        nonholonomic_bias, NonholonomicBias, "The time derivative of k at v' = 0.";
        force_q, ForceQ, "f_q, v by v.";
        force_v, ForceV, "f_v, v by v.";
        rate_v, RateV, "U_v, q by v.";
        rate_q, RateQ, "U_q, q by q.";
    }

    of_point! {
        reaction, Reaction, "The reaction r, where it is not `-G^T lambda - K^T psi`.";
        reaction_q, ReactionQ, "r_q, v by v.";
        reaction_v, ReactionV, "r_v, v by v.";
        reaction_lambda, ReactionLambda, "The transpose of r_lambda, lambda by v.";
        reaction_psi, ReactionPsi, "The transpose of r_psi, psi by v.";
    }

    /// d/dq (M a), v by v: a function of (t, q, a).
    #[must_use]
    pub fn mass_q(self, function: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'f) -> Self {
        self.quantity(Quantity::MassQ, move |at, out| function(at.t, at.q, at.a, out))
    }

    /// The energy at (t, q, v): results then carry its balance.
    #[must_use]
    pub fn energy(self, function: impl Fn(f64, &[f64], &[f64]) -> Energy + Send + Sync + 'f) -> Self {
        self.quantity(Quantity::Energy, move |at, out| {
            out.copy_from_slice(&function(at.t, at.q, at.v).to_array());
        })
    }

    /// Any quantity.
    #[must_use]
    pub fn quantity(mut self, quantity: Quantity, function: impl Fn(&At, &mut [f64]) + Send + Sync + 'f) -> Self {
        self.functions[quantity as usize] = Some(Box::new(function));
        self.description.supplied = self.description.supplied.with(quantity);
        self
    }

    /// Changes the [`Description`]: rotations, patterns, a constant mass.
    #[must_use]
    pub fn describe(mut self, change: impl FnOnce(&mut Description)) -> Self {
        change(&mut self.description);
        self
    }

    /// What messages call things.
    #[must_use]
    pub fn named(mut self, what: Named, name: impl Fn(usize) -> String + Send + Sync + 'f) -> Self {
        self.names[what as usize] = Some(Box::new(name));
        self
    }

    fn given(&self) -> impl Iterator<Item = Quantity> {
        Quantity::ALL.into_iter().filter(|quantity| self.functions[*quantity as usize].is_some())
    }
}

impl ConstrainedSystem for Functions<'_> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, _: &mut Workspace) {
        while let Some((quantity, out)) = answer.take_any() {
            if let Some(function) = &self.functions[quantity as usize] {
                function(at, out);
            }
        }
    }

    fn single(&self, quantity: Quantity, at: &At, out: &mut [f64], _: &mut Workspace) {
        if let Some(function) = &self.functions[quantity as usize] {
            function(at, out);
        }
    }

    /// A direction of q without a name has that of its velocity.
    fn name(&self, what: Named, index: usize) -> String {
        let of = |what: Named| self.names[what as usize].as_ref();
        let given = match what {
            Named::Position => of(what).or_else(|| of(Named::Coordinate)),
            _ => of(what),
        };
        given.map_or_else(|| what.standard(index), |name| name(index))
    }
}
