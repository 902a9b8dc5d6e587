//! Every constraint of a system said twice, in millimetres, with a one-sided stop and a start beside the constraints.
//!
//! In such a system coordinates and multipliers are exchanged in the elimination, and no pivot shows which rows follow from others.

use alembert::initial::{InitialError, consistent};
use alembert::{
    Detected, Differentiated, Dims, ErrorControl, Formulas, Guess, Integrator, Point, Redundancy, RungeKutta, Scalar,
    Supplied, Tolerance, Unobserved,
};

const MASS: f64 = 0.3;
const GRAVITY: f64 = 9810.0;
const LENGTH: f64 = 250.0;
const STIFFNESS: f64 = 4000.0;
/// The stop is at x = -60.
const STOP: f64 = 60.0;

/// Point masses on rods: x^2 + y^2 - l^2 and 3 (sqrt(x^2 + y^2) - l), each from a place of its own or from the mass before it.
#[derive(Clone, Copy)]
struct Pendulums {
    count: usize,
    chain: bool,
    accepted: bool,
}

impl Pendulums {
    /// (201, -170) is 13 millimetres too far away.
    fn guess(&self) -> Guess {
        let place = |k: usize| if self.chain { (k + 1) as f64 } else { 1.0 };
        let q = (0..self.count).flat_map(|k| [201.0 * place(k), -170.0 * place(k)]).collect();
        Guess::new(0.0, q, vec![0.0; 2 * self.count])
    }
    fn system(self) -> Differentiated<Detected<Pendulums>> {
        let guess = self.guess();
        let lambda = vec![0.3; self.dims().lambda];
        let at = Point { t: 0.0, q: &guess.q, v: &guess.v, lambda: &lambda, psi: &[] };
        Differentiated::new(Detected::new(self, &[at]).expect("patterns are found"))
    }
}

impl Formulas for Pendulums {
    fn dims(&self) -> Dims {
        Dims { q: 2 * self.count, v: 2 * self.count, lambda: 2 * self.count, psi: 0 }
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = self.dims().v;
        (0..n).for_each(|i| mass[i * (n + 1)] = S::from(MASS));
    }
    fn inertia<S: Scalar>(&self, _: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        out.iter_mut().zip(a).for_each(|(out, a)| *out = *a * MASS);
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], f: &mut [S]) {
        for (q, f) in q.chunks_exact(2).zip(f.chunks_exact_mut(2)) {
            f[0] = if q[0].value() < -STOP { (q[0] + STOP) * -STIFFNESS } else { S::from(0.0) };
            f[1] = S::from(-MASS * GRAVITY);
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for k in 0..self.count {
            let from = |j: usize| if self.chain && k > 0 { q[2 * k + j] - q[2 * k - 2 + j] } else { q[2 * k + j] };
            let square = from(0) * from(0) + from(1) * from(1);
            g[k] = square - LENGTH * LENGTH;
            g[self.count + k] = (square.sqrt() - LENGTH) * 3.0;
        }
    }
    fn redundancy(&self) -> Redundancy {
        if self.accepted { Redundancy::LeastSquares } else { Redundancy::Refused }
    }
    fn holonomic_name(&self, row: usize) -> String {
        let what = if row < self.count { "rod" } else { "again" };
        format!("{what} {}", row % self.count)
    }
}

/// x of one pendulum by its angle from the downward vertical, theta'' = (F cos theta - m g sin theta)/(m l), by 400 000 steps of
/// fourth order, which the kink at the stop costs little at this length.
fn by_angle(t_end: f64) -> f64 {
    let acceleration = |theta: f64| {
        let force = -STIFFNESS * (LENGTH * theta.sin() + STOP).min(0.0);
        (force * theta.cos() / MASS - GRAVITY * theta.sin()) / LENGTH
    };
    let steps = 400_000;
    let h = t_end / f64::from(steps);
    let (mut theta, mut omega) = ((201.0_f64 / 170.0).atan(), 0.0);
    for _ in 0..steps {
        let [a1, v1] = [acceleration(theta), omega];
        let [a2, v2] = [acceleration(theta + 0.5 * h * v1), omega + 0.5 * h * a1];
        let [a3, v3] = [acceleration(theta + 0.5 * h * v2), omega + 0.5 * h * a2];
        let [a4, v4] = [acceleration(theta + h * v3), omega + h * a3];
        theta += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
        omega += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    LENGTH * theta.sin()
}

#[test]
fn constraints_said_twice_are_named_alike_at_any_size() {
    for chain in [false, true] {
        for count in [1, 9, 10, 40, 120] {
            let pendulums = Pendulums { count, chain, accepted: false };
            let error = consistent(&pendulums.system(), &pendulums.guess()).expect_err("redundant");
            let InitialError::Redundant { rows } = &error else { panic!("{count}, chain {chain}: {error}") };
            assert_eq!(rows.len(), count);
            for (k, row) in rows.iter().enumerate() {
                assert_eq!(row.row, format!("again {k}"), "{count}, chain {chain}");
                // Derivatives of length 500 and 3.
                let [(on, factor)] = &row.on[..] else { panic!("{count}, chain {chain}: {row}") };
                assert_eq!(*on, format!("rod {k}"));
                assert!((factor - 3.0 / 500.0).abs() < 1e-9, "{row}");
            }
        }
    }
}

#[test]
fn constraints_said_twice_run_alike_at_any_size() {
    let exact = by_angle(1.5);
    for count in [1, 9, 10, 40, 120] {
        let pendulums = Pendulums { count, chain: false, accepted: true };
        let system = pendulums.system();
        let start = consistent(&system, &pendulums.guess()).unwrap_or_else(|error| panic!("{count}: {error}"));
        let radau = RungeKutta::radau(3).expect("odd");
        let tolerance = Tolerance::new(1e-9, 1e-6).expect("in range");
        let mut run = Integrator::new(&system, &start, &radau, ErrorControl::new(), tolerance).expect("starts");
        run.run(1.5, &mut Unobserved).unwrap_or_else(|error| panic!("{count}: {error}"));
        for q in run.state().q.chunks_exact(2) {
            assert!((q[0] - exact).abs() < 1e-4, "{count}: {} beside {exact}", q[0]);
        }
    }
}
