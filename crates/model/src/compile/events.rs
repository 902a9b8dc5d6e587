//! The `[[events]]` sections.

use alembert::Direction;

use super::assignments::assignments;
use super::states::Role;
use super::variables::Variables;
use super::{Checked, program, run, timed};
use crate::clock::Clock;
use crate::document::{Document, Entry, entries};
use crate::format::{ACTIONS, DIRECTIONS};
use crate::graph::{Derivatives, Node};
use crate::model::{Action, Assignment, Event, Given, Program};
use crate::scope::{Scope, Value};
use crate::tape::{Layout, Tape};

/// An event whose formulas are still nodes.
pub(crate) struct Draft {
    pub name: String,
    direction: Direction,
    jumps: bool,
    clock: Option<Clock>,
    most: Option<u64>,
    value: Node,
    /// Its derivatives by t, along the velocities (by q under a general rate) and by v, with their places.
    gradient: Vec<(usize, Node)>,
    /// How many those are.
    arguments: usize,
    action: DraftAction,
    given: Option<Given>,
}

enum DraftAction {
    Stop,
    Continue,
    Bounce(f64),
    Set(Vec<(usize, Node)>),
}

impl Draft {
    /// The event with its tapes, which write nodes to the entries given.
    pub fn finish(self, tape: &mut impl FnMut(&[(usize, Node)]) -> Tape) -> Event {
        let action = match self.action {
            DraftAction::Stop => Action::Stop,
            DraftAction::Continue => Action::Continue,
            DraftAction::Bounce(restitution) => Action::Bounce { restitution },
            DraftAction::Set(values) => {
                let (velocities, nodes): (Vec<usize>, Vec<Node>) = values.into_iter().unzip();
                let nodes: Vec<(usize, Node)> = nodes.into_iter().enumerate().collect();
                Action::Set(Box::new(Assignment { velocities, tape: tape(&nodes) }))
            }
        };
        let (value, gradient) = (tape(&[(0, self.value)]), tape(&self.gradient));
        let Draft { name, direction, jumps, clock, most, given, .. } = self;
        Event { name, direction, jumps, clock, most, action, given, value, gradient, arguments: self.arguments }
    }
}

pub(crate) fn read(
    document: &Document,
    variables: &Variables,
    (from, to, program): (f64, f64, &Program),
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Vec<Draft> {
    let mut found = Vec::new();
    for (i, section) in document.repeated("events").enumerate() {
        found.extend(event(document, section, (i, (from, to), program), variables, scope, checked));
    }
    found
}

fn event(
    document: &Document,
    section: &[Entry],
    (i, times, program): (usize, (f64, f64), &Program),
    variables: &Variables,
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Option<Draft> {
    let find = |key: &str| section.iter().find(|entry| entry.key == key);
    let name = find("name").and_then(|entry| document.words(entry, scope.mistakes));
    let name = name.unwrap_or_else(|| format!("event {}", i + 1));
    let direction = match find("direction").and_then(|entry| document.choice(entry, DIRECTIONS, scope.mistakes)) {
        Some("rising") => Direction::Rising,
        Some("falling") => Direction::Falling,
        _ => Direction::Any,
    };
    let clock = timed::clock(document, section, times, scope).ok()?;
    let most = timed::most(document, section, scope);
    let given = program.event(&name);
    let value = match find("formula") {
        None if given.is_some() && find("program").is_some() => Some(scope.graph.constant(0.0)),
        None if find("program").is_some() => {
            let entry = find("program")?;
            program::missing(document, entry, &format!("the function of `{name}` and others"), scope);
            None
        }
        _ if clock.is_some() => Some(scope.graph.constant(0.0)),
        Some(formula) => document.single(formula.value, formula.span, scope.mistakes).and_then(|parsed| {
            let value = match scope.value(&parsed.body, &mut Vec::new())? {
                Value::Condition(_) => {
                    let hint =
                        "an event is where a formula passes through zero: write a - b instead of a > b".to_owned();
                    scope.mistakes.add(formula.span, "an event is not a condition".to_owned(), Some(hint));
                    return None;
                }
                value => scope.number(value, formula.span)?,
            };
            checked.push(Checked { what: format!("the event `{name}`"), span: formula.span, node: value });
            Some(value)
        }),
        None => {
            let hint = "write formula = \"…\", or a time: at = \"0.5\", every = \"0.1\"".to_owned();
            let span = section.first().map(|entry| entry.key_span);
            scope.mistakes.add(span, format!("`{name}` has no formula"), Some(hint));
            None
        }
    };
    let action = match find("action").map(|entry| document.choice(entry, ACTIONS, scope.mistakes)) {
        Some(None) => return None,
        Some(Some("continue")) => DraftAction::Continue,
        Some(Some("bounce")) => {
            if let (Some(value), Some(formula)) = (value, find("formula")) {
                check_surface(value, formula, variables, scope);
            } else if let Some(at) = find("at").or_else(|| find("every")) {
                let hint = "it must have a formula".to_owned();
                scope.mistakes.add(at.key_span, "a time is no surface to bounce off".to_owned(), Some(hint));
            }
            DraftAction::Bounce(restitution(document, find("restitution"), scope))
        }
        Some(Some("set")) => DraftAction::Set(velocities(document, find("set"), &name, variables, scope)?),
        Some(Some(_)) | None => DraftAction::Stop,
    };
    let jumps = find("jumps").and_then(|entry| document.flag(entry, scope.mistakes)).unwrap_or(false);
    let value = value?;
    let (gradient, arguments) = slopes(value, variables, scope);
    let given = given.filter(|_| find("program").is_some());
    Some(Draft { name, direction, jumps, clock, most, value, gradient, arguments, action, given })
}

/// Derivatives by t, by the coordinates and by the velocities, with their places, and how many places there are.
fn slopes(value: Node, variables: &Variables, scope: &mut Scope) -> (Vec<(usize, Node)>, usize) {
    let layout = variables.layout;
    let (mut derivatives, graph) = (Derivatives::default(), &mut scope.graph);
    if variables.general {
        return (derivatives.gradient(graph, value, 0..layout.v().end), layout.v().end);
    }
    let mut found = derivatives.gradient(graph, value, Layout::T..Layout::T + 1);
    found.extend(derivatives.by_motion(graph, value, layout).into_iter().map(|(j, node)| (1 + j, node)));
    let by_velocity = derivatives.gradient(graph, value, layout.v());
    found.extend(by_velocity.into_iter().map(|(input, node)| (1 + layout.v + input - layout.v().start, node)));
    (found, 1 + 2 * layout.v)
}

/// A surface to bounce off must be a place: its normal is taken in the coordinates.
fn check_surface(value: Node, formula: &Entry, variables: &Variables, scope: &mut Scope) {
    let q = variables.layout.q();
    let inputs = scope.graph.inputs(value, &mut scope.marks);
    if let Some(other) = inputs.iter().find(|input| **input > 0 && !q.contains(input)) {
        let message = format!("a surface to bounce off must not depend on `{}`", variables.name(*other));
        scope.mistakes.add(formula.span, message, Some("it may contain t, coordinates and parameters".to_owned()));
    } else if !inputs.iter().any(|input| q.contains(input)) {
        let hint = "it must contain a coordinate".to_owned();
        scope.mistakes.add(formula.span, "this is no surface to bounce off".to_owned(), Some(hint));
    }
}

fn restitution(document: &Document, entry: Option<&Entry>, scope: &mut Scope) -> f64 {
    let Some(entry) = entry else { return 1.0 };
    let value = run::number(document, scope, entry).unwrap_or(1.0);
    if !(0.0..=1.0).contains(&value) {
        scope.mistakes.add(entry.span, format!("`restitution` must be in [0, 1], not {value}"), None);
    }
    value
}

fn velocities(
    document: &Document,
    entry: Option<&Entry>,
    name: &str,
    variables: &Variables,
    scope: &mut Scope,
) -> Option<Vec<(usize, Node)>> {
    let hint = || Some("write set = { \"x'\" = \"-x'\" }".to_owned());
    let Some(entry) = entry else {
        scope.mistakes.add(None, format!("the event `{name}` sets nothing"), hint());
        return None;
    };
    let Some(table) = entry.value.as_table() else {
        scope.mistakes.add(entry.span, "`set` must be a table".to_owned(), hint());
        return None;
    };
    let range = variables.layout.v();
    let mut found = Vec::new();
    for assigned in assignments(document, &entries(table), scope) {
        let slot = assigned.input.checked_sub(variables.layout.states().start);
        let is_input =
            slot.is_some_and(|slot| slot < variables.layout.states && variables.states.role(slot) == Role::Input);
        if range.contains(&assigned.input) && !is_input {
            found.push((assigned.input - range.start, assigned.node));
        } else {
            let message = format!("an event cannot set `{}`", variables.owner(assigned.input, &scope.graph));
            let hint = match is_input {
                true => "inputs are given from outside; what events change is declared under [discrete]",
                false if scope.graph.quaternion(assigned.input).is_some() => {
                    "it can set the angular velocity: write \"R.omega\""
                }
                false => "it can set velocities, states and discrete variables",
            };
            scope.mistakes.add(assigned.span, message, Some(hint.to_owned()));
        }
    }
    Some(found)
}
