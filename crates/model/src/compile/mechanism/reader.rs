//! What the sections of a mechanism are read with: numbers by constant formulas, vectors, tables with known keys, and names.
//!
//! Formulas are parsed once, by their place in the file, and worked out for each repetition. Names are found in a hash map, so that a
//! file with ten thousand bodies takes no longer for each of them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use alembert_mechanism::{Marker, Shape};
use toml::de::DeValue;

use super::Drawing;
use super::kinds::Kind;
use super::names::{Place, Template};
use super::{Span, Vector};
use crate::document::{Document, Entry, entries, kind};
use crate::format::Key;
use crate::formula::{self, Expr};
use crate::functions::is_function;
use crate::scope::{Indices, Instance, Scope, Value};

/// Shortest direction.
const SHORTEST: f64 = 1e-300;

/// What has a name. The ground has one, too, but no formula asks for it.
#[derive(Clone, Copy, Debug)]
pub(in crate::compile) enum Known {
    /// By its place in the drawing.
    Body(usize),
    /// By its place in the drawing, with its type; none where something is wrong with it.
    Joint(Option<(usize, &'static Kind)>),
    Coupling,
    Driver,
    Force,
}

impl Known {
    pub fn word(self) -> &'static str {
        match self {
            Known::Body(_) => "body",
            Known::Joint(_) => "joint",
            Known::Coupling => "coupling",
            Known::Driver => "driver",
            Known::Force => "force",
        }
    }
}

pub(in crate::compile) struct Reader<'r, 'd, 'c> {
    pub document: &'r Document<'d>,
    pub scope: &'r mut Scope<'c>,
    pub drawing: Drawing,
    pub planar: bool,
    /// Of the entry under way.
    pub indices: Indices,
    pub known: HashMap<String, Known>,
    /// Stems of names that could not be read, so that nobody misses them.
    pub lost: HashSet<String>,
    /// Frames of each body, with their z axes.
    pub frames: Vec<HashMap<String, (Marker, Vector)>>,
    /// Solids of the body under way.
    pub shapes: Vec<(Shape, Vector)>,
    /// Names of bodies without their indices; filled when somebody asks.
    pub stems: HashSet<String>,
    parameters: HashSet<String>,
    formulas: HashMap<Span, Option<Rc<Expr>>>,
    pub(in crate::compile) templates: HashMap<Span, Option<Rc<Template>>>,
    pub(in crate::compile) places: HashMap<Span, Option<Rc<Place>>>,
}

/// The value of a key.
pub(in crate::compile) fn find<'d>(keys: &[Entry<'d>], key: &str) -> Option<Entry<'d>> {
    keys.iter().find(|entry| entry.key == key).copied()
}

/// The elements of a list, as entries of its key.
pub(in crate::compile) fn elements<'d>(entry: &Entry<'d>) -> Option<Vec<Entry<'d>>> {
    let DeValue::Array(array) = entry.value else { return None };
    Some(array.iter().map(|x| Entry { value: x.get_ref(), span: x.span().into(), ..*entry }).collect())
}

impl<'r, 'd, 'c> Reader<'r, 'd, 'c> {
    pub fn new(document: &'r Document<'d>, scope: &'r mut Scope<'c>, drawing: Drawing) -> Self {
        let parameters = scope.parameters().into_iter().map(str::to_owned).collect();
        Reader {
            document,
            scope,
            planar: drawing.planar,
            drawing,
            indices: Vec::new(),
            known: HashMap::new(),
            lost: HashSet::new(),
            frames: Vec::new(),
            shapes: Vec::new(),
            stems: HashSet::new(),
            parameters,
            formulas: HashMap::new(),
            templates: HashMap::new(),
            places: HashMap::new(),
        }
    }

    /// Adds a mistake.
    pub fn wrong(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        let hint = hint.into();
        self.scope.mistakes.add(span, message.into(), (!hint.is_empty()).then_some(hint));
    }

    /// So many coordinates have points.
    pub fn dimension(&self) -> usize {
        if self.planar { 2 } else { 3 }
    }

    /// A formula, parsed once.
    pub fn formula(&mut self, entry: &Entry<'d>) -> Option<Rc<Expr>> {
        if let Some(known) = self.formulas.get(&entry.span) {
            return known.clone();
        }
        let made = self.document.single(entry.value, entry.span, self.scope.mistakes).map(|formula| formula.body);
        self.formulas.insert(entry.span, made.clone());
        made
    }

    /// A formula for the indices of the entry under way.
    pub fn instance(&mut self, entry: &Entry<'d>) -> Option<Instance> {
        Some(Instance { body: self.formula(entry)?, indices: self.indices.clone() })
    }

    /// Whether there is a parameter of this name.
    pub fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains(name)
    }

    /// Whether a formula has parameters and indices only. Functions of the file may use anything.
    pub fn is_constant(&self, expr: &Expr) -> bool {
        use formula::Kind;
        match &expr.kind {
            Kind::Number(_) => true,
            Kind::Name { name, index, primes } => {
                let own = self.indices.iter().any(|(index, _)| index == name);
                let known = own || self.parameters.contains(name) || name == "pi" || name == "deg";
                *primes == 0 && known && index.as_ref().is_none_or(|index| self.is_constant(index))
            }
            Kind::Negative(inner) => self.is_constant(inner),
            Kind::Sum(parts) | Kind::Product(parts) => parts.iter().all(|(_, part)| self.is_constant(part)),
            Kind::Power(base, exponent) => self.is_constant(base) && self.is_constant(exponent),
            Kind::Call { name, arguments } => {
                is_function(name) && arguments.iter().all(|argument| self.is_constant(argument))
            }
            _ => false,
        }
    }

    /// A constant.
    pub fn number(&mut self, entry: &Entry<'d>) -> Option<f64> {
        let expr = self.formula(entry)?;
        let node = self.scope.node(&expr, &mut self.indices)?;
        self.value_of(node, entry)
    }

    fn value_of(&mut self, node: crate::graph::Node, entry: &Entry<'d>) -> Option<f64> {
        let key = entry.key;
        match self.scope.graph.value(node) {
            Some(x) if x.is_finite() => return Some(x),
            Some(x) => self.wrong(entry.span, format!("`{key}` is {x}"), "use finite numbers"),
            None => self.wrong(
                entry.span,
                format!("`{key}` must be a constant"),
                "use numbers, parameters and indices; what changes in time is the law of a force or of a driver",
            ),
        }
        None
    }

    /// A constant that is not negative.
    pub fn not_negative(&mut self, entry: &Entry<'d>) -> Option<f64> {
        let x = self.number(entry)?;
        if x < 0.0 {
            self.wrong(entry.span, format!("`{}` must not be negative, and is {x}", entry.key), "");
            return None;
        }
        Some(x)
    }

    /// A positive constant.
    pub fn positive(&mut self, entry: &Entry<'d>) -> Option<f64> {
        let x = self.number(entry)?;
        if x <= 0.0 {
            self.wrong(entry.span, format!("`{}` must be positive, and is {x}", entry.key), "");
            return None;
        }
        Some(x)
    }

    /// A list of constants, or a single one.
    pub fn numbers(&mut self, entry: &Entry<'d>) -> Option<Vec<f64>> {
        if let Some(list) = elements(entry) {
            let found: Vec<Option<f64>> = list.iter().map(|x| self.number(x)).collect();
            return found.into_iter().collect();
        }
        let expr = self.formula(entry)?;
        let nodes = match self.scope.value(&expr, &mut self.indices)? {
            Value::Triple(nodes) => nodes.to_vec(),
            value => vec![self.scope.number(value, expr.span)?],
        };
        nodes.into_iter().map(|node| self.value_of(node, entry)).collect()
    }

    /// One constant for all, or three.
    pub fn one_or_three(&mut self, entry: &Entry<'d>) -> Option<Vector> {
        match self.numbers(entry)?[..] {
            [x] => Some([x; 3]),
            [x, y, z] => Some([x, y, z]),
            ref list => {
                let message = format!("`{}` has {} numbers, and must have one or three", entry.key, list.len());
                self.wrong(entry.span, message, "");
                None
            }
        }
    }

    /// A point or vector, of two numbers in the plane.
    pub fn vector(&mut self, entry: &Entry<'d>) -> Option<Vector> {
        let n = self.dimension();
        if !matches!(entry.value, DeValue::Array(_) | DeValue::String(_)) {
            let zeros = vec!["0"; n].join(", ");
            let message = format!("`{}` must be a list of {n} numbers, found {}", entry.key, kind(entry.value));
            self.wrong(entry.span, message, format!("write {} = [{zeros}]", entry.key));
            return None;
        }
        match self.numbers(entry)?[..] {
            [x, y] if self.planar => Some([x, y, 0.0]),
            [x, y, z] if !self.planar => Some([x, y, z]),
            ref list => {
                let hint = match (self.planar, list.len()) {
                    (true, 3) => "the mechanism is in the plane; dimension = 3 makes one in space",
                    (false, 2) => "the mechanism is in space; dimension = 2 makes one in the plane",
                    _ => "",
                };
                let message = format!("`{}` has {} numbers, and must have {n}", entry.key, list.len());
                self.wrong(entry.span, message, hint);
                None
            }
        }
    }

    /// A vector that has a direction.
    pub fn direction(&mut self, entry: &Entry<'d>) -> Option<Vector> {
        let vector = self.vector(entry)?;
        if vector.iter().map(|x| x.abs()).fold(0.0, f64::max) < SHORTEST {
            self.wrong(entry.span, format!("`{}` is zero, and has no direction", entry.key), "");
            return None;
        }
        Some(vector)
    }

    /// The formulas of a vector; in the plane the third is zero and left out.
    pub fn components(&mut self, entry: &Entry<'d>) -> Option<Vec<Entry<'d>>> {
        let n = self.dimension();
        let list = elements(entry);
        if list.as_ref().is_some_and(|list| list.len() == n) {
            return list;
        }
        let found = list.map_or_else(|| kind(entry.value).to_owned(), |list| format!("{} of them", list.len()));
        self.wrong(entry.span, format!("`{}` must be a list of {n} formulas, found {found}", entry.key), "");
        None
    }

    /// The entries of a table, all of them known.
    pub fn table(&mut self, entry: &Entry<'d>, keys: &'static [Key]) -> Option<Vec<Entry<'d>>> {
        let DeValue::Table(table) = entry.value else {
            let message = format!("`{}` must be a table, found {}", entry.key, kind(entry.value));
            let first = keys.iter().find(|key| key.name != "for").map_or("", |key| key.name);
            self.wrong(entry.span, message, format!("write {} = {{ {first} = … }}", entry.key));
            return None;
        };
        let mut found = entries(table);
        found.retain(|inner| {
            let known = keys.iter().any(|key| key.name == inner.key);
            if !known {
                let of = format!("key of `{}`", entry.key);
                self.scope.mistakes.unknown(inner.key_span, &of, inner.key, keys.iter().map(|key| key.name));
            }
            known
        });
        Some(found)
    }

    /// The single one of some keys; says so if there are two.
    pub fn one_of(&mut self, keys: &[Entry<'d>], names: &[&str]) -> Option<Entry<'d>> {
        let mut found = keys.iter().filter(|entry| names.contains(&entry.key));
        let first = found.next().copied()?;
        if let Some(second) = found.next() {
            let message = format!("both `{}` and `{}` are given", first.key, second.key);
            self.wrong(second.key_span, message, "keep one of the two");
        }
        Some(first)
    }

    /// A key that must be there.
    pub fn needed(&mut self, keys: &[Entry<'d>], key: &str, what: &str, at: Span, hint: &str) -> Option<Entry<'d>> {
        let found = find(keys, key);
        if found.is_none() {
            self.wrong(at, format!("{what} has no `{key}`"), hint);
        }
        found
    }

    /// Says which keys mean nothing here.
    pub fn only(&mut self, keys: &[Entry<'d>], allowed: &[&str], what: &str) {
        for entry in keys.iter().filter(|entry| !["name", "for", "type"].contains(&entry.key)) {
            if !allowed.contains(&entry.key) {
                let hint = match allowed {
                    [] => String::new(),
                    _ => format!("it may have {}", allowed.join(", ")),
                };
                self.wrong(entry.key_span, format!("{what} has no `{}`", entry.key), hint);
            }
        }
    }

    /// Words.
    pub fn words(&mut self, entry: &Entry<'d>) -> Option<String> {
        self.document.words(entry, self.scope.mistakes)
    }
}
