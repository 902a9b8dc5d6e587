//! Values of formulas with rotations, and their derivatives along turns.

use alembert::rotation::{cross, inverse, product, to_body, to_space};
use alembert::space::Space;
use alembert::{At, ConstrainedSystem, Point, Quantity, State, check_derivatives};

use super::{Random, distance, mistakes, model, outputs};

/// Two rotations and two numbers in between, in an order that shifts everything.
const HEAD: &str = "format = 1
[variables]
coordinates = [\"x\", \"R : rotation\", \"y\", \"S:rotation\"]
[equations]
kinetic = \"x'^2 + y'^2 + dot(R.omega, R.omega) + dot(S.omega, S.omega)\"
[initial]
x = 0.1
R = [1, 0, 0, 0]
y = 0.2
S = \"rotation([1, 2, 3], 0.4)\"
[run]
t_end = 1
";

fn state(random: &mut Random) -> State {
    let (p, s) = (random.unit(), random.unit());
    let q = [&[random.number()][..], &p, &[random.number()], &s].concat();
    State { t: random.number(), q, v: random.many(8), a: random.many(8), lambda: Vec::new(), psi: Vec::new() }
}

fn four(q: &[f64], i: usize) -> [f64; 4] {
    [q[i], q[i + 1], q[i + 2], q[i + 3]]
}

fn three(v: &[f64], i: usize) -> [f64; 3] {
    [v[i], v[i + 1], v[i + 2]]
}

#[test]
fn formulas_have_the_values_of_quaternions() {
    let text = format!(
        "{HEAD}[functions]\n\"f(Q, a)\" = \"Q*(2*a) - a\"\n[definitions]\nB = \"R^-1*S\"\nturn = \"rotation([x, y, 1], x*y)\"\n[outputs]\n\
         a = \"R*[1, x, 0]\"\nb = \"R^-1*[x, y, 2]\"\nc = \"(R*S)*[1, 2, 3]\"\nd = \"R*S^-1*[1, 2, 3]\"\ne = \"B.omega\"\nf0 = \"f(S, [0, 1, y])\"\n\
         g = \"der(R*[1, x, 0])\"\nh = \"R.omega'\"\ni = \"der(R*R.omega)\"\nj = \"turn*[1, 2, 3]\"\nk = \"rotate([x, y, 1], x*y, [1, 2, 3])\"\n\
         l = \"[R.e0, R.e3, S.e2]\"\nm = \"(turn*R).omega\"\nn = \"der(turn*R*[1, 2, 3])\"\no = \"turn*R*cross((turn*R).omega, [1, 2, 3])\"\n\
         p0 = \"if(x > 0, R, S)*[1, 0, 0]\"\nq0 = \"(R^-1)^-1*[1, x, 0]\"\nr0 = \"(rotation([0, 0, 2], x)*R).omega\"\n"
    );
    let model = model(&text);
    let mut random = Random(3);
    for _ in 0..50 {
        let state = state(&mut random);
        let all = outputs(&model, &state);
        let value = |name: &str| {
            let at = model.names.outputs.iter().position(|known| *known == format!("{name}_x")).expect("an output");
            three(&all, at)
        };
        let (q, v, a) = (&state.q, &state.v, &state.a);
        let (x, y, r, s) = (q[0], q[5], four(q, 1), four(q, 6));
        let (w, u) = (three(v, 1), three(v, 5));
        let close = |name: &str, exact: [f64; 3]| {
            assert!(distance(&value(name), &exact) < 1e-14, "{name}: {:?} {exact:?}", value(name));
        };
        close("a", to_space(&r, &[1.0, x, 0.0]));
        close("q0", to_space(&r, &[1.0, x, 0.0]));
        close("b", to_body(&r, &[x, y, 2.0]));
        close("c", to_space(&product(&r, &s), &[1.0, 2.0, 3.0]));
        close("d", to_space(&product(&r, &inverse(&s)), &[1.0, 2.0, 3.0]));
        // The body S as seen from R: omega_S - S^-1 R omega_R.
        let seen = to_body(&s, &to_space(&r, &w));
        close("e", [0, 1, 2].map(|i| u[i] - seen[i]));
        let turned = to_space(&s, &[0.0, 2.0, 2.0 * y]);
        close("f0", [0, 1, 2].map(|i| turned[i] - [0.0, 1.0, y][i]));
        let (moved, own) = (to_space(&r, &cross(&w, &[1.0, x, 0.0])), to_space(&r, &[0.0, v[0], 0.0]));
        close("g", [0, 1, 2].map(|i| moved[i] + own[i]));
        close("h", three(a, 1));
        // In space the rate of the angular velocity is that of its body components, turned.
        close("i", to_space(&r, &three(a, 1)));
        let k = value("k");
        close("j", k);
        close("l", [r[0], r[3], s[2]]);
        // The general axis of a turn, checked by the motion that it makes.
        let (rate, made) = (value("n"), value("o"));
        assert!(distance(&rate, &made) < 1e-12 * (1.0 + distance(&rate, &[0.0; 3])), "{rate:?} {made:?}");
        let about = to_body(&r, &[0.0, 0.0, v[0]]);
        close("r0", [0, 1, 2].map(|i| about[i] + w[i]));
        close("p0", to_space(if x > 0.0 { &r } else { &s }, &[1.0, 0.0, 0.0]));
    }
}

/// Formulas with rotations of all kinds, some of them of the quaternions themselves.
const FORMULAS: [&str; 14] = [
    "(R*[1, 2, 3]).x",
    "(R^-1*[x, 2, y]).z",
    "dot(R*[1, 0, 0], S*[0, 1, 0])",
    "x*(R*S*[1, 1, 0]).y + y",
    "R.e0*R.e2 - S.e1*x",
    "norm(R*[x, y, 1] - S*[1, 2, 0] + [3, 0, 0])",
    "sin((R*[0, 0, 1]).x)*exp(-y*(S*[0, 1, 0]).z)",
    "(rotation([0, 0, 1], x)*R*[1, 0, 0]).y",
    "(R*S*R^-1*[0, 0, 1]).x",
    "-(R*[0, 1, 0]).y",
    "3*(R*[0, 1, 0]).x - (R*[0, 1, 0]).x*2",
    "abs((R*[0, 0, 1]).z)*(S*[1, 0, 0]).x",
    "if((R*[1, 0, 0]).x > 0, (R*[0, 1, 0]).z, (R*[0, 1, 0]).z^2)*y",
    "2*(R.e1*R.e2 - R.e0*R.e3) + R.e0^3",
];

#[test]
fn derivatives_are_those_along_turns() {
    let list: Vec<String> = FORMULAS.iter().map(|formula| format!("\"{formula}\"")).collect();
    let text = HEAD.replace("[initial]", &format!("holonomic = [{}]\nsolver = \"dense\"\n[initial]", list.join(", ")));
    let model = model(&text);
    let space = Space::new(model.system.dims(), &model.system.description().rotations, false).expect("fits");
    let mut random = Random(5);
    let (mut workspace, count) = (model.system.workspace(), FORMULAS.len());
    for _ in 0..100 {
        let state = state(&mut random);
        let mut ask = |quantity: Quantity, q: &[f64], len: usize| {
            let mut out = vec![0.0; len];
            model.system.single(quantity, &At::new(state.t, q, &state.v), &mut out, &mut workspace);
            out
        };
        let rows = ask(Quantity::HolonomicQ, &state.q, 8 * count);
        // Rates, and their own derivatives, which are second ones.
        let curved = ask(Quantity::HolonomicVelocityQ, &state.q, 8 * count);
        let bias = ask(Quantity::HolonomicBias, &state.q, count);
        for j in 0..8 {
            let mut moved = |h: f64| {
                let (mut dx, mut q) = (vec![0.0; 8], vec![0.0; 10]);
                dx[j] = h;
                space.advance(&state.q, &dx, &mut q);
                let rows = ask(Quantity::HolonomicQ, &q, 8 * count);
                let rates: Vec<f64> =
                    rows.chunks(8).map(|row| row.iter().zip(&state.v).map(|(g, v)| g * v).sum()).collect();
                (ask(Quantity::Holonomic, &q, count), rates)
            };
            let h = 1e-4;
            let ((up, up_rate), (down, down_rate)) = (moved(h), moved(-h));
            let ((up2, up2_rate), (down2, down2_rate)) = (moved(2.0 * h), moved(-2.0 * h));
            for i in 0..count {
                // Fourth order.
                let slope = |a: f64, b: f64, c: f64, d: f64| (8.0 * (a - b) - (c - d)) / (12.0 * h);
                let exact = slope(up[i], down[i], up2[i], down2[i]);
                let found = rows[8 * i + j];
                assert!((found - exact).abs() < 1e-10 * (1.0 + exact.abs()), "{} by {j}: {found} {exact}", FORMULAS[i]);
                let exact = slope(up_rate[i], down_rate[i], up2_rate[i], down2_rate[i]);
                let found = curved[8 * i + j];
                assert!(
                    (found - exact).abs() < 1e-9 * (1.0 + exact.abs()),
                    "rate of {} by {j}: {found} {exact}",
                    FORMULAS[i]
                );
            }
        }
        // The bias is the second derivative along the motion.
        for (row, (bias, formula)) in curved.chunks(8).zip(bias.iter().zip(FORMULAS)) {
            let along: f64 = row.iter().zip(&state.v).map(|(c, v)| c * v).sum();
            assert!((bias - along).abs() < 1e-11 * (1.0 + along.abs()), "{formula}: {bias} {along}");
        }
    }
}

#[test]
fn every_derivative_of_a_rich_model_agrees_with_differences() {
    let text = "format = 1
[variables]
coordinates = [\"x\", \"R : rotation\", \"y\", \"S : rotation\"]
[states]
\"u'\" = \"(R*[0, 0, 1]).x - u\"
[equations]
kinetic = \"(2 + (S*[1, 0, 0]).x)*dot(R.omega, [R.omega.x, 2*R.omega.y, 3*R.omega.z])/2 + dot(S.omega, S.omega) + y'*(R*R.omega).x + x'^2 + y'^2 + t*x'*(R*[0, 1, 0]).z\"
potential = \"(R*[1, 2, 3]).z*x + dot(R*[1, 0, 0], S*[0, 1, 0]) + u*x\"
dissipation = \"0.1*dot(R.omega - S.omega, R.omega - S.omega)\"
force = [\"u\", \"R^-1*[0, t, x']\", 0, \"[u, 0, 1]\"]
holonomic = [\"x - (R*[1, 0, 0]).y - 0.1*t\"]
nonholonomic = [\"(R*R.omega).x*y - y' + (S*S.omega).z\"]
[initial]
x = 0
R = \"rotation([1, 1, 0], 0.7)\"
y = 0.2
S = \"rotation([1, 2, 3], 0.4)\"
[run]
t_end = 1
";
    let model = model(text);
    let mut random = Random(9);
    for _ in 0..20 {
        let (p, s) = (random.unit(), random.unit());
        let q = [&[random.number()][..], &p, &[random.number()], &s, &[0.3]].concat();
        let v = random.many(9);
        let report = check_derivatives(
            &model.system,
            Point { t: 0.4, q: &q, v: &v, lambda: &[random.number()], psi: &[random.number()] },
        );
        let report = report.expect("finite");
        assert!(report.is_ok(), "{report}");
    }
}

#[test]
fn slips_are_told_with_what_to_write() {
    let with = |formula: &str| mistakes(&format!("{HEAD}[outputs]\no = \"{formula}\"\n"));
    for (formula, message, hint) in [
        ("R", "a rotation stands where a number is expected", "R*[a, b, c]"),
        ("R*5", "a rotation and a number have no product", "rotation(axis, angle)"),
        ("2*R", "a rotation and a number have no product", "rotation(axis, angle)"),
        ("R + S", "rotations cannot be added", "R*S"),
        ("[1, 0, 0]*R", "a triple stands before a rotation", "R^-1*r"),
        ("[1, 0, 0]/R", "nothing can be divided by a rotation", "R^-1"),
        ("-R", "a rotation has no sign", "R^-1"),
        ("R^2", "a rotation has no powers but -1", "R*R"),
        ("R'", "the rotation `R` has no rate", "R.omega"),
        ("der(R)", "the rate of a rotation is not a rotation", "R.omega"),
        ("R.w", "`.w` is not part of a rotation", "R.omega"),
        ("R.x", "a rotation has no component .x", "R*[1, 0, 0]"),
        ("R.omega", "", ""),
        ("R.omega.w", "`.w` is not a component", ".x, .y and .z"),
        ("R[1]", "`R` is not a vector", ""),
        ("R.matrix", "`.matrix` is not part of a rotation", "R.e0"),
        ("inverse(R)*[1, 0, 0]", "unknown function `inverse`", "R^-1"),
        ("norm(R)", "a rotation stands where a triple is expected", "R.omega"),
        ("sin(R)", "a rotation stands where a number is expected", ""),
        ("R == S", "a rotation stands where a number is expected", ""),
        ("rotation([0, 0, 0], x)*[1, 0, 0]", "the axis of a rotation is zero", "[0, 0, 1]"),
        ("rotation(x, [0, 0, 1])*[1, 0, 0]", "a number stands where a triple is expected", ""),
        ("x.omega", "`.omega` is not a component", ""),
        ("R.omega''", "the rate of `R.omega.x'` is not known", "accelerations have no rates"),
    ] {
        if message.is_empty() {
            model(&format!("{HEAD}[outputs]\no = \"{formula}\"\n"));
            continue;
        }
        let told = with(formula);
        assert!(told.contains(message) && told.contains(hint), "{formula}: {told}");
    }
}
