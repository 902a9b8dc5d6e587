//! Many rotations by repetition: sparse matrices and dense ones give the same motion.

use alembert::{ConstrainedSystem, GeneralizedAlpha, Point, RungeKutta, Tolerance, VariableBdf, check_derivatives};
use alembert_model::Model;

use super::{distance, fixed, model, run, start};

/// A chain of bodies on ball joints, with dampers between neighbours and a moment on each second body.
fn chain(bodies: usize, solver: &str) -> Model {
    model(&format!(
        "format = 1
[parameters]
N = {bodies}
a = 0.1
m = 0.2
[variables]
coordinates = [\"x[1..N]\", \"y[1..N]\", \"z[1..N]\", \"R[1..N] : rotation\"]
[equations]
kinetic = \"sum(m/2*(x[i]'^2 + y[i]'^2 + z[i]'^2) + m*a^2/6*(2*R[i].omega.x^2 + R[i].omega.y^2 + 2*R[i].omega.z^2) for i in 1..N)\"
potential = \"sum(9.81*m*z[i] for i in 1..N)\"
dissipation = \"1e-4*sum(dot(R[i+1].omega - R[i].omega, R[i+1].omega - R[i].omega) for i in 1..N-1)\"
holonomic = [
    \"x[i] - (R[i]*[0, a, 0]).x - if(i > 1, x[i-1] + (R[i-1]*[0, a, 0]).x, 0) for i in 1..N\",
    \"y[i] - (R[i]*[0, a, 0]).y - if(i > 1, y[i-1] + (R[i-1]*[0, a, 0]).y, 0) for i in 1..N\",
    \"z[i] - (R[i]*[0, a, 0]).z - if(i > 1, z[i-1] + (R[i-1]*[0, a, 0]).z, 0) for i in 1..N\",
]
solver = \"{solver}\"
[initial]
x = 0
y = \"(2*i - 1)*a for i in 1..N\"
z = 0
R = [1, 0, 0, 0]
\"R.omega\" = \"[0, 0.5 + 0.1*i, 0] for i in 1..N\"
[run]
t_end = 1
"
    ))
}

#[test]
fn fifty_bodies_move_alike_sparse_and_dense() {
    let (sparse, dense) = (chain(50, "sparse"), chain(50, "dense"));
    assert_eq!(sparse.names.q[150], "R[1].e0");
    assert_eq!((sparse.names.v[152].as_str(), sparse.names.a[299].as_str()), ("R[1].omega.z", "R[50].omega.z'"));
    let patterns = sparse.system.description().patterns.clone().expect("a sparse model");
    assert!(dense.system.description().patterns.is_none());
    assert!(
        patterns.top.len() < 300 * 30 && patterns.rows.len() < 150 * 10,
        "{} {}",
        patterns.top.len(),
        patterns.rows.len()
    );
    let tight = Tolerance::new(1e-10, 1e-10).expect("in range");
    let schemes: [(&str, Box<dyn alembert::method::Scheme>); 3] = [
        ("radau", Box::new(RungeKutta::radau(3).expect("odd"))),
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("bdf", Box::new(VariableBdf::new())),
    ];
    for (name, scheme) in schemes {
        let (h, steps) = (1e-3, 4.0);
        let [one, other] = [&sparse, &dense].map(|model| run(model, &*scheme, fixed(h), tight, h * steps, |_| {}));
        let apart = [distance(&one.q, &other.q), distance(&one.v, &other.v), distance(&one.lambda, &other.lambda)];
        println!("{name}: {apart:?}");
        assert!(apart[0] < 1e-11 && apart[1] < 1e-9 && apart[2] < 1e-6, "{name}: {apart:?}");
        assert!(distance(&one.q, &start(&sparse).q) > 1e-6, "{name}: it moved");
    }
}

#[test]
fn derivatives_stand_where_the_patterns_say() {
    let model = chain(20, "sparse");
    assert!(model.system.description().patterns.is_some());
    let mut random = super::Random(4);
    let off = |x: &[f64], size: f64, random: &mut super::Random| -> Vec<f64> {
        x.iter().map(|x| x + size * random.number()).collect()
    };
    let mut q = off(&model.guess.q, 0.3, &mut random);
    for (k, first) in model.system.description().rotations.iter().enumerate() {
        q[first + k..first + k + 4].copy_from_slice(&random.unit());
    }
    let (v, lambda) = (off(&model.guess.v, 0.5, &mut random), random.many(60));
    let report = check_derivatives(&model.system, Point { t: 0.0, q: &q, v: &v, lambda: &lambda, psi: &[] });
    let report = report.expect("finite");
    assert!(report.is_ok(), "{report}");
}
