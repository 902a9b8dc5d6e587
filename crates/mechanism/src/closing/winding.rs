//! Whole turns of planar bodies, which nothing but angles sees: they are made before the search, not one step after the other.
//!
//! Angles of planar bodies count their turns, and a start or a driver may ask for any number of them. From the ground on, each body that a row
//! of angles ties to one in place is turned by the whole turns that are missing; what is left is less than one.

use std::f64::consts::TAU;

use super::place::Place;
use super::search::Search;
use crate::expansion::{Expansion, Order};
use crate::row::Row;
use crate::support::Support;

impl Place {
    /// The same with whole turns made.
    pub fn wound(mut self, search: &Search) -> Self {
        let mut in_place = vec![false; search.nodes.len()];
        in_place[0] = true;
        let mut waiting = search.turning();
        while !waiting.is_empty() {
            let next = waiting.iter().position(|(support, _)| support.nodes.iter().any(|node| in_place[*node]));
            let (support, row) = waiting.remove(next.unwrap_or(0));
            self.wind(search, (&support, &row), &in_place);
            support.nodes.iter().for_each(|node| in_place[*node] = true);
        }
        self
    }

    /// Turns the last body of a row that is not in place.
    fn wind(&mut self, search: &Search, (support, row): (&Support, &Row), in_place: &[bool]) {
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        support.locate(&self.poses, &mut z);
        row.expand(search.mechanism.guess().t, &z, Order::Gradient, &mut sum);
        let mut free = z.iter().zip(&sum.gradient).map(|(z, by)| (support.nodes[z.slot], by[2]));
        let Some((node, by)) = free.rfind(|(node, by)| !in_place[*node] && *by != 0.0) else { return };
        let turns = (sum.value / (TAU * by)).trunc();
        if turns.is_finite() && turns != 0.0 {
            let at = search.nodes[node];
            self.q[at.q + 2] -= TAU * turns;
            at.place(&self.q, &mut self.poses[node]);
        }
    }
}
