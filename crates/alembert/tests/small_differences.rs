//! Derivatives by differences on mechanisms of every size: a pendulum on a rod of a micrometre, written with closures alone.

use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, Equations, ErrorControl, Formulas, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    RungeKutta, Scalar, State, Tolerance, Unobserved, VariableBdf, consistent,
};

const DIMS: Dims = Dims { q: 2, v: 2, lambda: 1, psi: 0 };

/// A pendulum of length l in the plane, its constraint a length: sqrt(x^2 + y^2) = l bends over l. Gravity 9.81 l.
fn closures(l: f64) -> Functions<'static> {
    Functions::new(DIMS)
        .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
        .force(move |_, _, _, force| force[1] = -9.81 * l)
        .holonomic(move |_, q, g| g[0] = q[0].hypot(q[1]) - l)
}

/// The same for l = 1 with exact derivatives.
struct Unit;

impl Formulas for Unit {
    fn dims(&self) -> Dims {
        DIMS
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-9.81);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0;
    }
}

#[test]
fn steps_of_differences_suit_the_size_of_the_mechanism() {
    for l in [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for angle in [0.3_f64, 1.0, 2.5] {
            let system = closures(l);
            let mut equations = Equations::new(&system);
            let (sin, cos) = angle.sin_cos();
            let (q, v) = ([l * cos, l * sin], [-2.0 * l * sin, 2.0 * l * cos]);
            let mut g_q = [0.0; 2];
            equations.holonomic_q(0.0, &q, &mut g_q).expect("finite");
            for (found, exact) in g_q.iter().zip([cos, sin]) {
                assert!((found - exact).abs() < 1e-9, "l = {l}: G {found} for {exact}");
            }
            // g'' at v' = 0 is v^2/l for a velocity along the circle.
            let mut bias = [0.0];
            equations.bias(0.0, &q, &v, &mut bias).expect("finite");
            assert!((bias[0] / (4.0 * l) - 1.0).abs() < 1e-6, "l = {l}: bias {} for {}", bias[0], 4.0 * l);
            // Gamma = d/dq (G v), of size v/l.
            let mut velocity_q = [0.0; 2];
            equations.velocity_q(0.0, &q, &v, &mut velocity_q).expect("finite");
            for (found, exact) in velocity_q.iter().zip([-2.0 * sin, 2.0 * cos]) {
                assert!((found - exact).abs() < 1e-5, "l = {l}: Gamma {found} for {exact}");
            }
        }
    }
}

/// Runs for one second under a relative tolerance, in lengths of the rod.
fn run(system: &dyn alembert::ConstrainedSystem, l: f64, scheme: &dyn Scheme, rtol: f64) -> State {
    let guess = Guess::new(0.0, vec![0.8 * l, -0.6 * l], vec![0.3 * l, 0.4 * l]);
    let start = consistent(system, &guess).expect("consistent");
    let tolerance = Tolerance::relative(rtol).expect("in range");
    let mut integrator = Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("l = {l}, {}: {e}", scheme.name()));
    let mut state = integrator.state().clone();
    state.q.iter_mut().chain(&mut state.v).chain(&mut state.a).chain(&mut state.lambda).for_each(|x| *x /= l);
    state
}

#[test]
fn a_pendulum_of_micrometres_moves_like_one_of_metres() {
    let exact = run(&Differentiated::new(Unit), 1.0, &RungeKutta::default(), 1e-11);
    let schemes: [&dyn Scheme; 4] = [
        &RungeKutta::default(),
        &VariableBdf::new(),
        &GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"),
        &HhtAlpha::new(-0.1).expect("in range"),
    ];
    for scheme in schemes {
        for l in [1e-9, 1e-6, 1e-3, 1.0, 1e5] {
            let end = run(&closures(l), l, scheme, 1e-6);
            let pairs = [(&end.q, &exact.q), (&end.v, &exact.v)];
            let error =
                pairs.iter().flat_map(|(x, y)| x.iter().zip(*y)).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()));
            assert!(error < 1e-4, "{} with l = {l}: {error:e}", scheme.name());
            assert!((end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-11, "{} with l = {l}", scheme.name());
            assert!((end.lambda[0] - exact.lambda[0]).abs() < 1e-2, "{} with l = {l}: {:?}", scheme.name(), end.lambda);
        }
    }
}
