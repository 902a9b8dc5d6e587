//! What formulas say: conditions, rates, triples, functions of the file. Values are exact or worked out by hand.

use alembert::{At, ConstrainedSystem, Point, Quantity, State, Supplied, check_derivatives};
use alembert_model::Model;

fn parse(text: &str) -> Model {
    Model::parse("language", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// Two coordinates x and y, with more lines.
fn file(definitions: &str, outputs: &str) -> String {
    format!(
        "format = 1\n{definitions}\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\n\
         [initial]\nx = 0.5\ny = 2\n[outputs]\n{outputs}\n[run]\nt_end = 1\n"
    )
}

fn outputs(model: &Model, t: f64, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    let state = State { t, q: q.to_vec(), v: v.to_vec(), a: a.to_vec(), lambda: Vec::new(), psi: Vec::new() };
    let mut out = vec![0.0; model.names.outputs.len()];
    model.outputs_into(&state, &mut out);
    out
}

/// The value of one formula of x and y.
fn at(formula: &str, x: f64, y: f64) -> f64 {
    outputs(&parse(&file("", &format!("o = \"{formula}\""))), 0.0, &[x, y], &[0.0; 2], &[0.0; 2])[0]
}

#[test]
fn conditions_bind_as_elsewhere() {
    // `not` before `and` before `or`, all behind comparisons, those behind sums.
    let cases: [(&str, f64); 10] = [
        ("if(x > 0 or x > 1 and x > 2, 1, 0)", 1.0),
        ("if((x > 0 or x > 1) and x > 2, 1, 0)", 0.0),
        ("if(not x > 1 and y > 1, 1, 0)", 1.0),
        ("if(not (x > 1 and y > 1), 1, 0)", 1.0),
        ("if(x + 1 < y*2, 1, 0)", 1.0),
        ("if(x == 0.5 and y != 0.5, 1, 0)", 1.0),
        ("if(x >= 0.5 and x <= 0.5, 1, 0)", 1.0),
        ("if(x > 0.5 or x < 0.5, 1, 0)", 0.0),
        ("if(not not x > 0, 1, 0)", 1.0),
        ("2*if(x > 0, 3, 4)^2", 18.0),
    ];
    for (formula, value) in cases {
        assert_eq!(at(formula, 0.5, 2.0), value, "{formula}");
    }
}

#[test]
fn unknown_conditions_decide_nothing() {
    // log(x) has no value at x = -1.
    for formula in [
        "if(log(x) > 0, 1, 2)",
        "if(log(x) < 0, 1, 2)",
        "if(log(x) == 0, 1, 2)",
        "if(log(x) != 0, 1, 2)",
        "if(log(x) == log(x), 1, 2)",
        "if(not log(x) > 0, 1, 2)",
        "if(log(x) > 0 and y > 0, 1, 2)",
        "if(y > 0 and log(x) > 0, 1, 2)",
        "if(log(x) > 0 or y < 0, 1, 2)",
        "if(log(x) > 0, 1, 1)",
        "mod(log(x), 2)",
        "mod(1, x + 1)",
        "hypot(log(x), 1/(x + 1))",
        "floor(log(x))",
        "clamp(log(x), 0, 1)",
        "clamp(y, log(x), 1)",
        "step(log(x), 1)",
        "smoothstep(y, log(x), 1)",
    ] {
        assert!(at(formula, -1.0, 2.0).is_nan(), "{formula}");
    }
    // What is decided already needs no more.
    for (formula, value) in [
        ("if(x > 0 and log(x) > 0, 1, 2)", 2.0),
        ("if(log(x) > 0 and x > 0, 1, 2)", 2.0),
        ("if(x < 0 or log(x) > 0, 1, 2)", 1.0),
        ("if(log(x) > 0 or x < 0, 1, 2)", 1.0),
        ("if(x > 0, log(x), y)", 2.0),
        ("if(x > 0, 1/(x + 1), y)", 2.0),
    ] {
        assert_eq!(at(formula, -1.0, 2.0), value, "{formula}");
    }
}

#[test]
fn edges_of_functions_are_as_documented() {
    let cases: [(&str, f64, f64); 17] = [
        ("mod(x, 3)", -1.0, 2.0),
        ("mod(x, -3)", 1.0, -2.0),
        ("mod(x, 3)", 6.0, 0.0),
        ("mod(x, 3)", -6.0, 0.0),
        ("round(x)", 2.5, 3.0),
        ("round(x)", -2.5, -3.0),
        ("floor(x)", -0.5, -1.0),
        ("ceil(x)", -0.5, 0.0),
        ("hypot(x, x)", 1e200, std::f64::consts::SQRT_2 * 1e200),
        ("clamp(x, 2, 1)", 5.0, 1.0),
        ("step(x, 2)", 0.0, 0.0),
        ("step(x, 2)", 1.0, 0.5),
        ("step(x, 2)", 2.0, 1.0),
        ("step(x, 2)", 1e300, 1.0),
        ("smoothstep(x, -1, 1)", 0.0, 0.5),
        ("smoothstep(x, -1, 1)", -7.0, 0.0),
        ("30*deg*x", 6.0, std::f64::consts::PI),
    ];
    for (formula, x, value) in cases {
        let found = at(formula, x, 0.0);
        assert!((found - value).abs() <= 2e-16 * value.abs(), "{formula} at {x}: {found} {value}");
    }
}

/// The slope of a formula in x.
fn slope(formula: &str, x: f64) -> f64 {
    let text = format!(
        "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [\"{formula}\", 0]\n\
         [initial]\nx = {x:?}\ny = 1\n[run]\nt_end = 1\n"
    );
    let mut rows = [0.0; 4];
    let _ = parse(&text).system.ask(Quantity::ForceQ, &At::new(0.0, &[x, 1.0], &[0.0; 2]), &mut rows);
    rows[0]
}

#[test]
fn nothing_leaks_from_a_branch_that_is_not_taken() {
    // Infinite slopes, infinite values and no values at all in what is left out, shared with what is not.
    assert_eq!(slope("if(x > 0, sqrt(x), 0)", 0.0), 0.0);
    assert_eq!(slope("if(x < 1, x, sqrt(x - 1))", 0.5), 1.0);
    assert_eq!(slope("if(x < 1, x, sqrt(x - 1)) + if(x < 2, 2*x, sqrt(x - 1))", 0.5), 3.0);
    assert_eq!(slope("if(x < 1, x, log(x - 1)*1e300*1e300)", 0.5), 1.0);
    assert_eq!(slope("if(x > 1, 1/(x - 0.5), x^2)", 0.5), 1.0);
    assert_eq!(slope("x*if(x > 1, if(x > 2, log(x - 2), x), if(x < 0, sqrt(-x), x^2))", 0.5), 0.75);
    assert_eq!(slope("sqrt(if(x > 1, x - 1, 0))", 0.5), 0.0);
    // A condition that has no value leaves none.
    assert!(slope("if(x > 0, x, 1)", 0.5) == 1.0 && at("if(log(x) > 0, x, 1)", -1.0, 0.0).is_nan());
}

#[test]
fn a_constant_condition_looks_at_one_branch_only() {
    let text = "format = 1\n[parameters]\nN = 3\n[variables]\ncoordinates = [\"x[1..N]\"]\n[definitions]\n\
                below = \"if(i > 1, x[i-1], 0) for i in 1..N\"\ntotal = \"if(i == 1, 0, total[i-1]) + x[i] for i in 1..N\"\n\
                near = \"if(i > 1 and x[i-1] > 0, 1, 0) for i in 1..N\"\n\
                [equations]\nmass = [\"1 for i in 1..N\"]\nforce = [\"0 for i in 1..N\"]\n[initial]\nx = [1, 2, 4]\n\
                [outputs]\nb = \"below[i] for i in 1..N\"\ns = \"total[i] for i in 1..N\"\nn = \"near[i] for i in 1..N\"\n[run]\nt_end = 1\n";
    let found = outputs(&parse(text), 0.0, &[1.0, 2.0, 4.0], &[0.0; 3], &[0.0; 3]);
    assert_eq!(found, [0.0, 1.0, 2.0, 1.0, 3.0, 7.0, 0.0, 1.0, 1.0]);
}

#[test]
fn rates_are_exact() {
    let definitions = "[definitions]\nlen = \"sqrt(x^2 + y^2)\"\nr = \"[x, y, x*t]\"\nc = \"cos(t)\"";
    let shown = "a = \"der(x*y)\"\nb = \"len'\"\nc2 = \"len''\"\nd = \"der(der(sin(t)*x))\"\ne = \"r'.z\"\nf = \"r.z'\"\n\
                 g = \"dot(r', [1, 1, 1])\"\nh = \"der(x')\"\ni = \"c'\"\nj = \"der(if(x > 0, x^2, y))\"\nk = \"r'\"\nl = \"norm(r)'*0\"";
    let mistakes = Model::parse("rates", &file(definitions, shown), &[]).expect_err("a prime behind a bracket");
    assert!(mistakes.to_string().contains("der("), "{mistakes}");
    let model = parse(&file(definitions, &shown.replace("norm(r)'", "der(norm(r))")));
    let (t, x, y, vx, vy, ax, ay) = (0.3_f64, 0.6_f64, 0.8_f64, 2.0, -1.0, 0.5, 0.25);
    let found = outputs(&model, t, &[x, y], &[vx, vy], &[ax, ay]);
    let len_rate = x * vx + y * vy;
    let expected = [
        vx * y + x * vy,
        len_rate,
        vx * vx + vy * vy + x * ax + y * ay - len_rate * len_rate,
        -t.sin() * x + 2.0 * t.cos() * vx + t.sin() * ax,
        vx * t + x,
        vx * t + x,
        vx + vy + vx * t + x,
        ax,
        -t.sin(),
        2.0 * x * vx,
        vx,
        vy,
        vx * t + x,
        0.0,
    ];
    assert_eq!(model.names.outputs[10..13], ["k_x", "k_y", "k_z"]);
    for ((found, expected), name) in found.iter().zip(expected).zip(&model.names.outputs) {
        assert!((found - expected).abs() < 1e-14, "{name}: {found} {expected}");
    }
}

/// Under a general rate q' is a formula: theta' = 2 w, (cos theta)' = -2 w sin theta.
#[test]
fn rates_follow_general_kinematics() {
    let text = "format = 1\n[variables]\ncoordinates = [\"theta\"]\nvelocities = [\"w\"]\n[definitions]\nc = \"cos(theta)\"\n\
                [equations]\nmass = [1]\nforce = [\"-c'\"]\nvelocities = [\"2*w\"]\n[initial]\ntheta = 0.4\n[outputs]\na = \"c'\"\nb = \"c''\"\n[run]\nt_end = 1\n";
    let found = outputs(&parse(text), 0.0, &[0.4], &[3.0], &[0.5]);
    let (s, c) = 0.4_f64.sin_cos();
    assert!((found[0] + 6.0 * s).abs() < 1e-14 && (found[1] + 36.0 * c + s).abs() < 1e-13, "{found:?}");
}

/// A pendulum by its place in space, r = [l sin, -l cos, 0]: T = m l^2 phi'^2/2, U = -m g l cos phi, and a damper along a rod.
#[test]
fn mechanics_by_triples() {
    let text = "format = 1\n[parameters]\nm = 2\nl = 1.5\ng = 9.81\nd = 0.7\nanchor = [1, 2, 0]\n[functions]\n\
                \"place(angle)\" = \"l*[sin(angle), -cos(angle), 0]\"\n\"unit(a)\" = \"a/norm(a)\"\n[variables]\ncoordinates = [\"phi\"]\n\
                [definitions]\nr = \"place(phi)\"\nrod = \"r - anchor\"\n[equations]\nkinetic = \"m*dot(r', r')/2\"\npotential = \"m*g*r.y\"\n\
                dissipation = \"d*dot(rod', unit(rod))^2/2\"\n[initial]\nphi = 0.5\n[run]\nt_end = 1\n";
    let model = parse(text);
    let (phi, w) = (0.5_f64, 1.25);
    let (mut mass, mut force) = ([0.0], [0.0]);
    let _ = model.system.ask(Quantity::Mass, &At::new(0.0, &[phi], &[w]), &mut mass);
    let _ = model.system.ask(Quantity::Force, &At::new(0.0, &[phi], &[w]), &mut force);
    assert!((mass[0] - 2.0 * 1.5 * 1.5).abs() < 1e-14, "{mass:?}");
    let rod = [1.5 * phi.sin() - 1.0, -1.5 * phi.cos() - 2.0];
    let along = (rod[0] * 1.5 * phi.cos() + rod[1] * 1.5 * phi.sin()) / rod[0].hypot(rod[1]);
    let expected = -2.0 * 9.81 * 1.5 * phi.sin() - 0.7 * along * along * w;
    assert!((force[0] - expected).abs() < 1e-13, "{} {expected}", force[0]);
    let point = Point { t: 0.0, q: &[phi], v: &[w], lambda: &[], psi: &[] };
    let report = check_derivatives(&model.system, point).expect("a system");
    assert!(report.is_ok(), "{report}");
}

/// Three coordinates are a triple; their start may be one.
#[test]
fn a_vector_of_three_is_a_triple() {
    let text = "format = 1\n[variables]\ncoordinates = [\"r[1..3]\", \"s[0..2]\"]\n[equations]\nkinetic = \"dot(r', r')/2 + sum(s[i]'^2 for i in 0..2)/2\"\n\
                holonomic = [\"norm(r) - 3\"]\n[initial]\nr = \"rotate([0, 0, 1], 90*deg, [2, -1, 2])\"\ns = 1\n[outputs]\nr = \"2*r\"\nlast = \"r.z + r[3]\"\n[run]\nt_end = 1\n";
    let model = parse(text);
    assert!((model.guess.q[0] - 1.0).abs() + (model.guess.q[1] - 2.0).abs() + (model.guess.q[2] - 2.0).abs() < 1e-15);
    assert_eq!(model.names.outputs, ["r_x", "r_y", "r_z", "last"]);
    let found = outputs(&model, 0.0, &[1.0, 2.0, 4.0, 0.0, 0.0, 0.0], &[0.0; 6], &[0.0; 6]);
    assert_eq!(found, [2.0, 4.0, 8.0, 8.0]);
    let short = text.replace("r[3]\"", "s\"");
    let mistakes = Model::parse("short", &short, &[]).expect_err("s begins with 0").to_string();
    assert!(mistakes.contains("`s` is a vector"), "{mistakes}");
}

/// What is not taken is not evaluated, but its result is the same as if it were: 2^20 calls written out, made once.
#[test]
fn functions_are_made_once_for_the_same_arguments() {
    let functions: String = (1..40).map(|k| format!("\"f{k}(u)\" = \"(f{}(u) + f{}(u))/2\"\n", k - 1, k - 1)).collect();
    let text = file(&format!("[functions]\n\"f0(u)\" = \"u^2\"\n{functions}"), "o = \"f39(x)\"");
    assert_eq!(outputs(&parse(&text), 0.0, &[0.5, 0.0], &[0.0; 2], &[0.0; 2]), [0.25]);
}

/// Names that were free before are free now.
#[test]
fn older_files_keep_their_names() {
    let text = "format = 1\n[parameters]\ndeg = 2\nstep = 3\nmod = 5\nnorm = 7\nand = 11\nor = 13\nnot = 17\nif = 19\n[variables]\ncoordinates = [\"x\", \"der\"]\n\
                [definitions]\nfloor = \"deg*step\"\n[equations]\nmass = [1, 1]\nforce = [\"floor*x\", \"der'*norm\"]\n[initial]\nx = 1\nder = 2\n\
                [outputs]\na = \"deg + mod*floor + norm\"\nb = \"and + or*not - if\"\nc = \"der\"\nd = \"der(x)*0 + mod(mod, 3)\"\n[run]\nt_end = 1\n";
    assert_eq!(outputs(&parse(text), 0.0, &[1.0, 2.0], &[0.0; 2], &[0.0; 2]), [39.0, 213.0, 2.0, 2.0]);
}

/// Jumps in time are landed on whatever makes them, to the last digit: a mass pushed to and fro is where it must be.
#[test]
fn jumps_in_time_are_landed_on() {
    // Accelerations of 2 and -2 for a second each: x(1) = 1, x'(1) = 2, x(2) = 2, x'(2) = 0, and so on.
    for force in [
        "if(t < 1 or t >= 2 and t < 3, 2, -2)",
        "if(mod(t, 2) < 1, 2, -2)",
        "2 - 4*mod(floor(t), 2)",
        "2*sign(1 - mod(t, 2))",
        "if(not (mod(round(t - 0.5), 2) == 0), -2, 2)",
        "2 - 4*(ceil(t/2 + 0.5) - ceil(t/2))",
    ] {
        let text = format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"{force}\"]\n[initial]\nx = 0\n[run]\nt_start = 1e-9\nt_end = 4\n"
        );
        let model = parse(&text);
        let kinks: Vec<f64> = model.sharpness(1e-9, 4.0).kinks.iter().map(|(_, after)| *after).collect();
        for time in [1.0, 2.0, 3.0] {
            assert!(kinks.iter().any(|kink| (kink - time).abs() <= 1e-15 * time), "{force}: {kinks:?}");
        }
        let start = alembert::consistent(&model.system, &model.guess).expect("a start");
        let scheme = model.run.method.scheme(&model.run.steps).expect("a scheme");
        let tolerance = alembert::Tolerance::new(1e-8, 1e-8).expect("in range");
        let control = alembert::ErrorControl::new();
        let mut integrator =
            alembert::Integrator::new(&model.system, &start, &*scheme, control, tolerance).expect("starts");
        model.sharpness(1e-9, 4.0).prepare(&mut integrator).expect("times");
        integrator.run(4.0, &mut alembert::Unobserved).unwrap_or_else(|error| panic!("{force}: {error}"));
        let state = integrator.state();
        assert!((state.q[0] - 4.0).abs() < 1e-7 && state.v[0].abs() < 1e-7, "{force}: {:?} {:?}", state.q, state.v);
    }
}

/// Rates in forces, constraints and energies have derivatives, too.
#[test]
fn derivatives_of_rates_are_right() {
    let text = "format = 1\n[functions]\n\"soft(u)\" = \"if(u > 0.2, u^2/(1 + u), sin(u)*exp(-u))\"\n[variables]\ncoordinates = [\"x\", \"y\"]\n\
                [definitions]\nlen = \"hypot(x, y - 2*t)\"\nr = \"rotate([1, 2, y], x, [x, y, t])\"\n\
                [equations]\nkinetic = \"(x'^2 + y'^2)/2 + dot(r', r')/2\"\npotential = \"soft(len) + step(x, 2)\"\ndissipation = \"len'^2/2 + soft(r'.x)^2\"\n\
                force = [\"-len'*der(soft(x*y))\", \"if(len' > 0, len'^2, tanh(len'))\"]\nholonomic = [\"norm(r) + soft(y - x) - 3\"]\n\
                nonholonomic = [\"dot(r', [1, x, 2]) - soft(len')\"]\n[initial]\nx = 0.4\ny = 1.1\n[run]\nt_start = 0.3\nt_end = 1\n";
    let model = parse(text);
    for (q, v) in [([0.4, 1.1], [0.7, -0.3]), ([0.9, 0.8], [-0.5, 0.6]), ([-0.3, 1.4], [0.2, 2.9])] {
        let point = Point { t: 0.3, q: &q, v: &v, lambda: &[0.8], psi: &[-1.2] };
        let report = check_derivatives(&model.system, point).expect("a system");
        assert!(report.is_ok(), "{report}");
    }
}

#[test]
fn rates_of_states_and_tables_are_formulas() {
    // Through these points goes the parabola 2.5 x - x^2/2.
    let text = "format = 1\n[tables.road]\nx = [0, 1, 2]\ny = [0, 2, 3]\nkind = \"spline\"\n[variables]\ncoordinates = [\"x\", \"y\"]\n\
                [discrete]\non = 1\n[states]\n\"z'\" = \"x - 3*z\"\n[equations]\nmass = [1, 1]\nforce = [\"der(z)\", \"der(on*y)\"]\n\
                [initial]\nx = 0.5\ny = 2\n[outputs]\nslope = \"der(road(x))\"\nbend = \"der(der(road(x)))\"\nz2 = \"der(z*x)\"\n\
                [run]\nt_end = 1\n";
    let model = parse(text);
    let (q, v, a) = ([0.5, 2.0, 0.0, 0.0], [0.25, -1.5, 0.1, 1.0], [2.0, 0.0, 0.0, 0.0]);
    let rate = 0.5 - 3.0 * 0.1;
    let found = outputs(&model, 0.0, &q, &v, &a);
    for (found, exact) in found.iter().zip([2.0 * 0.25, -0.25 * 0.25 + 2.0 * 2.0, rate * 0.5 + 0.1 * 0.25]) {
        assert!((found - exact).abs() < 1e-14, "{found} {exact}");
    }
    let mut force = [0.0; 4];
    assert_eq!(model.system.ask(Quantity::Force, &At::new(0.0, &q, &v), &mut force), Supplied::Yes);
    assert!((force[0] - rate).abs() < 1e-15 && force[1] == -1.5, "{force:?}");
}
