//! How both halves of a step are solved together: three ways behind one trait, each with its own matrices.
//!
//! | Way | matrices | what lags behind by an iteration |
//! |---|---|---|
//! | [`OneMatrix`] | that of the position half, two columns | gamma h D w, beta h^2 S w, E x |
//! | [`InTurn`] | both, in turn | nothing where blocks are dense; beta h^2 D N Gamma x otherwise |
//! | [`Doubled`] | one of twice the size | nothing |
//!
//! The formulas are in [`problem`](super::problem), the choice is the [`Ladder`]'s. Every way has the matrix of the position half where
//! errors are estimated, which are filtered with it.

mod doubled;
mod in_turn;
mod ladder;
mod one_matrix;

use super::blocks::Blocks;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Layout;
use crate::linear::{Bordered, Kkt, LinearWork, Singular};
use crate::method::generalized_alpha::{Coefficients, Coupling};
use doubled::Doubled;
use in_turn::InTurn;
use ladder::{Ladder, Rung};
use one_matrix::OneMatrix;

/// What a way has to know of a step.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub layout: &'a Layout,
    pub coefficients: &'a Coefficients,
    pub c_m: f64,
    pub h: f64,
    /// Whether there is a difference half.
    pub split: bool,
    /// Whether errors are estimated, for which the position half's factors are needed.
    pub filtered: bool,
}

/// A way to correct both halves.
pub(super) trait Way: Keep + Send {
    /// Whether Gamma must be among the blocks.
    fn needs_gamma(&self) -> bool;

    /// Factors new blocks.
    fn linearize(&mut self, step: &Numbers, blocks: &mut Blocks) -> Result<(), Singular> {
        self.factor(step, blocks)
    }

    /// Factors the blocks of an earlier point for another h.
    fn factor(&mut self, step: &Numbers, blocks: &Blocks) -> Result<(), Singular>;

    /// Replaces -(R~ ; c~) and -(R ; c) by the corrections of (a~ ; mu~) and (a ; mu).
    fn correct(&mut self, step: &Numbers, blocks: &Blocks, tilde: &mut [f64], plain: &mut [f64]);

    /// The matrix of the position half.
    fn position(&mut self) -> &mut Kkt;

    /// Factorisations and solves so far.
    fn work(&self) -> LinearWork;
}

/// The way that is taken, and the ladder that chooses it.
pub(super) struct Ways {
    ladder: Ladder,
    way: Box<dyn Way>,
    /// The rung of the way: that of the ladder at the last linearisation.
    rung: Rung,
    /// Ways that were left, by their rungs: hard and easy steps take turns, and a way that comes back finds its memory.
    left: [Option<Box<dyn Way>>; 3],
    /// What matrices have cost that are no longer there.
    past: LinearWork,
    layout: Layout,
}

impl Keep for Ways {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut rung = self.rung as usize;
        // Only what the ways that were left have cost is worth keeping.
        self.past = self.past + self.cost_of_left();
        self.left = Default::default();
        keep!(archive; self.ladder, rung, self.past)?;
        self.follow(Rung::from_number(rung).ok_or(BadCheckpoint::Corrupt)?);
        self.left = Default::default();
        self.way.keep(archive)
    }
}

impl Ways {
    pub fn new(coupling: Coupling, layout: &Layout, split: bool) -> Self {
        let ladder = Ladder::new(coupling, layout.is_dense(), split);
        let rung = ladder.rung();
        let way = make(rung, layout, Kkt::new(&layout.structure).without_pivots());
        Ways { ladder, way, rung, left: Default::default(), past: LinearWork::default(), layout: layout.clone() }
    }

    /// Chooses a way by how strong the dampers are beside the masses.
    pub fn choose(&mut self, step: &Numbers, blocks: &Blocks) {
        let Numbers { layout, coefficients, c_m, h, .. } = *step;
        let share = if blocks.damped && !layout.is_dense() {
            (0..layout.top.rows()).fold(0.0_f64, |max, i| {
                let row = layout.top.start(i)..layout.top.start(i + 1);
                let sum = |x: &[f64]| x[row.clone()].iter().map(|x| x.abs()).sum::<f64>();
                let mass = (c_m * sum(&blocks.mass)).max(f64::MIN_POSITIVE);
                max.max(coefficients.gamma * h * sum(&blocks.damping) / mass)
            })
        } else {
            0.0
        };
        self.ladder.damped(share);
        self.follow(self.ladder.rung());
    }

    /// Takes the way of a rung. New blocks are factored by it before it is used.
    fn follow(&mut self, rung: Rung) {
        if rung == self.rung {
            return;
        }
        let next = self.left[rung as usize].take();
        let next = next.unwrap_or_else(|| make(rung, &self.layout, Kkt::new(&self.layout.structure).without_pivots()));
        let before = std::mem::replace(&mut self.way, next);
        self.left[self.rung as usize] = Some(before);
        self.rung = rung;
    }

    fn cost_of_left(&self) -> LinearWork {
        self.left.iter().flatten().fold(LinearWork::default(), |sum, way| sum + way.work())
    }

    /// Factors new blocks.
    pub fn linearize(&mut self, step: &Numbers, blocks: &mut Blocks) -> Result<(), Singular> {
        self.way.linearize(step, blocks)
    }

    /// Factors the blocks there are for another h.
    pub fn factor(&mut self, step: &Numbers, blocks: &mut Blocks) -> Result<(), Singular> {
        self.way.factor(step, blocks)
    }

    /// The way that was chosen.
    pub fn way(&mut self) -> &mut dyn Way {
        &mut *self.way
    }

    /// A costlier way from now on, if there is one.
    pub fn climb(&mut self) -> bool {
        self.ladder.climb()
    }

    /// Learns what a solution took; whether another way comes next.
    pub fn learn(&mut self, iterations: usize) -> bool {
        self.ladder.learn(iterations)
    }

    /// Factorisations and solves so far.
    pub fn work(&self) -> LinearWork {
        self.way.work() + self.cost_of_left() + self.past
    }
}

/// The way of a rung; `position` has room for the position half's matrix.
fn make(rung: Rung, layout: &Layout, position: Kkt) -> Box<dyn Way> {
    match rung {
        Rung::One => Box::new(OneMatrix::new(position)),
        Rung::Two => Box::new(InTurn::new(layout, position)),
        Rung::Doubled => Box::new(Doubled::new(layout, position)),
    }
}

/// Factors `c_m M + gamma h D + beta h^2 (S T - D Y)` with its borders; D Y may be empty.
fn factor_position(kkt: &mut Kkt, step: &Numbers, blocks: &Blocks, damping_y: &[f64]) -> Result<(), Singular> {
    let (h, Coefficients { beta, gamma, .. }) = (step.h, *step.coefficients);
    let top = [
        (step.c_m, &blocks.mass[..]),
        (gamma * h, &blocks.damping),
        (beta * h * h, &blocks.stiffness),
        (-beta * h * h, damping_y),
    ];
    kkt.factor(Bordered {
        top: if damping_y.is_empty() { &top[..3] } else { &top },
        border: blocks.border(),
        rows: &[(1.0, &blocks.c_v), (beta * h / gamma, &blocks.rows_q), (h, &blocks.turn)],
        corner: None,
    })
}

fn add(to: &mut [f64], d: &[f64]) {
    to.iter_mut().zip(d).for_each(|(to, d)| *to += d);
}

fn subtract(from: &mut [f64], d: &[f64]) {
    from.iter_mut().zip(d).for_each(|(from, d)| *from -= d);
}
