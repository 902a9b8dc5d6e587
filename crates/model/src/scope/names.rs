//! Names: variables, definitions, arguments, and what may be meant by one that is not known.

use super::value::Value;
use super::{Indices, Items, Scope, Symbol, ends};
use crate::formula::{Expr, slip_of, superscript};
use crate::functions::is_function;
use crate::nearest::nearest;
use crate::text::Span;

/// Prefixes and suffixes that rates have elsewhere, with the number of primes.
const RATES: [(&str, &str, usize); 11] = [
    ("v_", "", 1),
    ("v", "", 1),
    ("d", "dt", 1),
    ("d", "_dt", 1),
    ("", "_dot", 1),
    ("", "dot", 1),
    ("", "_ddot", 2),
    ("", "ddot", 2),
    ("d", "", 1),
    ("a_", "", 2),
    ("a", "", 2),
];

/// Names that a hint lists.
const SHOWN: usize = 12;

/// What a name stands for.
enum Found {
    /// An input, or three.
    Inputs([usize; 3], usize),
    /// Cells, one or three, of which so many rates are asked.
    Cells([usize; 3], usize),
    /// A rotation by its number in the graph.
    Rotation(usize),
    /// A part of a mechanism.
    Part(usize),
}

impl Scope<'_> {
    pub(super) fn name(
        &mut self,
        span: Span,
        name: &str,
        index: Option<&Expr>,
        primes: usize,
        indices: &mut Indices,
    ) -> Option<Value> {
        if primes == 0
            && index.is_none()
            && let Some((_, value)) = indices.iter().rev().find(|(known, _)| known == name)
        {
            return Some(Value::Number(self.graph.constant(*value as f64)));
        }
        let argument = self.frames.last().and_then(|frame| frame.iter().find(|(known, _)| known == name));
        if let Some(&(_, value)) = argument {
            return self.argument(span, name, value, index, primes);
        }
        if primes == 0 && index.is_none() {
            match name {
                "t" => return Some(Value::Number(self.graph.input(0))),
                "pi" => return Some(Value::Number(self.graph.constant(std::f64::consts::PI))),
                // A file may have one of its own.
                "deg" if !self.symbols.contains_key(name) => {
                    return Some(Value::Number(self.graph.constant(std::f64::consts::PI / 180.0)));
                }
                _ => {}
            }
        }
        if self.ambiguous.contains(name) {
            let hint = "give the output another name, and both can be used".to_owned();
            self.mistakes.add(span, format!("`{name}` is an output, and something else in other formulas"), Some(hint));
            return None;
        }
        let index = match index {
            Some(index) => Some(self.integer(index, indices)?),
            None => None,
        };
        match self.find(name, index, primes) {
            Ok(Found::Inputs(inputs, 1)) => Some(Value::Number(self.graph.input(inputs[0]))),
            Ok(Found::Inputs(inputs, _)) => Some(Value::Triple(inputs.map(|input| self.graph.input(input)))),
            Ok(Found::Cells(cells, count)) => self.defined(span, name, (cells, count), primes),
            Ok(Found::Rotation(turn)) => Some(self.coordinate(turn)),
            Ok(Found::Part(part)) => Some(Value::Part(part)),
            Err(Some((message, hint))) => {
                self.mistakes.add(span, message, hint);
                None
            }
            Err(None) => {
                self.unknown_name(span, name, index, indices);
                None
            }
        }
    }

    /// An argument of the function under way.
    fn argument(&mut self, span: Span, name: &str, value: Value, index: Option<&Expr>, primes: usize) -> Option<Value> {
        if index.is_some() {
            let hint = matches!(value, Value::Triple(_)).then(|| components(name));
            self.mistakes.add(span, format!("`{name}` is not a vector"), hint);
            return None;
        }
        self.rates_of(value, primes, span)
    }

    pub(super) fn rates_of(&mut self, mut value: Value, primes: usize, span: Span) -> Option<Value> {
        for _ in 0..primes {
            value = self.rate(value, span)?;
        }
        Some(value)
    }

    /// The value of parameters or definitions, or its rate.
    fn defined(&mut self, span: Span, name: &str, (cells, count): ([usize; 3], usize), primes: usize) -> Option<Value> {
        if primes > 0 && self.cells[cells[0]].constant {
            let hint = "only variables and definitions have rates".to_owned();
            self.mistakes.add(span, format!("`{name}` is a parameter, which does not change"), Some(hint));
            return None;
        }
        let value = match count {
            1 => self.work_out(cells[0], Some(span))?,
            _ => {
                let [x, y, z] = cells.map(|cell| {
                    let value = self.work_out(cell, Some(span))?;
                    self.number(value, span)
                });
                Value::Triple([x?, y?, z?])
            }
        };
        self.rates_of(value, primes, span)
    }

    /// What a name with an index and primes stands for; what is wrong with it; or nothing if it is not known at all.
    #[allow(clippy::type_complexity)]
    fn find(&self, name: &str, index: Option<i64>, primes: usize) -> Result<Found, Option<(String, Option<String>)>> {
        let symbol = self.symbols.get(name).ok_or(None)?;
        let items = match symbol {
            Symbol::Table(_) => {
                let hint = format!("a table is used as a function: {name}(…)");
                return Err(Some((format!("`{name}` is a table"), Some(hint))));
            }
            Symbol::Rotation(_) if primes > 0 => {
                let index = index.map(|index| format!("[{index}]")).unwrap_or_default();
                let omega = format!("{name}{index}.omega");
                let hint = format!(
                    "its angular velocity is {omega}, in the axes of the body; the angular acceleration is {omega}'"
                );
                return Err(Some((
                    format!("the rotation `{name}` has no rate that is written with a prime"),
                    Some(hint),
                )));
            }
            Symbol::Part(_) if primes > 0 => {
                let hint = format!("rates are those of what it has, as {name}.x' or {name}.angle'");
                return Err(Some((format!("`{name}` is a part of the mechanism and has no rate"), Some(hint))));
            }
            Symbol::Rotation(items) | Symbol::Part(items) => items,
            Symbol::Defined(items) => items,
            Symbol::Variable(levels) => levels.get(primes).ok_or_else(|| {
                let written = format!("{name}{}", "'".repeat(primes));
                let last = format!("{name}{}", "'".repeat(levels.len().saturating_sub(1)));
                let hint = self.absent.get(&format!("{name}'")).cloned();
                let hint = hint.unwrap_or_else(|| format!("there is nothing beyond {last}"));
                Some((format!("`{written}` does not exist"), Some(hint)))
            })?,
        };
        let one = |item: usize| ([item; 3], 1);
        let found = match (items, index) {
            (Items::One(item), None) => Ok(one(*item)),
            (Items::One(cell), Some(_)) => {
                let triple = match (symbol, &self.cells.get(*cell)) {
                    (Symbol::Defined(_), Some(cell)) => {
                        matches!(cell.progress, super::Progress::Done(Value::Triple(_)))
                    }
                    _ => false,
                };
                let hint = match symbol {
                    Symbol::Rotation(_) => Some(format!(
                        "declare {name}[1..N] : rotation for a vector; the quaternion of a rotation is {name}.e0, {name}.e1, {name}.e2, {name}.e3"
                    )),
                    _ => triple.then(|| components(name)),
                };
                Err((format!("`{name}` is not a vector"), hint))
            }
            (Items::Many(items), None) => match (ends(items), items.len()) {
                // Three entries are a triple.
                ((1, 3), 3) if !matches!(symbol, Symbol::Rotation(_) | Symbol::Part(_)) => {
                    Ok(([items[&1], items[&2], items[&3]], 3))
                }
                ((first, last), _) => {
                    Err((format!("`{name}` is a vector"), Some(format!("write {name}[i] with i in {first}..{last}"))))
                }
            },
            (Items::Many(items), Some(index)) => items.get(&index).copied().map(one).ok_or_else(|| {
                let (first, last) = ends(items);
                let hint = format!("indices of `{name}` run from {first} to {last}");
                (format!("`{name}[{index}]` does not exist"), Some(hint))
            }),
        };
        let (items, count) = found.map_err(Some)?;
        Ok(match symbol {
            Symbol::Variable(_) => Found::Inputs(items, count),
            Symbol::Rotation(_) => Found::Rotation(items[0]),
            Symbol::Part(_) => Found::Part(items[0]),
            Symbol::Defined(_) | Symbol::Table(_) => Found::Cells(items, count),
        })
    }

    fn unknown_name(&mut self, span: Span, name: &str, index: Option<i64>, indices: &Indices) {
        if self.mistakes.is_full() {
            return;
        }
        let mut known: Vec<&str> = self.symbols.keys().map(String::as_str).chain(["t", "pi", "deg"]).collect();
        known.extend(indices.iter().map(|(name, _)| name.as_str()));
        known.extend(self.frames.last().into_iter().flatten().map(|(name, _)| name.as_str()));
        known.sort_unstable();
        let hint = superscript(name)
            .map(|power| format!("powers are written with `^`: {power}"))
            .or_else(|| self.meant_rate(name))
            .or_else(|| self.meant_entry(name).filter(|_| index.is_none()))
            .or_else(|| self.meant_call(name))
            .or_else(|| slip_of(name).filter(|_| index.is_none()).map(str::to_owned))
            .or_else(|| nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?")))
            .unwrap_or_else(|| {
                let more = if known.len() > SHOWN { ", …" } else { "" };
                format!("the names are {}{more}", known[..known.len().min(SHOWN)].join(", "))
            });
        self.mistakes.add(span, format!("unknown name `{name}`"), Some(hint));
    }

    /// vx, xdot, dxdt: x'.
    fn meant_rate(&self, name: &str) -> Option<String> {
        RATES.iter().find_map(|(before, after, primes)| {
            let stem = name.strip_prefix(before)?.strip_suffix(after)?;
            let Some(Symbol::Variable(levels)) = self.symbols.get(stem) else { return None };
            let what = if *primes == 1 { "rate" } else { "acceleration" };
            (levels.len() > *primes).then(|| format!("the {what} of `{stem}` is written {stem}{}", "'".repeat(*primes)))
        })
    }

    /// x1, x_1: x[1].
    fn meant_entry(&self, name: &str) -> Option<String> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = name[stem.len()..].parse::<i64>().ok()?;
        let stem = stem.strip_suffix('_').unwrap_or(stem);
        let is_vector = match self.symbols.get(stem)? {
            Symbol::Variable(levels) => {
                matches!(levels.first(), Some(Items::Many(items)) if items.contains_key(&digits))
            }
            Symbol::Defined(Items::Many(items))
            | Symbol::Rotation(Items::Many(items))
            | Symbol::Part(Items::Many(items)) => items.contains_key(&digits),
            Symbol::Rotation(_) | Symbol::Defined(_) | Symbol::Table(_) | Symbol::Part(_) => false,
        };
        is_vector.then(|| format!("an entry of a vector is written {stem}[{digits}]"))
    }

    /// A function without its arguments.
    fn meant_call(&self, name: &str) -> Option<String> {
        let known = is_function(name) || self.own_function(name).is_some();
        known.then(|| format!("`{name}` is a function: write {name}(…)"))
    }
}

fn components(name: &str) -> String {
    format!("the components of a triple are {name}.x, {name}.y and {name}.z")
}
