//! Does a step pass through a singular configuration?
//!
//! Where constraints become dependent (a four-bar in its dead point), a singular value sigma of C goes through zero and
//! changes sign. A step may jump across: the matrix is regular on both sides, and the motion beyond may be on the wrong
//! branch. With B = r_mu at the earlier of two states and the factors at the later one,
//!
//! ```text
//! [M -B1; C1] (x ; y) = ((B0 - B1) d ; 0)     gives     -y = E d,    E = (C1 M^-1 B1)^-1 C1 M^-1 (B0 - B1).
//! ```
//!
//! E is small where little has changed, and has the eigenvalue sigma_0/sigma_1 - 1 < -1 after a crossing, one for each
//! singular value that has crossed. A few power iterations show the largest. Constraints that are dependent all the
//! time do no harm: C1 M^-1 (B0 - B1) d is in the range of C1, where a softened matrix is as regular as without them.
//!
//! A vector that happens to have no share in this eigenvalue shows nothing, and where little changes a single iteration is made. So iterations go on from where
//! those of the last look have led, beside a vector that is always the same: over several steps towards a dead point they find its direction.
//!
//! A body that has turned far makes E large as well. So where E is not small, the way between the states is examined: it is halved until
//! E is small on every part, or until a short part is left that still has an eigenvalue below -1.

use crate::acceleration::AccelerationLevel;
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::{Kkt, Pattern, Term};
use crate::method::cubic;
use crate::redundancy::RedundancyWatch;
use crate::state::State;
use crate::system::Dims;

/// Up to this |E| nothing can have crossed: an eigenvalue below -1 shows even if the vector has only a small share in it.
const QUIET: f64 = 0.3;
/// Power iterations of a first look, and of the look at a part of the way.
const GLANCE: usize = 3;
const LOOK: usize = 12;
/// The shortest part of the way.
const SHORTEST: f64 = 1.0 / 256.0;
/// How many places in a row may be left out because they are nearly singular.
const MOST_SKIPPED: usize = 16;
/// Eigenvalue of E below which a singular value has changed its sign. In a softened matrix it is
/// (sigma_0 sigma_1 - sigma_1^2)/(sigma_1^2 + s), which stays above -1 where both are near the root of the softness s:
/// the ranks on the way are looked at there.
const TURNED: f64 = -1.0;
const TURNED_SOFTLY: f64 = -0.5;

/// Remembers the last accepted configuration.
pub(crate) struct SingularityWatch {
    dims: Dims,
    /// Entries of r_mu.
    entries: usize,
    /// Whether there is one.
    begun: bool,
    /// Where the motion is.
    accepted: Place,
    direction: Vec<f64>,
    /// Sizes of the columns of B, so that units of constraints do not matter.
    sizes: Vec<f64>,
    /// For the way between them; made when first needed.
    between: Option<Box<Between>>,
}

/// A state with the transpose of its r_mu, or with C where that is its negative.
struct Place {
    state: State,
    border: Vec<f64>,
}

/// What is known of the state under judgement.
pub(crate) struct Here<'a> {
    /// Its matrix, factored.
    pub kkt: &'a mut Kkt,
    /// The transpose of r_mu.
    pub border: Term<'a>,
    pub rows: &'a Pattern,
    /// Room for a right-hand side.
    pub rhs: &'a mut [f64],
}

/// Room for states on the way.
struct Between {
    level: AccelerationLevel,
    state: State,
    /// The transpose of r_mu where the part under judgement begins.
    border: Vec<f64>,
}

/// What power iterations show of E.
struct Change {
    /// How much longer it makes a vector.
    growth: f64,
    /// Its Rayleigh quotient.
    quotient: f64,
}

impl Keep for SingularityWatch {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.take_room();
        keep!(archive; self.begun, self.accepted.state, self.accepted.border, self.direction)
    }
}

impl SingularityWatch {
    /// For a system with `entries` entries of r_mu. Room is taken by the first look: a start needs none.
    pub fn new(dims: Dims, entries: usize) -> Self {
        // Without constraints there is nothing to watch.
        let dims = if dims.constraints() == 0 { Dims { q: 0, v: 0, ..dims } } else { dims };
        SingularityWatch {
            dims,
            entries,
            begun: false,
            accepted: Place { state: State::zero(Dims::default()), border: Vec::new() },
            direction: Vec::new(),
            sizes: Vec::new(),
            between: None,
        }
    }

    fn take_room(&mut self) {
        let (dims, m) = (self.dims, self.dims.constraints());
        if self.direction.len() == m {
            return;
        }
        self.accepted = Place { state: State::zero(dims), border: vec![0.0; self.entries] };
        (self.direction, self.sizes) = (vec![0.0; m], vec![0.0; m]);
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        self.begun = false;
        self.direction.fill(0.0);
    }

    /// The state last looked at is now the present one.
    pub fn accept(&mut self, state: &State, border: &[f64]) {
        if self.begun {
            self.accepted.state.assign(state);
            self.accepted.border.copy_from_slice(border);
        }
    }

    /// Carries the accepted state over to another chart; velocities and constraint rows are the same in all.
    pub fn rechart(&mut self, change: &mut ChartChange) {
        if self.begun && !self.accepted.state.q.is_empty() {
            change.apply(&mut self.accepted.state.q);
        }
    }

    /// The constraint most involved in a crossing between the accepted state and this one.
    pub fn look(
        &mut self,
        equations: &mut Equations,
        mut here: Here,
        state: &State,
        redundancy: &mut RedundancyWatch,
    ) -> Option<usize> {
        if here.rows.rows() == 0 {
            return None;
        }
        self.take_room();
        if !self.begun {
            self.begun = true;
            self.accept(state, here.border.1);
            return None;
        }
        let SingularityWatch { direction, sizes, accepted, .. } = self;
        let glance = change(&mut here, &accepted.border, GLANCE, direction, sizes);
        if glance.growth < QUIET { None } else { self.walk(equations, here, state, redundancy) }
    }

    /// Whether so little lies between two places that nothing can have crossed: the border at one, all that is known of the other.
    pub fn is_quiet(&mut self, mut here: Here, before: &[f64]) -> bool {
        self.take_room();
        let SingularityWatch { direction, sizes, .. } = self;
        here.rows.rows() == 0 || change(&mut here, before, GLANCE, direction, sizes).growth < QUIET
    }

    /// Goes from the accepted state to the one under judgement in parts short enough to tell.
    fn walk(
        &mut self,
        equations: &mut Equations,
        mut here: Here,
        end: &State,
        redundancy: &mut RedundancyWatch,
    ) -> Option<usize> {
        let SingularityWatch { accepted, direction, sizes, between, .. } = self;
        let Between { level, state, border } = &mut **between.get_or_insert_with(|| {
            let (level, state) = (AccelerationLevel::new(equations), accepted.state.clone());
            Box::new(Between { level, state, border: accepted.border.clone() })
        });
        border.copy_from_slice(&accepted.border);
        let (softened, rows) = (here.kkt.is_softened(), here.rows);
        let turned = if softened { TURNED_SOFTLY } else { TURNED };
        let (mut from, mut length, mut skipped) = (0.0, 0.5, 0);
        while from < 1.0 {
            let to = f64::min(from + length, 1.0);
            let seen = if to < 1.0 {
                path(equations, [&accepted.state, end], to, state);
                if level.factor_at(equations, state).is_err() {
                    // A place that cannot be evaluated, or is singular itself: look from nearer.
                    Change { growth: f64::INFINITY, quotient: f64::NEG_INFINITY }
                } else {
                    change(&mut level.here(rows, here.rhs), border, LOOK, direction, sizes)
                }
            } else {
                change(&mut here, border, LOOK, direction, sizes)
            };
            if softened
                && to < 1.0
                && let Err(constraint) = level.rank(redundancy)
            {
                return Some(constraint);
            }
            if seen.growth >= QUIET && length > SHORTEST {
                length *= 0.5;
                continue;
            }
            if seen.quotient <= turned {
                let share = |i: &usize| (direction[*i] * sizes[*i]).abs();
                return (0..rows.rows()).max_by(|i, j| share(i).total_cmp(&share(j)));
            }
            from = to;
            if seen.growth >= QUIET && skipped < MOST_SKIPPED {
                // So near to a singular place that the sign of sigma says nothing: look on from the same place as before.
                skipped += 1;
                continue;
            }
            border.copy_from_slice(if to < 1.0 { level.border().1 } else { here.border.1 });
            (length, skipped) = (2.0 * length, 0);
        }
        None
    }
}

/// Power iterations with E from the border of an earlier place to the one that belongs to the factors.
fn change(here: &mut Here, before: &[f64], iterations: usize, direction: &mut [f64], sizes: &mut [f64]) -> Change {
    let Here { kkt, border: (sign, now), rows, rhs } = here;
    let (n, m) = (rows.columns(), rows.rows());
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for (i, (d, size)) in direction.iter_mut().zip(&mut *sizes).enumerate() {
        *size = rows.row(i).fold(f64::MIN_POSITIVE, |max, (_, e)| max.max(now[e].abs()).max(before[e].abs()));
        *d *= *size;
    }
    // As long as the other one: its entries have a mean square of 1/12.
    let known = direction.iter().map(|d| d * d).sum::<f64>();
    let share = if known.is_normal() { (m as f64 / (12.0 * known)).sqrt() } else { 0.0 };
    for (d, size) in direction.iter_mut().zip(&*sizes) {
        // Any vector does that has a share in everything; this one is the same in every run.
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let other = (seed >> 40) as f64 / (1u64 << 24) as f64 - 0.5;
        *d = (if share > 0.0 { share * *d + other } else { other }) / *size;
    }
    // A vector may have but a small share in what matters.
    let nothing = 0.05 / (m as f64).sqrt();
    let mut found = Change { growth: 0.0, quotient: 0.0 };
    for _ in 0..iterations {
        rhs.fill(0.0);
        rows.multiply_transposed_change(before, now, direction, &mut rhs[..n]);
        kkt.solve(rhs);
        let (mut length, mut image, mut product) = (0.0, 0.0, 0.0);
        for ((d, y), size) in direction.iter().zip(&rhs[n..]).zip(&*sizes) {
            let (d, y) = (d * size, -*sign * y * size);
            (length, image, product) = (length + d * d, image + y * y, product + d * y);
        }
        let growth = (image / length).sqrt();
        found = Change { growth, quotient: product / length };
        // What is not a number is no reason to go on either.
        if growth <= nothing || !growth.is_finite() {
            break;
        }
        let scale = -*sign / image.sqrt();
        direction.iter_mut().zip(&rhs[n..]).for_each(|(d, y)| *d = scale * y);
    }
    found
}

/// A state at a share of the way between two.
fn path(equations: &Equations, [from, to]: [&State; 2], share: f64, out: &mut State) {
    let t = from.t + share * (to.t - from.t);
    if !equations.has_general_rate() {
        return cubic(equations, from, to, t, out);
    }
    // Velocities are no slopes of q under a general rate.
    let blend = |from: &[f64], to: &[f64], out: &mut [f64]| {
        out.iter_mut().zip(from.iter().zip(to)).for_each(|(out, (x, y))| *out = x + share * (y - x));
    };
    out.t = t;
    blend(&from.q, &to.q, &mut out.q);
    blend(&from.v, &to.v, &mut out.v);
    blend(&from.lambda, &to.lambda, &mut out.lambda);
    blend(&from.psi, &to.psi, &mut out.psi);
}
