//! Calls: functions of formulas, and what other languages call them.

use super::value::Value;
use super::{Indices, Scope, Symbol};
use crate::formula::{Expr, Kind, slip_of};
use crate::functions::{self, Builtin, Entry};
use crate::graph::{Binary, Function, Node};
use crate::nearest::nearest;
use crate::table::{Asked, Lookup};
use crate::text::Span;

impl Scope<'_> {
    pub(super) fn call(&mut self, span: Span, name: &str, arguments: &[Expr], indices: &mut Indices) -> Option<Value> {
        if let Some(own) = self.own_function(name) {
            return self.call_own(span, own, arguments, indices);
        }
        if let Some(Symbol::Table(table)) = self.symbols.get(name) {
            return self.look_up(span, name, *table, arguments, indices);
        }
        let Some(entry) = functions::find(name) else {
            self.unknown_function(span, name, arguments);
            // The arguments may have mistakes of their own.
            for argument in arguments {
                self.value(argument, indices);
            }
            return None;
        };
        let count = entry.count() - usize::from(entry.is_open());
        if arguments.len() != count && !(entry.is_open() && arguments.len() > count) {
            self.wrong_count(span, entry.name, (&takes(entry, count), entry.arguments), arguments);
            return None;
        }
        if entry.builtin == Builtin::If {
            return self.branches(arguments, indices);
        }
        let values: Vec<Option<Value>> = arguments.iter().map(|argument| self.value(argument, indices)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        self.apply(span, entry, arguments, &values)
    }

    /// The value of a table.
    fn look_up(
        &mut self,
        span: Span,
        name: &str,
        table: u32,
        arguments: &[Expr],
        indices: &mut Indices,
    ) -> Option<Value> {
        let count = self.graph.tables[table as usize].arguments();
        if arguments.len() != count {
            let takes = if count == 1 { ("one argument", "x") } else { ("two arguments", "x, y") };
            self.wrong_count(span, name, takes, arguments);
            return None;
        }
        let nodes: Vec<Option<Node>> = arguments.iter().map(|argument| self.node(argument, indices)).collect();
        let mut nodes: Vec<Node> = nodes.into_iter().collect::<Option<_>>()?;
        if self.graph.tables[table as usize].held {
            for (axis, node) in nodes.iter_mut().enumerate() {
                let (first, last) = self.graph.tables[table as usize].range(axis);
                let (first, last) = (self.graph.constant(first), self.graph.constant(last));
                let above = self.graph.pair(Binary::Max, *node, first);
                *node = self.graph.pair(Binary::Min, above, last);
            }
        }
        let lookup = Lookup { table, asked: Asked::Derivative([0, 0]) };
        Some(Value::Number(self.graph.lookup(lookup, nodes[0], nodes[count - 1])))
    }

    /// Says how many arguments a function takes, and how they are called.
    pub(super) fn wrong_count(&mut self, span: Span, name: &str, (takes, names): (&str, &str), arguments: &[Expr]) {
        // Two numbers with a comma and nothing else between them are one.
        let comma = arguments.windows(2).find_map(|pair| match (&pair[0].kind, &pair[1].kind) {
            (Kind::Number(_), Kind::Number(_)) if pair[0].span.end + 1 == pair[1].span.start => {
                Some("numbers have a decimal point, as 9.81".to_owned())
            }
            _ => None,
        });
        let hint = comma.unwrap_or_else(|| format!("write {name}({names})"));
        self.mistakes.add(span, format!("`{name}` takes {takes}, not {}", arguments.len()), Some(hint));
    }

    fn apply(&mut self, span: Span, entry: &Entry, arguments: &[Expr], values: &[Value]) -> Option<Value> {
        let numbers = |scope: &mut Self| -> Option<Vec<Node>> {
            let found: Vec<Option<Node>> =
                values.iter().zip(arguments).map(|(value, argument)| scope.number(*value, argument.span)).collect();
            found.into_iter().collect()
        };
        Some(match entry.builtin {
            Builtin::One(Function::Abs) if matches!(values[0], Value::Triple(_)) => {
                let hint = "the length of a triple is norm(r)".to_owned();
                self.mistakes.add(span, "`abs` is of numbers".to_owned(), Some(hint));
                return None;
            }
            Builtin::One(function) => {
                let x = numbers(self)?;
                Value::Number(self.graph.call(function, x[0]))
            }
            Builtin::Pair(binary) => {
                let x = numbers(self)?;
                Value::Number(x.iter().skip(1).fold(x[0], |a, b| self.graph.pair(binary, a, *b)))
            }
            Builtin::Clamp => {
                let x = numbers(self)?;
                let above = self.graph.pair(Binary::Max, x[0], x[1]);
                Value::Number(self.graph.pair(Binary::Min, above, x[2]))
            }
            Builtin::Step => {
                let x = numbers(self)?;
                self.check_width(x[1], arguments[1].span, "the width of `step`")?;
                Value::Number(self.step(x[0], x[1]))
            }
            Builtin::Smoothstep => {
                let x = numbers(self)?;
                let width = self.graph.sub(x[2], x[1]);
                self.check_width(width, span, "the width hi - lo of `smoothstep`")?;
                let from = self.graph.sub(x[0], x[1]);
                Value::Number(self.smoothstep(from, width))
            }
            Builtin::Der => self.rate(values[0], span)?,
            Builtin::Dot | Builtin::Cross | Builtin::Norm => {
                let a = self.triple(values[0], arguments[0].span);
                let b = match arguments.get(1) {
                    Some(b) => self.triple(values[1], b.span),
                    None => a,
                };
                let (a, b) = (a?, b?);
                if entry.builtin == Builtin::Cross {
                    return Some(Value::Triple(self.cross(a, b)));
                }
                let dot = self.dot(a, b);
                Value::Number(if entry.builtin == Builtin::Dot { dot } else { self.graph.call(Function::Sqrt, dot) })
            }
            Builtin::Rotate => {
                let axis = self.triple(values[0], arguments[0].span);
                let angle = self.number(values[1], arguments[1].span);
                let a = self.triple(values[2], arguments[2].span);
                Value::Triple(self.rotated(axis?, angle?, a?))
            }
            Builtin::Rotation => {
                let axis = self.triple(values[0], arguments[0].span);
                let angle = self.number(values[1], arguments[1].span);
                let axis = axis?;
                if axis.iter().all(|k| self.graph.is_zero(*k)) {
                    let hint = "write the axis as a triple, as [0, 0, 1]; it need not have length 1".to_owned();
                    self.mistakes.add(arguments[0].span, "the axis of a rotation is zero".to_owned(), Some(hint));
                    return None;
                }
                Value::Rotation(self.turn(axis, angle?))
            }
            // Its arguments are not evaluated before it is known which are needed.
            Builtin::If => return None,
        })
    }

    /// Whether a width that is a constant is positive.
    fn check_width(&mut self, width: Node, span: Span, what: &str) -> Option<()> {
        match self.graph.value(width) {
            Some(x) if x.is_nan() || x <= 0.0 => {
                let hint = "write if(x > 0, 1, 0) for a jump".to_owned();
                self.mistakes.add(span, format!("{what} must be positive, not {x}"), Some(hint));
                None
            }
            _ => Some(()),
        }
    }

    /// s^3 (10 - 15 s + 6 s^2), s = x/width in [0, 1].
    fn step(&mut self, x: Node, width: Node) -> Node {
        let g = &mut self.graph;
        let (three, six, ten, fifteen) = (g.constant(3.0), g.constant(6.0), g.constant(10.0), g.constant(15.0));
        let s = g.div(x, width);
        let s = g.call(Function::Saturate, s);
        let (square, cube, linear) = (g.mul(s, s), g.pow(s, three), g.mul(fifteen, s));
        let (low, high) = (g.sub(ten, linear), g.mul(six, square));
        let factor = g.add(low, high);
        g.mul(cube, factor)
    }

    /// s^2 (3 - 2 s), s = x/width in [0, 1].
    fn smoothstep(&mut self, x: Node, width: Node) -> Node {
        let g = &mut self.graph;
        let (two, three) = (g.constant(2.0), g.constant(3.0));
        let s = g.div(x, width);
        let s = g.call(Function::Saturate, s);
        let (square, linear) = (g.mul(s, s), g.mul(two, s));
        let factor = g.sub(three, linear);
        g.mul(square, factor)
    }

    /// Rodrigues: a cos + (k x a) sin + k (k . a) (1 - cos), k = axis/|axis|.
    fn rotated(&mut self, axis: [Node; 3], angle: Node, a: [Node; 3]) -> [Node; 3] {
        let square = self.dot(axis, axis);
        let length = self.graph.call(Function::Sqrt, square);
        let k = axis.map(|x| self.graph.div(x, length));
        let (sin, cos) = (self.graph.call(Function::Sin, angle), self.graph.call(Function::Cos, angle));
        let one = self.graph.constant(1.0);
        let versine = self.graph.sub(one, cos);
        let (turned, along) = (self.cross(k, a), self.dot(k, a));
        let along = self.graph.mul(along, versine);
        let [kept, turned, along] = [(cos, a), (sin, turned), (along, k)].map(|(factor, a)| self.scaled(factor, a));
        let sum = self.by_component(Binary::Add, kept, turned);
        self.by_component(Binary::Add, sum, along)
    }

    /// `if`. A branch that a constant condition leaves out is not looked at: `if(i > 1, x[i-1], 0)`.
    fn branches(&mut self, arguments: &[Expr], indices: &mut Indices) -> Option<Value> {
        let condition = self.value(&arguments[0], indices).and_then(|value| self.condition(value, arguments[0].span));
        let known = condition.and_then(|condition| self.graph.value(condition)).filter(|x| !x.is_nan());
        if let Some(x) = known {
            return self.value(&arguments[if x == 0.0 { 2 } else { 1 }], indices);
        }
        let (then, other) = (self.value(&arguments[1], indices), self.value(&arguments[2], indices));
        let (condition, then, other) = (condition?, then?, other?);
        Some(match (then, other) {
            (Value::Number(a), Value::Number(b)) => Value::Number(self.graph.select(condition, a, b)),
            (Value::Triple(a), Value::Triple(b)) => {
                Value::Triple([0, 1, 2].map(|i| self.graph.select(condition, a[i], b[i])))
            }
            (Value::Rotation(a), Value::Rotation(b)) => Value::Rotation(self.either(condition, a, b)),
            (Value::Condition(a), Value::Condition(b)) => {
                let not = self.graph.not(condition);
                let (first, second) =
                    (self.graph.pair(Binary::And, condition, a), self.graph.pair(Binary::And, not, b));
                Value::Condition(self.graph.pair(Binary::Or, first, second))
            }
            _ => {
                let message = format!("the branches of `if` are {} and {}", then.kind(), other.kind());
                self.mistakes.add(arguments[2].span, message, Some("both must be of one kind".to_owned()));
                return None;
            }
        })
    }

    fn unknown_function(&mut self, span: Span, name: &str, arguments: &[Expr]) {
        if self.mistakes.is_full() || self.broken.contains(name) {
            return;
        }
        if let Some(symbol) = self.symbols.get(name) {
            let of_time = matches!(arguments, [Expr { kind: Kind::Name { name, .. }, .. }] if name == "t");
            let hint = match symbol {
                Symbol::Variable(_) if of_time => format!("variables depend on t by themselves: write {name}"),
                _ => format!("a product is written {name}*(…)"),
            };
            self.mistakes.add(span, format!("`{name}` is not a function"), Some(hint));
            return;
        }
        let mut known: Vec<&str> = functions::names().collect();
        known.extend(self.own_functions());
        let meant = match (slip_of(name), nearest(name, known.iter().copied())) {
            (Some(slip), _) => format!("{slip}; "),
            (None, Some(near)) => format!("did you mean `{near}`? "),
            (None, None) => String::new(),
        };
        let hint = format!("{meant}the functions are {}", known.join(", "));
        self.mistakes.add(span, format!("unknown function `{name}`"), Some(hint));
    }
}

/// How many arguments a function takes, in words.
fn takes(entry: &Entry, count: usize) -> String {
    let number = ["no", "one", "two", "three"].get(count).copied().unwrap_or("more");
    let plural = if count == 1 { "" } else { "s" };
    let more = if entry.is_open() { " or more" } else { "" };
    format!("{number}{more} argument{plural}")
}
