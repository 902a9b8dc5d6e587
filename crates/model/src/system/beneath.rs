//! A mechanism beneath the formulas of a file: both add up to one system.
//!
//! ```text
//! q = (mechanism, variables of the file, states)       lambda = (joints, formulas)       psi = (joints, formulas)
//! ```
//!
//! Bodies and joints are evaluated by their assembly, formulas by their tapes. Vectors of the equations of motion and matrices add; rows
//! of joints come first. Patterns are united when the system is made, and every entry of the assembly knows its place in the union.

use std::sync::Arc;

use alembert::{Answer, At, ConstrainedSystem, Dims, Patterns, Quantities, Quantity, Workspace};
use alembert_mechanism::Mechanism;

/// A mechanism and where its entries are.
#[derive(Clone, Debug)]
pub(super) struct Beneath {
    pub mechanism: Arc<Mechanism>,
    /// Where entries of its leading block, of its holonomic and of its nonholonomic rows stand.
    top: Vec<usize>,
    holonomic: Vec<usize>,
    nonholonomic: Vec<usize>,
    /// How many switches formulas have; those of the mechanism come behind.
    pub switches: usize,
}

/// Room to evaluate it.
pub(super) struct Room {
    workspace: Workspace,
    /// For each quantity.
    answers: Vec<Vec<f64>>,
    /// Of what the standard reaction is put together.
    aside: Vec<Vec<f64>>,
    /// Accelerations that are zero.
    rest: Vec<f64>,
}

/// How numbers of a quantity are put into the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    Top,
    Holonomic,
    Nonholonomic,
    /// Entry by entry from the first one on.
    First,
}

fn into(quantity: Quantity) -> Into {
    use Quantity::*;
    match quantity {
        Mass | MassQ | ForceQ | ForceV | ReactionQ | ReactionV | ResidualQ => Into::Top,
        HolonomicQ | HolonomicVelocityQ | ReactionLambda => Into::Holonomic,
        NonholonomicV | NonholonomicQ | ReactionPsi => Into::Nonholonomic,
        _ => Into::First,
    }
}

/// What only formulas have.
const OF_FORMULAS: Quantities = Quantities::of(&[Quantity::Landmarks, Quantity::HolonomicChange, Quantity::Rate]);

/// The standard reaction from what assemblies have: r = -residual - f at a = 0, r_lambda = -G^T, r_psi = -K^T.
const STANDARD: [(Quantity, &[Quantity]); 3] = [
    (Quantity::Reaction, &[Quantity::Residual, Quantity::Force]),
    (Quantity::ReactionLambda, &[Quantity::HolonomicQ]),
    (Quantity::ReactionPsi, &[Quantity::NonholonomicV]),
];

/// Quantities of one question at most.
const MOST: usize = Quantity::ALL.len();

impl Beneath {
    /// Finds the places of all entries in the union of patterns.
    pub fn new(mechanism: Arc<Mechanism>, whole: Option<&Patterns>, lambda: usize, switches: usize) -> Self {
        let own = mechanism.system().description();
        let (mut top, mut holonomic, mut nonholonomic) = (Vec::new(), Vec::new(), Vec::new());
        if let (Some(own_patterns), Some(whole)) = (&own.patterns, whole) {
            let base = whole.rows.start(lambda);
            for i in 0..own_patterns.top.rows() {
                top.extend(own_patterns.top.row(i).map(|(j, _)| whole.top.position(i, j).unwrap_or(0)));
            }
            for i in 0..own_patterns.rows.rows() {
                let velocity = i >= own.dims.lambda;
                let line = if velocity { i - own.dims.lambda + lambda } else { i };
                let places = own_patterns.rows.row(i).map(|(j, _)| whole.rows.position(line, j).unwrap_or(0));
                if velocity {
                    nonholonomic.extend(places.map(|at| at - base));
                } else {
                    holonomic.extend(places);
                }
            }
        }
        Beneath { mechanism, top, holonomic, nonholonomic, switches }
    }

    fn dims(&self) -> Dims {
        self.mechanism.system().description().dims
    }

    pub fn room(&self) -> Room {
        let Dims { v, lambda, psi, .. } = self.dims();
        let len = |quantity: Quantity| match (into(quantity), quantity) {
            (Into::Top, _) => self.top.len(),
            (Into::Holonomic, _) => self.holonomic.len(),
            (Into::Nonholonomic, _) => self.nonholonomic.len(),
            (_, Quantity::Energy) => 5,
            (_, Quantity::Gaps) => self.mechanism.system().description().gaps.len(),
            (_, Quantity::Switches) => self.mechanism.system().description().switches.len(),
            (_, Quantity::Holonomic | Quantity::HolonomicT | Quantity::HolonomicBias) => lambda,
            (_, Quantity::Nonholonomic | Quantity::NonholonomicBias) => psi,
            (_, Quantity::Force | Quantity::Reaction | Quantity::Residual) => v,
            _ => 0,
        };
        let answers: Vec<Vec<f64>> = Quantity::ALL.iter().map(|quantity| vec![0.0; len(*quantity)]).collect();
        let workspace = self.mechanism.system().workspace();
        Room { workspace, aside: answers.clone(), answers, rest: vec![0.0; v] }
    }

    /// Evaluates what is wanted and keeps it in the room.
    pub fn evaluate(&self, at: &At, wanted: Quantities, room: &mut Room) {
        let at = self.part(at);
        let system = self.mechanism.system();
        let Room { workspace, answers, aside, rest } = room;
        let of_reaction = Quantities::of(&STANDARD.map(|(quantity, _)| quantity));
        self.ask(&at, wanted.only(system.description().supplied).except(OF_FORMULAS), workspace, answers);
        if !system.description().has_standard_reaction() || wanted.only(of_reaction).is_empty() {
            return;
        }
        for (quantity, terms) in STANDARD.iter().filter(|(quantity, _)| wanted.has(*quantity)) {
            self.ask(&At { a: rest, ..at }, Quantities::of(terms), workspace, aside);
            let sum = &mut answers[*quantity as usize];
            sum.fill(0.0);
            for term in *terms {
                sum.iter_mut().zip(&aside[*term as usize]).for_each(|(sum, x)| *sum -= x);
            }
        }
    }

    fn ask(&self, at: &At, quantities: Quantities, workspace: &mut Workspace, answers: &mut [Vec<f64>]) {
        let mut wanted: [(Quantity, &mut [f64]); MOST] = Quantity::ALL.map(|quantity| (quantity, Default::default()));
        for (entry, answer) in wanted.iter_mut().zip(answers) {
            if quantities.has(entry.0) {
                answer.fill(0.0);
                entry.1 = answer;
            }
        }
        self.mechanism.system().evaluate(at, &mut Answer::new(&mut wanted), workspace);
    }

    /// Adds what was evaluated to the numbers of formulas.
    pub fn add(&self, quantity: Quantity, room: &Room, out: &mut [f64]) {
        let answer = &room.answers[quantity as usize];
        if quantity == Quantity::Switches {
            out[self.switches..].copy_from_slice(answer);
            return;
        }
        let places = match into(quantity) {
            Into::Top => &self.top,
            Into::Holonomic => &self.holonomic,
            Into::Nonholonomic => &self.nonholonomic,
            Into::First => {
                out.iter_mut().zip(answer).for_each(|(out, x)| *out += x);
                return;
            }
        };
        places.iter().zip(answer).for_each(|(at, x)| out[*at] += x);
    }

    /// The arguments that are the mechanism's.
    fn part<'a>(&self, at: &At<'a>) -> At<'a> {
        let Dims { q, v, lambda, psi } = self.dims();
        let first = |x: &'a [f64], n: usize| x.get(..n).unwrap_or_default();
        At {
            q: first(at.q, q),
            v: first(at.v, v),
            a: first(at.a, v),
            lambda: first(at.lambda, lambda),
            psi: first(at.psi, psi),
            held: at.held.get(self.switches..).unwrap_or_default(),
            ..*at
        }
    }
}
