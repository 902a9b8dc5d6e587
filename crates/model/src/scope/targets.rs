//! What the left side of an assignment or a name in a list stands for: `x`, `x'`, `x[3]`, `R`, `R.omega`, `R[2].omega.z`.

use std::collections::HashMap;

use super::rotation::{NUMBERS, root};
use super::{Items, Scope, Symbol};
use crate::formula::{AXES, Expr, Kind};
use crate::graph::Node;
use crate::text::Span;

/// Inputs that one value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A number.
    One(usize),
    /// A triple: an angular velocity or acceleration.
    Triple([usize; 3]),
    /// A rotation, by its number in the graph.
    Turn(usize),
}

impl Scope<'_> {
    /// What is named, by index; says what is wrong with it. `name` is the text.
    pub fn target(&mut self, expr: &Expr, name: &str, span: Span) -> Option<Vec<(i64, Slot)>> {
        let Some(Kind::Name { name: stem, index, primes }) = root(&expr.kind) else { return None };
        let turns = match self.symbols.get(stem) {
            Some(Symbol::Rotation(turns)) if *primes == 0 => Some(turns.clone()),
            Some(Symbol::Rotation(_)) => {
                let hint = format!("write \"{stem}.omega\" for its angular velocity");
                let message = format!("the rotation `{stem}` has no rate that is written with a prime");
                self.mistakes.add(span, message, Some(hint));
                return None;
            }
            _ => None,
        };
        let items = match turns {
            Some(turns) => turns,
            None if matches!(expr.kind, Kind::Name { .. }) => self.variable(stem, *primes, span)?,
            None => {
                let hint = "`.omega` is of rotations".to_owned();
                let hint = self.is_variable(stem).then_some(hint);
                self.mistakes.add(span, format!("`{name}` is not a variable"), hint);
                return None;
            }
        };
        let is_turn = matches!(self.symbols.get(stem), Some(Symbol::Rotation(_)));
        let found: Vec<(i64, usize)> = match (items, index) {
            (Items::One(item), None) => vec![(0, item)],
            (Items::One(_), Some(_)) => {
                self.mistakes.add(span, format!("`{stem}` is not a vector"), None);
                return None;
            }
            (Items::Many(items), None) => items.into_iter().collect(),
            (Items::Many(items), Some(index)) => {
                let index = self.integer(index, &mut Vec::new())?;
                match items.get(&index) {
                    Some(item) => vec![(index, *item)],
                    None => {
                        self.mistakes.add(span, format!("`{name}` does not exist"), None);
                        return None;
                    }
                }
            }
        };
        let slot = |item: usize| if is_turn { self.part(&expr.kind, item) } else { Some(Slot::One(item)) };
        let slots: Option<Vec<(i64, Slot)>> = found.into_iter().map(|(i, item)| Some((i, slot(item)?))).collect();
        if slots.is_none() {
            let hint = format!("of a rotation \"{stem}\" and \"{stem}.omega\" can be given, and \"{stem}.omega.z\"");
            self.mistakes.add(span, format!("`{name}` is not a variable"), Some(hint));
        }
        slots
    }

    /// A part of a rotation.
    fn part(&self, kind: &Kind, turn: usize) -> Option<Slot> {
        let w = self.graph.turns[turn].w;
        match kind {
            Kind::Name { .. } => Some(Slot::Turn(turn)),
            Kind::Field { of, field, primes, .. } if field == "omega" && matches!(of.kind, Kind::Name { .. }) => {
                let first = match primes {
                    0 => w,
                    1 => self.acceleration(w),
                    _ => return None,
                };
                Some(Slot::Triple([first, first + 1, first + 2]))
            }
            Kind::Component { of, axis, primes } => match self.part(&of.kind, turn)? {
                Slot::Triple(inputs) if *primes == 0 => Some(Slot::One(inputs[*axis])),
                Slot::Triple(inputs) if *primes == 1 && inputs[0] == w => {
                    Some(Slot::One(self.acceleration(inputs[*axis])))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The entries of the matrices of all rotations among the coordinates, as formulas.
    pub fn rotation_entries(&self) -> HashMap<Node, String> {
        let mut found = HashMap::new();
        let mut add = |turn: usize, name: &str| {
            for (i, row) in self.graph.turns[turn].matrix.iter().enumerate() {
                for (node, unit) in row.iter().zip(["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"]) {
                    found.insert(*node, format!("({name}*{unit}).{}", AXES[i]));
                }
            }
        };
        for (name, symbol) in &self.symbols {
            match symbol {
                Symbol::Rotation(Items::One(turn)) => add(*turn, name),
                Symbol::Rotation(Items::Many(turns)) => {
                    turns.iter().for_each(|(i, turn)| add(*turn, &format!("{name}[{i}]")));
                }
                _ => {}
            }
        }
        found
    }

    /// What an input of a rotation is called.
    pub(super) fn part_name(&self, name: &str, turns: &Items<usize>, input: usize) -> Option<String> {
        let of = |turn: usize, name: String| {
            let turn = self.graph.turns[turn];
            let a = self.acceleration(turn.w);
            match input {
                _ if (turn.p..turn.p + 4).contains(&input) => Some(format!("{name}.{}", NUMBERS[input - turn.p])),
                _ if (turn.w..turn.w + 3).contains(&input) => Some(format!("{name}.omega.{}", AXES[input - turn.w])),
                _ if (a..a + 3).contains(&input) => Some(format!("{name}.omega.{}'", AXES[input - a])),
                _ => None,
            }
        };
        match turns {
            Items::One(turn) => of(*turn, name.to_owned()),
            Items::Many(turns) => turns.iter().find_map(|(i, turn)| of(*turn, format!("{name}[{i}]"))),
        }
    }
}
