//! Trees to nodes.

use super::value::Value;
use super::{Cell, Indices, Instance, Progress, Scope};
use crate::formula::{Comparison, Expr, Kind};
use crate::graph::{Binary, Node};
use crate::text::Span;

/// The deepest nesting of definitions within definitions.
const DEEPEST: usize = 1_000;

impl Scope<'_> {
    /// The node of a formula for certain indices, which must be a number; none if there is a mistake in it.
    pub fn instance(&mut self, instance: &Instance) -> Option<Node> {
        let value = self.instance_value(instance)?;
        self.number(value, instance.body.span)
    }

    /// The same for a formula of any kind.
    pub fn instance_value(&mut self, instance: &Instance) -> Option<Value> {
        let mut indices = instance.indices.clone();
        self.value(&instance.body, &mut indices)
    }

    /// The node of an expression, which must be a number; none if there is a mistake in it.
    pub fn node(&mut self, expr: &Expr, indices: &mut Indices) -> Option<Node> {
        let value = self.value(expr, indices)?;
        self.number(value, expr.span)
    }

    /// The value of an expression; none if there is a mistake in it.
    pub fn value(&mut self, expr: &Expr, indices: &mut Indices) -> Option<Value> {
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
        let value = self.value_of_kind(expr, indices);
        self.depth -= 1;
        value
    }

    fn value_of_kind(&mut self, expr: &Expr, indices: &mut Indices) -> Option<Value> {
        match &expr.kind {
            Kind::Number(x) => Some(Value::Number(self.graph.constant(*x))),
            Kind::Name { name, index, primes } => self.name(expr.span, name, index.as_deref(), *primes, indices),
            Kind::Negative(inner) => match self.value(inner, indices)? {
                Value::Triple(nodes) => Some(Value::Triple(nodes.map(|node| self.graph.neg(node)))),
                Value::Rotation(_) => {
                    let hint = "the inverse of a rotation is R^-1".to_owned();
                    self.mistakes.add(inner.span, "a rotation has no sign".to_owned(), Some(hint));
                    None
                }
                value => {
                    let node = self.number(value, inner.span)?;
                    Some(Value::Number(self.graph.neg(node)))
                }
            },
            Kind::Sum(terms) => self.chain(terms, [Binary::Add, Binary::Sub], indices),
            Kind::Product(factors) => self.chain(factors, [Binary::Mul, Binary::Div], indices),
            Kind::Power(base, exponent) => self.power(base, exponent, indices),
            Kind::Compare(comparison, sides) => self.compare(*comparison, sides, indices),
            Kind::All(parts) => self.joined(parts, Binary::And, indices),
            Kind::Any(parts) => self.joined(parts, Binary::Or, indices),
            Kind::Not(inner) => {
                let value = self.value(inner, indices)?;
                let node = self.condition(value, inner.span)?;
                Some(Value::Condition(self.graph.not(node)))
            }
            Kind::Triple(parts) => {
                let [x, y, z] = [0, 1, 2].map(|i| self.node(&parts[i], indices));
                Some(Value::Triple([x?, y?, z?]))
            }
            Kind::Component { of, axis, primes } => {
                let value = self.value(of, indices)?;
                let node = Value::Number(self.component(value, *axis, of.span)?);
                self.rates_of(node, *primes, expr.span)
            }
            Kind::Field { of, field, at, primes } => {
                let value = self.value(of, indices)?;
                let part = self.field(value, field, *at, expr.span)?;
                self.rates_of(part, *primes, expr.span)
            }
            Kind::Call { name, arguments } => self.call(expr.span, name, arguments, indices),
            Kind::Repeated { body, clause } => {
                let mut sum = None;
                for value in self.range(clause, indices)? {
                    indices.push((clause.variable.clone(), value));
                    let term = self.value(body, indices);
                    indices.pop();
                    sum = match (sum, term?) {
                        (None, first @ Value::Condition(_)) => Some(Value::Number(self.number(first, body.span)?)),
                        (None, first) => Some(first),
                        (Some(sum), term) => Some(self.combined(Binary::Add, sum, term, body.span)?),
                    };
                }
                Some(sum.unwrap_or_else(|| Value::Number(self.graph.constant(0.0))))
            }
        }
    }

    /// Every part is looked at, so that every mistake is found.
    fn chain(&mut self, parts: &[(bool, Expr)], [plain, inverse]: [Binary; 2], indices: &mut Indices) -> Option<Value> {
        let mut part = |part: &Expr| match self.value(part, indices)? {
            condition @ Value::Condition(_) => self.number(condition, part.span).map(Value::Number),
            value => Some(value),
        };
        let values: Vec<Option<Value>> = parts.iter().map(|(_, inner)| part(inner)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let mut result = *values.first()?;
        for ((inverted, part), value) in parts.iter().zip(&values).skip(1) {
            result = self.combined(if *inverted { inverse } else { plain }, result, *value, part.span)?;
        }
        Some(result)
    }

    fn power(&mut self, base: &Expr, exponent: &Expr, indices: &mut Indices) -> Option<Value> {
        let (value, exponent) = (self.value(base, indices), self.node(exponent, indices));
        if let Some(Value::Triple(_)) = value {
            let hint = "the square of its length is dot(r, r)".to_owned();
            self.mistakes.add(base.span, "a triple has no powers".to_owned(), Some(hint));
            return None;
        }
        if let Some(Value::Rotation(rotation)) = value {
            return self.rotation_power(rotation, exponent, base.span);
        }
        let base = self.number(value?, base.span);
        Some(Value::Number(self.graph.pow(base?, exponent?)))
    }

    fn compare(&mut self, comparison: Comparison, sides: &[Expr; 2], indices: &mut Indices) -> Option<Value> {
        let [a, b] = [0, 1].map(|i| self.node(&sides[i], indices));
        let (a, b) = (a?, b?);
        let graph = &mut self.graph;
        Some(Value::Condition(match comparison {
            Comparison::Less => graph.pair(Binary::Less, a, b),
            Comparison::LessEqual => graph.pair(Binary::LessEqual, a, b),
            Comparison::Greater => graph.pair(Binary::Less, b, a),
            Comparison::GreaterEqual => graph.pair(Binary::LessEqual, b, a),
            Comparison::Equal => graph.pair(Binary::Equal, a, b),
            Comparison::Unequal => {
                let equal = graph.pair(Binary::Equal, a, b);
                graph.not(equal)
            }
        }))
    }

    /// `and` or `or`. What a constant has decided already is not looked at: `i > 1 and x[i-1] > 0`.
    fn joined(&mut self, parts: &[Expr], binary: Binary, indices: &mut Indices) -> Option<Value> {
        let decisive = if binary == Binary::And { 0.0 } else { 1.0 };
        let mut result: Option<Option<Node>> = None;
        for part in parts {
            let node = self.value(part, indices).and_then(|value| self.condition(value, part.span));
            let joined = match (result, node) {
                (None, node) => node,
                (Some(Some(before)), Some(node)) => Some(self.graph.pair(binary, before, node)),
                _ => None,
            };
            if joined.is_some_and(|joined| self.graph.value(joined) == Some(decisive)) {
                return joined.map(Value::Condition);
            }
            result = Some(joined);
        }
        result.flatten().map(Value::Condition)
    }

    /// The node of a parameter or definition.
    pub(super) fn work_out(&mut self, cell: usize, used_at: Option<Span>) -> Option<Value> {
        match self.cells[cell].progress {
            Progress::Done(value) => return Some(value),
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
        // A definition sees nothing of the function that it is asked from.
        self.frames.push(Vec::new());
        let mut value = self.value(&body, &mut indices);
        self.frames.pop();
        if let Some(found) = value
            && self.cells[cell].constant
        {
            let name = &self.cells[cell].name;
            let message = match found {
                Value::Number(node) => match self.graph.value(node) {
                    Some(x) if x.is_finite() => None,
                    Some(x) => Some(format!("the parameter `{name}` is {x}")),
                    None => Some(format!("the parameter `{name}` is not a constant")),
                },
                other => Some(format!("the parameter `{name}` is {}", other.kind())),
            };
            if let Some(message) = message {
                let hint = match found {
                    Value::Triple(_) => format!("write {name} = [1, 0, 0]: a list of three is a triple in formulas"),
                    _ => "parameters are numbers, or formulas of numbers and other parameters; others are definitions"
                        .to_owned(),
                };
                self.mistakes.add(body.span, message, Some(hint));
                value = None;
            }
        }
        self.cells[cell].progress = value.map_or(Progress::Failed, Progress::Done);
        value
    }
}
