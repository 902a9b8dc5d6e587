//! Whether every motion of a mechanism meets some inertia: otherwise nothing says how it goes on.
//!
//! ```text
//! (M ; G ; K) x = 0  for no x but zero
//! ```
//!
//! A body without mass may well be guided by its joints, and a thin rod has no inertia about its axis that a hinge across it would
//! miss. M consists of the blocks of single nodes and has no negative eigenvalues: x is made of null vectors of such blocks, and only
//! those whose constraints have something in common are looked at together. So mechanisms of every size are looked at, and none where every body
//! has what it needs.

use std::collections::BTreeMap;

use alembert::{At, ConstrainedSystem, Quantity};

use crate::analysis::dense::{Dense, PivotedQr};
use crate::analysis::graph::Union;
use crate::error::{BuildError, Fault};
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// Most null vectors that are looked at together: the matrix is dense. Beyond, the start of a run refuses them, by the coordinate.
const MOST: usize = 300;
/// Rows shorter than this beside the others follow from them.
const DEPENDENT: f64 = 1e-10;
/// Inertia below this share of the largest of a body is none.
const NONE: f64 = 1e-14;

/// A motion of one node alone that meets no inertia.
struct Idle {
    node: usize,
    /// Along its columns, times the roots of their weights.
    motion: Vec<f64>,
    /// What it does to constraints, of unit rows.
    seen: BTreeMap<usize, f64>,
}

impl Mechanism {
    /// Whether a node has no inertia in some direction.
    fn lacks_inertia(&self, node: usize) -> bool {
        let (kind, inertia) = (self.assembly.nodes()[node].kind, self.assembly.inertia(node));
        let m = &inertia.moments;
        let largest = m.iter().flatten().fold(0.0_f64, |max, x| max.max(x.abs()));
        let whole = crate::algebra::dot(&m[0], &crate::algebra::cross(&m[1], &m[2]));
        match kind {
            Kind::Ground | Kind::Number => false,
            Kind::Particle | Kind::PlanarParticle => inertia.mass == 0.0,
            Kind::Planar => inertia.mass == 0.0 || m[2][2] == 0.0,
            Kind::Spatial => inertia.mass == 0.0 || whole <= NONE * largest.powi(3),
        }
    }

    /// Motions of single nodes without inertia.
    fn idle(&self) -> Vec<Idle> {
        let (nodes, dims, guess) = (self.assembly.nodes(), self.assembly.dims(), self.guess());
        let Some(patterns) = &self.assembly.description().patterns else { return Vec::new() };
        let at = At::new(guess.t, &guess.q, &guess.v);
        let (top, rows) = (&patterns.top, &patterns.rows);
        let ask = |quantity: Quantity, count: usize| {
            let mut values = vec![0.0; count];
            let _supplied = self.assembly.ask(quantity, &at, &mut values);
            values
        };
        let split = rows.start(dims.lambda);
        let mass = ask(Quantity::Mass, top.len());
        let mut constraints = ask(Quantity::HolonomicQ, split);
        constraints.extend(ask(Quantity::NonholonomicV, rows.len() - split));
        let roots: Vec<f64> = self.weights().iter().map(|w| w.sqrt()).collect();
        // Which constraints see a column, and how, of rows that have unit length.
        let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); dims.v];
        for i in 0..dims.constraints() {
            let scaled = || rows.row(i).map(|(j, e)| (j, constraints[e] / roots[j]));
            let length = scaled().map(|(_, x)| x * x).sum::<f64>().sqrt();
            scaled().filter(|_| length > 0.0).for_each(|(j, x)| columns[j].push((i, x / length)));
        }
        let mut all = Vec::new();
        let without = |node: &usize| nodes[*node].kind == Kind::Number || self.lacks_inertia(*node);
        for node in (0..nodes.len()).filter(without) {
            let own = nodes[node].columns();
            let mut block = Dense { columns: own.len(), values: Vec::new() };
            for i in own.clone() {
                let entry = |j: usize| top.position(i, j).map_or(0.0, |e| mass[e] / roots[j]);
                let row: Vec<f64> = own.clone().map(entry).collect();
                let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                let length = if length > 0.0 { length } else { 1.0 };
                block.values.extend(row.iter().map(|x| x / length));
            }
            let motions = PivotedQr::new(block, DEPENDENT).motions();
            for motion in (0..motions.rows()).map(|i| motions.row(i).to_vec()) {
                let mut seen = BTreeMap::new();
                for (j, y) in own.clone().zip(&motion) {
                    columns[j].iter().for_each(|(i, x)| *seen.entry(*i).or_insert(0.0) += x * y);
                }
                seen.retain(|_, x: &mut f64| x.abs() > DEPENDENT);
                all.push(Idle { node, motion, seen });
            }
        }
        all
    }

    /// Refuses a mechanism with a motion that has no inertia.
    pub(crate) fn check_determined(&self) -> Result<(), BuildError> {
        let nodes = self.assembly.nodes();
        if !(0..nodes.len()).any(|node| self.lacks_inertia(node)) {
            return Ok(());
        }
        let idle = self.idle();
        let mut groups = Union::new(idle.len());
        let mut first = BTreeMap::new();
        for (k, idle) in idle.iter().enumerate() {
            idle.seen.keys().for_each(|row| groups.join(k, *first.entry(*row).or_insert(k)));
        }
        // How far each column of a node goes in what no constraint sees either.
        let mut free: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for group in groups.groups().into_iter().filter(|group| group.len() <= MOST) {
            let mut places = BTreeMap::new();
            group.iter().flat_map(|k| idle[*k].seen.keys()).for_each(|row| _ = places.insert(*row, 0));
            places.values_mut().enumerate().for_each(|(place, row)| *row = place);
            let mut seen = Dense::zeros(places.len(), group.len());
            for (column, k) in group.iter().enumerate() {
                idle[*k].seen.iter().for_each(|(row, x)| seen.row_mut(places[row])[column] = *x);
            }
            let unseen = PivotedQr::new(seen, DEPENDENT).motions();
            for combination in (0..unseen.rows()).map(|i| unseen.row(i)) {
                let mut moves: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
                for (share, Idle { node, motion, .. }) in combination.iter().zip(group.iter().map(|k| &idle[*k])) {
                    let sum = moves.entry(*node).or_insert_with(|| vec![0.0; motion.len()]);
                    sum.iter_mut().zip(motion).for_each(|(sum, y)| *sum += share * y);
                }
                for (node, motion) in moves {
                    let most = free.entry(node).or_insert_with(|| vec![0.0; motion.len()]);
                    most.iter_mut().zip(motion).for_each(|(most, y)| *most = most.max(y.abs()));
                }
            }
        }
        for (node, motion) in free.into_iter().filter(|(node, _)| self.lacks_inertia(*node)) {
            let [shifts, turns] = nodes[node].kind.columns();
            let largest = (0..motion.len()).max_by(|i, j| motion[*i].total_cmp(&motion[*j]));
            let Some(j) = largest.filter(|j| motion[*j] > DEPENDENT.sqrt()) else { continue };
            let what = match (j.checked_sub(shifts), turns) {
                (None, _) => "mass",
                (Some(_), 1) => "inertia",
                (Some(0), _) => "inertia about x",
                (Some(1), _) => "inertia about y",
                (Some(_), _) => "inertia about z",
            };
            let name = self.bodies().nth(node - 1).map(|(_, name)| name.to_owned()).unwrap_or_default();
            return Err(BuildError { name, fault: Fault::Undetermined(what) });
        }
        Ok(())
    }
}
