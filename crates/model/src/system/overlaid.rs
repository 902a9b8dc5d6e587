//! Functions of a program in the place of formulas of a file.
//!
//! ```text
//! what the program has              is the program's
//! what follows from that            is completed by differences: f_q and f_v where it has f
//! everything else                   is the file's, with exact derivatives
//! ```

use std::sync::Arc;

use alembert::{Answer, At, ConstrainedSystem, Description, Quantities, Quantity, SystemRef, Workspace};

use super::{System, Whole};

/// A file and the quantities that a program has instead.
#[derive(Debug)]
pub(super) struct Overlaid {
    description: Description,
    file: System,
    program: SystemRef<'static>,
    /// What the program is asked for.
    given: Quantities,
}

/// The room of both.
struct Room {
    file: Workspace,
    program: Workspace,
}

/// What follows from a quantity, and is of no use any more where a program has another one.
fn follows(quantity: Quantity) -> Quantities {
    use Quantity::*;
    let motion = Quantities::of(&[Residual, ResidualQ, Energy]);
    let reaction = Quantities::of(&[ReactionQ, ReactionV, ReactionLambda, ReactionPsi]);
    match quantity {
        Mass => motion.with(MassQ),
        Force => motion.with(ForceQ).with(ForceV),
        Holonomic => motion.and(reaction).and(Quantities::of(&[
            Reaction,
            HolonomicQ,
            HolonomicT,
            HolonomicBias,
            HolonomicVelocityQ,
            HolonomicChange,
        ])),
        Nonholonomic => {
            motion.and(reaction).and(Quantities::of(&[Reaction, NonholonomicV, NonholonomicQ, NonholonomicBias]))
        }
        Reaction => motion.and(reaction),
        Rate => motion.and(reaction).and(Quantities::of(&[
            RateV,
            RateQ,
            HolonomicBias,
            HolonomicVelocityQ,
            NonholonomicBias,
            Reaction,
        ])),
        _ => Quantities::NONE,
    }
}

impl System {
    /// The same with what a program has in the place of what the file says.
    pub(crate) fn overlaid(self, program: SystemRef<'static>, quantities: Quantities) -> System {
        let labels = self.labels.clone();
        let both = Overlaid::new(self, program, quantities);
        let empty = System::empty(both.description().clone(), labels);
        System { whole: Whole::Given(Arc::new(both)), ..empty }
    }
}

impl Overlaid {
    /// Of a file, and what a program has of these quantities.
    pub fn new(file: System, program: SystemRef<'static>, given: Quantities) -> Overlaid {
        let mut description = file.description.clone();
        let has = |quantity: &Quantity| given.has(*quantity);
        let lost =
            Quantity::ALL.into_iter().filter(has).fold(Quantities::NONE, |all, quantity| all.and(follows(quantity)));
        description.supplied = description.supplied.except(lost).and(given);
        description.overwritten = Quantities::NONE;
        // Functions of a program know nothing of each other.
        description.shares_work &= !given.has(Quantity::Holonomic);
        if given.has(Quantity::Mass) {
            description.constant_mass = program.description().constant_mass;
        }
        Overlaid { description, file, program, given }
    }

    fn room(&self) -> Room {
        Room { file: self.file.workspace(), program: self.program.workspace() }
    }
}

impl ConstrainedSystem for Overlaid {
    fn description(&self) -> &Description {
        &self.description
    }

    fn workspace(&self) -> Workspace {
        Workspace::new(self.room())
    }

    fn single(&self, quantity: Quantity, at: &At, out: &mut [f64], workspace: &mut Workspace) {
        let room = workspace.buffers(|| self.room());
        if self.given.has(quantity) {
            self.program.single(quantity, at, out, &mut room.program);
        } else {
            self.file.single(quantity, at, out, &mut room.file);
        }
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        let room = workspace.buffers(|| self.room());
        let mut outs: [(Quantity, &mut [f64]); Quantity::ALL.len()] =
            Quantity::ALL.map(|quantity| (quantity, Default::default()));
        for (quantity, out) in outs.iter_mut().filter(|(quantity, _)| self.given.has(*quantity)) {
            if let Some(slice) = answer.take(*quantity) {
                *out = slice;
            }
        }
        self.program.evaluate(at, &mut Answer::new(&mut outs), &mut room.program);
        self.file.evaluate(at, answer, &mut room.file);
    }
}
