//! Every method on files with rotations: unit length, orders, references of nineteen digits, exact motions.

use alembert::{ConstrainedSystem, ErrorControl, FixedSteps, Tolerance};

use super::{distance, fixed, model, run, schemes};

/// The benchmark of integrators on Lie groups: the centre of mass moves by three coordinates, and a ball joint holds it.
fn top() -> alembert_model::Model {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/top.toml");
    model(&std::fs::read_to_string(path).expect("a model of the project"))
}

/// A state of the top.
struct Known {
    t: f64,
    x: [f64; 3],
    /// The quaternion.
    p: [f64; 4],
    w: [f64; 3],
}

/// An independent integration with 19 digits.
const TOP: [Known; 3] = [
    Known {
        t: 0.05,
        x: [0.225_741_117_525_494_67, 0.973_431_984_276_143_9, -0.038_355_180_178_824_375],
        p: [0.814_666_053_082_051_8, 0.049_181_315_079_973_66, 0.568_361_868_965_348_1, -0.104_236_299_382_376_6],
        w: [3.630_269_989_207_832_3, 150.0, -2.977_217_429_303_484_3],
    },
    Known {
        t: 0.1,
        x: [0.421_296_658_925_402, 0.894_571_974_345_593, -0.149_164_700_561_899_62],
        p: [0.331_822_912_608_300_8, 0.177_338_056_666_937_03, 0.914_975_159_138_728, -0.145_826_014_430_888_63],
        w: [4.808_941_331_728_092, 150.0, 1.028_300_756_718_330_2],
    },
    Known {
        t: 0.5,
        x: [-0.702_468_297_056_585_6, -0.021_165_184_701_923_35, -0.711_400_257_651_734_4],
        p: [0.584_560_624_069_414_7, -0.700_662_895_412_206_5, 0.384_325_753_022_894_4, 0.140_193_078_800_435_22],
        w: [-0.471_053_101_745_248_5, 150.0, 5.901_083_048_326_457],
    },
];

/// The largest error of the position, the rotation and the angular velocity; a quaternion and its negative are the same.
fn errors(state: &alembert::State, Known { x, p, w, .. }: &Known) -> [f64; 3] {
    let own = &state.q[3..7];
    let sign = if own.iter().zip(p).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
    let own: Vec<f64> = own.iter().map(|p| sign * p).collect();
    [distance(&state.q[..3], x), distance(&own, p), distance(&state.v[3..], w)]
}

fn length(q: &[f64]) -> f64 {
    q.iter().map(|p| p * p).sum::<f64>().sqrt()
}

#[test]
fn the_top_of_the_file_is_that_of_the_reference() {
    let top = top();
    let tight = Tolerance::new(1e-12, 1e-12).expect("in range");
    for exact in &TOP {
        let state =
            run(&top, &alembert::RungeKutta::radau(7).expect("odd"), ErrorControl::new(), tight, exact.t, |_| {});
        let found = errors(&state, exact);
        assert!(found[0] < 1e-9 && found[1] < 1e-9 && found[2] < 1e-7, "at {}: {found:?}", exact.t);
    }
}

#[test]
fn every_method_keeps_unit_length_and_its_tolerance() {
    let top = top();
    for (name, _, scheme) in schemes() {
        let mut worst = 0.0_f64;
        let look = |state: &alembert::State| worst = worst.max((length(&state.q[3..7]) - 1.0).abs());
        let state = if name == "bdf 2" {
            // Constant steps only.
            run(&top, &*scheme, fixed(2.5e-5), Tolerance::new(1e-10, 1e-10).expect("in range"), 0.05, look)
        } else {
            run(&top, &*scheme, ErrorControl::new(), Tolerance::new(1e-6, 1e-6).expect("in range"), 0.05, look)
        };
        let found = errors(&state, &TOP[0]);
        println!("{name}: {found:?}, length off by {worst:e}");
        assert!(worst < 5e-15, "{name}: length off by {worst:e}");
        assert!(found[0] < 2e-5 && found[1] < 2e-4 && found[2] < 5e-3, "{name}: {found:?}");
    }
}

#[test]
fn orders_are_those_of_the_methods() {
    let top = top();
    let (tight, constant, alternating) =
        (Tolerance::new(1e-12, 1e-12).expect("in range"), [1.0], [2.0 / 3.0, 4.0 / 3.0]);
    for (name, order, scheme) in schemes() {
        // Where steps are short enough for this spin, order 9 is at rounding: see the precession below.
        if order == 0 || order > 5 {
            continue;
        }
        let coarse = if order == 2 { 1.25e-4 } else { 1.25e-3 };
        for pattern in [&constant[..], &alternating] {
            if name == "bdf 2" && pattern.len() > 1 {
                continue;
            }
            let [first, second] = [coarse, 0.5 * coarse].map(|h| {
                let steps = FixedSteps::pattern(h, pattern).expect("positive");
                errors(&run(&top, &*scheme, steps, tight, 0.05, |_| {}), &TOP[0])
            });
            for (what, (coarse, fine)) in ["x", "R", "omega"].iter().zip(first.iter().zip(second)) {
                let observed = (coarse / fine).log2();
                println!("{name} {pattern:?} {what}: {coarse:e} {fine:e}, order {observed}");
                let least = f64::from(order) - 0.25;
                assert!(observed > least, "{name} {pattern:?} {what}: {coarse:e} {fine:e}, order {observed}");
            }
        }
    }
}

/// A symmetric top about its fixed point that precesses steadily: C n Omega - A Omega^2 cos theta = m g l.
#[test]
fn steady_precession_is_exact() {
    let text = "format = 1
[parameters]
A = 2.0
C = 0.8
mgl = 1.3
theta = 0.7
Omega = 0.9
n = \"(mgl + A*Omega^2*cos(theta))/(C*Omega)\"
spin = \"n - Omega*cos(theta)\"
[variables]
coordinates = [\"R : rotation\"]
[equations]
kinetic = \"(A*(R.omega.x^2 + R.omega.y^2) + C*R.omega.z^2)/2\"
potential = \"mgl*(R*[0, 0, 1]).z\"
[initial]
R = \"rotation([1, 0, 0], theta)\"
\"R.omega\" = \"[0, Omega*sin(theta), n]\"
[exact]
R = \"rotation([0, 0, 1], Omega*t)*rotation([1, 0, 0], theta)*rotation([0, 0, 1], spin*t)\"
[run]
t_end = 10
";
    let model = model(text);
    let start = model.exact(0.0).expect("known");
    assert!(distance(&start.v, &model.guess.v) < 1e-14 && distance(&start.q, &model.guess.q) < 1e-15);
    let state = super::reached(&model, 10.0, 1e-11);
    let exact = model.exact(10.0).expect("known");
    // The quaternion of the formula, with its sign, and what follows from it.
    assert!(distance(&state.q, &exact.q) < 1e-9, "{:?} {:?}", state.q, exact.q);
    assert!(distance(&state.v, &exact.v) < 1e-9, "{:?} {:?}", state.v, exact.v);
    assert!(distance(&state.a, &exact.a) < 1e-8, "{:?} {:?}", state.a, exact.a);
    assert_eq!(model.system.description().rotations, [0]);
    let (radau, tight) =
        (alembert::RungeKutta::radau(5).expect("odd"), Tolerance::new(1e-13, 1e-13).expect("in range"));
    for pattern in [&[1.0][..], &[2.0 / 3.0, 4.0 / 3.0]] {
        let [coarse, fine] = [0.5, 0.25].map(|h| {
            let steps = FixedSteps::pattern(h, pattern).expect("positive");
            let state = run(&model, &radau, steps, tight, 10.0, |_| {});
            distance(&state.q, &exact.q).max(distance(&state.v, &exact.v))
        });
        let order = (coarse / fine).log2();
        println!("{pattern:?}: {coarse:e} {fine:e}, order {order}");
        assert!(order > 8.3 && fine > 1e-14, "{pattern:?}: {coarse:e} {fine:e}, order {order}");
    }
    // The other quaternion of the same start: the exact one takes its sign.
    let other =
        super::model(&text.replace("R = \"rotation([1, 0, 0], theta)\"", "R = \"rotation([1, 0, 0], theta + 2*pi)\""));
    let exact = other.exact(0.0).expect("known");
    assert!(exact.q[0] < 0.0 && distance(&exact.q, &other.guess.q) < 1e-14);
}
