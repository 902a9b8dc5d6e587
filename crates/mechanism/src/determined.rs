//! Whether every motion of a mechanism meets some inertia: otherwise nothing says how it goes on.
//!
//! ```text
//! (M ; G ; K) x = 0  for no x but zero
//! ```
//!
//! A body without mass may well be guided by its joints, and a thin rod has no inertia about its axis that a hinge across it would
//! miss. It is looked at only where a body lacks something.

use alembert::{At, ConstrainedSystem, Quantity};

use crate::analysis::dense::{Dense, PivotedQr};
use crate::error::{BuildError, Fault};
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// Larger mechanisms are not looked at: the matrices are dense. The start of a run refuses them then, by the coordinate.
const LARGEST: usize = 900;
/// Rows shorter than this beside the others follow from them.
const DEPENDENT: f64 = 1e-10;
/// Inertia below this share of the largest of a body is none.
const NONE: f64 = 1e-14;

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

    /// Refuses a mechanism with a motion that has no inertia.
    pub(crate) fn check_determined(&self) -> Result<(), BuildError> {
        let (nodes, dims, guess) = (self.assembly.nodes(), self.assembly.dims(), self.guess());
        if dims.v > LARGEST || !(0..nodes.len()).any(|node| self.lacks_inertia(node)) {
            return Ok(());
        }
        let Some(patterns) = &self.assembly.description().patterns else { return Ok(()) };
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
        let weights = self.weights();
        let mut all = Dense { columns: dims.v, values: Vec::new() };
        for (pattern, values, count) in [(top, &mass, dims.v), (rows, &constraints, dims.constraints())] {
            for i in 0..count {
                let mut row = vec![0.0; dims.v];
                pattern.row(i).for_each(|(j, e)| row[j] = values[e] / weights[j].sqrt());
                let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                if length > 0.0 {
                    all.values.extend(row.iter().map(|x| x / length));
                }
            }
        }
        let motions = if all.values.is_empty() {
            // Nothing holds anything: every motion is one.
            let mut unit = Dense::zeros(dims.v, dims.v);
            (0..dims.v).for_each(|i| unit.row_mut(i)[i] = 1.0);
            unit
        } else {
            PivotedQr::new(all, DEPENDENT).motions()
        };
        for (node, place) in nodes.iter().enumerate().filter(|(node, _)| self.lacks_inertia(*node)) {
            let [shifts, turns] = place.kind.columns();
            let motion = |j: usize| (0..motions.rows()).map(|i| motions.row(i)[place.v + j].abs()).fold(0.0, f64::max);
            let largest = (0..shifts + turns).max_by(|i, j| motion(*i).total_cmp(&motion(*j)));
            let Some(j) = largest.filter(|j| motion(*j) > DEPENDENT.sqrt()) else { continue };
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
