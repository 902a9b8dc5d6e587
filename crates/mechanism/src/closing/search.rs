//! The rows of a mechanism as a system of equations for its configuration.

use std::borrow::Cow;

use super::LARGEST_TURN;
use super::normal::SparseRows;
use super::partial::Replacement;
use super::place::Place;
use crate::algebra::{dot, times};
use crate::attached::What;
use crate::built::BuiltJoint;
use crate::curved::Curved;
use crate::expansion::{Expansion, Order};
use crate::kit::LENGTH;
use crate::mechanism::{Mechanism, Prescribed};
use crate::node::{Kind, Node};
use crate::primitive::SquaredDistance;
use crate::row::{Level, Row};
use crate::support::Support;

/// What a number of a joint counts beside a shift of a body.
const NUMBER: f64 = 1e-6;

/// Which rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Those of the search.
    Relaxed,
    /// Those of the joints.
    True,
}

/// What the search knows.
pub(super) struct Search<'m> {
    pub mechanism: &'m Mechanism,
    pub nodes: &'m [Node],
    /// W, one for each column.
    pub weights: Vec<f64>,
    /// What a way from the drawing counts: less for bodies without a pose.
    pub springs: Vec<f64>,
    /// The farthest marker from a centre of mass.
    pub size: f64,
    /// Values that the start holds: name, support, rows.
    held: Vec<(&'m str, &'m Support, Vec<Row>)>,
    /// Rows of drivers of angles while they are searched for, which have no second solution half a turn away, and of rods whose lengths are
    /// driven: constraint, rows.
    prescribed: Vec<(usize, Vec<Row>)>,
    /// Curves, whose parameters have units of their own.
    pub curves: Vec<Curved<'m>>,
    /// Rows in place of those of some constraints.
    replaced: Vec<Replacement>,
    /// Where each column comes in eliminations.
    pub order: Vec<usize>,
}

impl<'m> Search<'m> {
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let (nodes, weights, size) = (mechanism.assembly.nodes(), mechanism.weights(), mechanism.size());
        let mut weights = weights;
        for node in nodes.iter().filter(|node| node.kind == Kind::Number) {
            // Parameters of curves follow the bodies, not the other way round.
            weights[node.v] *= NUMBER;
        }
        let mut springs = weights.clone();
        for (node, _) in nodes.iter().zip(mechanism.posed()).filter(|(_, posed)| !**posed) {
            springs[node.v..node.v + node.kind.sizes()[1]].iter_mut().for_each(|x| *x *= super::UNPOSED);
        }
        let mut held = Vec::new();
        for start in mechanism.held() {
            if let (Some(value), Some(coordinate)) = (start.value, mechanism.held_coordinate(start)) {
                let joint = &mechanism.joints[start.of.joint];
                held.push((
                    mechanism.name_of(start.of.joint),
                    &coordinate.support,
                    super::held::rows(coordinate, value, joint.length),
                ));
            }
        }
        let angle = |other: &Prescribed| {
            let joint = mechanism.joints.get(other.of.joint)?;
            let coordinate = joint.coordinates().iter().find(|coordinate| coordinate.name == other.of.name)?;
            let [value, ..] = other.law.at(mechanism.guess().t);
            if joint.rod().is_some() {
                // Where the ends of a rod are drawn in one place its length has no gradient, but its square has a value.
                let (_, rows) = mechanism.rows_of(joint.constraint);
                let squared = |row: &Row| match row.name == LENGTH {
                    true => Row::of(LENGTH, SquaredDistance { length: value }, &row.parts[0].vectors),
                    false => row.clone(),
                };
                return (value > 0.0).then(|| (other.constraint, rows.into_iter().map(squared).collect()));
            }
            // What the law is not at the start, the run says.
            value.is_finite().then(|| (other.constraint, super::held::rows(coordinate, value, joint.length)))
        };
        let prescribed = mechanism.prescribed.iter().filter_map(angle).collect();
        let mut search = Search {
            curves: mechanism.curved().collect(),
            mechanism,
            nodes,
            weights,
            springs,
            size,
            held,
            prescribed,
            replaced: Vec::new(),
            order: Vec::new(),
        };
        // Relaxed rows, true ones, and those of the level of velocities stand on the same bodies.
        let constraints = (0..mechanism.named().len()).map(|at| mechanism.assembly.joint_rows(at).0);
        let held = search.held.iter().map(|(_, support, _)| Cow::Borrowed(*support));
        let relaxed =
            mechanism.joints.iter().filter_map(BuiltJoint::relaxed).map(|relaxed| Cow::Borrowed(&relaxed.support));
        let supports = constraints.chain(held).chain(relaxed);
        search.order = SparseRows::order(nodes, supports.map(|support| support.into_owned().nodes));
        search
    }

    /// The same, free of what the start holds.
    pub fn without_held(self) -> Self {
        self.holding(|_| false)
    }

    /// The same with some of the values that the start holds, by their places among them.
    pub fn holding(mut self, keep: impl Fn(usize) -> bool) -> Self {
        let mut at = 0;
        self.held.retain(|_| {
            at += 1;
            keep(at - 1)
        });
        self
    }

    /// The same with other rows of some constraints.
    pub fn replacing(mut self, replaced: Vec<Replacement>) -> Self {
        self.replaced = replaced;
        self
    }

    /// Supports and rows of all joints and drivers, with their names; couplings follow from the closed configuration.
    fn elements(&self, rows: Rows) -> impl Iterator<Item = (&'m str, Cow<'_, Support>, Vec<&Row>)> {
        let mechanism = self.mechanism;
        let replaced = |constraint: usize| self.replaced.iter().find(|other| other.constraint == constraint);
        let prescribed = |constraint: usize| self.prescribed.iter().find(|(of, _)| *of == constraint);
        let of_joints = mechanism.joints.iter().map(move |joint| {
            let (support, rows) = match (rows, replaced(joint.constraint)) {
                (_, Some(other)) => other.rows(rows),
                (Rows::Relaxed, None) => match prescribed(joint.constraint) {
                    Some((_, searched)) => (mechanism.rows_of(joint.constraint).0, searched.iter().collect()),
                    None => mechanism.searched(joint),
                },
                (Rows::True, None) => mechanism.rows_of(joint.constraint),
            };
            (&mechanism.named()[joint.constraint], support, rows)
        });
        let of_drivers = mechanism.drivers.iter().map(move |driver| {
            let name = &mechanism.named()[*driver];
            let (support, own) = match replaced(*driver) {
                Some(other) => other.rows(Rows::True),
                None => mechanism.rows_of(*driver),
            };
            match (rows, prescribed(*driver)) {
                (Rows::Relaxed, Some((_, searched))) => (name, support, searched.iter().collect()),
                _ => (name, support, own),
            }
        });
        let held = self
            .held
            .iter()
            .map(|(name, support, rows)| (*name, Cow::Borrowed(*support), rows.iter().collect::<Vec<_>>()));
        of_joints.chain(of_drivers).chain(held).map(|(name, support, rows): (_, _, Vec<&Row>)| {
            (name, support, rows.into_iter().filter(|row| row.level == Level::Position).collect())
        })
    }

    /// Rows of nothing but angles of planar bodies, with what they stand on.
    pub fn turning(&self) -> Vec<(Cow<'_, Support>, Row)> {
        let all = self.elements(Rows::Relaxed);
        let of_turns = |support: &Support, row: &Row| {
            let mut vectors = row.parts.iter().flat_map(|part| part.vectors.iter()).peekable();
            vectors.peek().is_some() && vectors.all(|z| support.vectors[usize::from(*z)].what == What::Turn)
        };
        let mut found = Vec::new();
        for (_, support, rows) in all {
            let turning = rows.into_iter().filter(|row| of_turns(&support, row));
            found.extend(turning.map(|row| (support.clone(), row.clone())));
        }
        found
    }

    /// g and G.
    pub fn evaluate(&self, rows: Rows, place: &Place) -> (Vec<f64>, SparseRows) {
        let n = self.weights.len();
        let (mut g, mut all, mut out) = (Vec::new(), SparseRows::new(n), vec![0.0; n]);
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        for (_, support, rows) in self.elements(rows) {
            support.locate(&place.poses, &mut z);
            for row in rows {
                row.expand(self.mechanism.guess().t, &z, Order::Gradient, &mut sum);
                g.push(sum.value);
                for (z, gradient) in z.iter().zip(&sum.gradient) {
                    let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
                    z.add_wrench(gradient, &mut force, &mut torque);
                    let node = support.nodes[z.slot];
                    self.nodes[node].add_wrench(&place.poses[node], &force, &torque, &mut out);
                }
                all.push(&mut out, support.nodes.iter().flat_map(|node| self.nodes[*node].columns()));
            }
        }
        (g, all)
    }

    /// g alone.
    pub fn values(&self, rows: Rows, place: &Place) -> Vec<f64> {
        self.gaps_of(rows, place).into_iter().flat_map(|(_, g)| g).collect()
    }

    fn gaps_of(&self, rows: Rows, place: &Place) -> Vec<(&'m str, Vec<f64>)> {
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        self.elements(rows)
            .map(|(name, support, rows)| {
                support.locate(&place.poses, &mut z);
                let mut value = |row: &&Row| {
                    row.expand(self.mechanism.guess().t, &z, Order::Value, &mut sum);
                    sum.value
                };
                (name, rows.iter().map(&mut value).collect())
            })
            .collect()
    }

    /// The largest |g|.
    pub fn gap(&self, rows: Rows, place: &Place) -> f64 {
        let values = self.values(rows, place);
        values.into_iter().fold(0.0_f64, |max, g| if g.is_nan() { f64::INFINITY } else { max.max(g.abs()) })
    }

    /// Joints with their gaps, the largest first.
    pub fn gaps(&self, place: &Place) -> Vec<(String, f64)> {
        let length = |g: Vec<f64>| g.iter().map(|g| g * g).sum::<f64>().sqrt();
        let gaps = self.gaps_of(Rows::Relaxed, place).into_iter().map(|(name, g)| (name.to_owned(), length(g)));
        let mut gaps: Vec<(String, f64)> = gaps.filter(|(_, gap)| *gap > super::CLOSED * self.size).collect();
        gaps.sort_by(|(_, x), (_, y)| y.total_cmp(x));
        gaps
    }

    /// How far a joint is open: the length of its rows in the search.
    pub fn gap_of(&self, constraint: usize, place: &Place) -> f64 {
        let Some(at) = self.mechanism.joints.iter().position(|joint| joint.constraint == constraint) else {
            return 0.0;
        };
        let gaps = self.gaps_of(Rows::Relaxed, place);
        gaps[at].1.iter().map(|g| g * g).sum::<f64>().sqrt()
    }

    /// Whether axes that are parallel point the same way.
    pub fn signs_agree(&self, place: &Place) -> bool {
        self.mechanism.joints.iter().all(|joint| {
            let [i, j] = &joint.markers();
            joint.aligned().iter().all(|axis| {
                let turned = [i, j].map(|marker| times(&place.poses[marker.carrier.0].r, &marker.axes[*axis]));
                dot(&turned[0], &turned[1]) > 0.0
            })
        })
    }

    /// How fast a row goes along the steepest step of length 1 in W.
    pub fn length(&self, row: &[(usize, f64)]) -> f64 {
        let square: f64 = row.iter().map(|(j, x)| x * x / self.weights[*j]).sum();
        square.sqrt().max(f64::MIN_POSITIVE)
    }

    /// |dx| in W.
    pub fn norm(&self, dx: &[f64]) -> f64 {
        dx.iter().zip(&self.weights).map(|(x, weight)| weight * x * x).sum::<f64>().sqrt()
    }

    /// Shortens a step from a place so that no body turns too far, or much farther than the largest gap, and no curve
    /// runs on by more than it turns; whether it had to.
    pub fn cap(&self, place: &Place, dx: &mut [f64], gap: f64) -> bool {
        let (mut most, farthest) = (0.0_f64, (2.0 * self.size * LARGEST_TURN).max(gap));
        let mut z = Vec::new();
        for curved in &self.curves {
            let beside = self.mechanism.look_beside(curved, &place.poses, &mut z);
            // A radian of its turn, and where it stands still as far as it bends over the size.
            let turn = beside.speed / beside.bend * LARGEST_TURN + (self.size / beside.bend).sqrt();
            if beside.is_finite() && turn > 0.0 {
                most = most.max(dx[self.nodes[curved.node].v].abs() / turn);
            }
        }
        for node in self.nodes.iter().filter(|node| !matches!(node.kind, Kind::Ground | Kind::Number)) {
            let [shifts, turns] = node.kind.columns();
            let long = |first: usize, count: usize| dx[first..first + count].iter().map(|x| x * x).sum::<f64>().sqrt();
            most = most.max(long(node.v, shifts) / farthest);
            most = most.max(long(node.v + shifts, turns) / LARGEST_TURN);
        }
        if most > 1.0 {
            dx.iter_mut().for_each(|x| *x /= most);
        }
        most > 1.0
    }
}
