//! Both halves of a step in one matrix of twice the size: Newton's method without anything left out, for stiff dampers in
//! large systems, where the dense D Y of the position half is out of reach.
//!
//! ```text
//! | A0   gamma h D | -r_mu       | ( x   )       ( R~     )       A0 = c_m M + gamma h D + beta h^2 S T
//! |       c_m M    |       -r_mu | ( w   )  = -  ( R - R~ )       E  = (beta h/gamma) (Gamma T ; 0) - h turn
//! | C'             |             | ( dmu~)       ( c~     )       C' = C + (beta h/gamma) (0 ; k_q T) + h turn
//! | E      C       |             | ( nu  )       ( c - c~ )       turn = (G (T - I)/h ; 0)
//! ```
//!
//! Unknowns are interleaved (x_1, w_1, x_2, ...), so that the graph and the order of elimination stay those of one half.

use std::sync::Arc;

use super::{Numbers, Way, add, factor_position, subtract};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Layout;
use crate::linear::{Bordered, Kkt, LinearWork, Pattern, Singular, Structure};
use crate::method::generalized_alpha::Coefficients;
use crate::method::generalized_alpha::step::blocks::Blocks;

pub(super) struct Doubled {
    kkt: Kkt,
    /// For the filter of the error only.
    position: Kkt,
    /// c_m M, where constraints may be dependent; otherwise empty and in `top`.
    mass: Vec<f64>,
    top: Vec<f64>,
    rows: Vec<f64>,
    border: Vec<f64>,
    rhs: Vec<f64>,
}

impl Keep for Doubled {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.kkt, self.position)
    }
}

impl Doubled {
    pub fn new(layout: &Layout, position: Kkt) -> Self {
        let (n, m) = (layout.top.rows(), layout.rows.rows());
        let top = (0..n).flat_map(|i| {
            layout.top.row(i).flat_map(move |(j, _)| [(2 * i, 2 * j), (2 * i, 2 * j + 1), (2 * i + 1, 2 * j + 1)])
        });
        let rows = (0..m).flat_map(|i| {
            layout.rows.row(i).flat_map(move |(j, _)| [(2 * i, 2 * j), (2 * i + 1, 2 * j), (2 * i + 1, 2 * j + 1)])
        });
        let top = Arc::new(Pattern::from_entries(2 * n, 2 * n, top));
        let rows = Arc::new(Pattern::from_entries(2 * m, 2 * n, rows));
        let own = &layout.structure;
        let structure = Structure::new(top.clone(), rows.clone()).softened(own.softness()).solved_by(own.choice());
        Doubled {
            position,
            mass: vec![0.0; if own.softness() > 0.0 { top.len() } else { 0 }],
            top: vec![0.0; top.len()],
            rows: vec![0.0; rows.len()],
            border: vec![0.0; rows.len()],
            rhs: vec![0.0; 2 * (n + m)],
            kkt: Kkt::new(&Arc::new(structure)),
        }
    }
}

impl Way for Doubled {
    fn needs_gamma(&self) -> bool {
        true
    }

    fn factor(&mut self, step: &Numbers, blocks: &Blocks) -> Result<(), Singular> {
        let Numbers { layout, c_m, h, .. } = *step;
        let Coefficients { beta, gamma, .. } = *step.coefficients;
        if step.filtered {
            factor_position(&mut self.position, step, blocks, &[])?;
        }
        let (mut out, mut masses) = (self.top.iter_mut(), self.mass.iter_mut());
        let mut push = |mass: f64, damping: f64, stiffness: f64| {
            if let Some(out) = out.next() {
                let apart = masses.next().map(|out| *out = mass).is_some();
                *out = if apart { damping + stiffness } else { mass + damping + stiffness };
            }
        };
        for i in 0..layout.top.rows() {
            for (_, e) in layout.top.row(i) {
                let damping = gamma * h * blocks.damping[e];
                push(c_m * blocks.mass[e], damping, beta * h * h * blocks.stiffness[e]);
                push(0.0, damping, 0.0);
            }
            layout.top.row(i).for_each(|(_, e)| push(c_m * blocks.mass[e], 0.0, 0.0));
        }
        let (sign, border) = blocks.border();
        // Blocks that a system does not need are empty.
        let value = |block: &[f64], e: usize| block.get(e).copied().unwrap_or(0.0);
        let mut out = self.rows.iter_mut().zip(&mut self.border);
        let mut push = |row: f64, border: f64| out.next().into_iter().for_each(|(r, b)| (*r, *b) = (row, border));
        for i in 0..layout.rows.rows() {
            for (_, e) in layout.rows.row(i) {
                let along = beta * h / gamma * value(&blocks.rows_q, e) + h * value(&blocks.turn, e);
                push(blocks.c_v[e] + along, sign * border[e]);
            }
            for (_, e) in layout.rows.row(i) {
                push(beta * h / gamma * value(&blocks.velocity_q, e) - h * value(&blocks.turn, e), 0.0);
                push(blocks.c_v[e], sign * border[e]);
            }
        }
        let rows = [(1.0, &self.rows[..])];
        let top = [(1.0, &self.mass[..]), (1.0, &self.top[..])];
        let top = if self.mass.is_empty() { &top[1..] } else { &top[..] };
        self.kkt.factor(Bordered { top, border: (1.0, &self.border), rows: &rows, corner: None })
    }

    fn correct(&mut self, _: &Numbers, _: &Blocks, tilde: &mut [f64], plain: &mut [f64]) {
        subtract(plain, tilde);
        for (pair, (p, d)) in self.rhs.chunks_exact_mut(2).zip(tilde.iter().zip(&*plain)) {
            (pair[0], pair[1]) = (*p, *d);
        }
        self.kkt.solve(&mut self.rhs);
        for (pair, (p, d)) in self.rhs.chunks_exact(2).zip(tilde.iter_mut().zip(&mut *plain)) {
            (*p, *d) = (pair[0], pair[1]);
        }
        add(plain, tilde);
    }

    fn position(&mut self) -> &mut Kkt {
        &mut self.position
    }

    fn work(&self) -> LinearWork {
        self.kkt.work() + self.position.work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::SolverChoice;
    use crate::system::{Dims, Patterns, Redundancy};

    #[test]
    fn the_solver_is_the_one_chosen() {
        let rows = Pattern::from_entries(10, 30, (0..10).map(|i| (i, 3 * i)));
        let dims = Dims { q: 30, v: 30, lambda: 10, psi: 0 };
        for (choice, expected) in
            [(SolverChoice::Automatic, true), (SolverChoice::Dense, false), (SolverChoice::Sparse, true)]
        {
            let layout = Layout::sparse(dims, Patterns::new([], rows.clone())).suited_to(Redundancy::Refused, choice);
            let doubled = Doubled::new(&layout, Kkt::new(&layout.structure));
            assert_eq!(doubled.kkt.is_sparse(), expected);
        }
    }
}
