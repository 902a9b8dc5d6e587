//! A model file to a model: sections in their order of need, every mistake collected on the way.

mod assignments;
mod columns;
mod equations;
mod evaluation;
mod events;
mod exact;
mod functions;
mod include;
mod initial;
mod mechanism;
mod outputs;
mod parameters_of_euler;
mod program;
mod random;
mod results;
mod run;
mod scenarios;
mod start;
mod states;
mod tables;
mod timed;
mod tolerances;
mod variables;
mod view;

use std::collections::HashSet;
use std::sync::Arc;

use alembert::{ConstrainedSystem, Guess, SolverChoice};
use alembert_mechanism::{Closed, Mechanism};
use toml::de::DeTable;

use crate::document::Document;
use crate::formula::{self, Place};
use crate::graph::Node;
use crate::measure::Measure;
use crate::model::{Input, Model, Names, Program};
use crate::ranges::Ranges;
use crate::scope::Scope;
use crate::sharp::Profile;
use crate::source::Source;
use crate::start::Find;
use crate::syntax;
use crate::system::{Labels, Parts, System};
use crate::tape::{Arguments, Layout, Tape};
use crate::text::{Collector, Mistakes, Span};
use crate::view::View;
use mechanism::built::Built;
use states::Role;
use variables::Variables;

/// The largest number of velocities and multipliers.
const MOST_UNKNOWNS: usize = 600_000;
/// The largest number of them where matrices are dense: a start takes two minutes and 1.5 GB, and the time grows with the cube.
const MOST_DENSE: usize = 3000;
/// Longest file, in bytes.
const LONGEST: usize = 4_000_000;

/// A mechanism that has been assembled, and how.
type Assembled = (Arc<Mechanism>, Closed);

/// A formula with its place, for checks of its value at the start.
pub(crate) struct Checked {
    /// What messages call it.
    pub what: String,
    pub span: Span,
    pub node: Node,
}

pub(crate) fn compile(
    name: &str,
    text: &str,
    settings: &[(String, String)],
    source: &dyn Source,
    program: &Program,
) -> Result<Model, Mistakes> {
    compile_and_look(name, text, settings, (source, program), |_, _, _, _, _| ())
}

/// The same with a look at the equations before they become tapes.
pub(crate) fn compile_and_look(
    name: &str,
    text: &str,
    settings: &[(String, String)],
    from: (&dyn Source, &Program),
    look: impl FnOnce(&Document, &mut Scope, Layout, &Parts, &Names),
) -> Result<Model, Mistakes> {
    let mut mistakes = Collector::default();
    let model = model(text, settings, from, &mut mistakes, look, None);
    match model {
        Some(model) if mistakes.is_empty() => Ok(model),
        _ => {
            if mistakes.is_empty() {
                mistakes.add(None, "the model cannot be used".to_owned(), None);
            }
            Err(mistakes.into_mistakes(name, text))
        }
    }
}

fn model(
    text: &str,
    settings: &[(String, String)],
    (source, program): (&dyn Source, &Program),
    mistakes: &mut Collector,
    look: impl FnOnce(&Document, &mut Scope, Layout, &Parts, &Names),
    assembled: Option<Assembled>,
) -> Option<Model> {
    if text.len() > LONGEST {
        mistakes.add(None, format!("the file is longer than {LONGEST} bytes"), None);
        return None;
    }
    let given = settings;
    let text = &*syntax::without_broken_entries(text, mistakes);
    let root = DeTable::parse(text).map_err(|error| syntax::tell(&error, 0, None, mistakes)).ok()?;
    let mut document = Document::read(text, root.get_ref(), mistakes);
    let (scenario, settings) = scenarios::choose(&mut document, settings, mistakes);
    check_format(&document, mistakes);
    let mut scope = Scope::new(mistakes);
    functions::read(&document, &mut scope);
    define(&document, &mut scope, "parameters", true);
    include::read(&document, source, &mut scope);
    let settings = random::define(&document, &settings, &mut scope);
    apply_settings(&settings, &mut scope);
    let files = tables::read(&document, source, &mut scope);
    let drawing = mechanism::read(&document, &mut scope);
    let drawn = drawing.is_some();
    let through = drawing.as_ref().is_some_and(|drawing| drawing.through);
    let drawing = drawing.filter(|_| scope.mistakes.is_empty());
    let mut built = drawing.and_then(|drawing| Built::new(drawing, text, assembled.as_ref(), &mut scope));
    if drawn && built.is_none() {
        // Names of bodies and joints would be unknown in all formulas.
        return None;
    }
    let lists = equations::Lists::read(&document, &mut scope);
    let variables = Variables::read(&document, &lists, &mut scope)?;
    define(&document, &mut scope, "definitions", false);
    let rates = equations::rates(&document, &variables, &mut scope);
    scope.set_in_motion(variables.layout, rates, variables.states.formulas());
    if let Some(built) = &built {
        built.declare(&mut scope);
    }
    scope.work_out_all();
    let layout = variables.layout;
    let unknowns = layout.v + layout.lambda + layout.psi;
    if layout.q.max(unknowns) > MOST_UNKNOWNS {
        let message = format!("the model has {unknowns} velocities and multipliers, more than {MOST_UNKNOWNS}");
        scope.mistakes.add(None, message, Some("use fewer or smaller repetitions".to_owned()));
        return None;
    }
    let mut checked = Vec::new();
    let laws = built.as_ref().map(|built| built.laws.as_slice()).unwrap_or_default();
    let mut parts = lists.parts(&document, &variables, &mut scope, &mut checked, laws);
    let t_start = run::time(&document, &mut scope, "t_start").unwrap_or(0.0);
    let driven = built.as_ref().map(|built| built.bind(layout, &mut scope)).unwrap_or_default();
    let closed = match assembled {
        Some((_, closed)) => Some(closed),
        None => {
            let ready = built.as_ref().filter(|_| scope.mistakes.is_empty());
            let closed = ready.and_then(|built| built.close(t_start, &mut scope));
            let dims = scope.mechanism.as_ref().map(|mechanism| mechanism.system().description().dims);
            if let (Some(closed), Some(mechanism), true) = (&closed, scope.mechanism(), dims != Some(variables.beneath))
            {
                // A misfit was absorbed: joints have fewer rows than those that everything was laid out for.
                let assembled = (mechanism, closed.clone());
                drop(scope);
                return model(text, given, (source, program), mistakes, look, Some(assembled));
            }
            closed
        }
    };
    if let Some(parts) = &mut parts {
        parts.take_mechanism(scope.mechanism(), driven);
    }
    let drawn = built.as_ref().and_then(|built| built.guess(&scope));
    let (guess, given) = initial::guess(&document, &variables, (t_start, drawn), &mut scope);
    let start = start::read(&document, &variables, (&guess, &given), &mut scope);
    let exact = exact::read(&document, &variables, &mut scope);
    let mut outputs = outputs::read(&document, (&variables, &lists, parts.as_ref()), &mut scope, &mut checked);
    let run = run::read(&document, &variables, t_start, &mut scope);
    let t_end = run.as_ref().map_or(f64::INFINITY, |run| run.t_end);
    let events = events::read(&document, &variables, (t_start, t_end, program), &mut scope, &mut checked);
    let mut names = variables.names(&lists);
    if let Some(outputs) = &outputs {
        (names.outputs, names.said) = (outputs.names.clone(), outputs.said.clone());
        // In results a name of an output means the output, or is refused.
        for (name, node) in outputs.names.iter().zip(&outputs.nodes) {
            if !scope.offer(name, *node) {
                scope.ambiguous.insert(name.clone());
            }
        }
    }
    if let Some(built) = &built {
        let columns = mechanism::results::columns(built, &names.columns(), &mut scope);
        names.outputs.extend(columns.iter().map(|column| column.name.clone()));
        names.said.extend(columns.iter().map(mechanism::results::Column::said));
        checked.extend(columns.iter().map(mechanism::results::Column::checked));
        let nodes = columns.iter().map(|column| column.node);
        if let Some(outputs) = &mut outputs {
            outputs.nodes.extend(nodes);
        }
    }
    let find = start::conditions(&document, &mut scope, &mut checked);
    let happenings: Vec<String> = events.iter().map(|event| event.name.clone()).collect();
    let results = results::read(&document, (&names, &happenings), &mut scope, &mut checked);
    let shown = columns::read(&document, &names, &mut scope).or_else(|| {
        // Multipliers of joints are reactions in other words.
        let hidden = [&names.lambda[..variables.beneath.lambda], &names.psi[..variables.beneath.psi]];
        let hidden: HashSet<&String> = hidden.into_iter().flatten().collect();
        let shown = || names.columns().into_iter().filter(|column| !hidden.contains(column)).collect();
        (!hidden.is_empty()).then(shown)
    });
    let subject = view::Subject {
        built: built.as_mut(),
        variables: &variables,
        parts: parts.as_ref(),
        names: &names,
        guess: &guess,
    };
    let seen = view::read(&document, subject, &mut scope, &mut checked);
    scope.check_unused_functions();
    if !scope.mistakes.is_empty() {
        return None;
    }
    let mut parts = parts?;
    let given_system = program::system(&document, program, layout, &mut scope).ok()?;
    if given_system.is_some() {
        // A program fills whole matrices; patterns of the formulas that stand for its functions say nothing.
        parts.solver = SolverChoice::Dense;
    }
    let (start, run, outputs) = (start?, run?, outputs?);
    look(&document, &mut scope, layout, &parts, &names);
    let labels = Labels {
        coordinates: variables.labels(false),
        directions: variables.labels(true),
        velocities: names.v.iter().chain(&names.states).cloned().collect(),
        holonomic: names.holonomic.clone(),
        nonholonomic: names.nonholonomic.clone(),
    };
    let inputs = (0..layout.states).filter(|slot| variables.states.role(*slot) == Role::Input);
    let bodies = layout.bodies().len();
    let inputs = inputs.map(|k| Input { name: names.states[k].clone(), velocity: bodies + k }).collect();
    let notes = parameters_of_euler::notes(&parts, layout, &names, &mut scope);
    let profile = Profile::new(&mut scope.graph, layout, &parts, &labels, &mut scope.marks);
    // Before branches are held, which look tables up elsewhere.
    let ranges = Ranges::new(&scope.graph, layout, &mut scope.marks);
    let mut system = System::new(&mut scope.graph, layout, &parts, labels, run.smooth);
    if let Some(given) = given_system {
        if system.description().patterns.is_some() {
            let message = "bodies and joints do not go together with equations of a program".to_owned();
            scope.mistakes.add(None, message, Some("write these equations as formulas".to_owned()));
            return None;
        }
        system = system.overlaid(given.into(), program.quantities);
    }
    if layout.q.max(unknowns) > MOST_DENSE && system.description().patterns.is_none() && !scope.graph.is_overflown() {
        let message =
            format!("the model has {unknowns} velocities and multipliers, more than {MOST_DENSE} with dense matrices");
        scope.mistakes.add(
            None,
            message,
            Some(
                "its matrices are dense, which takes long beyond that: `solver` and `velocities` decide about it"
                    .to_owned(),
            ),
        );
        return None;
    }
    let exact = exact.map(|exact| exact::finish(exact, &guess, layout, parts.rate.is_some(), &mut scope));
    let Scope { graph, marks, mistakes, .. } = &mut scope;
    let placed = |nodes: &[(usize, Node)], marks: &mut _| Tape::new(graph, layout, nodes, marks);
    let tape = |nodes: &[Node], marks: &mut _| {
        placed(&nodes.iter().copied().enumerate().collect::<Vec<(usize, Node)>>(), marks)
    };
    let outputs = tape(&outputs.nodes, marks);
    let results = results.into_iter().map(|draft| {
        let results::Draft { name, made, from, to, unit, label, node } = draft;
        Measure { name, made, from, to, unit, label, tape: tape(&[node], marks) }
    });
    let results: Vec<Measure> = results.collect();
    let find = find.into_iter().map(|start::Condition { parameter, text, node }| {
        let tape = tape(&[node], marks);
        Find { parameter, text, tape }
    });
    let find: Vec<Find> = find.collect();
    let events = events.into_iter().map(|event| event.finish(&mut |nodes| placed(nodes, marks))).collect();
    let view = seen.map(|draft| View { tape: tape(&draft.channels, marks), scene: draft.scene });
    let nodes: Vec<Node> = checked.iter().map(|checked| checked.node).collect();
    let derived: Vec<Node> = parts.mass.iter().map(|(_, _, node)| *node).chain(parts.force.iter().copied()).collect();
    let tapes = [tape(&nodes, marks), tape(&derived, marks)];
    check_start(&checked, &tapes, &guess, &ranges, mistakes);
    if graph.is_overflown() {
        let hint = "use fewer or smaller repetitions".to_owned();
        mistakes.add(None, "the model is too large".to_owned(), Some(hint));
    }
    if !mistakes.is_empty() {
        return None;
    }
    let words = |key| document.find("", key).and_then(|entry| document.text_of(&entry, &mut Collector::default()));
    let mut model = Model {
        name: words("name").unwrap_or_else(|| "unnamed model".to_owned()),
        description: words("description").unwrap_or_default(),
        parameters: scope.parameter_values(),
        scenario,
        system: Arc::new(system),
        guess,
        start,
        find,
        found: Vec::new(),
        run,
        names,
        shown: None,
        mask: None,
        events,
        inputs,
        results,
        notes,
        profile,
        outputs,
        exact,
        files,
        ranges,
        through,
        closed,
        view,
    };
    model.show(shown);
    Some(model)
}

fn check_format(document: &Document, mistakes: &mut Collector) {
    if let Some(entry) = document.find("", "name") {
        document.words(&entry, mistakes);
    }
    if let Some(entry) = document.find("", "description") {
        document.text_of(&entry, mistakes);
    }
    let hint = || Some("write format = 1 at the top".to_owned());
    match document.find("", "format") {
        None => mistakes.add(None, "the file does not say its format".to_owned(), hint()),
        Some(entry) if entry.value.as_integer().is_some_and(|number| number.as_str() == "1") => {}
        Some(entry) => mistakes.add(entry.span, "this program reads format 1 only".to_owned(), hint()),
    }
}

/// Parameters or definitions.
fn define(document: &Document, scope: &mut Scope, section: &str, constant: bool) {
    for entry in document.section(section) {
        if !document.named(entry, scope.mistakes) {
            continue;
        }
        if constant && entry.value.is_table() {
            // Random: defined when the others are.
            continue;
        }
        if entry.value.is_array() {
            if let Some(items) = document.items(entry, scope.mistakes) {
                let formulas: Vec<_> = items.into_iter().map(|item| (item.formula, item.span)).collect();
                scope.define(entry.key, entry.key_span, &formulas, true, constant);
            }
        } else if let Some(formula) = document.formula(entry.value, entry.span, scope.mistakes) {
            scope.define(entry.key, entry.key_span, &[(formula, entry.span)], false, constant);
        }
    }
}

/// Overrides parameters; these mistakes are not in the file.
fn apply_settings(settings: &[(String, String)], scope: &mut Scope) {
    for (name, value) in settings {
        let place = Place { base: None, whole: Span { start: 0, end: 0 } };
        let mut quiet = Collector::default();
        let number =
            formula::parse(value, place).ok().filter(|formula| formula.clauses.is_empty()).and_then(|formula| {
                let mut alone = Scope::new(&mut quiet);
                let node = alone.node(&formula.body, &mut Vec::new())?;
                alone.graph.value(node).filter(|x| x.is_finite())
            });
        let Some(number) = number else {
            scope.mistakes.add(None, format!("cannot set {name} to `{value}`: it is not a number"), None);
            continue;
        };
        let (stem, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((stem, written)) => match written.trim().parse() {
                Ok(index) => (stem.trim(), Some(index)),
                Err(_) => {
                    let hint = format!("write {}[1] for the first entry, or {} for all", stem.trim(), stem.trim());
                    let message = format!("cannot set `{name}`: an index is a whole number, not `{written}`");
                    scope.mistakes.add(None, message, Some(hint));
                    continue;
                }
            },
            None => (name.as_str(), None),
        };
        if !scope.set(stem, index, number) {
            let known = scope.parameters();
            let near = crate::nearest::nearest(stem, known.iter().copied());
            let hint = match (near, known.is_empty()) {
                (Some(near), _) => Some(format!("did you mean `{near}`?")),
                (None, true) => Some("the file has no parameters".to_owned()),
                (None, false) => Some(format!("the parameters are {}", known.join(", "))),
            };
            scope.mistakes.add(None, format!("there is no parameter `{name}` to set"), hint);
        }
    }
}

/// Every formula must have a value at the start, and so must the mass matrix and the forces.
fn check_start(
    checked: &[Checked],
    [formulas, derived]: &[Tape; 2],
    guess: &Guess,
    ranges: &Ranges,
    mistakes: &mut Collector,
) {
    let a = vec![0.0; guess.v.len()];
    let Guess { t, q, v, lambda, psi } = guess;
    let start = Arguments { t: *t, q, v, a: &a, lambda, psi, held: &[] };
    let mut values = vec![0.0; checked.len()];
    formulas.run_once(start, &mut values);
    let mut good = true;
    for (checked, value) in checked.iter().zip(&values).filter(|(_, value)| !value.is_finite()) {
        good = false;
        let table = ranges.left(start).map(|words| format!("{words}; "));
        let hint = Some(format!("{}start where every formula has a value", table.unwrap_or_default()));
        mistakes.add(checked.span, format!("{} is {value} at the start", checked.what), hint);
    }
    // Formulas may be finite where their derivatives are not, as sqrt(x) at 0.
    let mut values = vec![0.0; derived.outputs()];
    derived.run_once(start, &mut values);
    if good && values.iter().any(|x| !x.is_finite()) {
        let hint = Some("start where energies can be differentiated".to_owned());
        mistakes.add(None, "the equations of motion have no value at the start".to_owned(), hint);
    }
}
