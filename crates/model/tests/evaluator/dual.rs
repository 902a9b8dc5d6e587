//! Values of trees with their derivatives by x and y and along the motion: dual numbers, operation by operation.

use super::tree::{Condition, KNOTS, Tree, Triple};

/// A value with its derivatives by x and by y, and its rate in time where x' and y' are [`SPEED`].
#[derive(Clone, Copy)]
pub struct Dual {
    pub x: f64,
    pub d: [f64; 3],
    /// The sum of the magnitudes that the derivatives are sums of: what their roundings are relative to.
    pub m: [f64; 3],
    /// Whether it is more than a number. What varies, but whose derivative is zero to all digits, and meets an infinite slope, has an infinite
    /// `m`: nobody knows.
    varies: bool,
}

/// A zero has no sign.
fn unsigned(x: f64) -> f64 {
    x + 0.0
}

/// x' and y'.
pub const SPEED: [f64; 2] = [0.75, -1.5];

const NOTHING: Dual = Dual { x: f64::NAN, d: [f64::NAN; 3], m: [f64::NAN; 3], varies: true };

impl Dual {
    pub fn number(x: f64) -> Dual {
        Dual { x: unsigned(x), d: [0.0; 3], m: [0.0; 3], varies: false }.settled()
    }

    /// Numbers near the ends of the range have an infinite `m`: derivatives made of them in another order lose their digits or overflow.
    fn settled(mut self) -> Dual {
        let is_ordinary = |x: f64| x == 0.0 || (1e-100..1e100).contains(&x.abs());
        if !(is_ordinary(self.x) && self.d.into_iter().all(is_ordinary)) {
            self.m = [f64::INFINITY; 3];
        }
        self
    }

    fn input(x: f64, d: [f64; 3]) -> Dual {
        Dual { x: unsigned(x), d, m: d.map(f64::abs), varies: true }
    }

    fn with(self, x: f64, slope: f64) -> Dual {
        let times = |d: f64| if d == 0.0 { 0.0 } else { slope * d };
        let unknown = self.varies && !slope.is_finite();
        let m = self.m.map(|m| if unknown { f64::INFINITY } else { times(m).abs() });
        Dual { x: unsigned(x), d: self.d.map(times), m, varies: self.varies }.settled()
    }

    fn plus(self, other: Dual, x: f64) -> Dual {
        let sum = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] + b[k]);
        let varies = self.varies || other.varies;
        Dual { x: unsigned(x), d: sum(self.d, other.d), m: sum(self.m, other.m), varies }.settled()
    }

    pub fn add(self, b: Dual) -> Dual {
        self.plus(b, self.x + b.x)
    }

    pub fn sub(self, b: Dual) -> Dual {
        self.plus(b.with(0.0, -1.0), self.x - b.x)
    }

    pub fn mul(self, b: Dual) -> Dual {
        self.with(0.0, b.x).plus(b.with(0.0, self.x), self.x * b.x)
    }

    pub fn div(self, b: Dual) -> Dual {
        self.with(0.0, 1.0 / b.x).plus(b.with(0.0, -self.x / b.x / b.x), self.x / b.x)
    }

    fn neg(self) -> Dual {
        self.with(-self.x, -1.0)
    }

    pub fn sqrt(self) -> Dual {
        self.with(self.x.sqrt(), 0.5 / self.x.sqrt())
    }

    /// The nearest number in [0, 1].
    fn saturated(self) -> Dual {
        match self.x {
            x if x.is_nan() => NOTHING,
            x if x < 0.0 => Dual::number(0.0),
            x if x > 1.0 => Dual::number(1.0),
            _ => self,
        }
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

/// Where a formula is evaluated: t, x, y, and the arguments of a function.
pub type At = [f64; 3];

/// Whether a tree is folded to a number; a function of constants is, unless it uses t.
fn constant(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) => true,
        Tree::Input(_) => false,
        Tree::Minus(a) => constant(a),
        Tree::Pair(_, a, b) => constant(a) && constant(b),
        Tree::Call(_, arguments) => arguments.iter().all(constant),
        // Only the branch that is taken counts, where the condition is a constant that is known.
        Tree::If(condition, a, b) => match constant_truth(condition) {
            Some(true) => constant(a),
            Some(false) => constant(b),
            None => false,
        },
        Tree::Component(triple, axis) => constant_component(triple, *axis),
        Tree::Dot(a, b) => constant_triple(a) && constant_triple(b),
        Tree::Norm(a) => constant_triple(a),
        Tree::Own(1, a, b) => constant(a) && constant(b),
        Tree::Own(..) => false,
    }
}

/// The truth of a condition of constants.
fn constant_truth(condition: &Condition) -> Option<bool> {
    let known = |condition: &Condition| constant_truth(condition);
    match condition {
        Condition::Compare(_, a, b) if constant(a) && constant(b) => truth(condition, [f64::NAN; 3]),
        Condition::Compare(..) => None,
        Condition::And(a, b) => match (known(a), known(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Condition::Or(a, b) => match (known(a), known(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Condition::Not(a) => known(a).map(|truth| !truth),
    }
}

fn constant_triple(triple: &Triple) -> bool {
    (0..3).all(|axis| constant_component(triple, axis))
}

fn constant_component(triple: &Triple, axis: usize) -> bool {
    match triple {
        Triple::Of(parts) => constant(&parts[axis]),
        Triple::Plus(a, b) | Triple::Less(a, b) => constant_component(a, axis) && constant_component(b, axis),
        Triple::Minus(a) => constant_component(a, axis),
        Triple::Scaled(x, a) | Triple::Over(a, x) => constant(x) && constant_component(a, axis),
        Triple::Cross(a, b) => {
            let others = [(axis + 1) % 3, (axis + 2) % 3];
            others.iter().all(|other| constant_component(a, *other) && constant_component(b, *other))
        }
        Triple::Rotated(k, x, a) => constant(x) && constant_triple(k) && constant_triple(a),
        Triple::If(condition, a, b) => match constant_truth(condition) {
            Some(true) => constant_component(a, axis),
            Some(false) => constant_component(b, axis),
            None => false,
        },
    }
}

/// Whether exponents are what they look like: one that is no constant by its form, but always the same number, may be folded to
/// one (`x - x`) and then makes other digits, products in the place of a power.
pub fn is_plain(tree: &Tree) -> bool {
    const PLACES: [At; 4] = [[0.3, 0.6, -1.7], [1.9, -2.3, 0.9], [0.7, 3.1, 5.3], [-2.9, 0.1, -0.2]];
    let own = match tree {
        Tree::Pair('^', _, b) if !constant(b) => {
            let [first, others @ ..] = PLACES.map(|at| value(b, at).x);
            !others.contains(&first)
        }
        _ => true,
    };
    own && match tree {
        Tree::Number(_) | Tree::Input(_) => true,
        Tree::Minus(a) => is_plain(a),
        Tree::Pair(_, a, b) | Tree::Own(_, a, b) => is_plain(a) && is_plain(b),
        Tree::Call(_, arguments) => arguments.iter().all(is_plain),
        Tree::If(condition, a, b) => is_plain_condition(condition) && is_plain(a) && is_plain(b),
        Tree::Component(a, _) | Tree::Norm(a) => is_plain_triple(a),
        Tree::Dot(a, b) => is_plain_triple(a) && is_plain_triple(b),
    }
}

fn is_plain_condition(condition: &Condition) -> bool {
    match condition {
        Condition::Compare(_, a, b) => is_plain(a) && is_plain(b),
        Condition::And(a, b) | Condition::Or(a, b) => is_plain_condition(a) && is_plain_condition(b),
        Condition::Not(a) => is_plain_condition(a),
    }
}

pub fn is_plain_triple(triple: &Triple) -> bool {
    match triple {
        Triple::Of(parts) => parts.iter().all(is_plain),
        Triple::Plus(a, b) | Triple::Less(a, b) | Triple::Cross(a, b) => is_plain_triple(a) && is_plain_triple(b),
        Triple::Minus(a) => is_plain_triple(a),
        Triple::Scaled(x, a) | Triple::Over(a, x) => is_plain(x) && is_plain_triple(a),
        Triple::Rotated(k, x, a) => is_plain_triple(k) && is_plain(x) && is_plain_triple(a),
        Triple::If(c, a, b) => is_plain_condition(c) && is_plain_triple(a) && is_plain_triple(b),
    }
}

pub fn value(tree: &Tree, at: At) -> Dual {
    match tree {
        Tree::Number(x) => Dual::number(*x),
        Tree::Input(0) => Dual::input(at[0], [0.0, 0.0, 1.0]),
        Tree::Input(1) => Dual::input(at[1], [1.0, 0.0, SPEED[0]]),
        Tree::Input(_) => Dual::input(at[2], [0.0, 1.0, SPEED[1]]),
        Tree::Minus(a) => value(a, at).neg(),
        Tree::Pair(op, a, b) => {
            let exponent_is_constant = constant(b);
            let (a, b) = (value(a, at), value(b, at));
            match op {
                '+' => a.add(b),
                '-' => a.sub(b),
                '*' => a.mul(b),
                '/' => a.div(b),
                _ => power(a, b, exponent_is_constant),
            }
        }
        Tree::Call(name, arguments) => {
            let values: Vec<Dual> = arguments.iter().map(|argument| value(argument, at)).collect();
            match values[..] {
                [a] => single(name, a),
                [a, b] => pair(name, a, b),
                _ => three(name, values[0], values[1], values[2]),
            }
        }
        Tree::If(condition, a, b) => match truth(condition, at) {
            Some(true) => value(a, at),
            Some(false) => value(b, at),
            None => NOTHING,
        },
        Tree::Component(triple, axis) => components(triple, at)[*axis],
        Tree::Dot(a, b) => dot(components(a, at), components(b, at)),
        Tree::Norm(a) => {
            let a = components(a, at);
            dot(a, a).sqrt()
        }
        Tree::Own(i, u, w) => {
            let t = Dual::input(at[0], [0.0, 0.0, 1.0]);
            let (u, w) = (value(u, at), value(w, at));
            let first = |u: Dual, w: Dual| u.mul(single("sin", w)).sub(t);
            let second = |u: Dual, w: Dual| match compared(">", u.x, w.x) {
                Some(true) => u,
                Some(false) => power(w, Dual::number(2.0), true),
                None => NOTHING,
            };
            match i {
                0 => first(u, w),
                1 => second(u, w),
                _ => first(w, u).add(second(u, Dual::number(1.0))),
            }
        }
    }
}

fn power(a: Dual, b: Dual, exponent_is_constant: bool) -> Dual {
    let n = b.x;
    let x = match exponent_is_constant {
        true if n == 0.5 => a.x.sqrt(),
        true if n.fract() == 0.0 && n.abs() <= 64.0 => {
            let power = unsigned(whole(a.x, n.abs() as u32));
            if n < 0.0 { 1.0 / power } else { power }
        }
        _ => a.x.powf(n),
    };
    let by_base = if n == 0.0 { 0.0 } else { n * a.x.powf(n - 1.0) };
    a.with(0.0, by_base).plus(b.with(0.0, x * a.x.ln()), x)
}

pub fn single(name: &str, a: Dual) -> Dual {
    let x = a.x;
    match name {
        "sin" => a.with(x.sin(), x.cos()),
        "cos" => a.with(x.cos(), -x.sin()),
        "tan" => a.with(x.tan(), 1.0 / x.cos() / x.cos()),
        "asin" => a.with(x.asin(), 1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
        "acos" => a.with(x.acos(), -1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
        "atan" => a.with(x.atan(), 1.0 / (1.0 + x * x)),
        "sinh" => a.with(x.sinh(), x.cosh()),
        "cosh" => a.with(x.cosh(), x.sinh()),
        "tanh" => a.with(x.tanh(), (1.0 / x.cosh()).powi(2)),
        "exp" => a.with(x.exp(), x.exp()),
        "log" => a.with(x.ln(), 1.0 / x),
        "sqrt" => a.sqrt(),
        "abs" => a.with(x.abs(), if x >= 0.0 { 1.0 } else { -1.0 }),
        "sign" => Dual::number(if x == 0.0 { 0.0 } else { x.signum() }),
        "floor" => Dual::number(x.floor()),
        "ceil" => Dual::number(x.ceil()),
        "round" => Dual::number(x.round()),
        "tab" => {
            let (y, slope) = table(x);
            if slope == 0.0 { Dual::number(y) } else { a.with(y, slope) }
        }
        other => panic!("{other} is not of one argument"),
    }
}

/// The table and its slope: from the nearer knot, as the reference says.
fn table(x: f64) -> (f64, f64) {
    let (first, last) = (KNOTS[0], KNOTS[3]);
    match x {
        _ if x.is_nan() => (x, x),
        _ if x < first.0 => (first.1, 0.0),
        _ if x > last.0 => (last.1, 0.0),
        _ => {
            // At a knot it is the piece to its right that counts, if there is one.
            let i = (1..3).filter(|i| KNOTS[*i].0 <= x).max().unwrap_or(0);
            let ((x0, y0), (x1, y1)) = (KNOTS[i], KNOTS[i + 1]);
            let (h, rise) = (x1 - x0, y1 - y0);
            let s = (x - x0) / h;
            (if s > 0.5 { y1 - (x1 - x) / h * rise } else { y0 + s * rise }, rise / h)
        }
    }
}

fn pair(name: &str, a: Dual, b: Dual) -> Dual {
    let x = a.x;
    match name {
        "atan2" => {
            let square = x * x + b.x * b.x;
            a.with(0.0, b.x / square).plus(b.with(0.0, -x / square), x.atan2(b.x))
        }
        "step" => {
            let s = a.div(b).saturated();
            let low = Dual::number(10.0).sub(Dual::number(15.0).mul(s));
            s.mul(s).mul(s).mul(low.add(Dual::number(6.0).mul(s.mul(s))))
        }
        _ if x.is_nan() || b.x.is_nan() => NOTHING,
        "hypot" => {
            let length = x.hypot(b.x);
            a.with(0.0, x / length).plus(b.with(0.0, b.x / length), length)
        }
        "mod" => {
            let rest = x % b.x;
            let rest = if rest != 0.0 && (rest < 0.0) != (b.x < 0.0) { rest + b.x } else { rest };
            a.with(0.0, 1.0).plus(b.with(0.0, -((x - rest) / b.x).round()), rest)
        }
        "min" if x <= b.x => a,
        "max" if x >= b.x => a,
        "min" | "max" => b,
        other => panic!("{other} is not of two arguments"),
    }
}

fn three(name: &str, a: Dual, b: Dual, c: Dual) -> Dual {
    match name {
        "clamp" => pair("min", pair("max", a, b), c),
        "smoothstep" => {
            let s = a.sub(b).div(c.sub(b)).saturated();
            s.mul(s).mul(Dual::number(3.0).sub(Dual::number(2.0).mul(s)))
        }
        other => panic!("{other} is not of three arguments"),
    }
}

/// None where an operand is not a number.
fn compared(op: &str, a: f64, b: f64) -> Option<bool> {
    let order = a.partial_cmp(&b)?;
    Some(match op {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        "==" => order.is_eq(),
        _ => order.is_ne(),
    })
}

fn truth(condition: &Condition, at: At) -> Option<bool> {
    match condition {
        Condition::Compare(op, a, b) => compared(op, value(a, at).x, value(b, at).x),
        Condition::And(a, b) => match (truth(a, at), truth(b, at)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Condition::Or(a, b) => match (truth(a, at), truth(b, at)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Condition::Not(a) => truth(a, at).map(|truth| !truth),
    }
}

pub fn dot(a: [Dual; 3], b: [Dual; 3]) -> Dual {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

fn cross(a: [Dual; 3], b: [Dual; 3]) -> [Dual; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i].mul(b[j]).sub(a[j].mul(b[i])))
}

pub fn components(triple: &Triple, at: At) -> [Dual; 3] {
    let each = |make: &dyn Fn(usize) -> Dual| [make(0), make(1), make(2)];
    match triple {
        Triple::Of(parts) => each(&|i| value(&parts[i], at)),
        Triple::Plus(a, b) => {
            let (a, b) = (components(a, at), components(b, at));
            each(&|i| a[i].add(b[i]))
        }
        Triple::Less(a, b) => {
            let (a, b) = (components(a, at), components(b, at));
            each(&|i| a[i].sub(b[i]))
        }
        Triple::Minus(a) => components(a, at).map(Dual::neg),
        Triple::Scaled(x, a) => {
            let x = value(x, at);
            components(a, at).map(|a| x.mul(a))
        }
        Triple::Over(a, x) => {
            let x = value(x, at);
            components(a, at).map(|a| a.div(x))
        }
        Triple::Cross(a, b) => cross(components(a, at), components(b, at)),
        Triple::Rotated(axis, angle, a) => {
            let (axis, angle, a) = (components(axis, at), value(angle, at), components(a, at));
            let length = dot(axis, axis).sqrt();
            let k = axis.map(|x| x.div(length));
            let (sin, cos) = (single("sin", angle), single("cos", angle));
            let along = dot(k, a).mul(Dual::number(1.0).sub(cos));
            let turned = cross(k, a);
            each(&|i| cos.mul(a[i]).add(sin.mul(turned[i])).add(along.mul(k[i])))
        }
        Triple::If(condition, a, b) => match truth(condition, at) {
            Some(true) => components(a, at),
            Some(false) => components(b, at),
            None => [NOTHING; 3],
        },
    }
}
