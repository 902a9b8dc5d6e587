//! `Across`: the motion across a singular configuration, on the branch that momentum gives.
//!
//! Where constraints become dependent (a parallelogram that is flat), branches of motion meet. On each of them the motion is analytic:
//! a row of G that vanishes there is sigma n, with n smooth and sigma through zero, and multipliers go like 1/sigma, so that G^T lambda is
//! smooth. Nothing but the point itself has to be avoided. A collocation over the whole of it, from a state before, with Gauss' nodes c_i, an even
//! number of them, has none in its middle:
//!
//! ```text
//! V_i = v0 + h sum A_ij a_j        Q_i: q' = U v along the polynomial through v0, V_1 ... V_s      both projected onto the constraints
//! a_i = the acceleration level at (Q_i, V_i)                                                       until nothing changes any more
//! v1  = v0 + h sum b_j a_j         q1 in the same way
//! ```
//!
//! The constraints are met at nodes on both sides, each with its own matrix, which is regular; between branches Newton's method chooses
//! the nearer, which is the one that is tangent to the motion. A method with one matrix for the whole step (as those of `method/`) cannot do this: it would
//! have the wrong sign of sigma behind the point. In exact numbers this is Gauss' method for the regular constraints n, of order 2 s: errors are not
//! magnified, and no motion from before is needed. The error estimate is the difference between s = 6 and s = 8, and what the projection has to move V_i. That is large
//! where branches only come near to each other and do not meet: with a gap of gamma velocities at a distance x bend by gamma^2/x^2, which no polynomial does.
//!
//! Rotations are composed of parts by Magnus' formula of fourth order, general rates by Runge and Kutta's.

mod gauss;

use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::method::{Projection, Projector, StepFailure};
use crate::rotation::cross;
use crate::state::State;
use crate::system::SystemRef;
use crate::tolerance::largest;
use gauss::{Gauss, barycentric, blend};

/// Nodes of the result and of what it is compared with.
const NODES: usize = 8;
const FEWER: usize = 6;
/// Sweeps at most, and how many of them are made before their changes must shrink by half.
const SWEEPS: usize = 40;
const PATIENCE: usize = 3;
/// Relative changes that are rounding, and those that are too large to be so where they do not shrink.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
const NOISE: f64 = 1e-6;
/// Parts between two nodes where q is found from v.
const PARTS: usize = 4;

/// The motion from one state to a later one, with a singular configuration in its middle.
#[derive(Clone, Debug)]
pub struct Across {
    /// The start, the states at nodes, the end.
    states: Vec<State>,
    /// Where these are as shares of the time, and their barycentric weights.
    places: Vec<f64>,
    weights: Vec<f64>,
    /// The first entry of each quaternion in q.
    quaternions: Vec<usize>,
    error: f64,
}

impl Across {
    /// From a consistent state with its accelerations to a time as far behind the singular configuration as the state is before it, or nearly so.
    ///
    /// # Errors
    /// If the system cannot be evaluated at a node, is singular there, or sweeps do not converge: a shorter time may do.
    pub fn new<'s>(system: impl Into<SystemRef<'s>>, from: &State, t: f64) -> Result<Across, StepFailure> {
        let mut work = Work::new(Equations::new(system), from);
        let h = t - from.t;
        let (fewer, _) = work.collocate(from, h, FEWER)?;
        let (states, defect) = work.collocate(from, h, NODES)?;
        let error = work.difference(&states[NODES + 1], &fewer[FEWER + 1], from, h).max(defect);
        let places = Gauss::new(NODES).places();
        let quaternions = work.equations.space().quaternions().collect();
        Ok(Across { states, weights: barycentric(&places), places, quaternions, error })
    }

    /// Where it begins.
    pub fn start(&self) -> &State {
        &self.states[0]
    }

    /// Where it ends: a consistent state with accelerations and multipliers.
    pub fn end(&self) -> &State {
        &self.states[self.states.len() - 1]
    }

    /// The estimated error of its end: of v relative to v, and of the way relative to the way, measured by the mass matrix.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The state at a time within. Multipliers are not a number: reactions are not determined at the singular configuration, and grow like one over the
    /// distance from it.
    pub fn at(&self, t: f64) -> State {
        let (from, to) = (self.start(), self.end());
        let share = (t - from.t) / (to.t - from.t);
        let mut out = State::clone(from);
        (out.t, out.lambda, out.psi) = (t, vec![f64::NAN; from.lambda.len()], vec![f64::NAN; from.psi.len()]);
        let (places, weights, states) = (&self.places, &self.weights, &self.states);
        blend(places, weights, share, |k| &states[k].q, &mut out.q);
        blend(places, weights, share, |k| &states[k].v, &mut out.v);
        blend(places, weights, share, |k| &states[k].a, &mut out.a);
        for first in &self.quaternions {
            let p = &mut out.q[*first..first + 4];
            let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
            p.iter_mut().for_each(|p| *p /= length);
        }
        out
    }
}

/// Room to evaluate and project states.
struct Work<'s> {
    equations: Equations<'s>,
    level: AccelerationLevel,
    projector: Projector,
    /// An increment of q, and velocities on the way.
    x: Vec<f64>,
    v: [Vec<f64>; 3],
    /// q before an increment, and rates of q.
    q: Vec<f64>,
    rates: [Vec<f64>; 4],
}

impl<'s> Work<'s> {
    fn new(equations: Equations<'s>, from: &State) -> Self {
        let (mut level, projector) = (AccelerationLevel::new(&equations), Projector::new(&equations));
        level.restart_from(from);
        let zero = |size: usize| vec![0.0; size];
        let (n, nq, tangent) = (from.v.len(), from.q.len(), equations.tangent());
        Work {
            level,
            projector,
            x: zero(tangent),
            v: [0; 3].map(|_| zero(n)),
            q: zero(nq),
            rates: [0; 4].map(|_| zero(tangent)),
            equations,
        }
    }

    /// The start, the states at the nodes of a rule, and the end; and the most that velocities had to be moved onto the constraints, relative to
    /// them.
    fn collocate(&mut self, from: &State, h: f64, nodes: usize) -> Result<(Vec<State>, f64), StepFailure> {
        let gauss = Gauss::new(nodes);
        // The polynomial of v goes through the start and the nodes.
        let mut places = gauss.places();
        let end = places.pop().unwrap_or(1.0);
        let weights = barycentric(&places);
        let mut states = vec![from.clone(); nodes + 2];
        let mut velocities = vec![from.v.clone(); nodes + 1];
        let mut known = from.v.clone();
        let mut previous = f64::INFINITY;
        for sweep in 0..SWEEPS {
            for (i, row) in gauss.matrix.iter().enumerate() {
                let (_, stages) = states.split_first().unwrap_or((from, &[]));
                let v = &mut velocities[i + 1];
                v.copy_from_slice(&from.v);
                for (stage, share) in stages.iter().zip(row) {
                    v.iter_mut().zip(&stage.a).for_each(|(v, a)| *v += h * share * a);
                }
            }
            let mut last = from.v.clone();
            for (stage, b) in states[1..].iter().zip(&gauss.weights) {
                last.iter_mut().zip(&stage.a).for_each(|(v, a)| *v += h * b * a);
            }
            let polynomial = |share: f64, out: &mut [f64]| blend(&places, &weights, share, |k| &velocities[k], out);
            let (mut q, mut defect) = (from.q.clone(), 0.0_f64);
            for i in 0..=nodes {
                let [begin, to] = [i, i + 1].map(|k| places.get(k).copied().unwrap_or(end));
                self.go(&polynomial, [from.t, h, begin, to], &mut q)?;
                let state = &mut states[i + 1];
                state.t = from.t + h * to;
                state.q.copy_from_slice(&q);
                let free = velocities.get(i + 1).unwrap_or(&last);
                state.v.copy_from_slice(free);
                self.projector.project(&mut self.equations, &mut self.level, state, Projection::Full, h)?;
                self.level.complete_once(&mut self.equations, state)?;
                defect = defect.max(self.apart([&state.v, free]) / self.length(&state.v).max(f64::MIN_POSITIVE));
            }
            let moved = last.iter().zip(&known).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()));
            let change = moved / largest(&last).max(f64::MIN_POSITIVE);
            known = last;
            if change <= ROUNDING {
                return Ok((states, defect));
            }
            if sweep > PATIENCE && change > 0.5 * previous {
                if change <= NOISE {
                    return Ok((states, defect));
                }
                break;
            }
            if change.is_nan() {
                break;
            }
            previous = change;
        }
        Err(StepFailure::Diverged { iterations: SWEEPS, theta: f64::NAN })
    }

    /// Takes q along velocities between two shares of the time.
    fn go(
        &mut self,
        velocities: &impl Fn(f64, &mut [f64]),
        [t, h, from, to]: [f64; 4],
        q: &mut [f64],
    ) -> Result<(), StepFailure> {
        let (part, offset) = ((to - from) / PARTS as f64, 3.0_f64.sqrt() / 6.0);
        let (step, general) = (h * part, self.equations.has_general_rate());
        let Work { equations, x, v, q: before, rates, .. } = self;
        for k in 0..PARTS {
            let begin = from + part * k as f64;
            before.copy_from_slice(q);
            if general {
                for (v, share) in v.iter_mut().zip([0.0, 0.5, 1.0]) {
                    velocities(begin + share * part, v);
                }
                for (stage, (at, share)) in [(0, 0.0), (1, 0.5), (1, 0.5), (2, 1.0)].into_iter().enumerate() {
                    if stage > 0 {
                        let (q, rate) = (q.iter_mut().zip(&*before), &rates[stage - 1]);
                        q.zip(rate).for_each(|((q, before), rate)| *q = before + share * step * rate);
                    }
                    equations.rate(t + h * (begin + share * part), q, &v[at], &mut rates[stage])?;
                }
                for (j, (q, before)) in q.iter_mut().zip(&*before).enumerate() {
                    *q = before + step / 6.0 * (rates[0][j] + 2.0 * (rates[1][j] + rates[2][j]) + rates[3][j]);
                }
                continue;
            }
            let [first, second, _] = v;
            velocities(begin + (0.5 - offset) * part, first);
            velocities(begin + (0.5 + offset) * part, second);
            x.iter_mut().zip(first.iter().zip(&*second)).for_each(|(x, (v, w))| *x = 0.5 * step * (v + w));
            for &j in equations.space().rotations() {
                let three = |v: &[f64]| [v[j], v[j + 1], v[j + 2]];
                let bend = cross(&three(first), &three(second));
                let factor = step * step * 3.0_f64.sqrt() / 12.0;
                x[j..j + 3].iter_mut().zip(bend).for_each(|(x, bend)| *x += factor * bend);
            }
            equations.advance(before, x, q);
        }
        Ok(())
    }

    /// The length of a velocity, measured by the mass matrix of the state completed last: it makes one number of what has different units.
    fn length(&mut self, x: &[f64]) -> f64 {
        let product = &mut self.v[0];
        product.fill(0.0);
        self.equations.layout().top.multiply_add(1.0, &self.level.mass, x, product);
        let square = x.iter().zip(&*product).map(|(x, y)| x * y).sum::<f64>().abs();
        // Without masses there is no such length.
        if square > 0.0 { square.sqrt() } else { largest(x) }
    }

    /// The same of a difference.
    fn apart(&mut self, [x, y]: [&[f64]; 2]) -> f64 {
        let mut apart = std::mem::take(&mut self.v[1]);
        apart.iter_mut().zip(x.iter().zip(y)).for_each(|(d, (x, y))| *d = x - y);
        let length = self.length(&apart);
        self.v[1] = apart;
        length
    }

    /// How far two ends are apart: v relative to v, the way relative to the way.
    fn difference(&mut self, end: &State, other: &State, from: &State, h: f64) -> f64 {
        let whole = self.length(&end.v).max(self.length(&from.v)).max(f64::MIN_POSITIVE);
        let by_v = self.apart([&end.v, &other.v]);
        if self.equations.has_general_rate() {
            return by_v / whole;
        }
        let mut x = std::mem::take(&mut self.x);
        self.equations.space().difference(&other.q, &end.q, &mut x);
        let by_q = self.length(&x) / h;
        self.x = x;
        by_v.max(by_q) / whole
    }
}
