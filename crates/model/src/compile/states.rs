//! The sections `[states]`, `[discrete]` and `[inputs]`: variables of first order beside the mechanics.
//!
//! ```text
//! state        x' = X(t, q, v, x)        controllers, actuators
//! discrete     x' = 0                    changed by events
//! input        x' = 0                    given from outside while it runs; or a formula of t
//! ```
//!
//! Each is a velocity of its own, with a row of the identity in M: every method integrates velocities with its order and its error
//! control, forces may depend on them, and a jump of one is a jump of a velocity. Its coordinate is its integral, which nobody sees.

use std::collections::BTreeMap;

use super::Checked;
use super::variables::Variables;
use crate::document::{Document, Entry};
use crate::formula::Kind;
use crate::graph::Node;
use crate::scope::{Instance, Items, Scope};
use crate::tape::Layout;
use crate::text::Span;

/// What a variable of first order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    State,
    Discrete,
    Input,
}

/// One entry of such a variable.
struct Slot {
    name: String,
    role: Role,
    span: Span,
    /// The rate of a state.
    rate: Option<Instance>,
    /// What it starts from.
    value: f64,
}

/// A name with its slots.
struct Declared {
    name: String,
    span: Span,
    slots: Items<usize>,
}

/// All variables of first order: states, then discrete variables, then inputs.
#[derive(Default)]
pub(crate) struct FirstOrder {
    slots: Vec<Slot>,
    declared: Vec<Declared>,
}

impl FirstOrder {
    pub fn read(document: &Document, scope: &mut Scope) -> FirstOrder {
        let mut all = FirstOrder::default();
        for entry in document.section("states") {
            all.state(document, entry, scope);
        }
        for (section, role) in [("discrete", Role::Discrete), ("inputs", Role::Input)] {
            for entry in document.section(section) {
                if document.named(entry, scope.mistakes) {
                    all.constant(document, entry, role, scope);
                }
            }
        }
        all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many change at jumps only.
    pub fn still(&self) -> usize {
        self.slots.iter().filter(|slot| slot.role != Role::State).count()
    }

    pub fn names(&self) -> Vec<String> {
        self.slots.iter().map(|slot| slot.name.clone()).collect()
    }

    pub fn role(&self, slot: usize) -> Role {
        self.slots[slot].role
    }

    /// The formulas of rates; none for what changes at jumps only.
    pub fn formulas(&self) -> impl Iterator<Item = Option<Instance>> {
        self.slots.iter().map(|slot| slot.rate.clone())
    }

    /// What variable k starts from.
    pub fn value(&self, slot: usize) -> f64 {
        self.slots[slot].value
    }

    /// Makes the names known, when the first of them is this far among the velocities.
    pub fn declare(&self, layout: Layout, scope: &mut Scope) {
        let first = layout.bodies().len();
        for Declared { name, span, slots } in &self.declared {
            let inputs = |base: usize| match slots {
                Items::One(slot) => Items::One(base + first + slot),
                Items::Many(slots) => Items::Many(slots.iter().map(|(i, slot)| (*i, base + first + slot)).collect()),
            };
            let is_state = match slots {
                Items::One(slot) => self.slots[*slot].role == Role::State,
                Items::Many(_) => true,
            };
            let mut levels = vec![inputs(layout.v().start)];
            if is_state {
                levels.push(inputs(layout.a().start));
            }
            scope.declare(name, *span, levels);
        }
    }

    fn state(&mut self, document: &Document, entry: &Entry, scope: &mut Scope) {
        let Some(target) = document.target(entry, scope.mistakes) else { return };
        let Kind::Name { name, index: None, primes: 1 } = &target.kind else {
            let stem = entry.key.trim_end_matches('\'');
            let hint = format!("write \"{stem}'\" = \"…\", and the start of `{stem}` under [initial]");
            let message = format!("`{}` is not the rate of a state", entry.key);
            scope.mistakes.add(entry.key_span, message, Some(hint));
            return;
        };
        let Some(formula) = document.formula(entry.value, entry.span, scope.mistakes) else { return };
        if formula.clauses.len() > 1 {
            let hint = "a vector has one index; write one `for`".to_owned();
            let message = format!("`{}` has {} indices", entry.key, formula.clauses.len());
            scope.mistakes.add(entry.span, message, Some(hint));
            return;
        }
        let vector = !formula.clauses.is_empty();
        let mut many = BTreeMap::new();
        let first = self.slots.len();
        for instance in scope.instances(&formula) {
            let index = instance.indices.last().map(|(_, value)| *value);
            let written = index.map(|index| format!("[{index}]")).unwrap_or_default();
            many.insert(index.unwrap_or(0), self.slots.len());
            self.slots.push(Slot {
                name: format!("{name}{written}"),
                role: Role::State,
                span: entry.span,
                rate: Some(instance),
                value: 0.0,
            });
        }
        let slots = if vector { Items::Many(many) } else { Items::One(first) };
        self.declared.push(Declared { name: name.clone(), span: entry.key_span, slots });
    }

    fn constant(&mut self, document: &Document, entry: &Entry, role: Role, scope: &mut Scope) {
        let Some(formula) = document.single(entry.value, entry.span, scope.mistakes) else { return };
        let Some(node) = scope.node(&formula.body, &mut Vec::new()) else { return };
        let what = if role == Role::Input { "input" } else { "discrete variable" };
        match scope.graph.value(node) {
            Some(value) if value.is_finite() => {
                let slot = Slot { name: entry.key.to_owned(), role, span: entry.span, rate: None, value };
                self.declared.push(Declared {
                    name: entry.key.to_owned(),
                    span: entry.key_span,
                    slots: Items::One(self.slots.len()),
                });
                self.slots.push(slot);
            }
            Some(value) => {
                let message = format!("the {what} `{}` is {value}", entry.key);
                scope.mistakes.add(entry.span, message, Some("give it a finite number".to_owned()));
            }
            // A formula of t, as road(t): nobody else has a say.
            None if role == Role::Input => {
                scope.define(entry.key, entry.key_span, &[(formula, entry.span)], false, false);
            }
            None => {
                let hint = "it starts from a number or a formula of parameters, and events `set` it".to_owned();
                scope.mistakes.add(entry.span, format!("the {what} `{}` is not a constant", entry.key), Some(hint));
            }
        }
    }

    /// The rates: formulas for states, zero for the others. None if there is a mistake in one.
    pub fn rates(&self, variables: &Variables, scope: &mut Scope, checked: &mut Vec<Checked>) -> Option<Vec<Node>> {
        let layout = variables.layout;
        let mut rates = Vec::new();
        for slot in &self.slots {
            let Some(rate) = &slot.rate else {
                rates.push(Some(scope.graph.constant(0.0)));
                continue;
            };
            let node = scope.instance(rate);
            if let Some(node) = node {
                let inputs = scope.graph.inputs(node, &mut scope.marks);
                if let Some(bad) = inputs.into_iter().find(|input| *input >= layout.a().start) {
                    let message = format!("the rate of `{}` must not depend on `{}`", slot.name, variables.name(bad));
                    let hint = "it may contain t, coordinates, velocities, states and inputs; an acceleration that is measured is the \
                                rate of a velocity, so control the velocity or write the force as a formula";
                    scope.mistakes.add(slot.span, message, Some(hint.to_owned()));
                }
                checked.push(Checked { what: format!("the rate of `{}`", slot.name), span: slot.span, node });
            }
            rates.push(node);
        }
        rates.into_iter().collect()
    }
}
