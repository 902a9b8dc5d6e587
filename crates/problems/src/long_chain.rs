//! The chain of [`chain`](crate::chain) at any length: equations by hand and with patterns, so that a step costs in
//! proportion to the number of bars. A torsional spring and damper may act in every joint, a Coriolis force on every
//! bar, and a force on the last bar that follows its direction:
//!
//! ```text
//! moment_i = k (theta_i - theta_{i-1}) + c (theta_i' - theta_{i-1}'),    (2 Omega y', -2 Omega x'),    F (cos theta, sin theta)
//! ```
//!
//! The last two make D and S unsymmetric. The reference integrates the angles; their accelerations come from the block
//! tridiagonal system of the joint forces, in linear time.

use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

use alembert::{
    Answer, At, ConstrainedSystem, Description, Dims, Named, Pattern, Patterns, Quantities, Quantity, State, Workspace,
};

use crate::problem::{Problem, Reference, Start};
use crate::reference::{Settings, extrapolate};

const G: f64 = 9.81;
const INERTIA: f64 = 1.0 / 12.0;
const START: f64 = -FRAC_PI_4;

/// What acts on the bars besides gravity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loads {
    /// Torsional stiffness of every joint, without moment in the start position.
    pub stiffness: f64,
    /// Torsional damping of every joint.
    pub damping: f64,
    /// Angular velocity Omega of the frame, felt as a Coriolis force.
    pub coriolis: f64,
    /// Force along the last bar.
    pub follower: f64,
}

impl Loads {
    fn bends(&self) -> bool {
        self.stiffness != 0.0 || self.damping != 0.0
    }
}

/// The equations.
#[derive(Clone, Debug)]
pub struct LongChain {
    bars: usize,
    loads: Loads,
    top: Arc<Pattern>,
    description: Description,
}

/// Position of the first value of joint i in G, which has two rows of two columns for each of its bars.
fn joint(i: usize) -> usize {
    if i == 0 { 0 } else { 8 * i - 4 }
}

/// The columns of bar i in G, whose end moves by (x, y) when it turns.
fn put_bar(out: &mut [f64], i: usize, x: f64, y: f64) {
    // Its own joint: the last two columns of both rows; the next: the first two.
    let (own, width) = (joint(i), if i == 0 { 2 } else { 4 });
    out[own + width - 2..own + width].copy_from_slice(&[-1.0, x]);
    out[own + 2 * width - 2..own + 2 * width].copy_from_slice(&[-1.0, y]);
    if let Some(next) = out.get_mut(joint(i + 1)..joint(i + 1) + 6) {
        next[..2].copy_from_slice(&[1.0, x]);
        next[4..].copy_from_slice(&[1.0, y]);
    }
}

/// The columns of the angle of bar i in Gamma.
fn put_turn(out: &mut [f64], i: usize, x: f64, y: f64) {
    let (own, width) = (joint(i), if i == 0 { 2 } else { 4 });
    (out[own + width - 1], out[own + 2 * width - 1]) = (x, y);
    if let Some(next) = out.get_mut(joint(i + 1)..joint(i + 1) + 6) {
        (next[1], next[5]) = (x, y);
    }
}

impl LongChain {
    /// A chain of `bars` bars.
    pub fn new(bars: usize, loads: Loads) -> Self {
        let mut entries: Vec<(usize, usize)> = (0..3 * bars).map(|i| (i, i)).collect();
        if loads.bends() {
            entries.extend((1..bars).flat_map(|i| [(3 * i + 2, 3 * i - 1), (3 * i - 1, 3 * i + 2)]));
        }
        if loads.coriolis != 0.0 {
            entries.extend((0..bars).flat_map(|i| [(3 * i, 3 * i + 1), (3 * i + 1, 3 * i)]));
        }
        if loads.follower != 0.0 {
            // The other triangle too: a matrix is eliminated as if its pattern were symmetric.
            let last = 3 * (bars - 1);
            entries.extend((0..2).flat_map(|axis| [(last + axis, last + 2), (last + 2, last + axis)]));
        }
        let top = Arc::new(Pattern::from_entries(3 * bars, 3 * bars, entries));
        let joints = (0..bars).flat_map(|i| {
            (0..2).flat_map(move |axis| {
                let before = if i > 0 { vec![3 * i - 3 + axis, 3 * i - 1] } else { Vec::new() };
                before.into_iter().chain([3 * i + axis, 3 * i + 2]).map(move |j| (2 * i + axis, j))
            })
        });
        let rows = Arc::new(Pattern::from_entries(2 * bars, 3 * bars, joints));
        let others = Quantities::of(&[Quantity::HolonomicT, Quantity::MassQ, Quantity::ForceQ, Quantity::ForceV]);
        let description = Description {
            supplied: Quantities::VALUES.and(JOINTS).and(others),
            // Every joint has its values, and every bar its columns.
            overwritten: Quantities::of(&[Quantity::Holonomic, Quantity::HolonomicQ, Quantity::HolonomicBias]),
            patterns: Some(Patterns { top: top.clone(), rows }),
            constant_mass: true,
            ..Description::new(Dims { q: 3 * bars, v: 3 * bars, lambda: 2 * bars, psi: 0 })
        };
        LongChain { bars, loads, top, description }
    }

    fn put(&self, out: &mut [f64], i: usize, j: usize, value: f64) {
        if let Some(e) = self.top.position(i, j) {
            out[e] += value;
        }
    }

    /// Adds c times the matrix of the moments: of springs or of dampers.
    fn put_joints(&self, out: &mut [f64], c: f64) {
        for i in 0..if c != 0.0 { self.bars } else { 0 } {
            let this = 3 * i + 2;
            self.put(out, this, this, -c);
            if i > 0 {
                let other = this - 3;
                self.put(out, other, other, -c);
                self.put(out, this, other, c);
                self.put(out, other, this, c);
            }
        }
    }

    fn force(&self, q: &[f64], v: &[f64], f: &mut [f64]) {
        let Loads { stiffness, damping, coriolis, follower } = self.loads;
        for (f, v) in f.chunks_exact_mut(3).zip(v.chunks_exact(3)) {
            f[0] = 2.0 * coriolis * v[1];
            f[1] = -2.0 * coriolis * v[0] - G;
        }
        if self.loads.bends() {
            for i in 0..self.bars {
                let (angle, spin) = if i == 0 { (START, 0.0) } else { (q[3 * i - 1], v[3 * i - 1]) };
                let moment = stiffness * (q[3 * i + 2] - angle) + damping * (v[3 * i + 2] - spin);
                f[3 * i + 2] -= moment;
                if i > 0 {
                    f[3 * i - 1] += moment;
                }
            }
        }
        if follower != 0.0 {
            let last = 3 * (self.bars - 1);
            let (sin, cos) = q[last + 2].sin_cos();
            f[last] += follower * cos;
            f[last + 1] += follower * sin;
        }
    }

    fn force_q(&self, q: &[f64], out: &mut [f64]) {
        self.put_joints(out, self.loads.stiffness);
        if self.loads.follower != 0.0 {
            let last = 3 * (self.bars - 1);
            let (sin, cos) = q[last + 2].sin_cos();
            self.put(out, last, last + 2, -self.loads.follower * sin);
            self.put(out, last + 1, last + 2, self.loads.follower * cos);
        }
    }

    fn force_v(&self, out: &mut [f64]) {
        self.put_joints(out, self.loads.damping);
        for i in 0..if self.loads.coriolis != 0.0 { self.bars } else { 0 } {
            self.put(out, 3 * i, 3 * i + 1, 2.0 * self.loads.coriolis);
            self.put(out, 3 * i + 1, 3 * i, -2.0 * self.loads.coriolis);
        }
    }

    /// g, G or both.
    fn turn<const VALUES: bool, const ROWS: bool>(&self, q: &[f64], g: &mut [f64], g_q: &mut [f64]) {
        let mut tip = (0.0, 0.0);
        for i in 0..self.bars {
            let (q, (sin, cos)) = (&q[3 * i..3 * i + 3], q[3 * i + 2].sin_cos());
            let (x, y) = (-0.5 * sin, 0.5 * cos);
            if VALUES {
                g[2 * i] = tip.0 - (q[0] - y);
                g[2 * i + 1] = tip.1 - (q[1] + x);
                tip = (q[0] + y, q[1] - x);
            }
            if ROWS {
                put_bar(g_q, i, x, y);
            }
        }
    }

    /// What the joints are asked for, with one sine and cosine for each bar.
    fn joints(&self, at: &At, answer: &mut Answer) {
        let [mut g, mut g_q, mut bias, mut velocity_q, mut reaction_q] = [
            Quantity::Holonomic,
            Quantity::HolonomicQ,
            Quantity::HolonomicBias,
            Quantity::HolonomicVelocityQ,
            Quantity::ReactionQ,
        ]
        .map(|quantity| answer.take(quantity));
        // What every iteration asks for.
        if bias.is_none() && velocity_q.is_none() && reaction_q.is_none() {
            return match (g, g_q) {
                (Some(g), Some(g_q)) => self.turn::<true, true>(at.q, g, g_q),
                (Some(g), None) => self.turn::<true, false>(at.q, g, &mut []),
                (None, Some(g_q)) => self.turn::<false, true>(at.q, &mut [], g_q),
                (None, None) => {}
            };
        }
        let (mut tip, mut before) = ((0.0, 0.0), (0.0, 0.0));
        for i in 0..self.bars {
            let (q, (sin, cos)) = (&at.q[3 * i..3 * i + 3], at.q[3 * i + 2].sin_cos());
            // The end of the bar moves by this when it turns.
            let (x, y) = (-0.5 * sin, 0.5 * cos);
            if let Some(g) = &mut g {
                g[2 * i] = tip.0 - (q[0] - y);
                g[2 * i + 1] = tip.1 - (q[1] + x);
                tip = (q[0] + y, q[1] - x);
            }
            if let Some(out) = &mut g_q {
                put_bar(out, i, x, y);
            }
            if let Some(out) = &mut bias {
                let square = at.v[3 * i + 2] * at.v[3 * i + 2];
                let end = (-y * square, x * square);
                (out[2 * i], out[2 * i + 1]) = (before.0 + end.0, before.1 + end.1);
                before = end;
            }
            if let Some(out) = &mut velocity_q {
                let spin = at.v[3 * i + 2];
                put_turn(out, i, -y * spin, x * spin);
            }
            if let Some(out) = &mut reaction_q {
                let force =
                    |axis: usize| at.lambda[2 * i + axis] + at.lambda.get(2 * i + 2 + axis).copied().unwrap_or(0.0);
                self.put(out, 3 * i + 2, 3 * i + 2, y * force(0) - x * force(1));
            }
        }
    }
}

/// What the joints can be asked for.
const JOINTS: Quantities = {
    use Quantity::{Holonomic, HolonomicBias, HolonomicQ, HolonomicVelocityQ, ReactionQ};
    Quantities::of(&[Holonomic, HolonomicQ, HolonomicBias, HolonomicVelocityQ, ReactionQ])
};

impl ConstrainedSystem for LongChain {
    fn description(&self) -> &Description {
        &self.description
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, _: &mut Workspace) {
        if !answer.open().only(JOINTS).is_empty() {
            self.joints(at, answer);
        }
        while let Some((quantity, out)) = answer.take_any() {
            match quantity {
                Quantity::Mass => {
                    for i in 0..3 * self.bars {
                        self.put(out, i, i, if i % 3 == 2 { INERTIA } else { 1.0 });
                    }
                }
                Quantity::Force => self.force(at.q, at.v, out),
                Quantity::ForceQ => self.force_q(at.q, out),
                Quantity::ForceV => self.force_v(out),
                // g does not depend on time, nor M on q.
                _ => {}
            }
        }
    }

    fn name(&self, what: Named, index: usize) -> String {
        match what {
            Named::Holonomic => format!("joint {} {}", index / 2, if index.is_multiple_of(2) { "x" } else { "y" }),
            _ => what.standard(index),
        }
    }
}

impl LongChain {
    /// Accelerations and joint forces from angles and rates (no Coriolis force): with body accelerations eliminated, joint i
    /// sees joints i-1 and i+1 only.
    fn joint_forces(&self, angle: &[f64], spin: &[f64], lambda: &mut [f64], angular: &mut [f64]) {
        let n = self.bars;
        let Loads { stiffness, damping, follower, .. } = self.loads;
        // Moments and forces on each bar, without the joints'.
        let mut moment = vec![0.0; n];
        for i in 0..n {
            let (before, rate) = if i == 0 { (START, 0.0) } else { (angle[i - 1], spin[i - 1]) };
            let m = stiffness * (angle[i] - before) + damping * (spin[i] - rate);
            moment[i] -= m;
            if i > 0 {
                moment[i - 1] += m;
            }
        }
        let load = |i: usize| match i + 1 == n {
            true => [follower * angle[i].cos(), follower * angle[i].sin() - G],
            false => [0.0, -G],
        };
        let arms: Vec<[f64; 2]> = angle.iter().map(|angle| [-0.5 * angle.sin(), 0.5 * angle.cos()]).collect();
        // p_i: velocity of an end of bar i by its spin; symmetric 2 by 2 blocks (xx, xy, yy) and couplings of the same form.
        let block = |i: usize, sign: f64| {
            let [x, y] = arms[i];
            [sign + x * x / INERTIA, x * y / INERTIA, sign + y * y / INERTIA]
        };
        let (mut diagonal, mut rhs) = (vec![[0.0; 3]; n], vec![[0.0; 2]; n]);
        for i in 0..n {
            let before = (i > 0).then(|| (i - 1, 1.0));
            for (bar, sign) in [(i, -1.0)].into_iter().chain(before) {
                let (b, [x, y], f) = (block(bar, 1.0), arms[bar], load(bar));
                (0..3).for_each(|k| diagonal[i][k] += b[k]);
                // G M^-1 f + bias.
                let (twist, square) = (moment[bar] / INERTIA, spin[bar] * spin[bar]);
                rhs[i][0] += sign * f[0] + x * twist - y * square;
                rhs[i][1] += sign * f[1] + y * twist + x * square;
            }
        }
        // Joints i and i+1 share bar i: elimination from the top, then back.
        for i in 1..n {
            let coupling = block(i - 1, -1.0);
            let (inverse, above) = (invert(diagonal[i - 1]), rhs[i - 1]);
            let product = multiply(coupling, apply_both(inverse, coupling));
            (0..3).for_each(|k| diagonal[i][k] -= product[k]);
            let shift = apply(coupling, apply(inverse, above));
            (0..2).for_each(|k| rhs[i][k] -= shift[k]);
        }
        for i in (0..n).rev() {
            let mut right = rhs[i];
            if i + 1 < n {
                let shift = apply(block(i, -1.0), [lambda[2 * i + 2], lambda[2 * i + 3]]);
                (0..2).for_each(|k| right[k] -= shift[k]);
            }
            let solution = apply(invert(diagonal[i]), right);
            lambda[2 * i..2 * i + 2].copy_from_slice(&solution);
        }
        for i in 0..n {
            let force = |axis: usize| lambda[2 * i + axis] + lambda.get(2 * i + 2 + axis).copied().unwrap_or(0.0);
            let [x, y] = arms[i];
            angular[i] = (moment[i] - x * force(0) - y * force(1)) / INERTIA;
        }
    }

    /// The whole state from angles and rates.
    fn state(&self, t: f64, angle: &[f64], spin: &[f64]) -> State {
        let mut state = State::zero(self.dims());
        state.t = t;
        let mut angular = vec![0.0; self.bars];
        self.joint_forces(angle, spin, &mut state.lambda, &mut angular);
        let mut end = [[0.0; 2]; 3];
        for i in 0..self.bars {
            let ((sin, cos), w, a) = (angle[i].sin_cos(), spin[i], angular[i]);
            let bar = [[cos, sin], [-sin * w, cos * w], [-sin * a - cos * w * w, cos * a - sin * w * w]];
            for (level, to) in [&mut state.q, &mut state.v, &mut state.a].into_iter().enumerate() {
                for axis in 0..2 {
                    to[3 * i + axis] = end[level][axis] + 0.5 * bar[level][axis];
                    end[level][axis] += bar[level][axis];
                }
                to[3 * i + 2] = [angle[i], w, a][level];
            }
        }
        state
    }

    fn solution(&self, t: f64) -> State {
        let n = self.bars;
        let mut start = vec![START; n];
        start.resize(2 * n, 0.0);
        let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
            let mut lambda = vec![0.0; 2 * n];
            let (rate, angular) = out.split_at_mut(n);
            rate.copy_from_slice(&y[n..]);
            self.joint_forces(&y[..n], &y[n..], &mut lambda, angular);
        };
        // Joint forces grow with the length, and so does what rounding leaves of accelerations.
        let allowed = (1e-15 * n as f64).clamp(1e-14, 1e-11);
        match extrapolate(rhs, 0.0, &start, t, Settings { relative: allowed, absolute: allowed }) {
            Ok(y) => self.state(t, &y[..n], &y[n..]),
            Err(failure) => panic!("the reference of the chain failed: {failure}"),
        }
    }
}

/// Symmetric 2 by 2 matrices as (xx, xy, yy).
fn apply([xx, xy, yy]: [f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    [xx * x + xy * y, xy * x + yy * y]
}

fn invert([xx, xy, yy]: [f64; 3]) -> [f64; 3] {
    let determinant = xx * yy - xy * xy;
    [yy / determinant, -xy / determinant, xx / determinant]
}

/// A B as a full matrix.
fn apply_both([axx, axy, ayy]: [f64; 3], [bxx, bxy, byy]: [f64; 3]) -> [[f64; 2]; 2] {
    [[axx * bxx + axy * bxy, axx * bxy + axy * byy], [axy * bxx + ayy * bxy, axy * bxy + ayy * byy]]
}

/// A B where the product is known to be symmetric.
fn multiply([xx, xy, yy]: [f64; 3], b: [[f64; 2]; 2]) -> [f64; 3] {
    [xx * b[0][0] + xy * b[1][0], xx * b[0][1] + xy * b[1][1], xy * b[0][1] + yy * b[1][1]]
}

/// A chain of any length, until t = 1. With a Coriolis force there is no reference in the angles, and the system itself is
/// integrated.
pub fn new(bars: usize, loads: Loads) -> Problem {
    let chain = LongChain::new(bars, loads);
    let State { q, v, lambda, psi, .. } = chain.state(0.0, &vec![START; bars], &vec![0.0; bars]);
    let reference = match loads.coriolis == 0.0 {
        true => {
            let chain = chain.clone();
            Reference::Reduced(Box::new(move |t| chain.solution(t)))
        }
        false => Reference::Integrated(Settings::default()),
    };
    Problem {
        name: "long_chain",
        title: "chain of planar bars with patterns",
        system: Box::new(chain),
        start: Start { t: 0.0, q, v, lambda, psi },
        t_end: 1.0,
        reference,
        energy: None,
    }
}
