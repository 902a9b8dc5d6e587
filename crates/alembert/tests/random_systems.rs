//! Random regular systems: constraints stay at rounding level, whatever the coefficients.
//!
//! ```text
//! M(q) = A A^T + I + diag(sin^2 q)      f = -c v - k q + w sin(t)
//! g_i  = (B q)_i + 1/2 e_i |q|^2 - d_i(t)       k = (P v)_0 + s q_0 v_1
//! ```

use alembert::{
    ConstrainedSystem, Differentiated, Dims, FixedSteps, Formulas, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    Scalar, Tolerance, Unobserved, consistent,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Random {
    n: usize,
    holonomic: usize,
    nonholonomic: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    p: Vec<f64>,
    w: Vec<f64>,
    damping: f64,
    stiffness: f64,
    bend: f64,
    drive: f64,
}

impl Formulas for Random {
    fn dims(&self) -> Dims {
        Dims { q: self.n, v: self.n, lambda: self.holonomic, psi: self.nonholonomic }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            for j in 0..n {
                let product: f64 = (0..n).map(|k| self.a[i * n + k] * self.a[j * n + k]).sum();
                mass[i * n + j] = S::from(product);
            }
            mass[i * n + i] += q[i].sin().powi(2) + 1.0;
        }
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        for i in 0..self.n {
            force[i] = -v[i] * self.damping - q[i] * self.stiffness + t.sin() * self.w[i];
        }
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        let square = q.iter().fold(S::default(), |sum, q| sum + *q * *q);
        for (i, g) in g.iter_mut().enumerate() {
            *g = square * (0.5 * self.bend) - (t * (1.0 + i as f64)).sin() * self.drive;
            for (b, q) in self.b[i * self.n..(i + 1) * self.n].iter().zip(q) {
                *g += *q * *b;
            }
        }
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        if let Some(k) = k.first_mut() {
            *k = q[0] * v[1] * self.bend;
            for (p, v) in self.p.iter().zip(v) {
                *k += *v * *p;
            }
        }
    }
}

/// Rows near distinct unit vectors are independent whatever the noise.
fn rows(count: usize, n: usize, noise: &[f64], first: usize) -> Vec<f64> {
    (0..count * n).map(|i| noise[i % noise.len()] + if i % n == first + i / n { 3.0 } else { 0.0 }).collect()
}

prop_compose! {
    fn random_system()(
        n in 3usize..7, holonomic in 0usize..3, nonholonomic in 0usize..2,
        a in prop::collection::vec(-1.0..1.0, 36), noise in prop::collection::vec(-0.3..0.3, 18),
        w in prop::collection::vec(-2.0..2.0, 6),
        damping in 0.0..5.0, stiffness in 0.0..50.0, bend in -0.5..0.5, drive in 0.0..0.3,
    ) -> Random {
        Random {
            n, holonomic, nonholonomic, a, w, damping, stiffness, bend, drive,
            b: rows(holonomic, n, &noise, 0), p: rows(nonholonomic, n, &noise, holonomic),
        }
    }
}

fn integrate(
    system: &dyn ConstrainedSystem,
    guess: &Guess,
    scheme: &dyn alembert::method::Scheme,
) -> Result<(), String> {
    let start = consistent(system, guess).map_err(|e| e.to_string())?;
    let tolerance = Tolerance::new(1e-12, 1e-12).map_err(|e| e.to_string())?;
    let steps = FixedSteps::pattern(0.02, &[1.0, 1.5, 0.8]).map_err(|e| e.to_string())?;
    let mut integrator = Integrator::new(system, &start, scheme, steps, tolerance).map_err(|e| e.to_string())?;
    integrator.run(0.5, &mut Unobserved).map_err(|e| e.to_string())?;
    let residuals = integrator.stats().residuals;
    let worst = residuals.position.max(residuals.velocity).max(residuals.nonholonomic);
    if worst < 1e-11 { Ok(()) } else { Err(format!("residuals {residuals:?}")) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn constraints_hold_to_rounding(
        random in random_system(), rho in 0.0..1.0f64,
        q in prop::collection::vec(-0.3..0.3, 6), v in prop::collection::vec(-1.0..1.0, 6),
    ) {
        let n = random.n;
        let (holonomic, nonholonomic) = (random.holonomic, random.nonholonomic);
        let system = Differentiated::new(random);
        let guess = Guess::new(0.0, q[..n].to_vec(), v[..n].to_vec());
        let soi2 = GeneralizedAlpha::from_rho_infinity(rho).expect("in range");
        prop_assert_eq!(integrate(&system, &guess, &soi2), Ok(()));
        let hht = HhtAlpha::new(-rho / 3.0).expect("in range");
        let form = if nonholonomic > 0 { alembert::method::Form::Index2 } else { alembert::method::Form::Full };
        if holonomic * nonholonomic == 0 {
            prop_assert_eq!(integrate(&system, &guess, &hht.with_form(form)), Ok(()));
        }
    }

    #[test]
    fn a_repeated_constraint_is_refused_by_name(random in random_system(), q in prop::collection::vec(-0.3..0.3, 6)) {
        let mut random = random;
        random.holonomic = 2;
        let row: Vec<f64> = (0..random.n).map(|j| 1.0 + j as f64).collect();
        random.b = [row.clone(), row].concat();
        random.drive = 0.0;
        random.nonholonomic = 0;
        let n = random.n;
        let system = Differentiated::new(random);
        let refused = consistent(&system, &Guess::new(0.0, q[..n].to_vec(), vec![0.0; n]));
        let message = refused.expect_err("the rows are the same").to_string();
        prop_assert!(message.contains("g[0]") && message.contains("g[1]") && message.contains("hint"), "{}", message);
    }
}
