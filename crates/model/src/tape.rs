//! Straight-line code for some nodes of a graph: what is evaluated while a model is integrated.
//!
//! One register a value: first the arguments, then constants, then one (or two) for each instruction in order. Sine and
//! cosine of the same angle are one instruction; so are a b + c, a b - c and c - a b where the product is used once (two
//! roundings, as written).

use std::cell::RefCell;

use crate::graph::{Binary, Function, Graph, Marks, Node, Op};

/// Where the arguments of formulas are: t, q, v, a, lambda, psi in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub q: usize,
    pub v: usize,
    pub lambda: usize,
    pub psi: usize,
}

impl Layout {
    pub const T: usize = 0;

    pub fn q(&self) -> std::ops::Range<usize> {
        1..1 + self.q
    }
    pub fn v(&self) -> std::ops::Range<usize> {
        let start = self.q().end;
        start..start + self.v
    }
    pub fn a(&self) -> std::ops::Range<usize> {
        let start = self.v().end;
        start..start + self.v
    }
    pub fn lambda(&self) -> std::ops::Range<usize> {
        let start = self.a().end;
        start..start + self.lambda
    }
    pub fn psi(&self) -> std::ops::Range<usize> {
        let start = self.lambda().end;
        start..start + self.psi
    }
    pub fn len(&self) -> usize {
        self.psi().end
    }
}

/// Arguments of a tape; what it does not use may be empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub a: &'a [f64],
    pub lambda: &'a [f64],
    pub psi: &'a [f64],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Code {
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    MulAdd,
    MulSub,
    SubMul,
    SinCos,
    Call(Function),
    Pair(Binary),
}

/// Operands are registers.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    code: Code,
    a: u32,
    b: u32,
    c: u32,
}

/// Evaluates some nodes.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    layout: Layout,
    instructions: Vec<Instruction>,
    /// (entry of the output, register)
    stores: Vec<(u32, u32)>,
    /// The first register of an instruction.
    first: usize,
    registers: RefCell<Vec<f64>>,
}

const NONE: u32 = u32::MAX;

impl Tape {
    /// Code for (entry, node) pairs. Entries that are constantly zero are left out.
    pub fn new(graph: &Graph, layout: Layout, outputs: &[(usize, Node)], marks: &mut Marks) -> Tape {
        let outputs: Vec<_> = outputs.iter().copied().filter(|(_, node)| !graph.is_zero(*node)).collect();
        let order = graph.needed(outputs.iter().map(|(_, node)| *node), marks);
        Assembler::new(graph, layout, &order, &outputs).assemble()
    }

    /// Writes the outputs; entries that are constantly zero are not touched.
    pub fn run(&self, at: Arguments, out: &mut [f64]) {
        self.run_split(at, out, &mut []);
    }

    /// The same with the outputs in two pieces.
    pub fn run_split(&self, at: Arguments, out: &mut [f64], rest: &mut [f64]) {
        if self.stores.is_empty() {
            return;
        }
        let mut registers = self.registers.borrow_mut();
        let r = registers.as_mut_slice();
        r[Layout::T] = at.t;
        let layout = &self.layout;
        for (range, values) in [
            (layout.q(), at.q),
            (layout.v(), at.v),
            (layout.a(), at.a),
            (layout.lambda(), at.lambda),
            (layout.psi(), at.psi),
        ] {
            if !values.is_empty() {
                r[range].copy_from_slice(values);
            }
        }
        let mut to = self.first;
        for &Instruction { code, a, b, c } in &self.instructions {
            let x = r[a as usize];
            let value = match code {
                Code::Mul => x * r[b as usize],
                Code::MulAdd => x * r[b as usize] + r[c as usize],
                Code::MulSub => x * r[b as usize] - r[c as usize],
                Code::SubMul => r[c as usize] - x * r[b as usize],
                Code::Add => x + r[b as usize],
                Code::Sub => x - r[b as usize],
                Code::Div => x / r[b as usize],
                Code::Neg => -x,
                Code::SinCos => {
                    let (sin, cos) = x.sin_cos();
                    r[to] = sin;
                    to += 1;
                    cos
                }
                Code::Call(function) => function.apply(x),
                Code::Pair(binary) => binary.apply(x, r[b as usize]),
            };
            r[to] = value;
            to += 1;
        }
        for &(entry, register) in &self.stores {
            let (entry, value) = (entry as usize, r[register as usize]);
            match out.get_mut(entry) {
                Some(out) => *out = value,
                None => rest[entry - out.len()] = value,
            }
        }
    }

    /// The only value of a tape with the output 0.
    pub fn value(&self, at: Arguments) -> f64 {
        let mut out = [0.0];
        self.run(at, &mut out);
        out[0]
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }
}

struct Assembler<'g> {
    graph: &'g Graph,
    layout: Layout,
    order: &'g [Node],
    outputs: &'g [(usize, Node)],
    /// By place in `order`.
    register: Vec<u32>,
    /// Uses by instructions and outputs.
    uses: Vec<u32>,
}

impl<'g> Assembler<'g> {
    fn new(graph: &'g Graph, layout: Layout, order: &'g [Node], outputs: &'g [(usize, Node)]) -> Self {
        let mut assembler =
            Assembler { graph, layout, order, outputs, register: vec![NONE; order.len()], uses: vec![0; order.len()] };
        for &node in order {
            for operand in graph.operands(node) {
                let at = assembler.place(operand);
                assembler.uses[at] += 1;
            }
        }
        for &(_, node) in outputs {
            let at = assembler.place(node);
            assembler.uses[at] += 1;
        }
        assembler
    }

    fn place(&self, node: Node) -> usize {
        self.order.binary_search(&node).unwrap_or(0)
    }

    fn at(&self, node: Node) -> u32 {
        self.register[self.place(node)]
    }

    /// A product that only one sum needs becomes a part of it.
    fn absorbed(&self, node: Node) -> Option<(Node, Node)> {
        match self.graph.op(node) {
            Op::Pair(Binary::Mul, a, b) if self.uses[self.place(node)] == 1 => Some((a, b)),
            _ => None,
        }
    }

    fn assemble(mut self) -> Tape {
        let mut registers = vec![0.0; self.layout.len()];
        for (i, &node) in self.order.iter().enumerate() {
            match self.graph.op(node) {
                Op::Constant(bits) => {
                    self.register[i] = registers.len() as u32;
                    registers.push(f64::from_bits(bits));
                }
                Op::Input(index) => self.register[i] = index,
                _ => {}
            }
        }
        let first = registers.len();
        let mut next = first as u32;
        let mut skipped = vec![false; self.order.len()];
        for &node in self.order {
            if let Some((product, _)) = self.fusion(node) {
                skipped[self.place(product)] = true;
            }
        }
        let mut instructions = Vec::new();
        for (i, &node) in self.order.iter().enumerate() {
            if skipped[i] || self.register[i] != NONE {
                continue;
            }
            let instruction = self.instruction(node);
            if instruction.code == Code::SinCos {
                let Op::Call(_, angle) = self.graph.op(node) else { continue };
                for (function, register) in [(Function::Sin, next), (Function::Cos, next + 1)] {
                    if let Some(at) = self.find(Op::Call(function, angle)) {
                        self.register[at] = register;
                    }
                }
                next += 2;
            } else {
                self.register[i] = next;
                next += 1;
            }
            instructions.push(instruction);
        }
        let stores = self.outputs.iter().map(|&(entry, node)| (entry as u32, self.at(node))).collect();
        registers.resize(next as usize, 0.0);
        Tape { layout: self.layout, instructions, stores, first, registers: RefCell::new(registers) }
    }

    /// The place in the order of an operation, if it is needed.
    fn find(&self, op: Op) -> Option<usize> {
        self.graph.find(op).and_then(|node| self.order.binary_search(&node).ok())
    }

    /// The product that a sum or difference takes in, and the other operand.
    fn fusion(&self, node: Node) -> Option<(Node, Node)> {
        match self.graph.op(node) {
            Op::Pair(Binary::Add | Binary::Sub, a, b) if self.absorbed(b).is_some() => Some((b, a)),
            Op::Pair(Binary::Add | Binary::Sub, a, b) if self.absorbed(a).is_some() => Some((a, b)),
            _ => None,
        }
    }

    fn instruction(&self, node: Node) -> Instruction {
        let unary = |code, a| Instruction { code, a: self.at(a), b: 0, c: 0 };
        let binary = |code, a, b| Instruction { code, a: self.at(a), b: self.at(b), c: 0 };
        if let Some((product, other)) = self.fusion(node)
            && let (Some((x, y)), Op::Pair(sum, a, _)) = (self.absorbed(product), self.graph.op(node))
        {
            let code = match sum {
                Binary::Add => Code::MulAdd,
                _ if a == product => Code::MulSub,
                _ => Code::SubMul,
            };
            return Instruction { c: self.at(other), ..binary(code, x, y) };
        }
        match self.graph.op(node) {
            Op::Neg(a) => unary(Code::Neg, a),
            Op::Call(function @ (Function::Sin | Function::Cos), a) => {
                let other = if function == Function::Sin { Function::Cos } else { Function::Sin };
                let both = self.find(Op::Call(other, a)).is_some();
                unary(if both { Code::SinCos } else { Code::Call(function) }, a)
            }
            Op::Call(function, a) => unary(Code::Call(function), a),
            Op::Pair(Binary::Add, a, b) => binary(Code::Add, a, b),
            Op::Pair(Binary::Sub, a, b) => binary(Code::Sub, a, b),
            Op::Pair(Binary::Mul, a, b) => binary(Code::Mul, a, b),
            Op::Pair(Binary::Div, a, b) => binary(Code::Div, a, b),
            Op::Pair(other, a, b) => binary(Code::Pair(other), a, b),
            // Not reached: constants and inputs have registers.
            Op::Constant(_) | Op::Input(_) => unary(Code::Neg, node),
        }
    }
}
