//! Which joints hold what others hold already, and which types of joints would not.
//!
//! ```text
//! Z: orthonormal combinations of unit rows that vanish.     Rows R can go together where Z_R has full row rank.
//! again and again: the largest downgrade whose rows can go, of the last such joint;   Z := Z null(Z_R);   what is left row by row
//! ```
//!
//! Users list the joint that closes a loop last. A downgrade is a type of joint with some rows less: so each finding is a cure as well, and
//! it is tried before it is told: without these rows the rank stays, and nothing is redundant.

use super::block::{Block, DEPENDENT};
use super::dense::{Dense, PivotedQr, eigen, orthonormal};
use crate::mechanism::Mechanism;

/// Singular values of Z_R from which rows are left out gladly, and at all.
const GLADLY: f64 = 0.05;
const AT_ALL: f64 = 1e-3;
/// Shares of a combination below this are nothing.
pub(super) const NOTHING: f64 = 1e-6;

/// What a joint holds that others hold already.
#[derive(Clone, Debug, PartialEq)]
pub struct Blamed {
    /// The joint, driver or coupling.
    pub joint: String,
    /// The directions, in words, along the axes of its first marker: `along z`, `turn about x`.
    pub directions: Vec<&'static str>,
    /// The others that hold it already.
    pub follows_from: Vec<String>,
    /// The type of joint that holds the rest; none where there is no such type.
    pub instead: Option<&'static str>,
}

/// Rows of a joint that can be left out, by their words, and what it is then.
type Downgrade = (Option<&'static str>, &'static [&'static str]);

const X: &str = "along x";
const Y: &str = "along y";
const Z: &str = "along z";
const TX: &str = "turn about x";
const TY: &str = "turn about y";
const TZ: &str = "turn about z";
const CROSS: &str = "turn about the normal of the cross";

/// The larger first.
fn downgrades(kind: &str) -> &'static [Downgrade] {
    match kind {
        "revolute" => &[
            (Some("point on line"), &[Z, TX, TY]),
            (Some("spherical"), &[TX, TY]),
            (Some("cylindrical"), &[Z]),
            (None, &[TX]),
            (None, &[TY]),
        ],
        "prismatic" => &[
            (Some("point on line"), &[TX, TY, TZ]),
            (None, &[TX, TY]),
            (None, &[TX, TZ]),
            (None, &[TY, TZ]),
            (Some("cylindrical"), &[TZ]),
            (None, &[TX]),
            (None, &[TY]),
            (None, &[X]),
            (None, &[Y]),
        ],
        "universal" => &[(Some("spherical"), &[CROSS])],
        "cylindrical" => &[(Some("point on line"), &[TX, TY]), (Some("parallel"), &[X, Y])],
        "fixed" => &[
            (Some("point on line"), &[Z, TX, TY, TZ]),
            (Some("spherical"), &[TX, TY, TZ]),
            (Some("revolute"), &[TZ]),
            (Some("prismatic"), &[Z]),
        ],
        "planar" => &[(Some("point on plane"), &[TX, TY]), (Some("parallel"), &[Z])],
        _ => &[],
    }
}

/// The smallest singular value of some columns of Z.
fn weakest(z: &Dense, columns: &[usize]) -> f64 {
    if columns.len() > z.rows() {
        return 0.0;
    }
    let mut square = Dense::zeros(columns.len(), columns.len());
    for (i, &a) in columns.iter().enumerate() {
        for (j, &b) in columns.iter().enumerate() {
            square.row_mut(i)[j] = (0..z.rows()).map(|k| z.row(k)[a] * z.row(k)[b]).sum();
        }
    }
    eigen(square).0.into_iter().fold(f64::INFINITY, f64::min).max(0.0).sqrt()
}

/// The combinations that do without some rows.
fn without(z: &Dense, columns: &[usize]) -> Dense {
    // Rows of this matrix are the chosen columns of Z: what they do not see is left.
    let mut seen = Dense { columns: z.rows(), values: Vec::new() };
    columns.iter().for_each(|&at| seen.values.extend((0..z.rows()).map(|k| z.row(k)[at])));
    let kept = PivotedQr::new(seen, AT_ALL * AT_ALL).motions();
    let mut rest = Dense::zeros(kept.rows(), z.columns);
    for i in 0..kept.rows() {
        for (k, share) in kept.row(i).iter().enumerate() {
            rest.row_mut(i).iter_mut().zip(z.row(k)).for_each(|(x, z)| *x += share * z);
        }
    }
    orthonormal(&rest)
}

/// The combination in which one of the blamed rows has the share one and the others none.
pub(super) fn combination(z: &Dense, blamed: &[usize], at: usize) -> Vec<f64> {
    // Shares c of the combinations with (Z c)_blamed = e.
    let mut square = Dense { columns: z.rows(), values: Vec::new() };
    blamed.iter().for_each(|&row| square.values.extend((0..z.rows()).map(|k| z.row(k)[row])));
    let wanted: Vec<f64> = blamed.iter().map(|row| f64::from(u8::from(*row == at))).collect();
    let shares = PivotedQr::new(square, f64::EPSILON).shortest(&wanted);
    let mut sum = vec![0.0; z.columns];
    for (k, share) in shares.iter().enumerate() {
        sum.iter_mut().zip(z.row(k)).for_each(|(x, z)| *x += share * z);
    }
    sum
}

/// Rows of a block that are blamed, by constraint.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub constraint: usize,
    pub rows: Vec<usize>,
    pub instead: Option<&'static str>,
}

impl Mechanism {
    /// Rows of a block that follow from others, as many as there are combinations.
    pub(crate) fn blame(&self, block: &Block) -> Vec<Share> {
        let mut z = orthonormal(&block.null);
        let mut shares: Vec<Share> = Vec::new();
        let choices = self.choices(block);
        for limit in [GLADLY, AT_ALL] {
            while z.rows() > 0 {
                let free = |choice: &&Share| shares.iter().all(|share| share.constraint != choice.constraint);
                let fits = |choice: &&Share| weakest(&z, &choice.rows) > limit;
                let Some(choice) = choices.iter().filter(free).find(fits).cloned() else { break };
                z = without(&z, &choice.rows);
                shares.push(choice);
            }
        }
        while z.rows() > 0 {
            let size = |at: usize| (0..z.rows()).map(|k| z.row(k)[at].powi(2)).sum::<f64>();
            let heaviest = (0..block.rows.len()).max_by(|i, j| size(*i).total_cmp(&size(*j)));
            let Some(at) = heaviest else { break };
            z = without(&z, &[at]);
            let constraint = block.rows[at].constraint;
            match shares.iter_mut().find(|share| share.constraint == constraint) {
                Some(share) => {
                    share.rows.push(at);
                    share.instead = None;
                }
                None => shares.push(Share { constraint, rows: vec![at], instead: None }),
            }
        }
        shares
    }

    /// Downgrades of all joints of a block: the larger first, of equal ones the last joint in order.
    fn choices(&self, block: &Block) -> Vec<Share> {
        let mut choices = Vec::new();
        let mut constraints = block.constraints();
        constraints.reverse();
        for constraint in constraints {
            let Some(joint) = self.joints.iter().find(|joint| joint.constraint == constraint) else { continue };
            for (instead, words) in downgrades(joint.kind) {
                let find = |word: &&str| {
                    block.rows.iter().position(|row| row.constraint == constraint && row.direction == *word)
                };
                if let Some(rows) = words.iter().map(find).collect::<Option<Vec<usize>>>() {
                    choices.push(Share { constraint, rows, instead: *instead });
                }
            }
        }
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.rows.len()));
        choices
    }

    /// Findings in words.
    pub(crate) fn blamed(&self, block: &Block, shares: &[Share]) -> Vec<Blamed> {
        let names = self.named();
        let gone: Vec<usize> = shares.iter().flat_map(|share| share.rows.iter().copied()).collect();
        let null = orthonormal(&block.null);
        let told = shares.iter().map(|share| {
            let mut from: Vec<usize> = Vec::new();
            for at in &share.rows {
                from.extend(self.followed_from(block, &combination(&null, &gone, *at)));
            }
            from.sort_unstable();
            from.dedup();
            from.retain(|at| *at != share.constraint);
            Blamed {
                joint: names[share.constraint].to_owned(),
                directions: share.rows.iter().map(|at| block.rows[*at].direction).collect(),
                follows_from: from.into_iter().map(|at| names[at].to_owned()).collect(),
                instead: share.instead,
            }
        });
        told.collect()
    }

    /// Constraints that have a share in a combination, in order.
    pub(super) fn followed_from(&self, block: &Block, combination: &[f64]) -> Vec<usize> {
        let shares = block.rows.iter().zip(combination).filter(|(_, share)| share.abs() > NOTHING);
        let mut found: Vec<usize> = shares.map(|(row, _)| row.constraint).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|at| !self.counts_turns(*at));
        found
    }

    /// Constraints that take part in the combinations of a block that vanish.
    pub(crate) fn sharing(&self, block: &Block) -> Vec<usize> {
        let null = orthonormal(&block.null);
        let largest = |at: usize| (0..null.rows()).fold(0.0_f64, |max, i| max.max(null.row(i)[at].abs()));
        self.followed_from(block, &(0..block.rows.len()).map(largest).collect::<Vec<_>>())
    }
}

/// Whether a block without some rows has the same rank and nothing redundant.
pub(super) fn cures(block: &Block, shares: &[Share]) -> bool {
    let gone: Vec<usize> = shares.iter().flat_map(|share| share.rows.iter().copied()).collect();
    let mut rest = Dense { columns: block.a.columns, values: Vec::new() };
    (0..block.rows.len()).filter(|at| !gone.contains(at)).for_each(|at| rest.values.extend(block.a.row(at)));
    let rows = rest.rows();
    let rank = PivotedQr::new(rest, DEPENDENT).rank;
    rank == block.qr.rank && rank == rows
}
