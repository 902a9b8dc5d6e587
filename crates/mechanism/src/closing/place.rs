//! A configuration of the search: moving, and measuring how far it is from another one.

use alembert::rotation::{exp, inverse, log, product};

use super::search::Search;
use crate::node::{Kind, Node, Pose};

/// q, and the poses that belong to it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub q: Vec<f64>,
    pub poses: Vec<Pose>,
}

fn four(q: &[f64], node: &Node) -> [f64; 4] {
    [q[node.q + 3], q[node.q + 4], q[node.q + 5], q[node.q + 6]]
}

impl Place {
    pub fn new(search: &Search, q: Vec<f64>) -> Self {
        let poses = search.nodes.iter().map(|node| {
            let mut pose = Pose::HOME;
            node.place(&q, &mut pose);
            pose
        });
        Place { poses: poses.collect(), q }
    }

    /// q o dx.
    pub fn advanced(&self, search: &Search, dx: &[f64]) -> Self {
        let mut q = self.q.clone();
        for node in search.nodes {
            let [shifts, _] = node.kind.columns();
            let first = &dx[node.v.min(dx.len())..];
            (0..shifts).for_each(|i| q[node.q + i] += first[i]);
            match node.kind {
                Kind::Spatial => {
                    let turned = product(&four(&q, node), &exp(&[first[3], first[4], first[5]]));
                    let size = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
                    (0..4).for_each(|i| q[node.q + 3 + i] = turned[i] / size);
                }
                Kind::Planar => q[node.q + 2] += first[2],
                Kind::Ground | Kind::Number | Kind::Particle | Kind::PlanarParticle => {}
            }
        }
        Place::new(search, q)
    }

    /// The increment that leads here from another configuration, of the least turns.
    pub fn away(&self, from: &Place, search: &Search) -> Vec<f64> {
        let mut away = vec![0.0; search.weights.len()];
        for node in search.nodes {
            let [shifts, _] = node.kind.columns();
            (0..shifts).for_each(|i| away[node.v + i] = self.q[node.q + i] - from.q[node.q + i]);
            match node.kind {
                Kind::Spatial => {
                    let turn = log(&product(&inverse(&four(&from.q, node)), &four(&self.q, node)));
                    away[node.v + 3..node.v + 6].copy_from_slice(&turn);
                }
                Kind::Planar => away[node.v + 2] = self.q[node.q + 2] - from.q[node.q + 2],
                Kind::Ground | Kind::Number | Kind::Particle | Kind::PlanarParticle => {}
            }
        }
        away
    }

    /// How far a body with its markers has moved from another configuration, at most.
    pub fn farthest(&self, from: &Place, search: &Search) -> f64 {
        let away = self.away(from, search);
        let mut farthest = 0.0_f64;
        for node in search.nodes.iter().filter(|node| !matches!(node.kind, Kind::Ground | Kind::Number)) {
            let [_, size] = node.kind.sizes();
            let square = (node.v..node.v + size).map(|i| search.weights[i] * away[i] * away[i]).sum::<f64>();
            farthest = farthest.max(square.sqrt());
        }
        farthest
    }

    /// Bodies moved at random, the same in every run: little at first, more later.
    pub fn shaken(&self, search: &Search, trial: usize) -> Self {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(trial as u64 + 1);
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let (turn, shift) = if trial < 7 { (0.3, 0.1) } else { (1.5, 0.45) };
        // The sum of three is near enough to a normal distribution of variance one.
        let mut normal = || uniform() + uniform() + uniform();
        let mut dx = vec![0.0; search.weights.len()];
        for node in search.nodes.iter().filter(|node| !matches!(node.kind, Kind::Ground | Kind::Number)) {
            let [shifts, turns] = node.kind.columns();
            (0..shifts).for_each(|i| dx[node.v + i] = shift * search.size * normal());
            (0..turns).for_each(|i| dx[node.v + shifts + i] = turn * normal());
        }
        self.advanced(search, &dx)
    }
}
