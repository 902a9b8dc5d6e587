//! From nodes to a tape: which operations are joined, in which order they run, where their values are.

use super::{Code, Layout, Operands, Tape, next_id};
use crate::graph::{Binary, Function, Graph, Node, Op};

const NONE: u32 = u32::MAX;

/// An instruction whose operands are registers in the order of the graph.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    code: Code,
    a: u32,
    b: u32,
    c: u32,
}

/// A tape for (entry, node) pairs, where `order` is all that they need.
pub(super) fn assemble(graph: &Graph, layout: Layout, order: &[Node], outputs: &[(usize, Node)]) -> Tape {
    Assembler::new(graph, layout, order, outputs).assemble()
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
        let count = next as usize;
        let Scheduled { runs, operands, place } = schedule(&instructions, first, count);
        let store = |&(entry, node): &(usize, Node)| (entry as u32, place[self.at(node) as usize]);
        let mut stores: Vec<(u32, u32)> = self.outputs.iter().map(store).collect();
        stores.sort_unstable();
        let loads = self.layout.groups().map(|group| {
            let used = self.order.iter().any(|node| match self.graph.op(*node) {
                Op::Input(index) => group.contains(&(index as usize)),
                _ => false,
            });
            (group.start, if used { group.len() } else { 0 })
        });
        let looks_up = runs.iter().any(|(code, _)| matches!(code, Code::Lookup(_)));
        let tables = if looks_up { self.graph.tables.clone() } else { Vec::new() };
        Tape { loads, runs, operands, stores, first, image: registers, count, id: next_id(), tables }
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
            Op::Lookup(lookup, a, b) => binary(Code::Lookup(lookup), a, b),
            // Not reached: constants and inputs have registers.
            Op::Constant(_) | Op::Input(_) => unary(Code::Neg, node),
        }
    }
}

/// Instructions in runs, and where each register went.
struct Scheduled {
    runs: Vec<(Code, u32)>,
    operands: Vec<Operands>,
    place: Vec<u32>,
}

/// Takes, again and again, the kind of which most instructions are ready, and all of it that is or becomes ready.
fn schedule(instructions: &[Instruction], first: usize, registers: usize) -> Scheduled {
    // Which instruction makes a register.
    let mut maker = vec![NONE; registers];
    let mut next = first;
    for (i, instruction) in instructions.iter().enumerate() {
        for _ in 0..width(instruction.code) {
            maker[next] = i as u32;
            next += 1;
        }
    }
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); instructions.len()];
    let mut waits = vec![0_u32; instructions.len()];
    for (i, instruction) in instructions.iter().enumerate() {
        for operand in operands_of(instruction) {
            let made_by = maker[operand as usize];
            if made_by != NONE {
                users[made_by as usize].push(i as u32);
                waits[i] += 1;
            }
        }
    }
    let mut ready: Vec<(Code, Vec<u32>)> = Vec::new();
    let make_ready = |ready: &mut Vec<(Code, Vec<u32>)>, i: u32| {
        let code = instructions[i as usize].code;
        match ready.iter_mut().find(|(known, _)| *known == code) {
            Some((_, list)) => list.push(i),
            None => ready.push((code, vec![i])),
        }
    };
    for (i, _) in waits.iter().enumerate().filter(|(_, waits)| **waits == 0) {
        make_ready(&mut ready, i as u32);
    }
    // The first registers of instructions, old and new.
    let mut old = Vec::with_capacity(instructions.len());
    let mut at = first as u32;
    for instruction in instructions {
        old.push(at);
        at += width(instruction.code);
    }
    let mut place: Vec<u32> = (0..registers as u32).collect();
    let (mut runs, mut operands, mut to) = (Vec::new(), Vec::with_capacity(instructions.len()), first as u32);
    while let Some(most) = ready.iter().enumerate().max_by_key(|(_, (_, list))| list.len()).map(|(k, _)| k) {
        let (code, mut list) = ready.swap_remove(most);
        let mut count = 0;
        let mut done = 0;
        while let Some(&i) = list.get(done) {
            done += 1;
            let Instruction { a, b, c, .. } = instructions[i as usize];
            let new = |register: u32| place[register as usize];
            operands.push(Operands { a: new(a), b: new(b), c: new(c) });
            for k in 0..width(code) {
                place[(old[i as usize] + k) as usize] = to;
                to += 1;
            }
            count += 1;
            for &user in &users[i as usize] {
                waits[user as usize] -= 1;
                if waits[user as usize] == 0 {
                    if instructions[user as usize].code == code {
                        list.push(user);
                    } else {
                        make_ready(&mut ready, user);
                    }
                }
            }
        }
        runs.push((code, count));
    }
    Scheduled { runs, operands, place }
}

/// Registers that an instruction writes.
fn width(code: Code) -> u32 {
    if code == Code::SinCos { 2 } else { 1 }
}

/// The operands that matter; the others are register 0.
fn operands_of(instruction: &Instruction) -> impl Iterator<Item = u32> + use<> {
    let Instruction { code, a, b, c } = *instruction;
    let count = match code {
        Code::Neg | Code::SinCos | Code::Call(_) => 1,
        Code::MulAdd | Code::MulSub | Code::SubMul => 3,
        _ => 2,
    };
    [a, b, c].into_iter().take(count)
}
