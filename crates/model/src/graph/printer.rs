//! Nodes as formulas that can be read back: what a file would have to say to get the same values.
//!
//! What is used several times, and what is long, gets a name: that of the file's definition where it has one, else e1, e2, ….
//! Sums are written without brackets in the order of their terms, so that the last digits may differ. Derivatives of tables have
//! the names that [`Graph::lookup_name`] gives them, which files cannot say.

use std::collections::HashMap;

use super::{Binary, Function, Graph, Marks, Node, Op};

/// What is used twice gets a name from so many operations on.
const SHARED: usize = 4;
/// A formula has at most so many operations; what goes beyond gets a name.
const LONGEST: usize = 40;

/// How tightly a formula holds together, as the grammar of formulas has it.
mod level {
    pub const OR: u8 = 0;
    pub const AND: u8 = 1;
    pub const COMPARE: u8 = 3;
    pub const SUM: u8 = 4;
    pub const PRODUCT: u8 = 5;
    pub const DIVISOR: u8 = 6;
    pub const POWER: u8 = 7;
    pub const ATOM: u8 = 8;
}

/// Writes nodes.
pub(crate) struct Printer<'g> {
    graph: &'g Graph,
    inputs: Vec<String>,
    /// Nodes with names, in their order, each made of earlier ones.
    named: Vec<(Node, String)>,
    names: HashMap<Node, String>,
}

impl<'g> Printer<'g> {
    /// For some roots. `known` are names that nodes have already; `is_free` says which others may be given. `atoms` are written as they are.
    pub fn new(
        graph: &'g Graph,
        inputs: Vec<String>,
        roots: &[Node],
        (known, atoms): (&HashMap<Node, String>, HashMap<Node, String>),
        is_free: impl Fn(&str) -> bool,
    ) -> Printer<'g> {
        let order = graph.needed(roots.iter().copied(), &mut Marks::default());
        let mut uses: HashMap<Node, usize> = HashMap::new();
        for node in order.iter().flat_map(|node| graph.operands(*node)).chain(roots.iter().copied()) {
            *uses.entry(node).or_default() += 1;
        }
        let mut printer = Printer { graph, inputs, named: Vec::new(), names: atoms };
        let mut free = (1..).map(|i| format!("e{i}")).filter(|name| is_free(name));
        // By node: operations of its formula.
        let mut sizes: HashMap<Node, usize> = HashMap::new();
        for node in order {
            if graph.operands(node).next().is_none() || printer.names.contains_key(&node) {
                continue;
            }
            let size = 1 + graph.operands(node).map(|part| sizes.get(&part).copied().unwrap_or(0)).sum::<usize>();
            let often = uses.get(&node).is_some_and(|uses| *uses > 1);
            let name = match known.get(&node) {
                _ if graph.is_condition(node) => None,
                Some(name) => Some(name.clone()),
                None if (often && size >= SHARED) || size > LONGEST => free.next(),
                None => None,
            };
            sizes.insert(node, if name.is_some() { 0 } else { size });
            if let Some(name) = name {
                printer.named.push((node, name.clone()));
                printer.names.insert(node, name);
            }
        }
        printer
    }

    /// The formula of a node.
    pub fn text(&self, node: Node) -> String {
        self.number(node, level::OR)
    }

    /// The names that were given, with their formulas, in an order in which each is made of those before it.
    pub fn named(&self) -> Vec<(String, String)> {
        self.named.iter().map(|(node, name)| (name.clone(), self.inside(*node, level::OR))).collect()
    }

    /// A number; `around` is how tightly what stands around it holds.
    fn number(&self, node: Node, around: u8) -> String {
        match self.names.get(&node) {
            Some(name) => name.clone(),
            None => self.inside(node, around),
        }
    }

    /// The same, not by its own name.
    fn inside(&self, node: Node, around: u8) -> String {
        let (own, text) = match self.graph.op(node) {
            Op::Constant(bits) => constant(f64::from_bits(bits)),
            Op::Input(index) => {
                let name = self.inputs.get(index as usize).cloned();
                (level::ATOM, name.unwrap_or_else(|| format!("[{index}]")))
            }
            _ if self.graph.is_condition(node) => {
                (level::ATOM, format!("if({}, 1, 0)", self.condition(node, level::OR)))
            }
            Op::Neg(_) | Op::Pair(Binary::Add | Binary::Sub, ..) => (level::SUM, self.sum(node)),
            Op::Call(function, a) => (level::ATOM, self.call(function, a)),
            Op::Pair(Binary::Mul, a, b) => match self.power(node) {
                (base, n) if n > 1 => (level::POWER, format!("{}^{n}", self.number(base, level::ATOM))),
                _ if self.graph.value(a).is_some_and(|x| x < 0.0) => (level::SUM, self.sum(node)),
                _ => {
                    let (a, b) = (self.number(a, level::PRODUCT), self.number(b, level::PRODUCT));
                    (level::PRODUCT, format!("{a}*{b}"))
                }
            },
            Op::Pair(Binary::Div, a, b) => {
                let (a, b) = (self.number(a, level::PRODUCT), self.number(b, level::DIVISOR));
                (level::PRODUCT, format!("{a}/{b}"))
            }
            Op::Pair(Binary::Pow, a, b) => {
                (level::POWER, format!("{}^{}", self.number(a, level::ATOM), self.number(b, level::POWER)))
            }
            Op::Pair(Binary::Gate, a, b) => {
                (level::ATOM, format!("if({}, {}, 0)", self.condition(a, level::OR), self.number(b, level::OR)))
            }
            Op::Pair(binary, a, b) => {
                let (a, b) = (self.number(a, level::OR), self.number(b, level::OR));
                (level::ATOM, format!("{}({a}, {b})", format!("{binary:?}").to_lowercase()))
            }
            Op::Lookup(lookup, a, b) => {
                let second = if a == b { String::new() } else { format!(", {}", self.number(b, level::OR)) };
                let table = self.graph.lookup_name(lookup);
                (level::ATOM, format!("{table}({}{second})", self.number(a, level::OR)))
            }
            Op::Select(condition, a, b) => {
                let (a, b) = (self.number(a, level::OR), self.number(b, level::OR));
                (level::ATOM, format!("if({}, {a}, {b})", self.condition(condition, level::OR)))
            }
        };
        if own < around { format!("({text})") } else { text }
    }

    fn call(&self, function: Function, a: Node) -> String {
        let text = self.number(a, level::OR);
        match function {
            Function::Step => format!("if({} >= 0, 1, 0)", self.number(a, level::SUM)),
            Function::Saturate => format!("clamp({text}, 0, 1)"),
            Function::Within => {
                let text = self.number(a, level::SUM);
                format!("if({text} >= 0 and {text} <= 1, 1, 0)")
            }
            _ => format!("{}({text})", format!("{function:?}").to_lowercase()),
        }
    }

    fn condition(&self, node: Node, around: u8) -> String {
        let both = |a, b, own: u8| (self.condition(a, own), self.condition(b, own + 1));
        let sides = |a, b| (self.number(a, level::SUM), self.number(b, level::SUM));
        let (own, text) = match self.graph.op(node) {
            Op::Call(Function::Not, a) => match self.graph.op(a) {
                Op::Pair(Binary::Equal, a, b) => {
                    let (a, b) = sides(a, b);
                    (level::COMPARE, format!("{a} != {b}"))
                }
                _ => (level::COMPARE - 1, format!("not ({})", self.condition(a, level::OR))),
            },
            Op::Pair(binary @ (Binary::Less | Binary::LessEqual | Binary::Equal), a, b) => {
                let (a, b) = sides(a, b);
                let sign = match binary {
                    Binary::Less => "<",
                    Binary::LessEqual => "<=",
                    _ => "==",
                };
                (level::COMPARE, format!("{a} {sign} {b}"))
            }
            Op::Pair(Binary::And, a, b) => {
                let (a, b) = both(a, b, level::AND);
                (level::AND, format!("{a} and {b}"))
            }
            Op::Pair(Binary::Or, a, b) => {
                let (a, b) = both(a, b, level::OR);
                (level::OR, format!("{a} or {b}"))
            }
            _ => (level::COMPARE, format!("{} != 0", self.number(node, level::SUM))),
        };
        if own < around { format!("({text})") } else { text }
    }

    /// A sum, a positive term first if there is one.
    fn sum(&self, node: Node) -> String {
        let mut terms = Vec::new();
        self.terms(node, false, true, &mut terms);
        if let Some(first) = terms.iter().position(|(negative, _)| !negative) {
            terms[..=first].rotate_right(1);
        }
        let mut text = String::new();
        for (i, (negative, term)) in terms.iter().enumerate() {
            text += match (i, negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            text += term;
        }
        text
    }

    fn terms(&self, node: Node, negative: bool, top: bool, found: &mut Vec<(bool, String)>) {
        let whole = !top && self.names.contains_key(&node);
        match self.graph.op(node) {
            _ if whole => found.push((negative, self.number(node, level::PRODUCT))),
            Op::Neg(a) => self.terms(a, !negative, false, found),
            Op::Pair(binary @ (Binary::Add | Binary::Sub), a, b) => {
                self.terms(a, negative, false, found);
                self.terms(b, negative != (binary == Binary::Sub), false, found);
            }
            Op::Pair(Binary::Mul, a, b) if self.graph.value(a).is_some_and(|x| x < 0.0) => {
                let factor = constant(-self.graph.value(a).unwrap_or(0.0)).1;
                found.push((!negative, format!("{factor}*{}", self.number(b, level::PRODUCT))));
            }
            Op::Constant(bits) if f64::from_bits(bits) < 0.0 => {
                found.push((!negative, constant(-f64::from_bits(bits)).1));
            }
            _ => found.push((negative, self.number(node, level::PRODUCT))),
        }
    }

    /// What a product is a power of, and which.
    fn power(&self, node: Node) -> (Node, u32) {
        self.power_within(node, true)
    }

    fn power_within(&self, node: Node, top: bool) -> (Node, u32) {
        match self.graph.op(node) {
            Op::Pair(Binary::Mul, a, b) if top || !self.names.contains_key(&node) => {
                let ((base, n), (other, m)) = (self.power_within(a, false), self.power_within(b, false));
                if base == other { (base, n + m) } else { (node, 1) }
            }
            _ => (node, 1),
        }
    }
}

/// A number with all its digits.
fn constant(x: f64) -> (u8, String) {
    let size = x.abs();
    let text = match x {
        _ if x.is_nan() => "(0/0)".to_owned(),
        _ if x.is_infinite() => format!("({}/0)", x.signum()),
        _ if x == 0.0 || (1e-4..1e7).contains(&size) => x.to_string(),
        _ => format!("{x:e}"),
    };
    (if x < 0.0 && x.is_finite() { level::SUM } else { level::ATOM }, text)
}
