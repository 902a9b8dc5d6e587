//! Formulas as a system: every function of [`ConstrainedSystem`], its derivatives included.

use super::point::{config, motion};
use super::{Along, Block, Differentiated, Formulas};
use crate::equations::pool::Scratch;
use crate::linear::SolverChoice;
use crate::scalar::{Dual, Increment, Jet};
use crate::space::advance;
use crate::system::{ConstrainedSystem, Dims, Energy, Patterns, Point, Redundancy, Supplied};

impl<F: Formulas> ConstrainedSystem for Differentiated<F> {
    fn dims(&self) -> Dims {
        self.formulas.dims()
    }
    fn mass(&self, t: f64, q: &[f64], mass: &mut [f64]) {
        self.formulas.mass(t, q, mass);
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) {
        self.formulas.force(t, q, v, force);
    }
    fn holonomic(&self, t: f64, q: &[f64], g: &mut [f64]) {
        self.formulas.holonomic(t, q, g);
    }
    fn nonholonomic(&self, t: f64, q: &[f64], v: &[f64], k: &mut [f64]) {
        self.formulas.nonholonomic(t, q, v, k);
    }
    fn reaction(&self, at: Point, r: &mut [f64]) -> Supplied {
        self.formulas.reaction(at.t, at.q, at.v, at.lambda, at.psi, r)
    }
    fn rotations(&self) -> &[usize] {
        self.formulas.rotations()
    }
    fn patterns(&self) -> Option<Patterns> {
        self.formulas.patterns()
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
    fn rate(&self, t: f64, q: &[f64], v: &[f64], q_dot: &mut [f64]) -> Supplied {
        self.formulas.rate(t, q, v, q_dot)
    }
    fn residual(&self, at: Point, a: &[f64], r: &mut [f64], c: &mut [f64]) -> Supplied {
        self.residual_in_one_pass(at, a, r, c)
    }
    fn residual_q(&self, at: Point, a: &[f64], out: &mut [f64]) -> Supplied {
        if !self.in_one_pass {
            return Supplied::No;
        }
        by_chunk!(self.directions(Block::Top, Along::Q), self.residual_jacobian(at, a, out));
        Supplied::Yes
    }
    fn holonomic_change(&self, t: f64, q: &[f64], dt: f64, dq: &[f64], out: &mut [f64]) -> Supplied {
        self.pool.with(|s: &mut Scratch<Increment>| {
            s.fit(self.formulas.dims());
            for ((to, &x), &d) in s.q.iter_mut().zip(q).zip(dq) {
                *to = Increment { x, d };
            }
            s.clear_outputs(out.len());
            self.formulas.holonomic(Increment { x: t, d: dt }, &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.d;
            }
        });
        Supplied::Yes
    }
    fn holonomic_q(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        if self.formulas.holonomic_q(t, q, out) == Supplied::Yes {
            return Supplied::Yes;
        }
        by_chunk!(self.directions(Block::Holonomic, Along::Q), self.holonomic_jacobian(t, q, out));
        Supplied::Yes
    }
    fn holonomic_t(&self, t: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        if self.formulas.holonomic_t(t, q, out) == Supplied::Yes {
            return Supplied::Yes;
        }
        self.pool.with(|s: &mut Scratch<Dual<1>>| {
            self.seat(config(t, q), Along::V, s, |_| Dual::default());
            s.clear_outputs(out.len());
            self.formulas.holonomic(Dual::variable(t, 0), &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.d[0];
            }
        });
        Supplied::Yes
    }
    fn holonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.pool.with(|s: &mut Scratch<Jet>| {
            s.fit(self.formulas.dims());
            if self.general {
                // q'' at v' = 0 is U_t + U_q U.
                self.pool.with(|u: &mut Scratch<Dual<1>>| {
                    u.fit(self.formulas.dims());
                    self.pool.with(|w: &mut Scratch<f64>| {
                        w.fit(self.formulas.dims());
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
                advance(self.formulas.rotations(), &s.q0, &s.dx, &mut s.q);
            }
            s.clear_outputs(out.len());
            self.formulas.holonomic(Jet { x: t, d: 1.0, dd: 0.0 }, &s.q, &mut s.out);
            for (to, g) in out.iter_mut().zip(&s.out) {
                *to = g.dd;
            }
        });
        Supplied::Yes
    }
    fn holonomic_velocity_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Holonomic, Along::Q), self.velocity_jacobian(t, q, v, out));
        Supplied::Yes
    }
    fn nonholonomic_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(
            self.directions(Block::Nonholonomic, Along::V),
            self.nonholonomic_jacobian(motion(t, q, v), Along::V, out)
        );
        Supplied::Yes
    }
    fn nonholonomic_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(
            self.directions(Block::Nonholonomic, Along::Q),
            self.nonholonomic_jacobian(motion(t, q, v), Along::Q, out)
        );
        Supplied::Yes
    }
    fn nonholonomic_bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        self.pool.with(|s: &mut Scratch<Dual<1>>| {
            let dims = self.formulas.dims();
            s.fit(dims);
            if self.general {
                self.pool.with(|w: &mut Scratch<f64>| {
                    w.fit(dims);
                    let _ = self.formulas.rate(t, q, v, &mut w.q_dot);
                    self.seat(motion(t, q, v), Along::Q, s, |i| Dual { x: 0.0, d: [w.q_dot[i]] });
                });
            } else {
                self.seat(motion(t, q, v), Along::Q, s, |i| Dual { x: 0.0, d: [v[i]] });
            }
            s.clear_outputs(out.len());
            self.formulas.nonholonomic(Dual::variable(t, 0), &s.q, &s.v, &mut s.out);
            for (to, k) in out.iter_mut().zip(&s.out) {
                *to = k.d[0];
            }
        });
        Supplied::Yes
    }
    fn mass_q(&self, t: f64, q: &[f64], a: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::Q), self.mass_jacobian(t, q, a, out));
        Supplied::Yes
    }
    fn force_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::Q), self.force_jacobian(motion(t, q, v), Along::Q, out));
        Supplied::Yes
    }
    fn force_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::V), self.force_jacobian(motion(t, q, v), Along::V, out));
        Supplied::Yes
    }
    fn reaction_q(&self, at: Point, out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::Q), self.reaction_jacobian(at, Along::Q, Block::Top, out));
        Supplied::Yes
    }
    fn reaction_v(&self, at: Point, out: &mut [f64]) -> Supplied {
        by_chunk!(self.directions(Block::Top, Along::V), self.reaction_jacobian(at, Along::V, Block::Top, out));
        Supplied::Yes
    }
    fn reaction_lambda(&self, at: Point, out: &mut [f64]) -> Supplied {
        let (along, block) = (Along::Lambda, Block::Holonomic);
        by_chunk!(self.directions(block, along), self.reaction_jacobian(at, along, block, out));
        Supplied::Yes
    }
    fn reaction_psi(&self, at: Point, out: &mut [f64]) -> Supplied {
        let (along, block) = (Along::Psi, Block::Nonholonomic);
        by_chunk!(self.directions(block, along), self.reaction_jacobian(at, along, block, out));
        Supplied::Yes
    }
    fn rate_v(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        if !self.general {
            return Supplied::No;
        }
        by_chunk!(self.directions(Block::Rate, Along::V), self.rate_jacobian(motion(t, q, v), Along::V, out));
        Supplied::Yes
    }
    fn rate_q(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Supplied {
        if !self.general {
            return Supplied::No;
        }
        by_chunk!(self.directions(Block::Rate, Along::Q), self.rate_jacobian(motion(t, q, v), Along::Q, out));
        Supplied::Yes
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
