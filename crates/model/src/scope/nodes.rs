//! Trees to nodes.

use super::{Cell, FUNCTIONS, Indices, Instance, Items, PAIRS, Progress, Scope, Symbol, ends};
use crate::formula::{Expr, Kind};
use crate::graph::{Binary, Node};
use crate::table::{Asked, Lookup};
use crate::text::Span;

/// The deepest nesting of definitions within definitions.
const DEEPEST: usize = 1_000;

impl Scope<'_> {
    /// The node of a formula for certain indices; none if there is a mistake in it.
    pub fn instance(&mut self, instance: &Instance) -> Option<Node> {
        let mut indices = instance.indices.clone();
        self.node(&instance.body, &mut indices)
    }

    /// The node of an expression; none if there is a mistake in it.
    pub fn node(&mut self, expr: &Expr, indices: &mut Indices) -> Option<Node> {
        if self.depth >= DEEPEST {
            let hint = "define entries of a vector in rising order, or use fewer definitions".to_owned();
            self.mistakes.add(expr.span, "definitions depend on each other too deeply".to_owned(), Some(hint));
            return None;
        }
        self.work = self.work.saturating_sub(1);
        if self.work == 0 || self.graph.is_overflown() {
            let hint = "use fewer or smaller repetitions".to_owned();
            self.mistakes.add(None, "the model is too large".to_owned(), Some(hint));
            return None;
        }
        self.depth += 1;
        let node = self.node_of_kind(expr, indices);
        self.depth -= 1;
        node
    }

    fn node_of_kind(&mut self, expr: &Expr, indices: &mut Indices) -> Option<Node> {
        match &expr.kind {
            Kind::Number(x) => Some(self.graph.constant(*x)),
            Kind::Name { name, index, primes } => self.name(expr.span, name, index.as_deref(), *primes, indices),
            Kind::Negative(inner) => {
                let inner = self.node(inner, indices)?;
                Some(self.graph.neg(inner))
            }
            Kind::Sum(terms) => self.chain(terms, [Binary::Add, Binary::Sub], indices),
            Kind::Product(factors) => self.chain(factors, [Binary::Mul, Binary::Div], indices),
            Kind::Power(base, exponent) => {
                let (base, exponent) = (self.node(base, indices), self.node(exponent, indices));
                Some(self.graph.pow(base?, exponent?))
            }
            Kind::Call { name, arguments } => self.call(expr.span, name, arguments, indices),
            Kind::Repeated { body, clause } => {
                let mut sum = self.graph.constant(0.0);
                for value in self.range(clause, indices)? {
                    indices.push((clause.variable.clone(), value));
                    let term = self.node(body, indices);
                    indices.pop();
                    sum = self.graph.add(sum, term?);
                }
                Some(sum)
            }
        }
    }

    /// Every part is looked at, so that every mistake is found.
    fn chain(&mut self, parts: &[(bool, Expr)], [plain, inverse]: [Binary; 2], indices: &mut Indices) -> Option<Node> {
        let nodes: Vec<Option<Node>> = parts.iter().map(|(_, part)| self.node(part, indices)).collect();
        let mut result = (*nodes.first()?)?;
        for ((inverted, _), node) in parts.iter().zip(&nodes).skip(1) {
            result = self.graph.pair(if *inverted { inverse } else { plain }, result, (*node)?);
        }
        nodes.iter().all(Option::is_some).then_some(result)
    }

    fn call(&mut self, span: Span, name: &str, arguments: &[Expr], indices: &mut Indices) -> Option<Node> {
        let nodes: Vec<Option<Node>> = arguments.iter().map(|argument| self.node(argument, indices)).collect();
        let nodes: Option<Vec<Node>> = nodes.into_iter().collect();
        let wrong_count = |scope: &mut Self, takes: &str| {
            scope.mistakes.add(span, format!("`{name}` takes {takes}, not {}", arguments.len()), None);
        };
        if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            if arguments.len() != 1 {
                wrong_count(self, "one argument");
                return None;
            }
            return nodes.map(|nodes| self.graph.call(*function, nodes[0]));
        }
        if let Some((_, binary)) = PAIRS.iter().find(|(known, _)| *known == name) {
            if arguments.len() < 2 || (arguments.len() > 2 && *binary == Binary::Atan2) {
                wrong_count(self, "two arguments");
                return None;
            }
            let nodes = nodes?;
            return Some(nodes.iter().skip(1).fold(nodes[0], |a, b| self.graph.pair(*binary, a, *b)));
        }
        if let Some(Symbol::Table(table)) = self.symbols.get(name) {
            let table = *table;
            let count = self.graph.tables[table as usize].arguments();
            if arguments.len() != count {
                wrong_count(self, if count == 1 { "one argument" } else { "two arguments" });
                return None;
            }
            let nodes = nodes?;
            let lookup = Lookup { table, asked: Asked::Derivative([0, 0]) };
            return Some(self.graph.lookup(lookup, nodes[0], nodes[count - 1]));
        }
        if self.symbols.contains_key(name) {
            self.mistakes.add(
                span,
                format!("`{name}` is not a function"),
                Some(format!("a product is written {name}*(…)")),
            );
        } else {
            let known = FUNCTIONS.iter().map(|(known, _)| *known).chain(PAIRS.iter().map(|(known, _)| *known));
            self.mistakes.unknown(span, "function", name, known.chain(["sum"]));
        }
        None
    }

    fn name(
        &mut self,
        span: Span,
        name: &str,
        index: Option<&Expr>,
        primes: usize,
        indices: &mut Indices,
    ) -> Option<Node> {
        if primes == 0 && index.is_none() {
            if let Some((_, value)) = indices.iter().rev().find(|(known, _)| known == name) {
                return Some(self.graph.constant(*value as f64));
            }
            match name {
                "t" => return Some(self.graph.input(0)),
                "pi" => return Some(self.graph.constant(std::f64::consts::PI)),
                _ => {}
            }
        }
        let index = match index {
            Some(index) => Some(self.integer(index, indices)?),
            None => None,
        };
        let Some(symbol) = self.symbols.get(name) else {
            if self.mistakes.is_full() {
                return None;
            }
            let mut known: Vec<&str> = self.symbols.keys().map(String::as_str).chain(["t", "pi"]).collect();
            known.extend(indices.iter().map(|(name, _)| name.as_str()));
            known.sort_unstable();
            self.mistakes.unknown(span, "name", name, known);
            return None;
        };
        let items = match symbol {
            Symbol::Defined(items) if primes == 0 => items,
            Symbol::Defined(_) => {
                let hint = "only variables have primes: write the rate as a formula".to_owned();
                self.mistakes.add(span, format!("`{name}` is not a variable, so `{name}'` is not known"), Some(hint));
                return None;
            }
            Symbol::Table(_) => {
                let hint = format!("a table is used as a function: {name}(…)");
                self.mistakes.add(span, format!("`{name}` is a table"), Some(hint));
                return None;
            }
            Symbol::Variable(levels) => match levels.get(primes) {
                Some(items) => items,
                None => {
                    let written = format!("{name}{}", "'".repeat(primes));
                    let hint = self.absent.get(&format!("{name}'")).cloned();
                    self.mistakes.add(span, format!("`{written}` does not exist"), hint);
                    return None;
                }
            },
        };
        let variable = matches!(symbol, Symbol::Variable(_));
        let found = match (items, index) {
            (Items::One(item), None) => Ok(*item),
            (Items::One(_), Some(_)) => Err((format!("`{name}` is not a vector"), None)),
            (Items::Many(items), None) => {
                let (first, last) = ends(items);
                Err((format!("`{name}` is a vector"), Some(format!("write {name}[i] with i in {first}..{last}"))))
            }
            (Items::Many(items), Some(index)) => items.get(&index).copied().ok_or_else(|| {
                let (first, last) = ends(items);
                (
                    format!("`{name}[{index}]` does not exist"),
                    Some(format!("indices of `{name}` run from {first} to {last}")),
                )
            }),
        };
        match found {
            Ok(input) if variable => Some(self.graph.input(input)),
            Ok(cell) => self.work_out(cell, Some(span)),
            Err((message, hint)) => {
                self.mistakes.add(span, message, hint);
                None
            }
        }
    }

    /// The node of a parameter or definition.
    pub(super) fn work_out(&mut self, cell: usize, used_at: Option<Span>) -> Option<Node> {
        match self.cells[cell].progress {
            Progress::Done(node) => return Some(node),
            Progress::Failed => return None,
            Progress::Working => {
                let round: Vec<&str> = self
                    .cells
                    .iter()
                    .filter(|c| matches!(c.progress, Progress::Working))
                    .map(|c| c.name.as_str())
                    .collect();
                let message = format!("`{}` is defined by itself", self.cells[cell].name);
                let hint = (round.len() > 1).then(|| format!("the cycle goes through {}", round.join(", ")));
                self.mistakes.add(used_at, message, hint);
                return None;
            }
            Progress::Waiting => {}
        }
        self.cells[cell].progress = Progress::Working;
        let Cell { body, indices, .. } = &self.cells[cell];
        let (body, mut indices) = (body.clone(), indices.clone());
        let mut node = self.node(&body, &mut indices);
        if let Some(found) = node
            && self.cells[cell].constant
        {
            let message = match self.graph.value(found) {
                Some(x) if x.is_finite() => None,
                Some(x) => Some(format!("the parameter `{}` is {x}", self.cells[cell].name)),
                None => Some(format!("the parameter `{}` is not a constant", self.cells[cell].name)),
            };
            if let Some(message) = message {
                let hint =
                    "parameters are numbers, or formulas of numbers and other parameters; others are definitions";
                self.mistakes.add(body.span, message, Some(hint.to_owned()));
                node = None;
            }
        }
        self.cells[cell].progress = node.map_or(Progress::Failed, Progress::Done);
        node
    }
}
