//! What can be asked of a system, and sets of it.

/// Something that a system has a value of at a point; see [`At`](super::At) for the arguments.
///
/// Derivatives by q have a column for each velocity: column j is the change when q moves along velocity j. For numbers that
/// is the ordinary partial derivative, for [rotations](super::Description::rotations) the derivative by a turn about a body
/// axis, and under a general rate there is a column for each entry of q. "v by v" and so on are the shapes of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The mass matrix M(t,q), v by v.
    Mass,
    /// The force f(t,q,v), reactions excluded.
    Force,
    /// Holonomic constraints g(t,q).
    Holonomic,
    /// Nonholonomic constraints k(t,q,v).
    Nonholonomic,
    /// The reaction r(t,q,v,lambda,psi), where it is not `-G^T lambda - K^T psi`; it may be nonlinear in the multipliers.
    Reaction,
    /// General kinematics q' = U(t,q,v), where q' is not v. Such a system has no rotations, and derivatives by q have as
    /// many columns as q.
    Rate,
    /// G = g_q, lambda by v.
    HolonomicQ,
    /// g_t, the explicit time derivative.
    HolonomicT,
    /// g_tt + 2 g_tq v + g_qq(v,v): the second time derivative of g at v' = 0.
    HolonomicBias,
    /// Gamma = d/dq (g_t + G v), lambda by v.
    HolonomicVelocityQ,
    /// K = k_v, psi by v.
    NonholonomicV,
    /// k_q, psi by v.
    NonholonomicQ,
    /// k_t + k_q v: the time derivative of k at v' = 0.
    NonholonomicBias,
    /// d/dq (M a) for the given a, v by v.
    MassQ,
    /// f_q, v by v.
    ForceQ,
    /// f_v, v by v.
    ForceV,
    /// r_q, v by v, of the standard reaction too.
    ReactionQ,
    /// r_v, v by v, of the standard reaction too.
    ReactionV,
    /// The transpose of r_lambda, lambda by v.
    ReactionLambda,
    /// The transpose of r_psi, psi by v.
    ReactionPsi,
    /// U_v, q by v.
    RateV,
    /// U_q, q by q.
    RateQ,
    /// M a - f - r, the left-hand side of the equations of motion. Every implicit method spends its time here; without it
    /// the residual is put together from its parts.
    Residual,
    /// d/dq (M a - f - r), v by v: instead of `MassQ`, `ForceQ` and `ReactionQ`.
    ResidualQ,
    /// The five numbers of [`Energy`](super::Energy), in the order of its fields. Results then carry its balance.
    Energy,
    /// Functions of (t,q,v) whose change of sign between two steps deserves a look: denominators of forces and masses,
    /// arguments of kinks and jumps in constraints. Where one changes its sign, and the force has a pole there or a
    /// constraint jumps, the run stops and says so. Systems that name none are looked at less closely.
    Landmarks,
    /// g(t + dt, q + dq) - g(t, q), accurate beside itself however small dq is, where a difference of two values has lost its
    /// digits. Not for systems with rotations. Without it short steps and light bodies cost digits.
    HolonomicChange,
    /// The values of the [switches](super::Description::switches), functions of (t,q,v) that select branches.
    Switches,
    /// How far things are apart at (t,q) that no constraint holds together, though they belong together. Where one of them exceeds
    /// [what is said of it](super::Description::gaps), the run stops and names it.
    Gaps,
}

impl Quantity {
    /// All of them, in order.
    pub const ALL: [Quantity; 29] = {
        use Quantity::*;
        [
            Mass,
            Force,
            Holonomic,
            Nonholonomic,
            Reaction,
            Rate,
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
            RateV,
            RateQ,
            Residual,
            ResidualQ,
            Energy,
            Landmarks,
            HolonomicChange,
            Switches,
            Gaps,
        ]
    };

    /// How many of them are counted: the first ones. A residual counts as its parts.
    pub(crate) const COUNTED: usize = Quantity::RateQ as usize + 1;

    /// What messages and counters call it.
    pub const fn name(self) -> &'static str {
        use Quantity::*;
        match self {
            Mass => "mass",
            Force => "force",
            Holonomic => "holonomic",
            Nonholonomic => "nonholonomic",
            Reaction => "reaction",
            Rate => "rate",
            HolonomicQ => "holonomic_q",
            HolonomicT => "holonomic_t",
            HolonomicBias => "holonomic_bias",
            HolonomicVelocityQ => "holonomic_velocity_q",
            NonholonomicV => "nonholonomic_v",
            NonholonomicQ => "nonholonomic_q",
            NonholonomicBias => "nonholonomic_bias",
            MassQ => "mass_q",
            ForceQ => "force_q",
            ForceV => "force_v",
            ReactionQ => "reaction_q",
            ReactionV => "reaction_v",
            ReactionLambda => "reaction_lambda",
            ReactionPsi => "reaction_psi",
            RateV => "rate_v",
            RateQ => "rate_q",
            Residual => "residual",
            ResidualQ => "residual_q",
            Energy => "energy",
            Landmarks => "landmarks",
            HolonomicChange => "holonomic_change",
            Switches => "switches",
            Gaps => "gaps",
        }
    }

    /// The set of this one.
    #[inline]
    pub const fn alone(self) -> Quantities {
        Quantities(1 << self as u32)
    }
}

/// A set of quantities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantities(u32);

impl Quantities {
    /// The empty set.
    pub const NONE: Quantities = Quantities(0);
    /// M, f, g and k, which every system supplies.
    pub const VALUES: Quantities =
        Quantities::of(&[Quantity::Mass, Quantity::Force, Quantity::Holonomic, Quantity::Nonholonomic]);

    /// The set of some.
    pub const fn of(members: &[Quantity]) -> Quantities {
        let mut set = Quantities::NONE;
        let mut i = 0;
        while i < members.len() {
            set = set.with(members[i]);
            i += 1;
        }
        set
    }

    /// All of a set and one more.
    #[must_use]
    #[inline]
    pub const fn with(self, quantity: Quantity) -> Quantities {
        Quantities(self.0 | quantity.alone().0)
    }

    /// All of a set but one.
    #[must_use]
    #[inline]
    pub const fn without(self, quantity: Quantity) -> Quantities {
        Quantities(self.0 & !quantity.alone().0)
    }

    /// What is in either.
    #[must_use]
    #[inline]
    pub const fn and(self, other: Quantities) -> Quantities {
        Quantities(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    #[inline]
    pub const fn only(self, other: Quantities) -> Quantities {
        Quantities(self.0 & other.0)
    }

    /// What is in this one and not in the other.
    #[must_use]
    pub const fn except(self, other: Quantities) -> Quantities {
        Quantities(self.0 & !other.0)
    }

    /// Whether one is in the set.
    #[inline]
    pub const fn has(self, quantity: Quantity) -> bool {
        self.0 & quantity.alone().0 != 0
    }

    /// Whether all of another set are in this one.
    #[inline]
    pub const fn has_all(self, other: Quantities) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, in order.
    pub fn iter(self) -> impl Iterator<Item = Quantity> {
        Quantity::ALL.into_iter().filter(move |quantity| self.has(*quantity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_all_is_complete_and_in_order() {
        for (i, quantity) in Quantity::ALL.into_iter().enumerate() {
            assert_eq!(quantity as usize, i);
            assert_eq!(quantity.alone().iter().collect::<Vec<_>>(), [quantity]);
        }
        assert_eq!(Quantity::ALL.len(), Quantity::Gaps as usize + 1);
        assert_eq!(Quantity::ALL[Quantity::COUNTED - 1].name(), "rate_q");
    }

    #[test]
    fn sets_are_sets() {
        let set = Quantities::VALUES.with(Quantity::Rate).without(Quantity::Force).with(Quantity::Rate);
        let members: Vec<_> = set.iter().map(Quantity::name).collect();
        assert_eq!(members, ["mass", "holonomic", "nonholonomic", "rate"]);
        assert!(set.has_all(Quantity::Rate.alone()) && !set.has_all(Quantities::VALUES));
        assert_eq!(set.only(Quantities::VALUES).and(Quantity::Rate.alone()), set);
        assert_eq!(set.except(Quantities::VALUES), Quantity::Rate.alone());
        assert!(Quantities::NONE.is_empty() && !set.is_empty());
    }
}
