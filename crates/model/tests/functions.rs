//! Every function and operator of formulas: its value, and its derivatives through every derivative of a system.

use alembert::{At, ConstrainedSystem, Point, Quantity, check_derivatives};
use alembert_model::Model;

fn model(formula: &str) -> Model {
    let text = format!(
        "format = 1\n[functions]\n\"power(x, n)\" = \"x^n\"\ntwice = {{ of = [\"z\"], formula = \"2*z\" }}\n\"second(r)\" = \"r.y\"\n[parameters]\nk = 3\nc = [0.5, 0.25]\n[variables]\ncoordinates = [\"x\", \"y\"]\n\
         [equations]\nmass = [\"2 + ({formula})^2\", 1]\nforce = [\"{formula}\", \"({formula})*x'\"]\n\
         holonomic = [\"y - ({formula})\"]\nnonholonomic = [\"x'*y' - ({formula})\"]\n\
         [initial]\nx = 0.3\ny = 0.6\n[run]\nt_start = 0.2\nt_end = 1\n"
    );
    Model::parse("function", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Formulas of x = 0.3, y = 0.6, t = 0.2 and their values.
fn cases() -> Vec<(&'static str, f64)> {
    let (x, y, t) = (0.3_f64, 0.6_f64, 0.2_f64);
    vec![
        ("sin(x*y)", (x * y).sin()),
        ("cos(x + t)", (x + t).cos()),
        ("sin(x)*cos(x)", x.sin() * x.cos()),
        ("tan(x)", x.tan()),
        ("asin(x)", x.asin()),
        ("acos(x*y)", (x * y).acos()),
        ("atan(3*x)", (3.0 * x).atan()),
        ("atan2(x, y)", x.atan2(y)),
        ("atan2(y - 1, x - 1)", (y - 1.0).atan2(x - 1.0)),
        ("sinh(x)", x.sinh()),
        ("cosh(x)", x.cosh()),
        ("tanh(x*t)", (x * t).tanh()),
        ("exp(-x)", (-x).exp()),
        ("log(y)", y.ln()),
        ("sqrt(x)", x.sqrt()),
        ("abs(x - 1)", (x - 1.0).abs()),
        ("sign(x - 1)*x", -x),
        ("min(x, y)", x),
        ("max(x^2, y, t)", y),
        ("x^y", x.powf(y)),
        ("x^0.5", x.sqrt()),
        ("x^2.5", x.powf(2.5)),
        ("x^7", x * x * x * x * x * x * x),
        ("x^-2", 1.0 / (x * x)),
        ("x^100", x.powf(100.0)),
        ("2^x", 2.0_f64.powf(x)),
        ("-x^2", -(x * x)),
        ("2^3^2*x", 512.0 * x),
        ("x/y/t", x / y / t),
        ("x - y - t", x - y - t),
        ("x - (y - t)", x - (y - t)),
        ("1/3*x", 1.0 / 3.0 * x),
        ("x*pi/k", x * std::f64::consts::PI / 3.0),
        ("c[1]*x + c[k-1]", 0.5 * x + 0.25),
        ("sum(x^i/i for i in 1..k)", x + x * x / 2.0 + x * x * x / 3.0),
        ("sum(sum(i*j*x for j in 1..i) for i in 1..2)", x * (1.0 + 2.0 + 4.0)),
        (".5e1*x + 1.", 5.0 * x + 1.0),
        ("if(x < y, x*y, x/y)", x * y),
        ("if(x > y, x*y, sin(x)/y^2)", x.sin() / (y * y)),
        // The branch that is not taken has no value.
        ("if(x < 1, sqrt(1 - x)*y, sqrt(x - 1))", (1.0 - x).sqrt() * y),
        ("if(x > 1, log(x - 1), y*x)^3", (y * x).powi(3)),
        ("if(x < y and (y < 1 or log(x - 1) > 0), x^2*y, 7)", x * x * y),
        ("if(x != 0.5, if(y == 0.5, 1, x*y*exp(x)), 2)", x * y * x.exp()),
        ("if(x <= 0.35, sqrt(x), y)*if(y >= 0.55, y^2, x)", x.sqrt() * y * y),
        ("hypot(x - 1, y*2)", (x - 1.0).hypot(y * 2.0)),
        ("mod(-x, 0.4)*y", (0.4 - x) * y),
        ("mod(7*y + x, 0.4*x)*x", (7.0 * y + x) % (0.4 * x) * x),
        ("mod(x, -y)", x - y),
        ("floor(5*x)*x + ceil(y)*y + round(4*y)*x^2", x + y + 2.0 * x * x),
        ("clamp(2*x, 0, 1)*clamp(y, 0.7, 1)*clamp(y^2, 0, 0.3)", 2.0 * x * 0.7 * 0.3),
        ("step(x, 0.5)*y", 0.216 * (10.0 - 9.0 + 2.16) * y),
        ("step(x - 1, 0.5) + step(y*2, 1) + x", 1.0 + x),
        ("smoothstep(x, 0.1, 0.9)*x", 0.0625 * (3.0 - 0.5) * x),
        ("90*deg*x", std::f64::consts::FRAC_PI_2 * x),
        ("[x, y, t].y*dot([x, y, 1], [t, 2, x*y])", y * (x * t + 2.0 * y + x * y)),
        ("cross([x, 0, t], [0, y, 1]).z + cross([x, 0, t], [0, y, 1]).x", x * y - t * y),
        ("norm(2*[x, y, 0] - [0, 0, t]/3)", (4.0 * x * x + 4.0 * y * y + t * t / 9.0).sqrt()),
        ("rotate([0, 0, 2], x, [y, 0, 5]).y", y * x.sin()),
        ("rotate([1, 1, 1], 120*deg, [x, y, t]).y", x),
        ("if(x > y, [1, 2, 3], [x, y, x*y]).z", x * y),
        ("sum(i*[x, y, 1] for i in 1..2).x", 3.0 * x),
        ("power(x, y) + twice(x)*second([t, x, y])", x.powf(y) + 2.0 * x * x),
    ]
}

#[test]
fn values() {
    for (formula, value) in cases() {
        let mut force = [0.0; 2];
        let _ = model(formula).system.ask(Quantity::Force, &At::new(0.2, &[0.3, 0.6], &[2.0, 0.0]), &mut force);
        assert!((force[0] - value).abs() < 4e-16 * (1.0 + value.abs()), "{formula}: {} {value}", force[0]);
        assert!((force[1] - 2.0 * value).abs() < 8e-16 * (1.0 + value.abs()), "{formula}: {} {value}", force[1]);
    }
}

#[test]
fn derivatives() {
    for (formula, _) in cases() {
        let at = Point { t: 0.2, q: &[0.3, 0.6], v: &[0.7, -0.4], lambda: &[1.1], psi: &[-0.9] };
        let report = check_derivatives(&model(formula).system, at).unwrap_or_else(|error| panic!("{formula}: {error}"));
        assert!(report.is_ok(), "{formula}: {report}");
    }
}

/// A pole, a root of a negative number: not finite, and never a number that looks like one.
#[test]
fn what_cannot_be_evaluated_is_not_finite() {
    for formula in ["1/(x - 2)", "sqrt(1 - x)", "log(1 - x)", "asin(x)", "max(sqrt(1 - x), y)", "min(y, sqrt(1 - x))"] {
        let model = model(formula);
        let force = |x: f64| {
            let mut force = [0.0; 2];
            let _ = model.system.ask(Quantity::Force, &At::new(0.2, &[x, 0.6], &[0.0; 2]), &mut force);
            force[0]
        };
        assert!(force(0.3).is_finite() && !force(2.0).is_finite(), "{formula}: {} {}", force(0.3), force(2.0));
    }
}

/// Even a parameter that acts much later tells one model from another; the same file twice is the same.
#[test]
fn parameters_have_fingerprints() {
    let file = "format = 1\n[parameters]\nlate = 1.0\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\n\
                force = [\"-late*max(0, t - 1e6)\"]\n[initial]\nx = 0\n[run]\nt_end = 1\n";
    let fingerprint = |late: &str| {
        let model = Model::parse("late", file, &[("late".to_owned(), late.to_owned())]).expect("a model");
        // What was evaluated before makes no difference.
        let _ = model.system.ask(Quantity::Force, &At::new(2e6, &[0.0], &[0.0]), &mut [0.0]);
        model.system.description().fingerprint
    };
    assert_eq!(fingerprint("1.0"), fingerprint("1.0"));
    assert_ne!(fingerprint("1.0"), fingerprint("1.5"));
}
