//! Model files: joint tapes say what single ones say, and a run that owns its model moves between threads.

use std::sync::Arc;

use alembert::{
    Answer, At, ConstrainedSystem, ErrorControl, Integrator, Quantity, RungeKutta, State, Tolerance, Unobserved,
    VariableBdf, consistent,
};
use alembert_model::Model;

const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<Model>();

/// A bead on a moving wire, rolling against a table: holonomic and nonholonomic constraints that depend on time.
const BEAD: &str = r#"
format = 1
[parameters]
m = 2
[variables]
coordinates = ["x", "y", "z"]
[equations]
mass = ["m + x^2", "m", 1]
force = ["-3*x", "-9.81*m", "sin(t)"]
holonomic = [{ name = "wire", formula = "y - sin(x)*cos(t) - 0.1*t" }]
nonholonomic = [{ name = "rolling", formula = "z' - x*x' - 0.2*t" }]
[initial]
x = 0.4
y = "sin(0.4)"
z = 0
[run]
t_end = 1
"#;

fn model() -> Model {
    Model::parse("bead", BEAD, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn joint_tapes_say_what_single_ones_say() {
    let system = model().system;
    let (q, v, a) = ([0.3, 0.5, -0.2], [1.1, -0.4, 0.7], [0.2, 0.9, -1.3]);
    let dq: Vec<f64> = (0..q.len()).map(|i| 0.01 - 0.003 * i as f64).collect();
    let at = At { t: 0.6, q: &q, v: &v, a: &a, lambda: &[1.7], psi: &[-0.3], dt: 0.01, dq: &dq, ..At::default() };
    let mut workspace = system.workspace();
    let mut ask = |wanted: &mut [(Quantity, &mut [f64])]| {
        system.evaluate(&at, &mut Answer::new(wanted), &mut workspace);
    };
    let (mut mass, mut force, mut g, mut k) = ([0.0; 9], [0.0; 3], [0.0], [0.0]);
    ask(&mut [(Quantity::Mass, &mut mass), (Quantity::Force, &mut force)]);
    ask(&mut [(Quantity::Holonomic, &mut g)]);
    ask(&mut [(Quantity::Nonholonomic, &mut k)]);
    let (mut g_q, mut k_v) = ([0.0; 3], [0.0; 3]);
    ask(&mut [(Quantity::NonholonomicV, &mut k_v), (Quantity::HolonomicQ, &mut g_q)]);
    // By hand.
    let exact = [q[1] - q[0].sin() * 0.6_f64.cos() - 0.06, v[2] - q[0] * v[0] - 0.12];
    assert!((g[0] - exact[0]).abs() < 1e-15 && (k[0] - exact[1]).abs() < 1e-15, "{g:?} {k:?} {exact:?}");

    // The residual with both constraints, with one, with the other, and alone.
    let parts: Vec<f64> = (0..3)
        .map(|i| (0..3).map(|j| mass[3 * i + j] * a[j]).sum::<f64>() - force[i] + 1.7 * g_q[i] - 0.3 * k_v[i])
        .collect();
    for mask in 0..4 {
        let (mut r, mut with_g, mut with_k) = ([0.0; 3], [0.0], [0.0]);
        let mut wanted = vec![(Quantity::Residual, &mut r[..])];
        if mask & 1 != 0 {
            wanted.push((Quantity::Holonomic, &mut with_g));
        }
        if mask & 2 != 0 {
            wanted.insert(0, (Quantity::Nonholonomic, &mut with_k));
        }
        ask(&mut wanted);
        assert!(r.iter().zip(&parts).all(|(r, part)| (r - part).abs() < 1e-13), "{mask}: {r:?} {parts:?}");
        assert_eq!(with_g[0], if mask & 1 != 0 { g[0] } else { 0.0 }, "{mask}");
        assert_eq!(with_k[0], if mask & 2 != 0 { k[0] } else { 0.0 }, "{mask}");
    }
    // Every quantity by itself, then what methods ask for together, and everything in pairs.
    use Quantity::*;
    let all = [
        (Force, 3),
        (Mass, 9),
        (HolonomicQ, 3),
        (NonholonomicV, 3),
        (HolonomicBias, 1),
        (NonholonomicBias, 1),
        (Holonomic, 1),
        (Nonholonomic, 1),
        (HolonomicT, 1),
    ];
    let mut rooms = system.workspace();
    let mut single = |(quantity, len): (Quantity, usize)| {
        let mut out = vec![0.0; len];
        system.single(quantity, &at, &mut out, &mut rooms);
        out
    };
    let iteration = [all[0], all[2], all[6], all[3], all[8], all[7]];
    let pairs = (0..all.len()).flat_map(|i| (0..i).map(move |j| vec![all[i], all[j]]));
    for set in [all[..6].to_vec(), iteration.to_vec(), all.to_vec()].into_iter().chain(pairs) {
        let mut outs: Vec<Vec<f64>> = set.iter().map(|(_, len)| vec![0.0; *len]).collect();
        let mut wanted: Vec<_> =
            set.iter().zip(&mut outs).map(|((quantity, _), out)| (*quantity, out.as_mut_slice())).collect();
        ask(&mut wanted);
        for (what, found) in set.iter().zip(&outs) {
            let exact = single(*what);
            let close = found.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-13);
            assert!(close, "{:?} among {set:?}: {found:?} for {exact:?}", what.0);
        }
    }
    // G with g.
    let (mut rows, mut with_rows) = ([0.0; 3], [0.0]);
    ask(&mut [(Quantity::Holonomic, &mut with_rows), (Quantity::HolonomicQ, &mut rows)]);
    assert_eq!((rows, with_rows), (g_q, g));
}

#[test]
fn a_workspace_of_another_model_is_not_believed() {
    let light = model().system;
    let heavy = Model::parse("bead", BEAD, &[("m".into(), "5".into())]).expect("right").system;
    let (q, v) = ([0.0; 3], [0.0; 3]);
    let at = At::new(0.0, &q, &v);
    let mut workspace = light.workspace();
    for (system, m) in [(&light, 2.0), (&heavy, 5.0), (&light, 2.0)] {
        let mut mass = [0.0; 9];
        system.evaluate(&at, &mut Answer::new(&mut [(Quantity::Mass, &mut mass)]), &mut workspace);
        assert_eq!(mass[4], m);
    }
}

#[test]
fn a_run_that_owns_its_model_moves_between_threads() {
    let bits = |state: &State| -> Vec<u64> {
        [&state.q, &state.v, &state.a, &state.lambda, &state.psi].into_iter().flatten().map(|x| x.to_bits()).collect()
    };
    let model = model();
    let start = consistent(&model.system, &model.guess).expect("consistent");
    let tolerance = Tolerance::relative(1e-7).expect("in range");
    let system = Arc::new(model.system);
    let schemes: [&dyn alembert::method::Scheme; 2] = [&RungeKutta::default(), &VariableBdf::new()];
    for scheme in schemes {
        let mut borrowed = Integrator::new(&*system, &start, scheme, ErrorControl::new(), tolerance).expect("starts");
        borrowed.run(1.0, &mut Unobserved).expect("runs");
        let mut owning: Integrator<'static> =
            Integrator::new(system.clone(), &start, scheme, ErrorControl::new(), tolerance).expect("starts");
        owning.step(1.0).expect("steps");
        let owning = std::thread::spawn(move || {
            owning.run(1.0, &mut Unobserved).expect("runs");
            owning
        });
        assert_eq!(bits(owning.join().expect("no panic").state()), bits(borrowed.state()), "{}", scheme.name());
    }
}
