//! What was understood of a file, as formulas: the equations of motion, the constraints and what is made of them.
//!
//! ```text
//! M a = f + r       one row for each velocity; r = -G^T lambda - K^T psi, or that of the file
//! g = 0             g' = G v + g_t = 0,    g'' = G a + bias = 0
//! k = 0             k' = K a + bias = 0
//! ```
//!
//! Parameters are the numbers that they have become. The formulas can be read back: written into a file, with
//! [`named`](Explanation::named) as definitions, they give the same values.

use std::collections::HashMap;

use toml::de::DeValue;

use crate::document::{Document, Entry};
use crate::graph::{Node, Printer};
use crate::model::Names;
use crate::scope::Scope;
use crate::system::{Builder, Parts};
use crate::tape::Layout;
use crate::text::Collector;

/// The equations of a model as formulas.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Definitions as the file has them: name and formulas.
    pub definitions: Vec<(String, Vec<String>)>,
    /// What formulas below have names for, in an order in which each is made of those before it.
    pub named: Vec<(String, String)>,
    /// Rows of the equations of motion, the first ones of a large model.
    pub rows: Vec<Row>,
    /// Rates of the variables of first order that have one, by name; the first ones of a large model.
    pub states: Vec<(String, String)>,
    /// Rates of the coordinates, where they are not the velocities.
    pub rates: Vec<String>,
    /// Holonomic constraints, the first ones of a large model.
    pub holonomic: Vec<Constraint>,
    /// Nonholonomic ones.
    pub nonholonomic: Vec<Constraint>,
    /// Events, in the order of the model's.
    pub events: Vec<Happening>,
}

/// An event as it is written.
#[derive(Clone, Debug, Default)]
pub struct Happening {
    /// What passes through zero; empty where times are given.
    pub formula: String,
    /// Variables that are set, with their formulas.
    pub sets: Vec<(String, String)>,
}

/// One of the equations of motion.
#[derive(Clone, Debug)]
pub struct Row {
    /// Entries of the mass matrix by column.
    pub mass: Vec<(usize, String)>,
    /// The force.
    pub force: String,
    /// The reaction of the constraints.
    pub reaction: String,
    /// M a
    pub left: String,
    /// f + r
    pub right: String,
}

/// A constraint with its rates.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// What is zero.
    pub formula: String,
    /// Its rate, for a holonomic one.
    pub rate: Option<String>,
    /// The row that accelerations meet.
    pub acceleration: String,
}

/// The formulas of a model, at most so many rows of each kind.
pub(crate) fn explain(
    most: usize,
    document: &Document,
    scope: &mut Scope,
    layout: Layout,
    parts: &Parts,
    names: &Names,
) -> Explanation {
    let known: HashMap<Node, String> = scope.definition_nodes().into_iter().rev().collect();
    let mut b = Builder::new(&mut scope.graph, layout);
    let rate = parts.rate.as_deref();
    let velocity = b.rate(&parts.holonomic, rate);
    let reaction = match &parts.reaction {
        Some(reaction) => reaction.clone(),
        None => b.standard_reaction(parts, &velocity),
    };
    let inertia = b.inertia(&parts.mass);
    let mut second = |rows: &[Node]| {
        let entries = b.jacobian(rows, layout.v());
        let bias = b.rate(rows, rate);
        let mut sums = vec![b.graph.constant(0.0); rows.len()];
        for (i, j, node) in entries {
            let a = b.graph.input(layout.a().start + j);
            let part = b.graph.mul(node, a);
            sums[i] = b.graph.add(sums[i], part);
        }
        sums.into_iter().zip(bias).map(|(sum, bias)| b.graph.add(sum, bias)).collect::<Vec<Node>>()
    };
    let count = |all: usize| all.min(most);
    let bodies = layout.bodies().len();
    let (v, lambda, psi) = (count(bodies), count(layout.lambda), count(layout.psi));
    let moving = count(layout.states - parts.still);
    let states = &parts.force[bodies..bodies + moving];
    let holonomic = second(&velocity[..lambda]);
    let nonholonomic = second(&parts.nonholonomic[..psi]);
    let right: Vec<Node> = (0..v).map(|i| b.graph.add(parts.force[i], reaction[i])).collect();
    let shown: Vec<Node> = [
        &inertia[..v],
        &right,
        &parts.holonomic[..lambda],
        &velocity[..lambda],
        &holonomic,
        &parts.nonholonomic[..psi],
        &nonholonomic,
        rate.map_or(&[][..], |rate| &rate[..count(names.q.len())]),
        states,
    ]
    .concat();
    // Of variables of first order formulas know the values only; what stands beside them has a place, and no name.
    let nothing = vec![String::new(); layout.states];
    let inputs = [&names.q, &nothing, &names.v, &names.states, &names.a, &nothing, &names.lambda, &names.psi]
        .into_iter()
        .flatten();
    let inputs = std::iter::once("t".to_owned()).chain(inputs.cloned()).collect();
    let printer = Printer::new(&scope.graph, inputs, &shown, &known, |name| scope.is_unknown(name));
    let written = |node: &Node| printer.text(*node);
    let mut rows: Vec<Row> = (0..v)
        .map(|i| Row {
            mass: Vec::new(),
            force: written(&parts.force[i]),
            reaction: written(&reaction[i]),
            left: written(&inertia[i]),
            right: written(&right[i]),
        })
        .collect();
    for (i, j, node) in &parts.mass {
        if let Some(row) = rows.get_mut(*i) {
            row.mass.push((*j, written(node)));
        }
    }
    let constraint = |formula: &Node, rate: Option<&Node>, acceleration: &Node| Constraint {
        formula: written(formula),
        rate: rate.map(written),
        acceleration: written(acceleration),
    };
    Explanation {
        definitions: definitions(document),
        named: printer.named(),
        rows,
        states: names.states.iter().cloned().zip(states.iter().map(written)).collect(),
        rates: rate.map_or(Vec::new(), |rate| rate.iter().take(count(names.q.len())).map(written).collect()),
        holonomic: (0..lambda).map(|i| constraint(&parts.holonomic[i], Some(&velocity[i]), &holonomic[i])).collect(),
        nonholonomic: (0..psi).map(|i| constraint(&parts.nonholonomic[i], None, &nonholonomic[i])).collect(),
        events: document.repeated("events").map(|entries| happening(document, entries)).collect(),
    }
}

fn happening(document: &Document, entries: &[Entry]) -> Happening {
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    let sets = find("set").and_then(|entry| entry.value.as_table());
    Happening {
        formula: find("formula")
            .and_then(|entry| document.text_of(entry, &mut Collector::default()))
            .unwrap_or_default(),
        sets: sets.map_or(Vec::new(), |sets| {
            sets.iter().map(|(name, value)| (name.get_ref().to_string(), text(value.get_ref()))).collect()
        }),
    }
}

/// A formula as it is written.
fn text(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => String::new(),
    }
}

/// The formulas of the definitions as they are written.
fn definitions(document: &Document) -> Vec<(String, Vec<String>)> {
    let formulas = |value: &DeValue| match value {
        DeValue::Array(array) => array.iter().map(|value| text(value.get_ref())).collect(),
        value => vec![text(value)],
    };
    let entries = document.section("definitions").iter();
    entries.map(|entry| (entry.key.to_owned(), formulas(entry.value))).collect()
}
