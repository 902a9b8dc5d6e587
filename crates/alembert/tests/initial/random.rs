//! Random systems are repaired to rounding level, or refused by name.

use alembert::initial::{Guess, InitialError, Options, consistent_with};
use alembert::{At, ConstrainedSystem, Differentiated, Dims, Formulas, Quantity, Scalar};

/// A random system: M = B(q)^T B(q) + 1, smooth constraints with random coefficients, the last row perhaps repeated.
struct Random {
    n: usize,
    lambda: usize,
    psi: usize,
    repeat: bool,
    c: Vec<f64>,
}

impl Random {
    fn at(&self, i: usize) -> f64 {
        self.c[i % self.c.len()]
    }
}

impl Formulas for Random {
    fn dims(&self) -> Dims {
        Dims { q: self.n, v: self.n, lambda: self.lambda, psi: self.psi }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let n = self.n;
        let b: Vec<S> = (0..n * n).map(|i| (q[i % n] * self.at(i)).sin() + self.at(i + 7)).collect();
        for i in 0..n {
            for j in 0..n {
                mass[i * n + j] = (0..n).fold(S::from(f64::from(i == j)), |sum, k| sum + b[k * n + i] * b[k * n + j]);
            }
        }
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], f: &mut [S]) {
        for i in 0..self.n {
            f[i] = q[i] * self.at(i) - v[i] + t;
        }
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        for i in 0..self.lambda {
            let row = if self.repeat && i + 1 == self.lambda { 0 } else { i };
            g[i] = t * self.at(row) + self.at(row + 3) * 0.3;
            for j in 0..self.n {
                let k = row * self.n + j;
                g[i] += q[j] * self.at(k + 11) + (q[j] * self.at(k + 5)).sin() * 0.3;
            }
        }
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        for i in 0..self.psi {
            k[i] = S::from(self.at(i + 1));
            for j in 0..self.n {
                let l = i * self.n + j;
                k[i] += v[j] * ((q[j] * self.at(l)).cos() + self.at(l + 17)) + v[j] * v[j] * v[j] * 0.02;
            }
        }
    }
}

/// xorshift64, uniform in (-1, 1).
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) * 0.5 * n as f64) as usize
    }
    fn vector(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.next()).collect()
    }
}

#[test]
fn random_systems_are_repaired_to_rounding_or_refused_by_name() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let (mut repaired, mut redundant, mut refused) = (0, 0, 0);
    let mut worst = [0.0_f64; 4];
    for _ in 0..400 {
        let n = 2 + random.below(6);
        let lambda = random.below(n);
        let psi = random.below(n - lambda);
        let repeat = lambda >= 2 && random.below(4) == 0;
        let system = Differentiated::new(Random { n, lambda, psi, repeat, c: random.vector(97, 1.0) });
        let start = Guess::new(random.next(), random.vector(n, 2.0), random.vector(n, 2.0));
        match consistent_with(&system, &start, &Options::default()) {
            Ok((state, report)) => {
                assert!(!repeat, "a repeated row was not found");
                repaired += 1;
                let normal = not_normal(&system, &start.q, &state.q, lambda);
                let levels =
                    [report.positions.residual_after, report.velocities.residual_after, report.motion_residual];
                for (worst, level) in worst.iter_mut().zip(levels.into_iter().chain([normal])) {
                    *worst = worst.max(level);
                }
                assert!(state.a.iter().chain(&state.lambda).chain(&state.psi).all(|x| x.is_finite()));
            }
            Err(InitialError::Redundant { rows }) => {
                assert!(repeat && rows.len() == 1, "{rows:?}");
                redundant += 1;
            }
            Err(InitialError::Unreachable { rows, closest, .. }) => {
                assert!(!rows.is_empty() && rows.iter().all(|row| row.residual.abs() > 1e-8), "{rows:?}");
                assert_eq!(closest.len(), n);
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    println!("{repaired} repaired, {redundant} redundant, {refused} refused; worst {worst:?}");
    assert!(repaired > 250 && redundant > 20 && refused < 40, "{repaired} {redundant} {refused}");
    assert!(worst[0] < 1e-13 && worst[1] < 1e-13 && worst[2] < 1e-14 && worst[3] < 1e-12, "{worst:?}");
}

/// How far M(q0) (q - q0) is from the span of the constraint gradients at q, relative to its size: zero at the closest
/// point in the metric of the mass.
fn not_normal(system: &dyn ConstrainedSystem, q0: &[f64], q: &[f64], rows: usize) -> f64 {
    let n = q.len();
    let (mut mass, mut g_q) = (vec![0.0; n * n], vec![0.0; rows * n]);
    let _ = system.ask(Quantity::Mass, &At::new(0.0, q0, &[]), &mut mass);
    if rows > 0 {
        let _ = system.ask(Quantity::HolonomicQ, &At::new(0.0, q, &[]), &mut g_q);
    }
    let mut rest: Vec<f64> = (0..n).map(|i| (0..n).map(|j| mass[i * n + j] * (q[j] - q0[j])).sum()).collect();
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let size = length(&rest);
    let remove = |x: &mut [f64], b: &[f64]| {
        let dot: f64 = x.iter().zip(b).map(|(x, b)| x * b).sum();
        x.iter_mut().zip(b).for_each(|(x, b)| *x -= dot * b);
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in g_q.chunks_exact(n) {
        let mut row = row.to_vec();
        for _ in 0..2 {
            basis.iter().for_each(|b| remove(&mut row, b));
        }
        let size = length(&row);
        row.iter_mut().for_each(|x| *x /= size);
        basis.push(row);
    }
    for _ in 0..2 {
        basis.iter().for_each(|b| remove(&mut rest, b));
    }
    if size == 0.0 { 0.0 } else { length(&rest) / size }
}
