//! Steps away from a configuration along motions that its constraints allow to first order, closed again.

use super::EXACT;
use super::place::Place;
use super::search::Search;
use crate::analysis::block::Block;
use crate::mechanism::Mechanism;

/// Lengths of the steps, in sizes of the mechanism times the root of the number of bodies.
const STEPS: [f64; 2] = [0.05, 0.0125];
/// Random directions.
const DIRECTIONS: u64 = 3;
/// The share of a step that must be left after closing.
const LEFT: f64 = 0.1;

/// Configurations beside the start, on its branches of motion.
pub(crate) fn walk(mechanism: &Mechanism, block: &Block, weights: &[f64]) -> Vec<Vec<f64>> {
    let search = Search::new(mechanism).without_held();
    let from = Place::new(&search, mechanism.guess().q.clone());
    let motions = block.qr.motions();
    let mut reached = Vec::new();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut uniform = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    for _ in 0..DIRECTIONS {
        let mut dx = vec![0.0; weights.len()];
        for i in 0..motions.rows() {
            let share = uniform();
            block.columns.iter().zip(motions.row(i)).for_each(|(j, m)| dx[*j] += share * m / weights[*j].sqrt());
        }
        let length = search.norm(&dx).max(f64::MIN_POSITIVE);
        for step in STEPS {
            let step = step * search.size * (search.nodes.len() as f64).sqrt();
            let scaled: Vec<f64> = dx.iter().map(|x| x * step / length).collect();
            let mut place = from.advanced(&search, &scaled);
            let gap = search.newton(&mut place);
            if gap < EXACT * search.size && search.norm(&place.away(&from, &search)) > LEFT * step {
                reached.push(place.q);
                break;
            }
        }
    }
    reached
}
