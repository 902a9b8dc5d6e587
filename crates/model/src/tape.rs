//! Straight-line code for some nodes of a graph: what is evaluated while a model is integrated.
//!
//! Every value has its register: first the arguments, then constants, then one (or two) for each instruction in order. Sine and
//! cosine of the same angle are one instruction; so are a b + c, a b - c and c - a b where the product is used only once (with
//! two roundings, as written). Instructions of one kind stand together in runs as far as their dependences allow, because to
//! choose an instruction costs more than to carry it out, and because neighbours that do not wait for each other overlap in the
//! processor.
//!
//! What only one branch of an `if` needs stands in a block behind a [skip](Code::Skip), which passes it over where the condition
//! does not hold, unless it is so little that the jump would cost more.

mod assembler;
mod change;
mod schedule;

use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alembert::scalar::Increment;

use crate::graph::{Binary, Function, Graph, Marks, Node, select};
use crate::table::{Lookup, Table};

/// Where the arguments of formulas are: t, q, v, a, lambda, psi in this order, then the branches that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub q: usize,
    pub v: usize,
    pub lambda: usize,
    pub psi: usize,
    /// Switches of equations; see [`switches`](crate::system). Formulas of files know nothing of them.
    pub held: usize,
    /// How many of the last velocities (and coordinates) belong to variables of first order.
    pub states: usize,
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
    /// The velocities of bodies.
    pub fn bodies(&self) -> std::ops::Range<usize> {
        let v = self.v();
        v.start..v.end - self.states
    }
    /// The variables of first order.
    pub fn states(&self) -> std::ops::Range<usize> {
        self.bodies().end..self.v().end
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
    pub fn held(&self) -> std::ops::Range<usize> {
        let start = self.psi().end;
        start..start + self.held
    }
    pub fn len(&self) -> usize {
        self.held().end
    }
    /// All but t.
    pub fn groups(&self) -> [std::ops::Range<usize>; 6] {
        [self.q(), self.v(), self.a(), self.lambda(), self.psi(), self.held()]
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
    pub held: &'a [f64],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Select,
    /// Goes on behind a block unless a condition holds, or, with `false`, if it does. The second operand is the number of the jump.
    Skip(bool),
    Lookup(Lookup),
}

/// What comes behind a block: numbers of a run, of operands, of a register.
#[derive(Clone, Copy, Debug, Default)]
struct Jump {
    run: usize,
    operand: usize,
    to: usize,
}

/// Registers.
#[derive(Clone, Copy, Debug)]
struct Operands {
    a: u32,
    b: u32,
    c: u32,
}

/// Evaluates some nodes.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    /// First register and number of q, v, a, lambda, psi and branches; nothing of what is not used.
    loads: [(usize, usize); 6],
    /// Kinds of instruction, each with how many follow.
    runs: Vec<(Code, u32)>,
    operands: Vec<Operands>,
    jumps: Vec<Jump>,
    /// (entry of the output, register)
    stores: Vec<(u32, u32)>,
    /// The first register of an instruction.
    first: usize,
    /// Arguments and constants: what registers begin with.
    image: Vec<f64>,
    /// How many registers there are.
    count: usize,
    /// Tells tapes apart; copies of a tape are the same.
    id: u64,
    /// What lookups are about; empty where there are none.
    tables: Vec<Arc<Table>>,
}

/// The registers of a tape while it runs; the caller owns them. They are filled when a tape first uses them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    values: Vec<f64>,
    /// The same for changes, which have registers of their own.
    increments: Vec<Increment>,
    /// The tape that they belong to.
    of: u64,
}

/// A number for a new tape; 0 is none.
fn next_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl Tape {
    /// Code for (entry, node) pairs. Entries that are constantly zero are left out.
    pub fn new(graph: &Graph, layout: Layout, outputs: &[(usize, Node)], marks: &mut Marks) -> Tape {
        let outputs: Vec<_> = outputs.iter().copied().filter(|(_, node)| !graph.is_zero(*node)).collect();
        let order = graph.needed(outputs.iter().map(|(_, node)| *node), marks);
        // A graph that has overflowed gives nothing, and nobody will look at what this tape computes.
        let outputs = if order.is_empty() { Vec::new() } else { outputs };
        assembler::assemble(graph, layout, &order, &outputs)
    }

    /// Writes instructions and constants as text; constants to twelve digits, because another compiler may round them
    /// otherwise.
    ///
    /// # Errors
    /// If the writer has any.
    pub fn list(&self, to: &mut impl Write) -> fmt::Result {
        let is_argument = |register: &usize| {
            *register == Layout::T || self.loads.iter().any(|(start, count)| (*start..start + count).contains(register))
        };
        let Tape { loads, runs, operands, stores, .. } = self;
        write!(to, "{loads:?} {runs:?} {operands:?} {stores:?}")?;
        let mut constants = (0..self.first).filter(|register| !is_argument(register));
        constants.try_for_each(|register| write!(to, " {:.11e}", self.image[register]))
    }

    /// Writes the outputs; entries that are constantly zero are not touched.
    pub fn run(&self, at: Arguments, registers: &mut Registers, out: &mut [f64]) {
        self.run_pieces(at, registers, &mut [out]);
    }

    /// The same with registers for this one run.
    pub fn run_once(&self, at: Arguments, out: &mut [f64]) {
        self.run(at, &mut Registers::default(), out);
    }

    /// The same with the outputs in pieces, one after the other.
    pub fn run_pieces(&self, at: Arguments, registers: &mut Registers, pieces: &mut [&mut [f64]]) {
        if self.stores.is_empty() {
            return;
        }
        let Registers { values, of, .. } = registers;
        if *of != self.id {
            values.clear();
            values.extend_from_slice(&self.image);
            values.resize(self.count, 0.0);
            *of = self.id;
        }
        let r = values.as_mut_slice();
        r[Layout::T] = at.t;
        for (&(start, count), values) in self.loads.iter().zip([at.q, at.v, at.a, at.lambda, at.psi, at.held]) {
            // A loop: for a handful of numbers it is faster than a call that copies memory.
            for (register, value) in r[start..start + count].iter_mut().zip(values) {
                *register = *value;
            }
        }
        if self.jumps.is_empty() {
            let mut rest_of = self.operands.as_slice();
            let mut to = self.first;
            for &(code, count) in &self.runs {
                let (run, after) = rest_of.split_at(count as usize);
                rest_of = after;
                to = evaluate(code, run, &self.tables, r, to);
            }
        } else {
            self.run_blocks(r);
        }
        // Stores are in the order of the outputs.
        let mut stores = self.stores.as_slice();
        let mut first = 0;
        for piece in pieces {
            let end = first + piece.len();
            while let [(entry, register), rest @ ..] = stores {
                let entry = *entry as usize;
                if entry >= end {
                    break;
                }
                piece[entry - first] = r[*register as usize];
                stores = rest;
            }
            first = end;
        }
    }

    /// The instructions of a tape with blocks.
    fn run_blocks(&self, r: &mut [f64]) {
        let mut next = Jump { run: 0, operand: 0, to: self.first };
        while let Some(&(code, count)) = self.runs.get(next.run) {
            if let Code::Skip(holds) = code {
                let Operands { a, b, .. } = self.operands[next.operand];
                if (r[a as usize] != 0.0) != holds {
                    next = self.jumps[b as usize];
                    continue;
                }
                next.operand += 1;
            } else {
                let run = &self.operands[next.operand..next.operand + count as usize];
                next.to = evaluate(code, run, &self.tables, r, next.to);
                next.operand += run.len();
            }
            next.run += 1;
        }
    }

    /// The only value of a tape with the output 0.
    pub fn value(&self, at: Arguments, registers: &mut Registers) -> f64 {
        let mut out = [0.0];
        self.run(at, registers, &mut out);
        out[0]
    }

    /// One more than the last output that is written.
    pub fn outputs(&self) -> usize {
        self.stores.iter().map(|(entry, _)| *entry as usize + 1).max().unwrap_or(0)
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.operands.len()
    }
}

/// One run; returns the next register.
fn evaluate(code: Code, run: &[Operands], tables: &[Arc<Table>], r: &mut [f64], mut to: usize) -> usize {
    let at = |r: &[f64], register: u32| r[register as usize];
    macro_rules! each {
        (|$o:ident| $value:expr) => {
            for $o in run {
                r[to] = $value;
                to += 1;
            }
        };
    }
    match code {
        Code::Mul => each!(|o| at(r, o.a) * at(r, o.b)),
        Code::MulAdd => each!(|o| at(r, o.a) * at(r, o.b) + at(r, o.c)),
        Code::MulSub => each!(|o| at(r, o.a) * at(r, o.b) - at(r, o.c)),
        Code::SubMul => each!(|o| at(r, o.c) - at(r, o.a) * at(r, o.b)),
        Code::Add => each!(|o| at(r, o.a) + at(r, o.b)),
        Code::Sub => each!(|o| at(r, o.a) - at(r, o.b)),
        // Zero has no sign: -0 + 0 is 0.
        Code::Div => each!(|o| at(r, o.a) / (at(r, o.b) + 0.0)),
        Code::Neg => each!(|o| -at(r, o.a)),
        Code::SinCos => {
            for o in run {
                let (sin, cos) = at(r, o.a).sin_cos();
                r[to] = sin;
                r[to + 1] = cos;
                to += 2;
            }
        }
        Code::Call(function) => each!(|o| function.apply(at(r, o.a))),
        // The operations of conditions, chosen once for a run and not once for each of it.
        Code::Pair(Binary::Less) => each!(|o| Binary::Less.apply(at(r, o.a), at(r, o.b))),
        Code::Pair(Binary::LessEqual) => each!(|o| Binary::LessEqual.apply(at(r, o.a), at(r, o.b))),
        Code::Pair(Binary::Gate) => each!(|o| Binary::Gate.apply(at(r, o.a), at(r, o.b))),
        Code::Pair(binary) => each!(|o| binary.apply(at(r, o.a), at(r, o.b))),
        Code::Select => each!(|o| select(at(r, o.a), at(r, o.b), at(r, o.c))),
        // Blocks are entered elsewhere.
        Code::Skip(_) => {}
        Code::Lookup(Lookup { table, asked }) => {
            let table = &tables[table as usize];
            each!(|o| table.at(asked, at(r, o.a), at(r, o.b)))
        }
    }
    to
}
