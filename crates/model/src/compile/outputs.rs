//! The `[outputs]` section: further columns, from formulas or from what constraints exert.
//!
//! ```text
//! reaction of constraints I at coordinates j:   F_j = sum over i in I of mu_i d r_j / d mu_i,    F = sqrt(sum of F_j^2)
//! ```
//!
//! For the standard reaction that is -lambda_i dg_i/dq_j: the force that the constraint exerts on what the coordinates move. At a
//! rotation it is the moment about the axes of the body.

use std::collections::HashSet;

use toml::de::DeValue;

use super::Checked;
use super::equations::Lists;
use super::start::{Named, named};
use super::variables::Variables;
use crate::document::{Document, Entry, entries};
use crate::formula::AXES;
use crate::graph::{Derivatives, Function, Node};
use crate::model::Said;
use crate::scope::{Scope, Value};
use crate::system::Parts;
use crate::tape::Layout;
use crate::text::Span;

/// Names, nodes, and what is said of them.
#[derive(Default)]
pub(crate) struct Outputs {
    pub names: Vec<String>,
    pub nodes: Vec<Node>,
    pub said: Vec<Said>,
    known: HashSet<String>,
    /// Those of coordinates, velocities, accelerations and multipliers.
    columns: HashSet<String>,
}

impl Outputs {
    fn add(
        &mut self,
        name: String,
        node: Node,
        span: Span,
        said: &Said,
        checked: &mut Vec<Checked>,
        scope: &mut Scope,
    ) {
        if self.columns.contains(&name) {
            let hint = Some("choose another name".to_owned());
            scope.mistakes.add(
                span,
                format!("the output `{name}` has the name of another column of the results"),
                hint,
            );
            return;
        }
        if !self.known.insert(name.clone()) {
            let hint = "choose another name; a triple `r` is the columns r_x, r_y and r_z".to_owned();
            scope.mistakes.add(span, format!("two outputs are called `{name}`"), Some(hint));
            return;
        }
        checked.push(Checked { what: format!("the output `{name}`"), span, node });
        if said.unit.is_some() || said.label.is_some() {
            self.said.push(Said { column: name.clone(), ..said.clone() });
        }
        self.names.push(name);
        self.nodes.push(node);
    }
}

/// The keys of a table that describes an output.
const KEYS: [&str; 5] = ["formula", "reaction", "at", "unit", "label"];

/// Reads the section. Reactions need the equations; where those have mistakes, these come first.
pub(crate) fn read(
    document: &Document,
    (variables, lists, parts): (&Variables, &Lists, Option<&Parts>),
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Option<Outputs> {
    let columns = variables.names(lists).columns().into_iter().collect();
    let (mut outputs, mut offered) = (Outputs { columns, ..Outputs::default() }, 0);
    for entry in document.section("outputs") {
        // Outputs may use those above them.
        for (name, node) in outputs.names[offered..].iter().zip(&outputs.nodes[offered..]) {
            scope.offer(name, *node);
        }
        offered = outputs.names.len();
        if !document.named(entry, scope.mistakes) {
            continue;
        }
        let DeValue::Table(table) = entry.value else {
            formula(document, entry, entry, &Said::default(), &mut outputs, scope, checked);
            continue;
        };
        let keys = entries(table);
        let find = |key: &str| keys.iter().find(|entry| entry.key == key);
        for unknown in keys.iter().filter(|entry| !KEYS.contains(&entry.key)) {
            scope.mistakes.unknown(unknown.key_span, "key of an output", unknown.key, KEYS);
        }
        let words = |key: &str, scope: &mut Scope| find(key).and_then(|entry| document.words(entry, scope.mistakes));
        let said = Said { column: String::new(), unit: words("unit", scope), label: words("label", scope) };
        match (find("formula"), find("reaction")) {
            (Some(body), None) => {
                if let Some(at) = find("at") {
                    let hint = "write reaction = \"…\" instead of a formula, or leave out `at`".to_owned();
                    scope.mistakes.add(at.key_span, "`at` belongs to a reaction".to_owned(), Some(hint));
                }
                formula(document, entry, body, &said, &mut outputs, scope, checked);
            }
            (None, Some(reaction)) => {
                let which = constraints(document, reaction, lists, scope);
                let at = match find("at") {
                    Some(at) => directions(document, at, variables, scope),
                    None => {
                        let hint = "name the coordinates of the point, as at = [\"x\", \"y\"]".to_owned();
                        scope.mistakes.add(entry.span, "the reaction has no place".to_owned(), Some(hint));
                        None
                    }
                };
                if let (Some(which), Some(at), Some(parts)) = (which, at, parts) {
                    let forces = forces(&which, &at, variables, parts, scope);
                    exert(entry, &forces, &at, variables, &said, &mut outputs, scope, checked);
                }
            }
            _ => {
                let hint = "write formula = \"…\", or reaction = \"…\" and at = [\"…\"]".to_owned();
                let message = format!("the output `{}` needs a formula or a reaction", entry.key);
                scope.mistakes.add(entry.span, message, Some(hint));
            }
        }
    }
    Some(outputs)
}

fn formula(
    document: &Document,
    entry: &Entry,
    body: &Entry,
    said: &Said,
    outputs: &mut Outputs,
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) {
    let Some(formula) = document.formula(body.value, body.span, scope.mistakes) else { return };
    for instance in scope.instances(&formula) {
        let Some(value) = scope.instance_value(&instance) else { break };
        let index: String = instance.indices.iter().map(|(_, value)| format!("[{value}]")).collect();
        let columns: Vec<(String, Node)> = match value {
            // A triple is three columns.
            Value::Triple(nodes) => AXES.iter().map(|axis| format!("_{axis}")).zip(nodes).collect(),
            value => match scope.number(value, instance.body.span) {
                Some(node) => vec![(String::new(), node)],
                None => break,
            },
        };
        for (axis, node) in columns {
            let label = said.label.as_ref().map(|label| match axis.strip_prefix('_') {
                Some(axis) => format!("{label}, {axis}"),
                None => label.clone(),
            });
            let said = Said { label, ..said.clone() };
            outputs.add(format!("{}{axis}{index}", entry.key), node, body.span, &said, checked, scope);
        }
    }
}

/// Constraints by number, those of velocities after the others.
fn constraints(document: &Document, entry: &Entry, lists: &Lists, scope: &mut Scope) -> Option<Vec<usize>> {
    let names = [lists.names_holonomic(), lists.names_nonholonomic()].concat();
    let mut wanted = Vec::new();
    match entry.value {
        DeValue::Array(array) => {
            for value in array.iter() {
                let span = Span::from(value.span());
                wanted.push(Entry { value: value.get_ref(), span, ..*entry });
            }
        }
        _ => wanted.push(*entry),
    }
    let mut found = Vec::new();
    for entry in &wanted {
        let name = document.words(entry, scope.mistakes)?;
        let which: Vec<usize> = (0..names.len()).filter(|i| names[*i] == name).collect();
        if which.is_empty() {
            scope.mistakes.unknown_of(entry.span, "constraint", &name, &names);
            return None;
        }
        found.extend(which);
    }
    Some(found)
}

/// Velocities by number, from a list of coordinates, or of velocities where these have names of their own.
fn directions(document: &Document, entry: &Entry, variables: &Variables, scope: &mut Scope) -> Option<Vec<usize>> {
    let layout = variables.layout;
    let mut found = Vec::new();
    for (named, span) in named(document, entry, variables, scope)? {
        let refused = match named {
            Named::Coordinate(column) if !variables.general => {
                found.push(column);
                continue;
            }
            Named::Velocity(column) if variables.general => {
                found.push(column);
                continue;
            }
            Named::Coordinate(column) => variables.direction(column),
            Named::Velocity(column) => variables.name(layout.v().start + column),
            Named::Other(input) => variables.name(input),
        };
        let kind = if variables.general { "velocities" } else { "coordinates" };
        scope.mistakes.add(span, format!("a reaction cannot be taken at `{refused}`"), Some(format!("name {kind}")));
        return None;
    }
    if found.is_empty() {
        scope.mistakes.add(entry.span, "the reaction has no place".to_owned(), None);
        return None;
    }
    Some(found)
}

/// What the constraints exert along the velocities.
fn forces(which: &[usize], at: &[usize], variables: &Variables, parts: &Parts, scope: &mut Scope) -> Vec<Node> {
    let layout = variables.layout;
    let graph = &mut scope.graph;
    let mut derivatives = Derivatives::default();
    let zero = graph.constant(0.0);
    let mut found = vec![zero; at.len()];
    if let Some(reaction) = &parts.reaction {
        for (k, j) in at.iter().enumerate() {
            for (input, slope) in derivatives.gradient(graph, reaction[*j], layout.lambda().start..layout.psi().end) {
                if which.contains(&(input - layout.lambda().start)) {
                    let multiplier = graph.input(input);
                    let part = graph.mul(multiplier, slope);
                    found[k] = graph.add(found[k], part);
                }
            }
        }
        return found;
    }
    for &i in which {
        let multiplier = graph.input(layout.lambda().start + i);
        let (node, by_velocity) = match i.checked_sub(layout.lambda) {
            Some(i) => (parts.nonholonomic[i], true),
            None => match &parts.rate {
                // g' = g_t + g_q U, whose derivatives by v are those of the reaction.
                Some(rate) => {
                    let one = graph.constant(1.0);
                    let along = |input| match input {
                        Layout::T => Some(one),
                        input if layout.q().contains(&input) => Some(rate[input - layout.q().start]),
                        _ => None,
                    };
                    let velocity = derivatives.along(graph, &[parts.holonomic[i]], along);
                    (velocity[0], true)
                }
                None => (parts.holonomic[i], false),
            },
        };
        let columns = match by_velocity {
            true => {
                let found = derivatives.gradient(graph, node, layout.v());
                found.into_iter().map(|(input, slope)| (input - layout.v().start, slope)).collect()
            }
            false => derivatives.by_motion(graph, node, layout),
        };
        for (column, slope) in columns {
            if let Some(k) = at.iter().position(|j| *j == column) {
                let part = graph.mul(multiplier, slope);
                found[k] = graph.sub(found[k], part);
            }
        }
    }
    found
}

/// Columns of a reaction: along each direction, and its magnitude where there are several.
#[allow(clippy::too_many_arguments)]
fn exert(
    entry: &Entry,
    forces: &[Node],
    at: &[usize],
    variables: &Variables,
    said: &Said,
    outputs: &mut Outputs,
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) {
    if let [force] = forces {
        return outputs.add(entry.key.to_owned(), *force, entry.span, said, checked, scope);
    }
    let mut sum = scope.graph.constant(0.0);
    for (force, j) in forces.iter().zip(at) {
        let name = match variables.general {
            true => variables.name(variables.layout.v().start + j),
            false => variables.direction(*j).replace(" about ", "_"),
        };
        let label = said.label.as_ref().map(|label| format!("{label}, {name}"));
        let said = Said { label, ..said.clone() };
        outputs.add(format!("{}_{name}", entry.key), *force, entry.span, &said, checked, scope);
        let square = scope.graph.mul(*force, *force);
        sum = scope.graph.add(sum, square);
    }
    let magnitude = scope.graph.call(Function::Sqrt, sum);
    outputs.add(entry.key.to_owned(), magnitude, entry.span, said, checked, scope);
}
