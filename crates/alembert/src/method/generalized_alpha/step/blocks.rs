//! Blocks of Newton's matrix, and the values of a step that they are made from.

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::equations::{Equations, Layout, Mass};
use crate::linear::Term;
use crate::method::StepFailure;
use crate::method::matrix::negate_sum;
use crate::system::Point;
use crate::turns::Turns;

#[derive(Default)]
pub(super) struct Iterate {
    pub a_tilde: Vec<f64>,
    pub a: Vec<f64>,
    pub mu_tilde: Vec<f64>,
    pub mu: Vec<f64>,
}

/// How much is known of an iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    Nothing,
    /// q and v.
    Place,
    /// Residuals of both halves.
    Residuals,
}

/// Values at the iterate.
#[derive(Default)]
pub(super) struct Evaluated {
    pub dx: Vec<f64>,
    pub q: Vec<f64>,
    /// For nonholonomic constraints only.
    pub v_tilde: Vec<f64>,
    pub v: Vec<f64>,
    /// G above K.
    pub c_v: Vec<f64>,
    /// -(R~ ; c~) and -(R ; c); then the corrections of (a~ ; mu~) and (a ; mu).
    pub tilde: Vec<f64>,
    pub plain: Vec<f64>,
}

/// Blocks of Newton's matrix, n by n unless said otherwise: values of the system's patterns.
#[derive(Default)]
pub(super) struct Blocks {
    /// M_{1+al}, and M_al where that is another; made when first needed.
    pub mass: Mass,
    pub mass_al: Vec<f64>,
    /// Whether M is constant and `mass` is it.
    pub mass_is_known: bool,
    pub damping: Vec<f64>,
    pub stiffness: Vec<f64>,
    /// Gamma T, lambda by n; made when first needed.
    pub velocity_q: Vec<f64>,
    /// (0 ; k_q T), m by n; empty without nonholonomic constraints.
    pub rows_q: Vec<f64>,
    /// (G (T - I)/h ; 0), m by n; empty without rotations, and between factorisations where solving takes nothing but factors.
    pub turn: Vec<f64>,
    /// T of the increment where the blocks were taken, none without rotations, and h there.
    pub turns: Option<Turns>,
    pub turned_in: f64,
    /// Transposed, m by n; empty for the standard reaction, which is that of -C.
    pub r_mu: Vec<f64>,
    pub c_v: Vec<f64>,
    /// Room, taken when first needed.
    pub work: Vec<f64>,
    pub damped: bool,
}

impl Blocks {
    /// The transpose of r_mu.
    pub fn border(&self) -> Term<'_> {
        if self.r_mu.is_empty() { (-1.0, &self.c_v) } else { (1.0, &self.r_mu) }
    }

    /// Room for the blocks of a system.
    pub fn new(equations: &Equations) -> Self {
        let (dims, layout) = (equations.dims(), equations.layout());
        let zeros = |len: usize| vec![0.0; len];
        let (top, rows) = (layout.top.len(), layout.rows.len());
        Blocks {
            mass: equations.room_for_mass(),
            mass_al: Vec::new(),
            mass_is_known: false,
            damping: zeros(top),
            stiffness: zeros(top),
            velocity_q: Vec::new(),
            rows_q: zeros(if dims.psi > 0 { rows } else { 0 }),
            turn: Vec::new(),
            turns: (!equations.space().is_flat()).then(|| Turns::new(equations.space(), dims.v)),
            turned_in: 1.0,
            r_mu: zeros(if equations.has_standard_reaction() { 0 } else { rows }),
            c_v: zeros(rows),
            work: Vec::new(),
            damped: false,
        }
    }

    /// Everything but M and Gamma at a point of the step, `dx` from its start.
    pub fn evaluate(
        &mut self,
        equations: &mut Equations,
        layout: &Layout,
        h: f64,
        at: &Evaluated,
        point: Point,
    ) -> Result<(), StepFailure> {
        let (t, holonomic) = (point.t, layout.holonomic.len());
        self.c_v.copy_from_slice(&at.c_v);
        if let Some(k_q) = self.rows_q.get_mut(holonomic..) {
            equations.nonholonomic_q(t, &at.q, &at.v, k_q)?;
        }
        if !self.r_mu.is_empty() {
            let (w_v, k_v) = self.c_v.split_at(holonomic);
            equations.reaction_mu(point, w_v, k_v, &mut self.r_mu)?;
        }
        equations.force_q(t, &at.q, &at.v, &mut self.stiffness)?;
        // Nobody needs the damping until it is written anew.
        equations.reaction_q(point, &mut self.damping)?;
        negate_sum(&mut self.stiffness, &self.damping);
        equations.force_v(t, &at.q, &at.v, &mut self.damping)?;
        if equations.reaction_sees_velocities() {
            self.work.resize(self.damping.len(), 0.0);
            equations.reaction_v(point, &mut self.work)?;
            negate_sum(&mut self.damping, &self.work);
        } else {
            self.damping.iter_mut().for_each(|d| *d = -*d);
        }
        self.damped = self.damping.iter().any(|d| *d != 0.0);
        if let Some(turns) = &mut self.turns {
            turns.tangent(&at.dx);
            turns.turn_columns(&layout.top, &mut self.stiffness);
            if !self.rows_q.is_empty() {
                turns.turn_columns(&layout.rows, &mut self.rows_q);
            }
            self.turned_in = h;
        }
        Ok(())
    }

    /// The turn of the blocks, if there is room for it.
    pub fn make_turn(&mut self, layout: &Layout) {
        let Some(turns) = self.turns.as_ref().filter(|_| !self.turn.is_empty()) else { return };
        let (g_q, (turn, rest)) = (&self.c_v, self.turn.split_at_mut(layout.holonomic.len()));
        rest.fill(0.0);
        turn.copy_from_slice(&g_q[..turn.len()]);
        turns.turn_columns(&layout.holonomic, turn);
        // The turn grows with h: per unit of h it serves other steps as well.
        for (turn, g_q) in turn.iter_mut().zip(g_q) {
            *turn = (*turn - g_q) / self.turned_in;
        }
    }
}

impl Keep for Blocks {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let Blocks { mass, damping, stiffness, velocity_q, rows_q, turns, turned_in, r_mu, c_v, damped, .. } = self;
        mass.keep(archive)?;
        for block in [damping, stiffness, rows_q, r_mu, c_v] {
            block.keep(archive)?;
        }
        velocity_q.keep(archive)?;
        turns.iter_mut().try_for_each(|turns| turns.keep(archive))?;
        turned_in.keep(archive)?;
        damped.keep(archive)
    }
}
