//! Formulas as a system: every quantity, derivatives included.
//!
//! Each formula is evaluated once for what is asked together: the numbers that carry its derivatives carry its value too.

use super::{Along, Block, Differentiated, Formulas};
use crate::equations::pool::{Pool, Scratch};
use crate::scalar::{Dual, Increment, Jet};
use crate::space::advance;
use crate::system::{
    Answer, At, ConstrainedSystem, Description, Held, Named, Quantities, Quantity, Supplied, Workspace,
};

impl<F: Formulas> ConstrainedSystem for Differentiated<F> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn workspace(&self) -> Workspace {
        let (mut pool, dims) = (Pool::default(), self.description.dims);
        // Changes are first asked for in the middle of a motion, and steps must not allocate.
        pool.with(|s: &mut Scratch<Increment>, _| {
            s.fit(dims);
            s.clear_outputs(dims.lambda);
        });
        Workspace::new(pool)
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        // What every implicit method spends its time with.
        if self.in_one_pass && answer.wants(Quantity::Residual) {
            self.own_residual(at, answer, workspace);
        }
        if !answer.open().is_empty() {
            self.several(at, answer, workspace);
        }
    }

    fn single(&self, quantity: Quantity, at: &At, out: &mut [f64], workspace: &mut Workspace) {
        if quantity == Quantity::Residual {
            self.evaluate(at, &mut Answer::new(&mut [(quantity, out)]), workspace);
        } else if !self.by_hand(quantity, at, out) {
            self.answer(quantity, at, out, &mut Answer::new(&mut []), workspace.buffers(Pool::default));
        }
    }

    fn name(&self, what: Named, index: usize) -> String {
        match what {
            Named::Coordinate | Named::Position => self.formulas.coordinate_name(index),
            Named::Holonomic => self.formulas.holonomic_name(index),
            Named::Nonholonomic => self.formulas.nonholonomic_name(index),
            Named::Switch => self.formulas.switch_name(index),
            Named::Gap => what.standard(index),
        }
    }
}

/// Derivatives that bring the values of their functions with them.
const WITH_VALUES: Quantities = {
    use Quantity::{ForceQ, ForceV, HolonomicQ, NonholonomicQ, NonholonomicV};
    Quantities::of(&[HolonomicQ, ForceQ, ForceV, NonholonomicV, NonholonomicQ])
};

impl<F: Formulas> Differentiated<F> {
    /// Several quantities; what they have in common is computed once.
    #[inline(never)]
    fn several(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        if let Some(r) = answer.take(Quantity::Residual) {
            let (g, k) = (answer.take(Quantity::Holonomic), answer.take(Quantity::Nonholonomic));
            self.residual(at, workspace.buffers(Pool::default), r, g, k);
        }
        // Derivatives before values, which come with them; but those that are written by hand bring none.
        if !answer.open().only(WITH_VALUES).is_empty() {
            self.first(Quantity::HolonomicQ, at, answer, workspace);
            self.first(Quantity::ForceQ, at, answer, workspace);
            self.first(Quantity::ForceV, at, answer, workspace);
            self.first(Quantity::NonholonomicV, at, answer, workspace);
            self.first(Quantity::NonholonomicQ, at, answer, workspace);
        }
        while let Some((quantity, out)) = answer.take_any() {
            self.one(quantity, at, out, answer, workspace);
        }
    }

    /// One of several, before the others.
    #[inline(always)]
    fn first(&self, quantity: Quantity, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        if let Some(out) = answer.take(quantity) {
            self.one(quantity, at, out, answer, workspace);
        }
    }

    #[inline(never)]
    fn one(&self, quantity: Quantity, at: &At, out: &mut [f64], answer: &mut Answer, workspace: &mut Workspace) {
        if !self.by_hand(quantity, at, out) {
            self.answer(quantity, at, out, answer, workspace.buffers(Pool::default));
        }
    }

    /// What the formulas say themselves over plain numbers, without buffers; false where it is not there, and has not been
    /// touched.
    #[inline(always)]
    fn by_hand(&self, quantity: Quantity, at: &At, out: &mut [f64]) -> bool {
        let At { t, q, v, lambda, psi, .. } = *at;
        match quantity {
            Quantity::Force => self.formulas.force_on(Held(at.held), t, q, v, out),
            Quantity::Switches => self.formulas.switch_values(t, q, v, out),
            Quantity::Holonomic => self.formulas.holonomic(t, q, out),
            Quantity::Nonholonomic => self.formulas.nonholonomic(t, q, v, out),
            Quantity::Mass if !self.formulas.mass_is_inertia() => self.formulas.mass(t, q, out),
            Quantity::HolonomicQ => return self.formulas.holonomic_q(t, q, out) == Supplied::Yes,
            Quantity::HolonomicT => return self.formulas.holonomic_t(t, q, out) == Supplied::Yes,
            Quantity::Reaction => return self.formulas.reaction(t, q, v, lambda, psi, out) == Supplied::Yes,
            Quantity::Rate => return self.formulas.rate(t, q, v, out) == Supplied::Yes,
            Quantity::Energy => {
                let energy = self.formulas.energy(t, q, v).unwrap_or_default();
                out.copy_from_slice(&energy.to_array());
            }
            _ => return false,
        }
        true
    }

    /// One quantity that is not there by hand; `answer` holds what else is wanted.
    #[inline(never)]
    fn answer(&self, quantity: Quantity, at: &At, out: &mut [f64], answer: &mut Answer, pool: &mut Pool) {
        let At { t, q, .. } = *at;
        let directions = |block: Block, along: Along| self.directions(block, along);
        match quantity {
            Quantity::Mass => self.mass(t, q, pool, out),
            Quantity::HolonomicT => self.holonomic_t(at, pool, out),
            Quantity::HolonomicBias => self.holonomic_bias(at, pool, out),
            Quantity::HolonomicChange => self.holonomic_change(at, pool, out),
            Quantity::HolonomicVelocityQ => {
                by_chunk!(directions(Block::Holonomic, Along::Q), self.velocity_jacobian(at, pool, out));
            }
            Quantity::NonholonomicV | Quantity::NonholonomicQ => {
                let along = if quantity == Quantity::NonholonomicV { Along::V } else { Along::Q };
                let k = answer.take(Quantity::Nonholonomic);
                by_chunk!(directions(Block::Nonholonomic, along), self.nonholonomic_jacobian(at, along, pool, out, k));
            }
            Quantity::NonholonomicBias => self.nonholonomic_bias(at, pool, out),
            Quantity::MassQ => by_chunk!(directions(Block::Top, Along::Q), self.mass_jacobian(at, pool, out)),
            Quantity::ForceQ | Quantity::ForceV => {
                let along = if quantity == Quantity::ForceV { Along::V } else { Along::Q };
                let f = answer.take(Quantity::Force);
                by_chunk!(directions(Block::Top, along), self.force_jacobian(at, along, pool, out, f));
            }
            Quantity::ReactionQ | Quantity::ReactionV | Quantity::ReactionLambda | Quantity::ReactionPsi => {
                let (along, block) = match quantity {
                    Quantity::ReactionQ => (Along::Q, Block::Top),
                    Quantity::ReactionV => (Along::V, Block::Top),
                    Quantity::ReactionLambda => (Along::Lambda, Block::Holonomic),
                    _ => (Along::Psi, Block::Nonholonomic),
                };
                by_chunk!(directions(block, along), self.reaction_jacobian((at, along, block), pool, out));
            }
            Quantity::RateV => {
                by_chunk!(directions(Block::Rate, Along::V), self.rate_jacobian(at, Along::V, pool, out));
            }
            Quantity::RateQ => {
                by_chunk!(directions(Block::Rate, Along::Q), self.rate_jacobian(at, Along::Q, pool, out));
            }
            Quantity::ResidualQ => by_chunk!(directions(Block::Top, Along::Q), self.residual_jacobian(at, pool, out)),
            Quantity::HolonomicQ => {
                let g = answer.take(Quantity::Holonomic);
                by_chunk!(directions(Block::Holonomic, Along::Q), self.holonomic_jacobian(at, pool, out, g));
            }
            // By hand, before the others, or not there: formulas have no landmarks.
            _ => {}
        }
    }

    fn holonomic_t(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        let t = at.t;
        pool.with(|s: &mut Scratch<Dual<1>>, _| {
            self.seat(at, Along::V, s, |_| Dual::default());
            s.clear_outputs(out.len());
            self.formulas.holonomic(Dual::variable(t, 0), &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.d[0];
            }
        });
    }

    fn holonomic_bias(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        let (At { t, q, v, .. }, dims) = (*at, self.description.dims);
        pool.with(|s: &mut Scratch<Jet>, pool| {
            s.fit(dims);
            if self.general {
                // q'' at v' = 0 is U_t + U_q U.
                pool.with(|u: &mut Scratch<Dual<1>>, pool| {
                    u.fit(dims);
                    pool.with(|w: &mut Scratch<f64>, _| {
                        w.fit(dims);
                        let _ = self.formulas.rate(t, q, v, &mut w.q_dot);
                        for ((to, q), rate) in u.q.iter_mut().zip(q).zip(&w.q_dot) {
                            *to = Dual { x: *q, d: [*rate] };
                        }
                    });
                    for (to, v) in u.v.iter_mut().zip(v) {
                        *to = Dual::constant(*v);
                    }
                    let _ = self.formulas.rate(Dual::variable(t, 0), &u.q, &u.v, &mut u.q_dot);
                    for ((to, q), rate) in s.q.iter_mut().zip(q).zip(&u.q_dot) {
                        *to = Jet { x: *q, d: rate.x, dd: rate.d[0] };
                    }
                });
            } else {
                for (to, q) in s.q0.iter_mut().zip(q) {
                    *to = Jet::from(*q);
                }
                for (dx, v) in s.dx.iter_mut().zip(v) {
                    *dx = Jet { x: 0.0, d: *v, dd: 0.0 };
                }
                advance(&self.description.rotations, &s.q0, &s.dx, &mut s.q);
            }
            s.clear_outputs(out.len());
            self.formulas.holonomic(Jet { x: t, d: 1.0, dd: 0.0 }, &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.dd;
            }
        });
    }

    fn holonomic_change(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        pool.with(|s: &mut Scratch<Increment>, _| {
            s.fit(self.description.dims);
            for ((to, &x), &d) in s.q.iter_mut().zip(at.q).zip(at.dq) {
                *to = Increment { x, d };
            }
            s.clear_outputs(out.len());
            self.formulas.holonomic(Increment { x: at.t, d: at.dt }, &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.d;
            }
        });
    }

    fn nonholonomic_bias(&self, at: &At, pool: &mut Pool, out: &mut [f64]) {
        let (At { t, q, v, .. }, dims) = (*at, self.description.dims);
        pool.with(|s: &mut Scratch<Dual<1>>, pool| {
            s.fit(dims);
            if self.general {
                pool.with(|w: &mut Scratch<f64>, _| {
                    w.fit(dims);
                    let _ = self.formulas.rate(t, q, v, &mut w.q_dot);
                    self.seat(at, Along::Q, s, |i| Dual { x: 0.0, d: [w.q_dot[i]] });
                });
            } else {
                self.seat(at, Along::Q, s, |i| Dual { x: 0.0, d: [v[i]] });
            }
            s.clear_outputs(out.len());
            self.formulas.nonholonomic(Dual::variable(t, 0), &s.q, &s.v, &mut s.out);
            for (to, k) in out.iter_mut().zip(&s.out) {
                *to = k.d[0];
            }
        });
    }
}
