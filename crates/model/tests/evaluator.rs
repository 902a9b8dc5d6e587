//! Formulas against an evaluator that shares nothing with ours: 100 000 random trees, written as text, read back as a model.
//!
//! Values are those of the operations one by one, as written, to the last bit but for the sign of a zero. Derivatives are
//! compared with dual numbers; where these themselves change much when the arguments change by 1e-13 (at poles, or where large
//! terms cancel) that change is the tolerance.

use alembert::{Answer, At, ConstrainedSystem, Quantity, State};
use alembert_model::Model;

/// Trees in one model.
const TREES: usize = 40;

enum Tree {
    Number(f64),
    /// t, x, y.
    Input(usize),
    Minus(Box<Tree>),
    Pair(char, Box<Tree>, Box<Tree>),
    Call(&'static str, Vec<Tree>),
}

const SINGLE: [&str; 15] =
    ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "tab"];
/// A table: knots and values, held beyond its ends.
const KNOTS: [(f64, f64); 4] = [(-2.0, 1.0), (-0.5, -1.0), (0.3, 2.0), (1.5, 0.5)];
const SEVERAL: [&str; 3] = ["atan2", "min", "max"];
const NUMBERS: [f64; 16] =
    [0.0, 1.0, 2.0, 0.5, 3.0, 0.1, 7.25, 1e-3, 1e3, 1e-200, 1e200, 1e300, 1e-300, 4.0, 0.25, 1e9];
const EXPONENTS: [f64; 8] = [2.0, 3.0, 4.0, 6.0, 11.0, 0.5, 1.5, 0.7];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn tree(&mut self, depth: usize) -> Tree {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(3) {
                0 => Tree::Number(NUMBERS[self.below(NUMBERS.len())]),
                _ => Tree::Input(self.below(3)),
            };
        }
        let boxed = |random: &mut Random| Box::new(random.tree(depth - 1));
        match self.below(14) {
            0 => Tree::Minus(boxed(self)),
            1 | 2 => Tree::Pair('+', boxed(self), boxed(self)),
            3 | 4 => Tree::Pair('-', boxed(self), boxed(self)),
            5..=7 => Tree::Pair('*', boxed(self), boxed(self)),
            8 => Tree::Pair('/', boxed(self), boxed(self)),
            9 => Tree::Pair('^', boxed(self), Box::new(Tree::Number(EXPONENTS[self.below(EXPONENTS.len())]))),
            10 => Tree::Pair('^', boxed(self), boxed(self)),
            11 | 12 => Tree::Call(SINGLE[self.below(SINGLE.len())], vec![self.tree(depth - 1)]),
            _ => Tree::Call(SEVERAL[self.below(SEVERAL.len())], vec![self.tree(depth - 1), self.tree(depth - 1)]),
        }
    }
}

/// How strongly an operation binds.
fn strength(tree: &Tree) -> usize {
    match tree {
        Tree::Pair('+' | '-', ..) => 1,
        Tree::Minus(_) | Tree::Pair('*' | '/', ..) => 2,
        Tree::Pair(..) => 3,
        _ => 4,
    }
}

/// The tree with no more brackets than it needs.
fn text(tree: &Tree) -> String {
    let within = |tree: &Tree, least: usize| {
        let words = text(tree);
        if strength(tree) < least { format!("({words})") } else { words }
    };
    match tree {
        Tree::Number(x) => format!("{x:?}"),
        Tree::Input(i) => ["t", "x", "y"][*i].to_owned(),
        Tree::Minus(a) => format!("-{}", within(a, 3)),
        Tree::Pair(op @ ('+' | '-'), a, b) => format!("{} {op} {}", within(a, 1), within(b, 2)),
        Tree::Pair(op @ ('*' | '/'), a, b) => format!("{}{op}{}", within(a, 2), within(b, 3)),
        // To the right: a power of a power needs its brackets on the left.
        Tree::Pair(op, a, b) => format!("{}{op}{}", within(a, 4), within(b, 3)),
        Tree::Call(name, arguments) => format!("{name}({})", arguments.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

/// A value with its derivatives by x and y.
#[derive(Clone, Copy)]
struct Dual {
    x: f64,
    d: [f64; 2],
}

impl Dual {
    fn with(self, x: f64, slope: f64) -> Dual {
        Dual { x, d: self.d.map(|d| if d == 0.0 { 0.0 } else { slope * d }) }
    }

    fn plus(self, other: Dual, x: f64) -> Dual {
        Dual { x, d: [self.d[0] + other.d[0], self.d[1] + other.d[1]] }
    }
}

/// A whole power as products: an even one is a square, an odd one the one before times the base.
fn whole(x: f64, n: u32) -> f64 {
    match n {
        0 => 1.0,
        1 => x,
        n if n % 2 == 0 => whole(x, n / 2) * whole(x, n / 2),
        n => whole(x, n - 1) * x,
    }
}

/// The table and its slope: from the nearer knot, as the reference says.
fn table(x: f64) -> (f64, f64) {
    let (first, last) = (KNOTS[0], KNOTS[3]);
    match KNOTS.windows(2).find(|pair| x <= pair[1].0) {
        _ if x.is_nan() => (x, x),
        _ if x < first.0 => (first.1, 0.0),
        None => (last.1, 0.0),
        Some(_) => {
            // At a knot it is the piece to its right that counts, if there is one.
            let i = (1..3).filter(|i| KNOTS[*i].0 <= x).max().unwrap_or(0);
            let ((x0, y0), (x1, y1)) = (KNOTS[i], KNOTS[i + 1]);
            let (h, rise) = (x1 - x0, y1 - y0);
            let s = (x - x0) / h;
            (if s > 0.5 { y1 - (x1 - x) / h * rise } else { y0 + s * rise }, rise / h)
        }
    }
}

fn constant(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) => true,
        Tree::Input(_) => false,
        Tree::Minus(a) => constant(a),
        Tree::Pair(_, a, b) => constant(a) && constant(b),
        Tree::Call(_, arguments) => arguments.iter().all(constant),
    }
}

fn value(tree: &Tree, at: [f64; 3]) -> Dual {
    match tree {
        Tree::Number(x) => Dual { x: *x, d: [0.0; 2] },
        Tree::Input(i) => Dual { x: at[*i], d: [f64::from(*i == 1), f64::from(*i == 2)] },
        Tree::Minus(a) => {
            let a = value(a, at);
            a.with(-a.x, -1.0)
        }
        Tree::Pair(op, a, b) => {
            let exponent_is_constant = constant(b);
            let (a, b) = (value(a, at), value(b, at));
            match op {
                '+' => a.plus(b, a.x + b.x),
                '-' => a.plus(b.with(0.0, -1.0), a.x - b.x),
                '*' => a.with(0.0, b.x).plus(b.with(0.0, a.x), a.x * b.x),
                '/' => a.with(0.0, 1.0 / b.x).plus(b.with(0.0, -a.x / b.x / b.x), a.x / b.x),
                _ => {
                    let n = b.x;
                    let x = match exponent_is_constant {
                        true if n == 0.5 => a.x.sqrt(),
                        true if n.fract() == 0.0 && n.abs() <= 64.0 => {
                            let power = whole(a.x, n.abs() as u32);
                            if n < 0.0 { 1.0 / power } else { power }
                        }
                        _ => a.x.powf(n),
                    };
                    let by_base = if n == 0.0 { 0.0 } else { n * a.x.powf(n - 1.0) };
                    a.with(0.0, by_base).plus(b.with(0.0, x * a.x.ln()), x)
                }
            }
        }
        Tree::Call(name, arguments) => {
            let a = value(&arguments[0], at);
            let x = a.x;
            let b = arguments.get(1).map(|b| value(b, at));
            match (*name, b) {
                ("sin", _) => a.with(x.sin(), x.cos()),
                ("cos", _) => a.with(x.cos(), -x.sin()),
                ("tan", _) => a.with(x.tan(), 1.0 / x.cos() / x.cos()),
                ("asin", _) => a.with(x.asin(), 1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
                ("acos", _) => a.with(x.acos(), -1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
                ("atan", _) => a.with(x.atan(), 1.0 / (1.0 + x * x)),
                ("sinh", _) => a.with(x.sinh(), x.cosh()),
                ("cosh", _) => a.with(x.cosh(), x.sinh()),
                ("tanh", _) => a.with(x.tanh(), (1.0 / x.cosh()).powi(2)),
                ("exp", _) => a.with(x.exp(), x.exp()),
                ("log", _) => a.with(x.ln(), 1.0 / x),
                ("sqrt", _) => a.with(x.sqrt(), 0.5 / x.sqrt()),
                ("abs", _) => a.with(x.abs(), if x >= 0.0 { 1.0 } else { -1.0 }),
                ("sign", _) => a.with(if x == 0.0 { 0.0 } else { x.signum() }, 0.0),
                ("tab", _) => {
                    let (y, slope) = table(x);
                    a.with(y, slope)
                }
                ("atan2", Some(b)) => {
                    let square = x * x + b.x * b.x;
                    a.with(0.0, b.x / square).plus(b.with(0.0, -x / square), x.atan2(b.x))
                }
                (_, Some(b)) if x.is_nan() || b.x.is_nan() => Dual { x: f64::NAN, d: [f64::NAN; 2] },
                ("min", Some(b)) => {
                    if x <= b.x {
                        a
                    } else {
                        b
                    }
                }
                (_, Some(b)) => {
                    if x >= b.x {
                        a
                    } else {
                        b
                    }
                }
                (other, None) => panic!("{other} takes two arguments"),
            }
        }
    }
}

fn model(trees: &[Tree], section: &str) -> String {
    let formulas: Vec<String> = trees
        .iter()
        .enumerate()
        .map(|(k, tree)| match section {
            "outputs" => format!("f{k} = \"{}\"\n", text(tree)),
            _ => format!("\"{}\",", text(tree)),
        })
        .collect();
    let formulas = formulas.concat();
    let (held, shown) = match section {
        "outputs" => (String::new(), format!("[outputs]\n{formulas}")),
        _ => (format!("holonomic = [{formulas}]\n"), String::new()),
    };
    format!(
        "format = 1\n[tables.tab]\nx = {:?}\ny = {:?}\nextrapolation = \"hold\"\n\
         [variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\n{held}\
         [initial]\nx = {:?}\ny = {:?}\n{shown}[run]\nt_start = {:?}\nt_end = 9\n",
        KNOTS.map(|knot| knot.0),
        KNOTS.map(|knot| knot.1),
        START[1],
        START[2],
        START[0]
    )
}

const START: [f64; 3] = [0.25, 0.7, -1.3];
const POINTS: [[f64; 3]; 6] =
    [START, [0.0, 0.0, 0.0], [2.0, -3.5, 0.125], [1.0, 1e200, -1e-200], [8.0, 20.0, -20.0], [0.5, 1.0, 1.0]];

/// Trees with a value at the start, where every formula must have one.
fn trees(random: &mut Random, good: impl Fn(Dual) -> bool) -> Vec<Tree> {
    let mut found = Vec::new();
    while found.len() < TREES {
        let tree = random.tree(4);
        if good(value(&tree, START)) {
            found.push(tree);
        }
    }
    found
}

#[test]
fn values_are_those_of_the_operations_as_written() {
    let mut random = Random(7);
    let mut infinite = 0;
    for _ in 0..2500 {
        let trees = trees(&mut random, |start| start.x.is_finite());
        let file = model(&trees, "outputs");
        let model = Model::parse("values", &file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        for at in POINTS {
            let state = State {
                t: at[0],
                q: at[1..].to_vec(),
                v: vec![0.0; 2],
                a: vec![0.0; 2],
                lambda: Vec::new(),
                psi: Vec::new(),
            };
            let mut values = vec![0.0; TREES];
            model.outputs_into(&state, &mut values);
            for (tree, ours) in trees.iter().zip(&values) {
                let theirs = value(tree, at).x;
                infinite += usize::from(!theirs.is_finite());
                assert!(
                    *ours == theirs || (ours.is_nan() && theirs.is_nan()),
                    "{} at {at:?}: {ours:e} {theirs:e}",
                    text(tree)
                );
            }
        }
    }
    assert!(infinite > 1000, "{infinite} values that are not finite were among them");
}

#[test]
fn derivatives_are_those_of_dual_numbers() {
    let mut random = Random(11);
    let (mut compared, mut skipped) = (0, 0);
    for _ in 0..2500 {
        let trees = trees(&mut random, |start| start.x.is_finite() && start.d.iter().all(|d| d.is_finite()));
        let file = model(&trees, "holonomic");
        let model = Model::parse("derivatives", &file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let mut workspace = model.system.workspace();
        for at in [POINTS[0], POINTS[2], POINTS[4]] {
            let mut ours = vec![0.0; 2 * TREES];
            let point = At::new(at[0], &at[1..], &[0.0; 2]);
            model.system.evaluate(&point, &mut Answer::new(&mut [(Quantity::HolonomicQ, &mut ours)]), &mut workspace);
            for (tree, ours) in trees.iter().zip(ours.chunks(2)) {
                let theirs = value(tree, at);
                let near = [1e-13, -1e-13].map(|by| value(tree, at.map(|x| x * (1.0 + by))));
                for k in 0..2 {
                    let d = theirs.d[k];
                    let change = near.iter().fold(0.0, |max: f64, near| max.max((near.d[k] - d).abs()));
                    // Not a number, overflow, or a kink: dual numbers do not know either.
                    if !(theirs.x.is_finite() && d.abs() < 1e280 && change <= 1e-6 * d.abs().max(1e-280)) {
                        skipped += 1;
                        continue;
                    }
                    compared += 1;
                    let tolerance = 1e-11 * d.abs() + 20.0 * change + 1e-290;
                    assert!((ours[k] - d).abs() <= tolerance, "{} at {at:?}: {:e} {d:e}", text(tree), ours[k]);
                }
            }
        }
    }
    assert!(compared > 8 * skipped, "{compared} compared, {skipped} skipped");
}

/// The value and the derivative by x of one formula.
fn at(formula: &str, x: f64) -> [f64; 2] {
    let file = format!(
        "format = 1\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\nholonomic = [\"{formula}\"]\n\
         [initial]\nx = {x:?}\ny = 1\n[run]\nt_end = 9\n"
    );
    let model = Model::parse("edge", &file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let (mut g, mut rows) = ([0.0], [0.0; 2]);
    let mut workspace = model.system.workspace();
    let q = [x, 1.0];
    let point = At::new(0.0, &q, &[0.0; 2]);
    let mut wanted = [(Quantity::Holonomic, &mut g[..]), (Quantity::HolonomicQ, &mut rows[..])];
    model.system.evaluate(&point, &mut Answer::new(&mut wanted), &mut workspace);
    [g[0], rows[0]]
}

#[test]
fn folding_changes_no_value_and_edges_are_as_documented() {
    assert_eq!(at("1e-200*(1e-200*x)*1e300", 1e200), [1e100, 1e-100]);
    assert_eq!(at("1e200*(1e200*(x*1e-200))*1e-200", 1.0), [1.0, 1.0]);
    // 1/cosh(20)^2, of which 1 - tanh(20)^2 has no digit.
    let [_, slope] = at("tanh(x)", 20.0);
    assert!((slope / 1.699_341_702_116_62e-17 - 1.0).abs() < 1e-13, "{slope:e}");
    // The inactive side of a kink has no slope, even where the root of what is left out is infinitely steep.
    assert_eq!(at("sqrt(max(0, -x))", 2.0), [0.0, 0.0]);
    assert_eq!(at("max(0, -x)^0.7 + x", 2.0), [2.0, 1.0]);
    assert_eq!(at("asin(min(1, x))*0 + asin(min(1, x))", 3.0), [std::f64::consts::FRAC_PI_2, 0.0]);
    let [_, slope] = at("sqrt(max(0, -x))", -4.0);
    assert_eq!(slope, -0.25);
    // Near 1, the slope of asin keeps its digits: 1/sqrt((1 - x)(1 + x)) with x = 1 - 2^-40.
    let x = 1.0 - 2f64.powi(-40);
    let [_, slope] = at("asin(x)", x);
    let exact = 1.0 / (2f64.powi(-40) * (2.0 - 2f64.powi(-40))).sqrt();
    assert!((slope / exact - 1.0).abs() < 1e-15, "{slope} {exact}");
}

#[test]
fn nothing_that_has_no_value_is_folded_away() {
    for formula in ["0*log(-1)", "log(-1)*0 + x", "0/0 + x", "x^0*sqrt(-1)"] {
        let file = format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"{formula}\"]\n[initial]\nx = 1\n[run]\nt_end = 1\n"
        );
        let mistakes = Model::parse("edge", &file, &[]).expect_err(formula).to_string();
        assert!(mistakes.contains("NaN"), "{formula}: {mistakes}");
    }
    // What has no value later has none, whatever it is multiplied with.
    let file = "format = 1\n[parameters]\nc = 0\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [0]\n[initial]\nx = 1\n\
                [outputs]\na = \"c*log(x)\"\nb = \"1/x - 1/x\"\nc0 = \"c/x\"\nd = \"0*x^2\"\n[run]\nt_end = 1\n";
    let model = Model::parse("edge", file, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let mut out = [1.0; 4];
    model.outputs_into(
        &State { t: 0.0, q: vec![0.0], v: vec![0.0], a: vec![0.0], lambda: Vec::new(), psi: Vec::new() },
        &mut out,
    );
    assert!(out[..3].iter().all(|x| x.is_nan()) && out[3] == 0.0, "{out:?}");
}
