//! Random formulas as trees, and the trees as text.

/// A number.
pub enum Tree {
    Number(f64),
    /// t, x, y.
    Input(usize),
    Minus(Box<Tree>),
    Pair(char, Box<Tree>, Box<Tree>),
    Call(&'static str, Vec<Tree>),
    If(Box<Condition>, Box<Tree>, Box<Tree>),
    Component(Box<Triple>, usize),
    Dot(Box<Triple>, Box<Triple>),
    Norm(Box<Triple>),
    /// A function of the file: its number, and its arguments.
    Own(usize, Box<Tree>, Box<Tree>),
}

pub enum Condition {
    Compare(&'static str, Tree, Tree),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

pub enum Triple {
    Of(Box<[Tree; 3]>),
    Plus(Box<Triple>, Box<Triple>),
    Less(Box<Triple>, Box<Triple>),
    Minus(Box<Triple>),
    Scaled(Tree, Box<Triple>),
    Over(Box<Triple>, Tree),
    Cross(Box<Triple>, Box<Triple>),
    Rotated(Box<Triple>, Tree, Box<Triple>),
    If(Box<Condition>, Box<Triple>, Box<Triple>),
}

const SINGLE: [&str; 18] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "floor",
    "ceil", "round", "tab",
];
const SEVERAL: [&str; 5] = ["atan2", "min", "max", "hypot", "mod"];
const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
const NUMBERS: [f64; 16] =
    [0.0, 1.0, 2.0, 0.5, 3.0, 0.1, 7.25, 1e-3, 1e3, 1e-200, 1e200, 1e300, 1e-300, 4.0, 0.25, 1e9];
const EXPONENTS: [f64; 8] = [2.0, 3.0, 4.0, 6.0, 11.0, 0.5, 1.5, 0.7];
/// A table: knots and values, held beyond its ends.
pub const KNOTS: [(f64, f64); 4] = [(-2.0, 1.0), (-0.5, -1.0), (0.3, 2.0), (1.5, 0.5)];
/// The functions of the file, with arguments u and w.
pub const OWN: [&str; 3] = ["u*sin(w) - t", "if(u > w, u, w^2)", "f0(w, u) + f1(u, 1)"];

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    pub fn tree(&mut self, depth: usize) -> Tree {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(3) {
                0 => Tree::Number(NUMBERS[self.below(NUMBERS.len())]),
                _ => Tree::Input(self.below(3)),
            };
        }
        let boxed = |random: &mut Random| Box::new(random.tree(depth - 1));
        match self.below(21) {
            0 => Tree::Minus(boxed(self)),
            1 | 2 => Tree::Pair('+', boxed(self), boxed(self)),
            3 | 4 => Tree::Pair('-', boxed(self), boxed(self)),
            5..=7 => Tree::Pair('*', boxed(self), boxed(self)),
            8 => Tree::Pair('/', boxed(self), boxed(self)),
            9 => Tree::Pair('^', boxed(self), Box::new(Tree::Number(EXPONENTS[self.below(EXPONENTS.len())]))),
            10 => Tree::Pair('^', boxed(self), boxed(self)),
            11..=13 => Tree::Call(SINGLE[self.below(SINGLE.len())], vec![self.tree(depth - 1)]),
            14 => Tree::Call(SEVERAL[self.below(SEVERAL.len())], vec![self.tree(depth - 1), self.tree(depth - 1)]),
            15 | 16 => Tree::If(Box::new(self.condition(depth - 1)), boxed(self), boxed(self)),
            17 => self.call_of_three(depth - 1),
            18 => Tree::Own(self.below(OWN.len()), boxed(self), boxed(self)),
            _ => {
                let triple = Box::new(self.triple(depth - 1));
                match self.below(4) {
                    0 => Tree::Dot(triple, Box::new(self.triple(depth - 1))),
                    1 => Tree::Norm(triple),
                    _ => Tree::Component(triple, self.below(3)),
                }
            }
        }
    }

    /// Widths are constants, so that they are known to be positive.
    fn call_of_three(&mut self, depth: usize) -> Tree {
        let (low, width) = ([-1.0, 0.0, 0.25][self.below(3)], [0.5, 2.0, 1e-3][self.below(3)]);
        let x = self.tree(depth);
        match self.below(3) {
            0 => Tree::Call("clamp", vec![x, self.tree(depth), self.tree(depth)]),
            1 => Tree::Call("step", vec![x, Tree::Number(width)]),
            _ => Tree::Call("smoothstep", vec![x, Tree::Number(low), Tree::Number(low + width)]),
        }
    }

    fn condition(&mut self, depth: usize) -> Condition {
        let boxed = |random: &mut Random| Box::new(random.condition(depth.saturating_sub(1)));
        match if depth == 0 { 4 } else { self.below(8) } {
            0 => Condition::And(boxed(self), boxed(self)),
            1 => Condition::Or(boxed(self), boxed(self)),
            2 => Condition::Not(boxed(self)),
            _ => {
                let inner = depth.saturating_sub(1);
                Condition::Compare(COMPARISONS[self.below(6)], self.tree(inner), self.tree(inner))
            }
        }
    }

    pub fn triple(&mut self, depth: usize) -> Triple {
        let inner = depth.saturating_sub(1);
        let boxed = |random: &mut Random| Box::new(random.triple(inner));
        match if depth == 0 { 0 } else { self.below(11) } {
            0..=3 => Triple::Of(Box::new([self.tree(inner), self.tree(inner), self.tree(inner)])),
            4 => Triple::Plus(boxed(self), boxed(self)),
            5 => Triple::Less(boxed(self), boxed(self)),
            6 => Triple::Minus(boxed(self)),
            7 => Triple::Scaled(self.tree(inner), boxed(self)),
            8 => Triple::Over(boxed(self), self.tree(inner)),
            9 => match self.below(2) {
                0 => Triple::Cross(boxed(self), boxed(self)),
                _ => Triple::Rotated(boxed(self), self.tree(inner), boxed(self)),
            },
            _ => Triple::If(Box::new(self.condition(inner)), boxed(self), boxed(self)),
        }
    }
}

/// How strongly an operation binds.
fn strength(tree: &Tree) -> usize {
    match tree {
        Tree::Pair('+' | '-', ..) => 1,
        Tree::Minus(_) | Tree::Pair('*' | '/', ..) => 2,
        Tree::Number(x) if *x < 0.0 => 2,
        Tree::Pair(..) => 3,
        _ => 4,
    }
}

/// The tree with no more brackets than it needs.
pub fn text(tree: &Tree) -> String {
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
        Tree::If(condition, a, b) => format!("if({}, {}, {})", words(condition, 0), text(a), text(b)),
        Tree::Component(triple, axis) => format!("{}.{}", triple_text(triple, 3), ["x", "y", "z"][*axis]),
        Tree::Dot(a, b) => format!("dot({}, {})", triple_text(a, 0), triple_text(b, 0)),
        Tree::Norm(a) => format!("norm({})", triple_text(a, 0)),
        Tree::Own(i, a, b) => format!("f{i}({}, {})", text(a), text(b)),
    }
}

/// `or` binds with 0, `and` with 1, the rest with 2.
fn words(condition: &Condition, least: usize) -> String {
    let (own, words) = match condition {
        Condition::Or(a, b) => (0, format!("{} or {}", words(a, 0), words(b, 1))),
        Condition::And(a, b) => (1, format!("{} and {}", words(a, 1), words(b, 2))),
        Condition::Not(a) => (2, format!("not {}", words(a, 3))),
        Condition::Compare(op, a, b) => (2, format!("{} {op} {}", text(a), text(b))),
    };
    if own < least { format!("({words})") } else { words }
}

/// Sums bind with 0, products with 1, the rest with 3.
pub fn triple_text(triple: &Triple, least: usize) -> String {
    let factor = |tree: &Tree| if strength(tree) < 3 { format!("({})", text(tree)) } else { text(tree) };
    let (own, words) = match triple {
        Triple::Of(parts) => (3, format!("[{}, {}, {}]", text(&parts[0]), text(&parts[1]), text(&parts[2]))),
        Triple::Plus(a, b) => (0, format!("{} + {}", triple_text(a, 0), triple_text(b, 1))),
        Triple::Less(a, b) => (0, format!("{} - {}", triple_text(a, 0), triple_text(b, 1))),
        Triple::Minus(a) => (1, format!("-{}", triple_text(a, 3))),
        Triple::Scaled(x, a) => (1, format!("{}*{}", factor(x), triple_text(a, 3))),
        Triple::Over(a, x) => (1, format!("{}/{}", triple_text(a, 1), factor(x))),
        Triple::Cross(a, b) => (3, format!("cross({}, {})", triple_text(a, 0), triple_text(b, 0))),
        Triple::Rotated(k, x, a) => (3, format!("rotate({}, {}, {})", triple_text(k, 0), text(x), triple_text(a, 0))),
        Triple::If(c, a, b) => (3, format!("if({}, {}, {})", self::words(c, 0), triple_text(a, 0), triple_text(b, 0))),
    };
    if own < least { format!("({words})") } else { words }
}
