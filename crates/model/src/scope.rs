//! Names, and what formulas become when every name is known: nodes of a graph.
//!
//! Parameters and definitions are worked out when they are first used, so their order does not matter and a cycle is
//! found where it closes. A formula is a number, a condition or a triple ([`Value`]); calls of the file's own functions and rates
//! are worked out here, so that nothing of them is left in the graph. Repetition (`for`, `sum`) is unrolled; a budget bounds what a file may ask for.

mod calls;
mod names;
mod nodes;
mod own;
mod part;
mod rates;
mod rotation;
mod targets;
mod value;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::formula::{Clause, Expr, Formula, Kind};
use crate::functions;
use crate::graph::{Graph, Marks, Node};
use crate::table::Table;
use crate::text::{Collector, Span};
use alembert_mechanism::Mechanism;
use own::Own;
pub(crate) use part::{Part, Placed, written};
use rates::Rates;
use rotation::Rotation;
pub(crate) use rotation::{NUMBERS, relative, root};
pub(crate) use targets::Slot;
pub(crate) use value::Value;

/// How many repetitions a file may ask for in all.
const BUDGET: usize = 5_000_000;

/// How many indices one formula may have with all its repetitions: each is kept with its name, 100 MB in all.
const MOST_INDICES: usize = 1_500_000;

/// How many operations a file may ask for, with all repetitions unrolled: a few seconds.
const MOST_WORK: usize = 20_000_000;

/// Words that cannot be names.
const RESERVED: [&str; 5] = ["t", "pi", "sum", "for", "in"];

/// Values of indices, innermost last.
pub(crate) type Indices = Vec<(String, i64)>;

/// One thing, or one for each index.
#[derive(Clone, Debug)]
pub(crate) enum Items<T> {
    One(T),
    Many(BTreeMap<i64, T>),
}

#[derive(Debug)]
enum Symbol {
    /// Inputs by number of primes: `x`, `x'`, `x''`.
    Variable(Vec<Items<usize>>),
    /// Cells.
    Defined(Items<usize>),
    /// The number of a table.
    Table(u32),
    /// Numbers of rotations among the arguments.
    Rotation(Items<usize>),
    /// Numbers of parts of a mechanism.
    Part(Items<usize>),
}

#[derive(Clone, Debug)]
enum Progress {
    Waiting,
    Working,
    Done(Value),
    Failed,
}

/// A parameter or definition, or one entry of it.
#[derive(Debug)]
struct Cell {
    name: String,
    /// Its index, where it is an entry of a vector.
    index: Option<i64>,
    body: Rc<Expr>,
    indices: Indices,
    /// Parameters are constants.
    constant: bool,
    progress: Progress,
}

/// A formula for certain indices.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub body: Rc<Expr>,
    pub indices: Indices,
}

pub(crate) struct Scope<'c> {
    pub graph: Graph,
    pub marks: Marks,
    pub mistakes: &'c mut Collector,
    symbols: HashMap<String, Symbol>,
    cells: Vec<Cell>,
    budget: usize,
    /// Operations that may still be made.
    work: usize,
    depth: usize,
    /// What is known of variables that are not there, by name with primes.
    pub absent: HashMap<String, String>,
    /// Names that stand for two things from now on.
    pub ambiguous: HashSet<String>,
    rates: Rates,
    /// Functions of the file.
    own: Vec<Own>,
    /// Those that could not be read.
    broken: HashSet<String>,
    /// What calls of them have given, by arguments.
    calls: HashMap<(usize, Vec<Value>), Option<Value>>,
    /// Those under way, outermost first.
    calling: Vec<usize>,
    /// Their arguments by name; those of the last frame are seen.
    frames: Vec<Vec<(String, Value)>>,
    /// Every rotation that formulas speak of.
    rotations: Vec<Rotation>,
    known_rotations: HashMap<[Node; 4], usize>,
    /// What formulas may say of a mechanism.
    parts: Vec<Part>,
    pub mechanism: Option<Arc<Mechanism>>,
}

impl<'c> Scope<'c> {
    pub fn new(mistakes: &'c mut Collector) -> Self {
        Scope {
            graph: Graph::default(),
            marks: Marks::default(),
            mistakes,
            symbols: HashMap::new(),
            cells: Vec::new(),
            budget: BUDGET,
            work: MOST_WORK,
            depth: 0,
            absent: HashMap::new(),
            ambiguous: HashSet::new(),
            rates: Rates::default(),
            own: Vec::new(),
            broken: HashSet::new(),
            calls: HashMap::new(),
            calling: Vec::new(),
            frames: Vec::new(),
            rotations: Vec::new(),
            known_rotations: HashMap::new(),
            parts: Vec::new(),
            mechanism: None,
        }
    }

    /// Whether a name can be given; says why not.
    pub fn is_free(&mut self, name: &str, span: Span) -> bool {
        let reserved = RESERVED.contains(&name) || functions::find(name).is_some_and(|entry| entry.reserved);
        if reserved {
            self.mistakes.add(
                span,
                format!("`{name}` has a meaning of its own in formulas"),
                Some("choose another name".to_owned()),
            );
        } else if self.symbols.contains_key(name) {
            self.mistakes.add(span, format!("`{name}` is defined twice"), Some("choose another name".to_owned()));
        }
        !reserved && !self.symbols.contains_key(name)
    }

    /// Declares a variable with its inputs by number of primes.
    pub fn declare(&mut self, name: &str, span: Span, levels: Vec<Items<usize>>) {
        if self.is_free(name, span) {
            self.symbols.insert(name.to_owned(), Symbol::Variable(levels));
        }
    }

    /// Defines a parameter (`constant`) or a definition from one formula, or from a list of them.
    pub fn define(&mut self, name: &str, span: Span, formulas: &[(Formula, Span)], list: bool, constant: bool) {
        if !self.is_free(name, span) {
            return;
        }
        let cell = |scope: &mut Self, index: Option<i64>, body: &Rc<Expr>, indices: Indices| {
            scope.cells.push(Cell {
                name: name.to_owned(),
                index,
                body: body.clone(),
                indices,
                constant,
                progress: Progress::Waiting,
            });
            scope.cells.len() - 1
        };
        if let ([(formula, _)], false) = (formulas, list)
            && formula.clauses.is_empty()
        {
            let cell = cell(self, None, &formula.body, Vec::new());
            self.symbols.insert(name.to_owned(), Symbol::Defined(Items::One(cell)));
            return;
        }
        let mut items = BTreeMap::new();
        for (formula, at) in formulas {
            if formula.clauses.len() > 1 {
                let hint = "a vector has one index; write one `for`".to_owned();
                self.mistakes.add(*at, format!("`{name}` has {} indices", formula.clauses.len()), Some(hint));
                continue;
            }
            for instance in self.instances(formula) {
                let after_last = items.last_key_value().map_or(1, |(last, _)| last + 1);
                let index = instance.indices.last().map_or(after_last, |(_, value)| *value);
                let cell = cell(self, Some(index), &instance.body, instance.indices);
                if items.insert(index, cell).is_some() {
                    self.mistakes.add(*at, format!("`{name}[{index}]` is defined twice"), None);
                }
            }
        }
        self.symbols.insert(name.to_owned(), Symbol::Defined(Items::Many(items)));
    }

    /// Makes a table known as a function.
    pub fn add_table(&mut self, span: Span, table: Table) {
        if self.is_free(&table.name, span) {
            self.symbols.insert(table.name.clone(), Symbol::Table(self.graph.tables.len() as u32));
            self.graph.tables.push(Arc::new(table));
        }
    }

    /// Lets later formulas use a node by a name, unless the name has a meaning already; says whether it then stands for this node.
    pub fn offer(&mut self, name: &str, node: Node) -> bool {
        let (stem, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((stem, index)) => (stem, index.parse::<i64>().ok()),
            None => (name, None),
        };
        let symbol = self.symbols.get(stem);
        let fits = match (symbol, index) {
            (None, _) => true,
            (Some(Symbol::Defined(Items::Many(items))), Some(index)) => !items.contains_key(&index),
            _ => false,
        };
        if !fits {
            return match (symbol, index) {
                (Some(Symbol::Variable(levels)), None) => match levels.first() {
                    Some(Items::One(input)) => self.graph.input(*input) == node,
                    _ => false,
                },
                (Some(Symbol::Defined(Items::One(cell))), None) => {
                    matches!(self.cells[*cell].progress, Progress::Done(Value::Number(known)) if known == node)
                }
                // Entries are not compared: that an output `F[1]` is not F[1] nobody would write.
                _ => true,
            };
        }
        let (body, progress) = (
            Rc::new(Expr { kind: Kind::Number(0.0), span: Span { start: 0, end: 0 } }),
            Progress::Done(Value::Number(node)),
        );
        self.cells.push(Cell { name: stem.to_owned(), index, body, indices: Vec::new(), constant: false, progress });
        let cell = self.cells.len() - 1;
        match (self.symbols.get_mut(stem), index) {
            (Some(Symbol::Defined(Items::Many(items))), Some(index)) => {
                items.insert(index, cell);
            }
            (_, Some(index)) => {
                self.symbols.insert(stem.to_owned(), Symbol::Defined(Items::Many(BTreeMap::from([(index, cell)]))));
            }
            _ => {
                self.symbols.insert(stem.to_owned(), Symbol::Defined(Items::One(cell)));
            }
        }
        true
    }

    /// Replaces the value of a parameter; says whether there is one of this name (and index).
    pub fn set(&mut self, name: &str, index: Option<i64>, value: f64) -> bool {
        let Some(Symbol::Defined(items)) = self.symbols.get(name) else { return false };
        let found: Vec<usize> = match (items, index) {
            (Items::One(cell), None) => vec![*cell],
            (Items::Many(cells), None) => cells.values().copied().collect(),
            (Items::Many(cells), Some(index)) => cells.get(&index).copied().into_iter().collect(),
            (Items::One(_), Some(_)) => Vec::new(),
        };
        let found: Vec<usize> = found.into_iter().filter(|cell| self.cells[*cell].constant).collect();
        let node = self.graph.constant(value);
        for cell in &found {
            self.cells[*cell].progress = Progress::Done(Value::Number(node));
        }
        !found.is_empty()
    }

    /// Whether there is a variable of this name.
    pub fn is_variable(&self, name: &str) -> bool {
        matches!(self.symbols.get(name), Some(Symbol::Variable(_) | Symbol::Rotation(_)))
    }

    /// The inputs of a variable with so many primes; says what is wrong if there is none.
    pub fn variable(&mut self, name: &str, primes: usize, span: Span) -> Option<Items<usize>> {
        if let Some(Symbol::Variable(levels)) = self.symbols.get(name)
            && let Some(items) = levels.get(primes)
        {
            return Some(items.clone());
        }
        if self.mistakes.is_full() {
            return None;
        }
        let mut known = Vec::new();
        for (name, symbol) in &self.symbols {
            match symbol {
                Symbol::Variable(levels) => {
                    known.extend((0..levels.len()).map(|primes| format!("{name}{}", "'".repeat(primes))));
                }
                Symbol::Rotation(_) => known.extend([name.clone(), format!("{name}.omega")]),
                _ => {}
            }
        }
        known.sort_unstable();
        let written = format!("{name}{}", "'".repeat(primes));
        let near = crate::nearest::nearest(&written, known.iter().map(String::as_str));
        let shown = known.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if known.len() > 12 { ", …" } else { "" };
        let hint =
            near.map_or_else(|| format!("the variables are {shown}{more}"), |near| format!("did you mean `{near}`?"));
        self.mistakes.add(span, format!("unknown variable `{written}`"), (!known.is_empty()).then_some(hint));
        None
    }

    /// Names of parameters.
    pub fn parameters(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.cells.iter().filter(|cell| cell.constant).map(|cell| cell.name.as_str()).collect();
        names.dedup();
        names
    }

    /// Works out every parameter and definition, used or not, in the order of the file.
    pub fn work_out_all(&mut self) {
        for cell in 0..self.cells.len() {
            self.work_out(cell, None);
        }
    }

    /// The formula for every value of its indices.
    pub fn instances(&mut self, formula: &Formula) -> Vec<Instance> {
        self.instances_within(formula, &Vec::new())
    }

    /// The same where further indices have values.
    pub fn instances_within(&mut self, formula: &Formula, outer: &Indices) -> Vec<Instance> {
        let mut found = vec![outer.clone()];
        for (depth, clause) in formula.clauses.iter().enumerate() {
            let mut longer = Vec::new();
            for mut indices in found {
                if longer.len() * (depth + 1) > MOST_INDICES {
                    self.exhaust(clause.span, format!("one formula asks for more than {MOST_INDICES} indices"));
                    return Vec::new();
                }
                let Some(range) = self.range(clause, &mut indices) else { return Vec::new() };
                for value in range {
                    let mut indices = indices.clone();
                    indices.push((clause.variable.clone(), value));
                    longer.push(indices);
                }
            }
            found = longer;
        }
        found.into_iter().map(|indices| Instance { body: formula.body.clone(), indices }).collect()
    }

    /// The values of an index; takes them from the budget.
    fn range(&mut self, clause: &Clause, indices: &mut Indices) -> Option<std::ops::RangeInclusive<i64>> {
        let from = self.integer(&clause.from, indices)?;
        let to = self.integer(&clause.to, indices)?;
        self.spend(from, to, clause.span).then_some(from..=to)
    }

    fn spend(&mut self, from: i64, to: i64, span: Span) -> bool {
        let count = usize::try_from(to.saturating_sub(from).saturating_add(1)).unwrap_or(0);
        if count > self.budget {
            self.exhaust(span, format!("the file asks for more than {BUDGET} repetitions"));
            return false;
        }
        self.budget -= count;
        true
    }

    /// Says, once, that there are too many repetitions: those that follow are no more to blame.
    fn exhaust(&mut self, span: Span, message: String) {
        if self.budget > 0 {
            let hint = "use fewer or smaller repetitions".to_owned();
            self.mistakes.add(span, message, Some(hint));
        }
        self.budget = 0;
    }

    /// `from..to` of a declaration.
    pub fn bounds(&mut self, from: &Expr, to: &Expr) -> Option<std::ops::RangeInclusive<i64>> {
        let (first, last) = (self.integer(from, &mut Vec::new())?, self.integer(to, &mut Vec::new())?);
        let span = Span { start: from.span.start, end: to.span.end };
        self.spend(first, last, span).then_some(first..=last)
    }

    /// The value of an index; says what is wrong with it.
    pub fn integer(&mut self, expr: &Expr, indices: &mut Indices) -> Option<i64> {
        let node = self.node(expr, indices)?;
        match self.graph.value(node) {
            Some(x) if x.fract() == 0.0 && x.abs() < 1e15 => Some(x as i64),
            Some(x) => {
                self.mistakes.add(expr.span, format!("an index must be a whole number; this is {x}"), None);
                None
            }
            None => {
                let hint = "use numbers, parameters and indices only".to_owned();
                self.mistakes.add(expr.span, "an index must not vary in time".to_owned(), Some(hint));
                None
            }
        }
    }

    /// Definitions that are one number each, in the order of the file.
    pub fn definition_nodes(&self) -> Vec<(Node, String)> {
        let found = self.cells.iter().filter(|cell| !cell.constant && cell.index.is_none());
        found
            .filter_map(|cell| match cell.progress {
                Progress::Done(Value::Number(node)) => Some((node, cell.name.clone())),
                _ => None,
            })
            .collect()
    }

    /// Whether a name has no meaning yet.
    pub fn is_unknown(&self, name: &str) -> bool {
        !self.symbols.contains_key(name) && self.own_function(name).is_none()
    }

    /// The value of a parameter, for messages and files.
    pub fn parameter_values(&self) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.constant) {
            if let Progress::Done(Value::Number(node)) = cell.progress
                && let Some(value) = self.graph.value(node)
            {
                let index = cell.index.map(|index| format!("[{index}]")).unwrap_or_default();
                found.push((format!("{}{index}", cell.name), value));
            }
        }
        found
    }
}

fn ends<T>(items: &BTreeMap<i64, T>) -> (i64, i64) {
    let first = items.first_key_value().map_or(0, |(first, _)| *first);
    (first, items.last_key_value().map_or(0, |(last, _)| *last))
}
