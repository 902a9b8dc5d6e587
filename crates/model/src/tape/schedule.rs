//! The order of instructions: runs of one kind, blocks that are passed over.

use super::assembler::Instruction;
use super::{Code, Jump, Operands};
use crate::graph::{Region, Regions};

const NONE: u32 = u32::MAX;

/// Instructions in runs, and where each register went.
pub(super) struct Scheduled {
    pub runs: Vec<(Code, u32)>,
    pub operands: Vec<Operands>,
    pub jumps: Vec<Jump>,
    pub place: Vec<u32>,
}

/// The condition of a region (its register, and whether it must hold), and the region around it; none everywhere.
pub(super) type Condition<'a> = &'a dyn Fn(Region) -> Option<(u32, bool, Region)>;

/// Takes, again and again, the kind of which most instructions are ready, and all of it that is or becomes ready. Blocks come when
/// nothing else of the region around them is ready.
pub(super) fn schedule(
    instructions: &[Instruction],
    first: usize,
    registers: usize,
    regions: usize,
    condition: Condition,
) -> Scheduled {
    let mut scheduler = Scheduler::new(instructions, first, registers, regions, condition);
    scheduler.emit(Regions::EVERYWHERE);
    scheduler.done
}

/// Instructions of one kind that are ready.
type Ready = Vec<(Code, Vec<u32>)>;

struct Scheduler<'i> {
    instructions: &'i [Instruction],
    condition: Condition<'i>,
    /// Who needs what an instruction makes.
    users: Vec<Vec<u32>>,
    /// For how many operands an instruction waits.
    waits: Vec<u32>,
    /// The first registers of instructions, before they are moved.
    old: Vec<u32>,
    /// By region.
    ready: Vec<Ready>,
    /// By region: those within, with something ready.
    inner: Vec<Vec<Region>>,
    /// By region: whether the one around it knows.
    noted: Vec<bool>,
    to: u32,
    done: Scheduled,
}

impl<'i> Scheduler<'i> {
    fn new(
        instructions: &'i [Instruction],
        first: usize,
        registers: usize,
        regions: usize,
        condition: Condition<'i>,
    ) -> Self {
        // Which instruction makes a register.
        let mut maker = vec![NONE; registers];
        let mut old = Vec::with_capacity(instructions.len());
        let mut next = first;
        for (i, instruction) in instructions.iter().enumerate() {
            old.push(next as u32);
            for _ in 0..width(instruction.code) {
                maker[next] = i as u32;
                next += 1;
            }
        }
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); instructions.len()];
        let mut waits = vec![0_u32; instructions.len()];
        for (i, instruction) in instructions.iter().enumerate() {
            let mut wait = |register: u32| {
                let made_by = maker[register as usize];
                if made_by != NONE {
                    users[made_by as usize].push(i as u32);
                    waits[i] += 1;
                }
            };
            operands_of(instruction).for_each(&mut wait);
            // A block begins with its conditions.
            let mut region = instruction.region;
            while let Some((register, _, within)) = condition(region) {
                wait(register);
                region = within;
            }
        }
        let done = Scheduled {
            runs: Vec::new(),
            operands: Vec::with_capacity(instructions.len()),
            jumps: Vec::new(),
            place: (0..registers as u32).collect(),
        };
        let (ready, inner) = (vec![Ready::new(); regions + 1], vec![Vec::new(); regions + 1]);
        let noted = vec![false; regions + 1];
        let mut scheduler =
            Scheduler { instructions, condition, users, waits, old, ready, inner, noted, to: first as u32, done };
        for i in 0..instructions.len() {
            if scheduler.waits[i] == 0 {
                scheduler.make_ready(i as u32);
            }
        }
        scheduler
    }

    fn make_ready(&mut self, i: u32) {
        let Instruction { code, mut region, .. } = self.instructions[i as usize];
        let ready = &mut self.ready[region.index()];
        match ready.iter_mut().find(|(known, _)| *known == code) {
            Some((_, list)) => list.push(i),
            None => ready.push((code, vec![i])),
        }
        while let Some((_, _, within)) = (self.condition)(region)
            && !std::mem::replace(&mut self.noted[region.index()], true)
        {
            self.inner[within.index()].push(region);
            region = within;
        }
    }

    /// All of a region that is or becomes ready.
    fn emit(&mut self, region: Region) {
        loop {
            let ready = &mut self.ready[region.index()];
            let most = ready.iter().enumerate().max_by_key(|(_, (_, list))| list.len()).map(|(k, _)| k);
            if let Some(most) = most {
                let (code, list) = ready.swap_remove(most);
                self.emit_kind(code, list, region);
            } else if let Some(inner) = self.inner[region.index()].pop() {
                self.emit_block(inner);
            } else {
                return;
            }
        }
    }

    fn emit_block(&mut self, region: Region) {
        let Some((register, holds, _)) = (self.condition)(region) else { return };
        let jump = self.done.jumps.len();
        self.done.runs.push((Code::Skip(holds), 1));
        self.done.operands.push(Operands { a: self.done.place[register as usize], b: jump as u32, c: 0 });
        self.done.jumps.push(Jump::default());
        self.emit(region);
        // While it was under way nothing was noted outside; now nothing of it is left.
        self.noted[region.index()] = false;
        let (run, operand) = (self.done.runs.len(), self.done.operands.len());
        self.done.jumps[jump] = Jump { run, operand, to: self.to as usize };
    }

    fn emit_kind(&mut self, code: Code, mut list: Vec<u32>, region: Region) {
        let mut done = 0;
        while let Some(&i) = list.get(done) {
            done += 1;
            let Instruction { a, b, c, .. } = self.instructions[i as usize];
            let place = &mut self.done.place;
            let new = |register: u32| place[register as usize];
            self.done.operands.push(Operands { a: new(a), b: new(b), c: new(c) });
            for k in 0..width(code) {
                place[(self.old[i as usize] + k) as usize] = self.to;
                self.to += 1;
            }
            for user in std::mem::take(&mut self.users[i as usize]) {
                self.waits[user as usize] -= 1;
                if self.waits[user as usize] > 0 {
                    continue;
                }
                let next = &self.instructions[user as usize];
                if (next.code, next.region) == (code, region) {
                    list.push(user);
                } else {
                    self.make_ready(user);
                }
            }
        }
        self.done.runs.push((code, done as u32));
    }
}

/// Registers that an instruction writes.
fn width(code: Code) -> u32 {
    if code == Code::SinCos { 2 } else { 1 }
}

/// The operands that matter; the others are register 0.
fn operands_of(instruction: &Instruction) -> impl Iterator<Item = u32> + use<> {
    let Instruction { code, a, b, c, .. } = *instruction;
    let count = match code {
        Code::Neg | Code::SinCos | Code::Call(_) => 1,
        Code::MulAdd | Code::MulSub | Code::SubMul | Code::Select => 3,
        _ => 2,
    };
    [a, b, c].into_iter().take(count)
}
