//! A force on a joint coordinate by a law: springs, dampers, motors, stops.
//!
//! ```text
//! x_m(z) coordinates, x_0 the one that is pulled:    F_k = Q x_0,z_k,   Q = Q(t, x, x')
//! dF_k/dz_l  = Q x_0,zz + x_0,z_k sum_m (Q_x_m x_m,z_l + Q_x'_m d(x_m')/dz_l)
//! dF_k/dz'_l = x_0,z_k sum_m Q_x'_m x_m,z_l
//! ```

use std::sync::Arc;

use super::{Load, Loading, Room};
use crate::algebra::{Vector, add, outer};
use crate::attached::Located;
use crate::expansion::{Block, Coupling, Order};
use crate::law::{Law, LawDerivatives, Powers};
use crate::row::{Level, Row};

/// A coordinate that a law knows.
#[derive(Debug)]
struct Measured {
    /// The coordinate and its rate; of a nonholonomic row only the rate.
    row: Row,
    /// The vectors that it depends on.
    touched: Box<[usize]>,
}

/// Q on the first of some coordinates.
#[derive(Debug)]
pub(crate) struct OnCoordinate {
    coordinates: Vec<Measured>,
    law: Arc<dyn Law>,
}

impl OnCoordinate {
    /// A law of some coordinates, which acts on the first.
    pub fn new(coordinates: Vec<Row>, law: Arc<dyn Law>) -> Self {
        let measured = |row: Row| {
            let mut touched: Vec<usize> = row.components().map(|(k, _)| k).collect();
            touched.sort_unstable();
            touched.dedup();
            Measured { row, touched: touched.into() }
        };
        OnCoordinate { coordinates: coordinates.into_iter().map(measured).collect(), law }
    }

    /// Coordinates and rates.
    fn measure(&self, t: f64, z: &[Located], order: Order, room: &mut Room) {
        room.x.clear();
        room.rates.clear();
        for (Measured { row, .. }, expansion) in self.coordinates.iter().zip(&mut room.rows) {
            row.expand(t, z, order.max(Order::Gradient), expansion);
            let rate = expansion.rate(z);
            let (x, rate) = match row.level {
                Level::Position => (expansion.value, rate + expansion.t),
                Level::Velocity => (f64::NAN, rate + expansion.value),
            };
            room.x.push(x);
            room.rates.push(rate);
        }
    }
}

impl Load for OnCoordinate {
    fn couplings(&self) -> Vec<(usize, usize)> {
        let Some(pulled) = self.coordinates.first() else { return Vec::new() };
        let all = || self.coordinates.iter().flat_map(|measured| measured.touched.iter());
        let pairs = pulled.touched.iter().flat_map(|k| all().map(|l| (*k, *l)));
        pairs.chain(pulled.row.couplings()).collect()
    }

    fn switches(&self) -> bool {
        self.law.switches()
    }

    fn switch(&self, t: f64, z: &[Located], room: &mut Room) -> Option<f64> {
        self.measure(t, z, Order::Gradient, room);
        self.law.switch(&room.x)
    }

    fn measures(&self) -> usize {
        self.coordinates.len()
    }

    fn evaluate(&self, t: f64, z: &[Located], out: &mut Loading, room: &mut Room) {
        let order = if out.derivatives { Order::Coupling } else { Order::Gradient };
        self.measure(t, z, order, room);
        let n = if out.derivatives { self.coordinates.len() } else { 0 };
        for by in [&mut room.by_x, &mut room.by_rates] {
            by.clear();
            by.resize(n, 0.0);
        }
        let by = LawDerivatives { x: &mut room.by_x, rates: &mut room.by_rates };
        let force = match self.law.switch(&room.x) {
            Some(value) => {
                let branch = if room.held.is_nan() { value } else { room.held };
                self.law.force_on(branch, t, &room.x, &room.rates, by)
            }
            None => self.law.force(t, &room.x, &room.rates, by),
        };
        let Some(pulled) = room.rows.first() else { return };
        for (out, gradient) in out.force.iter_mut().zip(&pulled.gradient) {
            add(out, force, gradient);
        }
        if !out.derivatives {
            return;
        }
        for Coupling { k, l, block } in &pulled.couplings {
            out.couple(*k, *l, block.scaled(force));
        }
        let Room { rows, along, by_x, by_rates, .. } = room;
        for (m, measured) in self.coordinates.iter().enumerate() {
            rows[m].along(z, along);
            for &k in &self.coordinates[0].touched {
                let pull = rows[0].gradient[k];
                for &l in &measured.touched {
                    let mut by_z: Vector = [0.0; 3];
                    add(&mut by_z, by_x[m], &rows[m].gradient[l]);
                    add(&mut by_z, by_rates[m], &along[l]);
                    out.couple(k, l, Block::Full(outer(&pull, &by_z)));
                    out.couple_rate(k, l, Block::Full(outer(&pull, &rows[m].gradient[l])).scaled(by_rates[m]));
                }
            }
        }
    }

    fn powers(&self, t: f64, z: &[Located], _: &mut Loading, room: &mut Room) -> Powers {
        self.measure(t, z, Order::Gradient, room);
        self.law.energy(t, &room.x, &room.rates)
    }
}
