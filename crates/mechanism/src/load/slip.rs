//! Friction between two surfaces that are pressed together, smooth where they come to rest:
//!
//! ```text
//! u_c = r_c x_c'        slip in m/s along each coordinate x_c of a joint, r_c its lever: a radius for angles, 1 for displacements
//! d_c = r_c u_c/V       V = sqrt(sum u^2 + v_s^2)
//! F_k = -P sum_c d_c x_c,z_k                                           P the coefficient of friction times what presses
//! dF_k/dz'_l = -P sum_ce d_ce x_c,z_k x_e,z_l                          d_ce = r_c r_e (delta_ce/V - u_c u_e/V^3)
//! dF_k/dz_l  = -P sum_c (d_c x_c,zz + x_c,z_k sum_e d_ce d(x_e')/dz_l)
//! ```
//!
//! P is a constant here, or what an assembly makes of multipliers; see [`Pressed`].

use super::{Load, Loading, Room};
use crate::algebra::{add, outer, scaled};
use crate::attached::Located;
use crate::expansion::{Block, Coupling, Order};
use crate::law::Powers;
use crate::row::{Level, Row};

/// A joint has at most so many coordinates.
const MOST: usize = 3;

/// What friction acts on.
#[derive(Debug)]
struct Sliding {
    row: Row,
    lever: f64,
    touched: Box<[usize]>,
}

/// Friction along some coordinates.
#[derive(Debug)]
pub(crate) struct Slip {
    coordinates: Vec<Sliding>,
    /// v_s.
    speed: f64,
    /// P, but for what multipliers add to it.
    constant: f64,
}

/// P = mu N, N = n^2/sqrt(n^2 + floor^2), n^2 = sum (w lambda)^2: what the reactions of a joint press with.
#[derive(Clone, Debug)]
pub(crate) struct Pressed {
    pub mu: f64,
    /// A force so small that it does not matter: P is smooth where nothing presses.
    pub floor: f64,
    /// The constraint.
    pub constraint: usize,
    /// w of each of its rows.
    pub weights: Box<[f64]>,
}

impl Pressed {
    /// P, and its derivative by a multiplier over w^2 lambda, from the multipliers of the rows.
    pub fn pressure(&self, lambda: impl Iterator<Item = f64>) -> (f64, f64) {
        let square: f64 = self.weights.iter().zip(lambda).map(|(w, x)| (w * x) * (w * x)).sum();
        let whole = square + self.floor * self.floor;
        let size = whole.sqrt();
        (self.mu * square / size, self.mu * (2.0 - square / whole) / size)
    }
}

/// Slips and what follows from them.
struct Directions {
    d: [f64; MOST],
    by: [[f64; MOST]; MOST],
    /// sum d_c x_c', which P loses.
    power: f64,
}

impl Slip {
    /// Along coordinates, each with its lever.
    pub fn new(coordinates: Vec<(Row, f64)>, speed: f64, constant: f64) -> Self {
        let sliding = |(row, lever): (Row, f64)| {
            let mut touched: Vec<usize> = row.components().map(|(k, _)| k).collect();
            touched.sort_unstable();
            touched.dedup();
            Sliding { row, lever, touched: touched.into() }
        };
        Slip { coordinates: coordinates.into_iter().take(MOST).map(sliding).collect(), speed, constant }
    }

    fn directions(&self, t: f64, z: &[Located], order: Order, room: &mut Room) -> Directions {
        let mut u = [0.0; MOST];
        for ((u, Sliding { row, lever, .. }), expansion) in u.iter_mut().zip(&self.coordinates).zip(&mut room.rows) {
            row.expand(t, z, order, expansion);
            let explicit = if row.level == Level::Position { expansion.t } else { expansion.value };
            *u = lever * (expansion.rate(z) + explicit);
        }
        let square = u.iter().map(|u| u * u).sum::<f64>() + self.speed * self.speed;
        let size = square.sqrt();
        let mut lever = [0.0; MOST];
        lever.iter_mut().zip(&self.coordinates).for_each(|(lever, of)| *lever = of.lever);
        let mut by = [[0.0; MOST]; MOST];
        for c in 0..MOST {
            for e in 0..MOST {
                let same = if c == e { 1.0 } else { 0.0 };
                by[c][e] = lever[c] * lever[e] * (same - u[c] * u[e] / square) / size;
            }
        }
        let d = [0, 1, 2].map(|c| lever[c] * u[c] / size);
        Directions { d, by, power: u.iter().map(|u| u * u).sum::<f64>() / size }
    }
}

impl Load for Slip {
    fn couplings(&self) -> Vec<(usize, usize)> {
        let touched = || self.coordinates.iter().flat_map(|sliding| sliding.touched.iter().copied());
        let pairs = touched().flat_map(|k| touched().map(move |l| (k, l)));
        pairs.chain(self.coordinates.iter().flat_map(|sliding| sliding.row.couplings())).collect()
    }

    fn measures(&self) -> usize {
        self.coordinates.len()
    }

    fn evaluate(&self, t: f64, z: &[Located], out: &mut Loading, room: &mut Room) {
        let order = if out.derivatives { Order::Coupling } else { Order::Gradient };
        let pressure = self.constant + room.pressure;
        let Directions { d, by, .. } = self.directions(t, z, order, room);
        let Room { rows, along, .. } = room;
        for (row, d) in rows.iter().zip(d).take(self.coordinates.len()) {
            for (out, gradient) in out.force.iter_mut().zip(&row.gradient) {
                add(out, -pressure * d, gradient);
            }
        }
        if !out.derivatives {
            return;
        }
        for (c, sliding) in self.coordinates.iter().enumerate() {
            for Coupling { k, l, block } in &rows[c].couplings {
                out.couple(*k, *l, block.scaled(-pressure * d[c]));
            }
            for (e, other) in self.coordinates.iter().enumerate() {
                rows[e].along(z, along);
                for &k in &sliding.touched {
                    let pull = scaled(-pressure * by[c][e], &rows[c].gradient[k]);
                    for &l in &other.touched {
                        out.couple(k, l, Block::Full(outer(&pull, &along[l])));
                        out.couple_rate(k, l, Block::Full(outer(&pull, &rows[e].gradient[l])));
                    }
                }
            }
        }
    }

    /// Of the constant part alone: what multipliers press with is a reaction, whose work is accounted for elsewhere.
    fn powers(&self, t: f64, z: &[Located], _: &mut Loading, room: &mut Room) -> Powers {
        let Directions { power, .. } = self.directions(t, z, Order::Gradient, room);
        Powers { dissipation: self.constant * power, ..Powers::default() }
    }
}
