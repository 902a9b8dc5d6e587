//! The most ordinary models: pendulum chains of 2 to 4 masses with round numbers, of which many are exact zeros. None is
//! refused, and accelerations and multipliers are those of Lagrange's equations in the angles.
//!
//! ```text
//! sum_j M_ij l_i l_j (cos(theta_i - theta_j) alpha_j + sin(theta_i - theta_j) omega_j^2) = -M_ii g l_i sin theta_i
//! M_ij = sum of m_k over k >= max(i, j);    the force in rod i follows from Newton's law, from the last mass upwards
//! ```

use alembert::initial::{Guess, consistent, consistent_with};
use alembert::{Detected, Differentiated, Dims, Formulas, Point, Scalar, Supplied};

const G: f64 = 9.81;

/// One chain; angles in multiples of 15 degrees from the downward vertical.
#[derive(Clone, Debug)]
pub struct Chain {
    pub mass: Vec<f64>,
    pub length: Vec<f64>,
    pub angle: Vec<i32>,
    pub omega: Vec<f64>,
    /// Constraints are |d| - l, otherwise |d|^2 - l^2.
    pub distance: bool,
}

/// xorshift64.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % sides
    }
    fn pick(&mut self, from: &[f64]) -> f64 {
        from[self.roll(from.len())]
    }
}

/// (sin, cos) with exact zeros and halves.
fn sin_cos(angle: i32) -> (f64, f64) {
    let sin = |k: i32| match k.rem_euclid(24) {
        0 | 12 => 0.0,
        2 | 10 => 0.5,
        14 | 22 => -0.5,
        6 => 1.0,
        18 => -1.0,
        k => (f64::from(k) * std::f64::consts::PI / 12.0).sin(),
    };
    (sin(angle), sin(angle + 6))
}

impl Chain {
    pub fn random(dice: &mut Dice) -> Self {
        let count = 2 + dice.roll(3);
        let still = dice.roll(2) == 0;
        let list = |dice: &mut Dice, from: &[f64]| (0..count).map(|_| dice.pick(from)).collect();
        Chain {
            mass: list(dice, &[1.0, 1.0, 2.0, 0.5, 10.0]),
            length: list(dice, &[1.0, 1.0, 2.0, 0.5, 0.1]),
            angle: (0..count).map(|_| [0, 2, 3, 4, 6, 12, -2, -3, -4, -6][dice.roll(10)]).collect(),
            omega: list(dice, if still { &[0.0] } else { &[0.0, 1.0, -1.0, 2.0] }),
            distance: dice.roll(2) == 0,
        }
    }

    fn count(&self) -> usize {
        self.mass.len()
    }

    /// Direction of rod i, and that across it.
    fn rod(&self, i: usize) -> ([f64; 2], [f64; 2]) {
        let (s, c) = sin_cos(self.angle[i]);
        ([s, -c], [c, s])
    }

    pub fn guess(&self) -> Guess {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let (mut r, mut u) = ([0.0; 2], [0.0; 2]);
        for i in 0..self.count() {
            let (along, across) = self.rod(i);
            for k in 0..2 {
                r[k] += self.length[i] * along[k];
                u[k] += self.length[i] * self.omega[i] * across[k];
            }
            q.extend(r);
            v.extend(u);
        }
        Guess::new(0.0, q, v)
    }

    /// Accelerations and multipliers.
    pub fn exact(&self) -> (Vec<f64>, Vec<f64>) {
        let (n, l) = (self.count(), &self.length);
        let below = |i: usize| self.mass[i..].iter().sum::<f64>();
        let mut system = vec![vec![0.0; n + 1]; n];
        for i in 0..n {
            for j in 0..n {
                let (sin, cos) = sin_cos(self.angle[i] - self.angle[j]);
                let inertia = below(i.max(j)) * l[i] * l[j];
                system[i][j] = inertia * cos;
                system[i][n] -= inertia * sin * self.omega[j] * self.omega[j];
            }
            system[i][n] -= below(i) * G * l[i] * sin_cos(self.angle[i]).0;
        }
        for k in 0..n {
            // Positive definite: pivots on the diagonal.
            for i in (0..n).filter(|i| *i != k) {
                let factor = system[i][k] / system[k][k];
                for j in k..=n {
                    system[i][j] -= factor * system[k][j];
                }
            }
        }
        let (mut a, mut r) = (Vec::new(), [0.0; 2]);
        for i in 0..n {
            let (along, across) = self.rod(i);
            let alpha = system[i][n] / system[i][i];
            for k in 0..2 {
                r[k] += l[i] * (alpha * across[k] - self.omega[i] * self.omega[i] * along[k]);
            }
            a.extend(r);
        }
        let mut lambda = vec![0.0; n];
        let mut pull = [0.0; 2];
        for i in (0..n).rev() {
            let (along, _) = self.rod(i);
            let m = self.mass[i];
            let rest = [pull[0] - m * a[2 * i], pull[1] - m * G - m * a[2 * i + 1]];
            let force = along[0] * rest[0] + along[1] * rest[1];
            pull = [force * along[0], force * along[1]];
            lambda[i] = if self.distance { force } else { force / (2.0 * l[i]) };
        }
        (a, lambda)
    }

    /// Compares with a part of a state.
    pub fn compare(&self, what: &str, a: &[f64], lambda: &[f64]) {
        let (exact_a, exact_lambda) = self.exact();
        for (found, exact) in [(a, &exact_a), (lambda, &exact_lambda)] {
            let size = exact.iter().fold(G, |max, x| max.max(x.abs()));
            let error = found.iter().zip(exact).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
            assert!(error <= 1e-11 * size, "{what}: off by {error:e} of {size:e}: {self:?}");
        }
    }
}

/// Chains side by side.
pub struct Forest(pub Vec<Chain>);

impl Formulas for Forest {
    fn dims(&self) -> Dims {
        let masses: usize = self.0.iter().map(Chain::count).sum();
        Dims { q: 2 * masses, v: 2 * masses, lambda: masses, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = self.dims().v;
        for (i, m) in self.0.iter().flat_map(|chain| &chain.mass).enumerate() {
            (mass[2 * i * (n + 1)], mass[(2 * i + 1) * (n + 1)]) = (S::from(*m), S::from(*m));
        }
    }
    fn inertia<S: Scalar>(&self, _: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        for (i, m) in self.0.iter().flat_map(|chain| &chain.mass).enumerate() {
            (out[2 * i], out[2 * i + 1]) = (a[2 * i] * *m, a[2 * i + 1] * *m);
        }
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], f: &mut [S]) {
        for (i, m) in self.0.iter().flat_map(|chain| &chain.mass).enumerate() {
            f[2 * i + 1] = S::from(-m * G);
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let mut row = 0;
        for chain in &self.0 {
            let mut before = [S::from(0.0); 2];
            for length in &chain.length {
                let (x, y) = (q[2 * row] - before[0], q[2 * row + 1] - before[1]);
                let square = x * x + y * y;
                g[row] = if chain.distance { square.sqrt() - *length } else { square - length * length };
                before = [q[2 * row], q[2 * row + 1]];
                row += 1;
            }
        }
    }
}

#[test]
fn a_double_pendulum_with_a_horizontal_rod_starts() {
    // Upper rod horizontal, lower rod 30 degrees from the vertical: half of all terms are exact zeros.
    let chain =
        Chain { mass: vec![1.0; 2], length: vec![1.0; 2], angle: vec![6, 2], omega: vec![0.0; 2], distance: false };
    let guess = chain.guess();
    assert_eq!(guess.q[..2], [1.0, 0.0]);
    let state = consistent(&Differentiated::new(Forest(vec![chain.clone()])), &guess).unwrap();
    chain.compare("dense", &state.a, &state.lambda);
}

#[test]
fn none_of_1000_chains_with_round_numbers_is_refused() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let chains: Vec<Chain> = (0..1000).map(|_| Chain::random(&mut dice)).collect();
    for chain in &chains {
        let system = Differentiated::new(Forest(vec![chain.clone()]));
        let state = consistent(&system, &chain.guess()).unwrap_or_else(|e| panic!("{chain:?}: {e}"));
        chain.compare("dense", &state.a, &state.lambda);
    }
}

#[test]
fn none_of_1000_chains_is_refused_by_large_systems() {
    let mut dice = Dice(0xfeed_5678_9abc_def1);
    for _ in 0..20 {
        let chains: Vec<Chain> = (0..50).map(|_| Chain::random(&mut dice)).collect();
        let mut guess = Guess::new(0.0, Vec::new(), Vec::new());
        for chain in &chains {
            let part = chain.guess();
            guess.q.extend(part.q);
            guess.v.extend(part.v);
        }
        let forest = Forest(chains.clone());
        let zero = vec![0.0; forest.dims().lambda];
        let at = Point { t: 0.0, q: &guess.q, v: &guess.v, lambda: &zero, psi: &[] };
        let system = Differentiated::new(Detected::new(forest, &[at]).unwrap());
        assert!(guess.v.len() >= 150, "not a large one");
        let (state, report) = consistent_with(&system, &guess, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(report.motion_residual < 1e-14, "{report:?}");
        let mut row = 0;
        for chain in &chains {
            let end = row + chain.mass.len();
            chain.compare("large", &state.a[2 * row..2 * end], &state.lambda[row..end]);
            row = end;
        }
    }
}

#[test]
fn a_body_on_which_nothing_acts_starts_whatever_multipliers_are_guessed() {
    // The solution is zero: no term is left beside which a residual could be small.
    use super::systems::*;
    let system = plane(1, |_, q, g| g[0] = 0.3 * q[0] + 0.7 * q[1]).force(|_, _, _, _| {});
    for lambda in [0.0, 1.0, -3.7, 1e8, 1e-200] {
        let guess = Guess::new(0.0, vec![0.0; 2], vec![0.0; 2]).with_multipliers(vec![lambda], vec![]);
        let state = consistent(&system, &guess).unwrap_or_else(|e| panic!("{lambda}: {e}"));
        assert!(state.lambda[0].abs() <= 1e-14 * lambda.abs(), "{lambda}: {:?}", state.lambda);
    }
}
