//! From nodes to a tape: which operations are joined, in which order they run, where their values are.

use super::schedule::{Scheduled, schedule};
use super::{Code, Layout, Tape, next_id};
use crate::graph::{Binary, Function, Graph, Node, Op, Region, Regions};

const NONE: u32 = u32::MAX;
/// A block is worth its jump if it takes the time of this many products; measured.
const WORTH: usize = 12;
/// Blocks within blocks.
const DEEPEST: usize = 16;

/// An instruction whose operands are registers in the order of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub code: Code,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// The block that it belongs to.
    pub region: Region,
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
    /// Where nodes are needed, if not all of them are needed everywhere.
    regions: Option<Regions>,
}

impl<'g> Assembler<'g> {
    fn new(graph: &'g Graph, layout: Layout, order: &'g [Node], outputs: &'g [(usize, Node)]) -> Self {
        let roots = outputs.iter().map(|(_, node)| *node);
        let regions = Regions::find(graph, order, roots);
        let (register, uses) = (vec![NONE; order.len()], vec![0; order.len()]);
        let mut assembler = Assembler { graph, layout, order, outputs, register, uses, regions };
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

    fn region(&self, node: Node) -> Region {
        self.regions.as_ref().map_or(Regions::EVERYWHERE, |regions| regions.at(self.place(node)))
    }

    /// Gives up regions that are not worth a block.
    fn keep_large_regions(&mut self) {
        let (graph, order) = (self.graph, self.order);
        let Some(regions) = &mut self.regions else { return };
        let mut work = vec![0; regions.len() + 1];
        let mut depth = work.clone();
        for (i, node) in order.iter().enumerate() {
            work[regions.at(i).index()] += weight(graph.op(*node));
        }
        // Larger regions have smaller numbers.
        for region in regions.all().rev() {
            if let Some((_, _, within)) = regions.last(region) {
                work[within.index()] += work[region.index()];
            }
        }
        for region in regions.all() {
            if let Some((_, _, within)) = regions.last(region) {
                depth[region.index()] = depth[within.index()] + 1;
            }
        }
        regions.retain(|region| work[region.index()] >= WORTH && depth[region.index()] <= DEEPEST);
    }

    fn assemble(mut self) -> Tape {
        self.keep_large_regions();
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
        let condition = |region: Region| {
            let (condition, holds, within) = self.regions.as_ref()?.last(region)?;
            Some((self.at(condition), holds, within))
        };
        let regions = self.regions.as_ref().map_or(0, Regions::len);
        let Scheduled { runs, operands, jumps, place } = schedule(&instructions, first, count, regions, &condition);
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
        Tape { loads, runs, operands, jumps, stores, first, image: registers, count, id: next_id(), tables }
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
        let region = self.region(node);
        let unary = |code, a| Instruction { code, a: self.at(a), b: 0, c: 0, region };
        let binary = |code, a, b| Instruction { code, a: self.at(a), b: self.at(b), c: 0, region };
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
                match (self.find(Op::Call(other, a)), &self.regions) {
                    (None, _) => unary(Code::Call(function), a),
                    (Some(_), None) => unary(Code::SinCos, a),
                    // What is evaluated together is needed where either is.
                    (Some(at), Some(regions)) => {
                        let region = regions.common(region, regions.at(at));
                        Instruction { region, ..unary(Code::SinCos, a) }
                    }
                }
            }
            Op::Call(function, a) => unary(Code::Call(function), a),
            Op::Pair(Binary::Add, a, b) => binary(Code::Add, a, b),
            Op::Pair(Binary::Sub, a, b) => binary(Code::Sub, a, b),
            Op::Pair(Binary::Mul, a, b) => binary(Code::Mul, a, b),
            Op::Pair(Binary::Div, a, b) => binary(Code::Div, a, b),
            Op::Pair(other, a, b) => binary(Code::Pair(other), a, b),
            Op::Select(condition, then, other) => {
                Instruction { c: self.at(other), ..binary(Code::Select, condition, then) }
            }
            Op::Lookup(lookup, a, b) => binary(Code::Lookup(lookup), a, b),
            // Not reached: constants and inputs have registers.
            Op::Constant(_) | Op::Input(_) => unary(Code::Neg, node),
        }
    }
}

/// The time of an operation in products, roughly.
fn weight(op: Op) -> usize {
    match op {
        Op::Constant(_) | Op::Input(_) => 0,
        Op::Pair(Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Mod, ..) => 12,
        Op::Pair(Binary::Div, ..) | Op::Call(Function::Sqrt, _) => 3,
        Op::Call(function, _) if function.is_transcendental() => 12,
        _ => 1,
    }
}
