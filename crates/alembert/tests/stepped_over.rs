//! What a step may pass over in systems that are functions, without formulas to look at.

use alembert::integrator::IntegrateError;
use alembert::method::Scheme;
use alembert::{
    Dims, ErrorControl, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Named, RungeKutta, Tolerance,
    Unobserved, VariableBdf, consistent,
};

/// A point in the plane.
struct Point {
    mass: fn(f64) -> f64,
    force: fn(&[f64], &[f64]) -> f64,
    /// The height at which a guide holds it, if there is one.
    guide: Option<fn(f64, f64) -> f64>,
}

impl Point {
    fn system(&self) -> Functions<'static> {
        let Point { mass, force, guide } = *self;
        Functions::new(Dims { q: 2, v: 2, lambda: usize::from(guide.is_some()), psi: 0 })
            .mass(move |t, _, out| (out[0], out[3]) = (mass(t), 1.0))
            .force(move |_, q, v, out| (out[0], out[1]) = (force(q, v), -1.0))
            .holonomic(move |t, q, g| {
                if let (Some(guide), [g]) = (guide, g) {
                    *g = q[1] - guide(t, q[0]);
                }
            })
            .named(Named::Coordinate, |index| ["along", "up"][index].to_owned())
            .named(Named::Holonomic, |_| "guide".to_owned())
    }
}

fn methods() -> [(&'static str, Box<dyn Scheme>); 4] {
    [
        ("radau", Box::new(RungeKutta::default())),
        ("bdf", Box::new(VariableBdf::new())),
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
    ]
}

fn run(point: &Point, scheme: &dyn Scheme, x: f64, v: f64) -> (Result<(), IntegrateError>, f64) {
    let up = point.guide.map_or(0.0, |guide| guide(0.0, x));
    let guess = Guess::new(0.0, vec![x, up], vec![v, 0.0]);
    let system = &point.system();
    let start = consistent(system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let mut integrator = Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
    let end = integrator.run(2.0, &mut Unobserved).map(|_| ());
    (end, integrator.state().t)
}

const FREE: Point = Point { mass: |_| 1.0, force: |_, _| 0.0, guide: None };

#[test]
fn poles_signs_of_masses_and_jumps_are_seen() {
    // Derivatives of the guide are differences: across a jump g_t is large, and some methods stop at that.
    let cases: [(&str, Point, f64, &[&str]); 5] = [
        ("pole", Point { force: |q, _| 1.0 / (q[0] - 0.5), ..FREE }, 0.050_515_8, &["infinity", "along"]),
        ("mass", Point { mass: |t| 1.0 - t, force: |q, _| -q[0], ..FREE }, 1.0, &["changes its sign", "along"]),
        ("step", Point { guide: Some(|t, _| if t < 1.3 { 0.0 } else { 2.0 }), ..FREE }, 1.3, &["jumps", "guide"]),
        ("stair", Point { guide: Some(|_, x| if x < 11.0 { 0.0 } else { -2.0 }), ..FREE }, 1.1, &["jumps", "guide"]),
        ("friction", Point { force: |_, v| -20.0 * v[0].signum(), ..FREE }, 0.5, &["slides", "along"]),
    ];
    for (name, scheme) in methods() {
        for (case, system, t, words) in &cases {
            let (end, stopped) = run(system, &*scheme, 0.0, 10.0);
            let Err(error) = end else { panic!("{name} passes over the {case}") };
            let told = error.to_string();
            assert!((stopped - t).abs() < 1e-3, "{name}, {case}: stopped at {stopped} instead of {t}: {told}");
            for word in *words {
                assert!(told.contains(word), "{name}, {case}: no `{word}` in {told}");
            }
        }
    }
}

#[test]
fn right_systems_are_left_alone() {
    let cases = [
        Point { force: |q, _| -100.0 * q[0], ..FREE },
        Point { force: |q, _| -100.0 * q[0] - q[0].signum(), ..FREE },
        Point { force: |q, _| -1e5 * (q[0] - 1.0).max(0.0), ..FREE },
        Point { force: |_, v| -20.0 * (v[0] / 1e-3).tanh(), ..FREE },
        Point { mass: |t| 1.5 + (7.0 * t).sin(), ..FREE },
        Point { guide: Some(|t, x| (3.0 * t).sin() + 0.1 * x * x), ..FREE },
        Point { guide: Some(|t, _| (t - 1.0).max(0.0).powi(3)), ..FREE },
    ];
    for (name, scheme) in methods() {
        for (index, system) in cases.iter().enumerate() {
            let (end, _) = run(system, &*scheme, 0.0, 10.0);
            assert!(end.is_ok(), "{name}, {index}: {}", end.expect_err("an error"));
        }
    }
}
