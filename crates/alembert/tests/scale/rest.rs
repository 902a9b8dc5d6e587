//! Starts at rest on springs: what is left of forces that cancel is no motion, and says nothing about its size.

use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, ErrorControl, Formulas, GeneralizedAlpha, Guess, HhtAlpha, Integrator, RungeKutta, Scalar,
    Tolerance, Unobserved, VariableBdf, consistent,
};

const G: f64 = 9.81;
const JUMP: f64 = 0.2;
const END: f64 = 0.5;

/// m z'' = -k z - m g, in other units of length, and from a jump of the load on with a force more.
#[derive(Clone)]
struct Loaded {
    m: f64,
    k: f64,
    load: f64,
    metre: f64,
}

impl Loaded {
    fn omega(&self) -> f64 {
        (self.k / self.m).sqrt()
    }
    /// Where it hangs.
    fn rest(&self) -> f64 {
        -self.m * G / self.k * self.metre
    }
    /// Half a second later: a swing about the new rest.
    fn end(&self) -> [f64; 2] {
        let (swing, phase) = (self.load / self.k * self.metre, self.omega() * (END - JUMP));
        [self.rest() + swing * (1.0 - phase.cos()), swing * self.omega() * phase.sin()]
    }
}

impl Formulas for Loaded {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(self.m);
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], _: &[S], force: &mut [S]) {
        let load = if t.value() >= JUMP { self.load } else { 0.0 };
        force[0] = q[0] * -self.k + (load - self.m * G) * self.metre;
    }
}

#[test]
fn rest_on_a_spring_is_left_in_few_steps() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let schemes: [(&dyn Scheme, u64); 4] =
        [(&RungeKutta::default(), 40), (&VariableBdf::default(), 400), (&soi2, 8000), (&hht, 8000)];
    for (m, metre) in [(200.0, 1.0), (300.0, 1.0), (777.0, 1e3), (0.2, 1e-6)] {
        let loaded = Loaded { m, k: 2e3 * m, load: 0.5 * m, metre };
        let (end, omega) = (loaded.end(), loaded.omega());
        let system = Differentiated::new(loaded.clone());
        // As computed, off by what a search leaves, and exactly where forces cancel to the last bit or nearly so.
        for off in [0.0, 1e-12, -3e-15] {
            let guess = Guess::new(0.0, vec![loaded.rest() * (1.0 + off)], vec![0.0]);
            let start = consistent(&system, &guess).expect("consistent");
            for (scheme, most) in schemes {
                let tolerance = Tolerance::relative(1e-6).expect("in range");
                let mut integrator =
                    Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
                integrator.jump_at(&[JUMP]).expect("a time");
                integrator.run(END, &mut Unobserved).unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
                let (state, size) = (integrator.state(), loaded.rest().abs());
                let errors = [(state.q[0] - end[0]) / size, (state.v[0] - end[1]) / (size * omega)];
                let what = format!("{}, m = {m}, off by {off:e}", scheme.name());
                assert!(errors.iter().all(|error| error.abs() < 2e-5), "{what}: {errors:?}");
                let steps = integrator.stats().attempts;
                assert!(steps <= most, "{what}: {steps} attempts");
            }
        }
    }
}
