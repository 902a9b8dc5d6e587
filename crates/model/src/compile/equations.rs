//! The `[equations]` section: lists of formulas, and the equations of motion they give.

mod energies;

use alembert::{Redundancy, SolverChoice};
use toml::de::DeValue;

use super::Checked;
use super::mechanism::{DrawnLaw, laws};
use super::variables::Variables;
use crate::document::{Document, Entry, Item};
use crate::format::{REDUNDANT, SOLVERS};
use crate::graph::Node;
use crate::scope::{Instance, Scope, Value};
use crate::system::Parts;
use crate::text::Span;

/// One formula of a list, for certain indices.
struct Row {
    instance: Instance,
    span: Span,
    name: String,
}

/// The lists of the section, with repetitions unrolled. A list that is missing or has a mistake is none.
#[derive(Default)]
pub(crate) struct Lists {
    holonomic: Option<Vec<Row>>,
    nonholonomic: Option<Vec<Row>>,
}

/// What a formula may depend on.
#[derive(Clone, Copy)]
struct Allowed {
    velocities: bool,
    states: bool,
    multipliers: bool,
}

const POSITION: Allowed = Allowed { velocities: false, states: false, multipliers: false };
const POTENTIAL: Allowed = Allowed { states: true, ..POSITION };
const KINETIC: Allowed = Allowed { velocities: true, ..POSITION };
const MOTION: Allowed = Allowed { states: true, ..KINETIC };
const REACTION: Allowed = Allowed { multipliers: true, ..MOTION };

fn rows(items: Vec<Item>, scope: &mut Scope, stem: &str) -> Vec<Row> {
    let mut found = Vec::new();
    for item in items {
        for instance in scope.instances(&item.formula) {
            let name = match &item.name {
                Some(name) => instance.indices.iter().fold(name.clone(), |name, (index, value)| {
                    name.replace(&format!("{{{index}}}"), &value.to_string())
                }),
                None => format!("{stem} {}", found.len() + 1),
            };
            found.push(Row { instance, span: item.span, name });
        }
    }
    found
}

fn list(document: &Document, scope: &mut Scope, key: &str) -> Option<Vec<Row>> {
    let entry = document.find("equations", key)?;
    let items = document.items(&entry, scope.mistakes)?;
    Some(rows(items, scope, key))
}

/// Formulas of the rates of coordinates, where they are not the velocities. Mistakes in them are told elsewhere.
pub(crate) fn rates(document: &Document, variables: &Variables, scope: &mut Scope) -> Option<Vec<Instance>> {
    if !variables.general {
        return None;
    }
    let rows = list(document, scope, "velocities").unwrap_or_default();
    Some(rows.into_iter().map(|row| row.instance).collect())
}

impl Lists {
    pub fn read(document: &Document, scope: &mut Scope) -> Lists {
        Lists { holonomic: list(document, scope, "holonomic"), nonholonomic: list(document, scope, "nonholonomic") }
            .without_missing(document)
    }

    /// A list that is not in the file is empty.
    fn without_missing(mut self, document: &Document) -> Lists {
        for (key, rows) in [("holonomic", &mut self.holonomic), ("nonholonomic", &mut self.nonholonomic)] {
            if document.find("equations", key).is_none() {
                *rows = Some(Vec::new());
            }
        }
        self
    }

    pub fn count_holonomic(&self) -> Option<usize> {
        self.holonomic.as_ref().map(Vec::len)
    }

    pub fn count_nonholonomic(&self) -> Option<usize> {
        self.nonholonomic.as_ref().map(Vec::len)
    }

    pub fn names_holonomic(&self) -> Vec<String> {
        self.holonomic.iter().flatten().map(|row| row.name.clone()).collect()
    }

    pub fn names_nonholonomic(&self) -> Vec<String> {
        self.nonholonomic.iter().flatten().map(|row| row.name.clone()).collect()
    }

    /// The equations.
    pub fn parts(
        &self,
        document: &Document,
        variables: &Variables,
        scope: &mut Scope,
        checked: &mut Vec<Checked>,
        laws: &[DrawnLaw],
    ) -> Option<Parts> {
        let loads = laws::loads(laws, variables, scope, checked);
        let forces = loads.as_ref().map(|loads| loads.forces.clone()).unwrap_or_default();
        let mut work = Work { document, variables, scope, checked, forces };
        let holonomic = work.nodes(self.holonomic.as_deref(), "constraint ", POSITION);
        let nonholonomic = work.nodes(self.nonholonomic.as_deref(), "constraint ", MOTION);
        let nonholonomic = nonholonomic.filter(|nodes| work.are_nonholonomic(self.nonholonomic.as_deref(), nodes));
        let layout = variables.layout;
        work.check_reaction();
        let reaction = work.list("reaction", layout.bodies().len(), "velocities", REACTION);
        let rate = work.list("velocities", layout.q - layout.states - variables.beneath.q, "coordinates", MOTION);
        work.check_kinematics();
        let redundancy = work.redundancy();
        let solver = work.solver();
        let indefinite = work.indefinite();
        let states = variables.states.rates(variables, work.scope, work.checked);
        let motion = work.motion(states.as_deref().unwrap_or_default());
        let (mut mass, mut force, energy) = motion?;
        // A row of the identity for each variable of first order.
        let graph = &mut work.scope.graph;
        let (zero, one) = (graph.constant(0.0), graph.constant(1.0));
        for (k, rate) in states?.into_iter().enumerate() {
            mass.push((layout.bodies().len() + k, layout.bodies().len() + k, one));
            force.push(rate);
        }
        let loads = loads?;
        let graph = &mut work.scope.graph;
        let mut reaction = reaction.ok()?;
        reaction.iter_mut().for_each(|rows| rows.resize(layout.v, zero));
        let mut rate = rate.ok()?;
        rate.iter_mut().for_each(|rows| rows.extend(layout.states().map(|input| graph.input(input))));
        Some(Parts {
            mass,
            force,
            reaction,
            holonomic: holonomic?,
            nonholonomic: nonholonomic?,
            rate,
            still: variables.states.still(),
            redundancy: redundancy?,
            solver: solver?,
            indefinite: indefinite?,
            energy,
            mechanism: None,
            added: loads.reactions,
            driven: Vec::new(),
        })
    }
}

struct Work<'w, 'd, 'c> {
    document: &'w Document<'d>,
    variables: &'w Variables,
    scope: &'w mut Scope<'c>,
    checked: &'w mut Vec<Checked>,
    /// Of the laws of a mechanism.
    forces: Vec<Node>,
}

/// Entries of the mass matrix, forces, and the energies if there are any.
type Motion = (Vec<(usize, usize, Node)>, Vec<Node>, Option<[Node; 5]>);
/// A mistake that was reported.
struct Reported;

impl<'d> Work<'_, 'd, '_> {
    fn entry(&self, key: &str) -> Option<Entry<'d>> {
        self.document.find("equations", key)
    }

    fn nodes(&mut self, rows: Option<&[Row]>, what: &str, allowed: Allowed) -> Option<Vec<Node>> {
        let nodes: Vec<Option<Node>> = rows?
            .iter()
            .map(|row| {
                let node = self.scope.instance(&row.instance)?;
                self.check(node, row.span, &format!("{what}`{}`", row.name), allowed).then_some(node)
            })
            .collect();
        nodes.into_iter().collect()
    }

    /// Whether every nonholonomic constraint depends on a velocity; those that do not are told.
    fn are_nonholonomic(&mut self, rows: Option<&[Row]>, nodes: &[Node]) -> bool {
        let (velocities, mut good) = (self.variables.layout.bodies(), true);
        for (row, node) in rows.into_iter().flatten().zip(nodes) {
            let inputs = self.scope.graph.inputs(*node, &mut self.scope.marks);
            if !inputs.into_iter().any(|input| velocities.contains(&input)) {
                let message = format!("constraint `{}` does not depend on velocities", row.name);
                self.scope.mistakes.add(row.span, message, Some("write it under holonomic".to_owned()));
                good = false;
            }
        }
        good
    }

    /// Whether a formula depends only on what it may; remembers it for the check of its value.
    fn check(&mut self, node: Node, span: Span, what: &str, allowed: Allowed) -> bool {
        let layout = self.variables.layout;
        let inputs = self.scope.graph.inputs(node, &mut self.scope.marks);
        let bad = inputs.into_iter().find(|input| {
            (layout.bodies().contains(input) && !allowed.velocities)
                || (layout.states().contains(input) && !allowed.states)
                || layout.a().contains(input)
                || (*input >= layout.lambda().start && !allowed.multipliers)
        });
        if let Some(bad) = bad {
            let hint = match (allowed.velocities, allowed.multipliers) {
                _ if layout.a().contains(&bad) && self.scope.has_rates_of_velocities() => {
                    "the rate of a velocity, by `der` or a second prime, is an acceleration; outputs and events may have them"
                }
                _ if layout.states().contains(&bad) => {
                    "states, discrete variables and inputs act through forces, potentials and nonholonomic constraints; what \
                     changes a mass or moves a constraint is t or a coordinate"
                }
                (false, _) => "it may contain t and coordinates",
                (true, false) => "it may contain t, coordinates and velocities",
                (true, true) => "it may contain t, coordinates, velocities and multipliers",
            };
            let message = format!("{what} must not depend on `{}`", self.variables.name(bad));
            self.scope.mistakes.add(span, message, Some(hint.to_owned()));
        }
        self.checked.push(Checked { what: what.to_owned(), span, node });
        bad.is_none()
    }

    fn count(&mut self, span: Span, key: &str, found: usize, expected: usize, of: &str) -> bool {
        if found != expected {
            let names: Vec<String> = (0..expected.min(8))
                .map(|i| {
                    let layout = self.variables.layout;
                    self.variables.name(if of == "coordinates" { layout.q().start } else { layout.v().start } + i)
                })
                .collect();
            let more = if expected > 8 { ", …" } else { "" };
            let hint = format!("the {of} are {}{more}", names.join(", "));
            let formulas = if found == 1 { "formula" } else { "formulas" };
            let message = format!("`{key}` has {found} {formulas} for {expected} {of}");
            self.scope.mistakes.add_count(span, message, Some(hint));
        }
        found == expected
    }

    /// A list with one formula for each of something; `Ok(None)` if it is not there.
    fn list(&mut self, key: &str, expected: usize, of: &str, allowed: Allowed) -> Result<Option<Vec<Node>>, Reported> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let rows = list(self.document, self.scope, key).ok_or(Reported)?;
        let nodes = self.spread(&rows, allowed);
        let found = nodes.as_ref().map_or(rows.len(), Vec::len);
        if (nodes.is_some() || self.scope.graph.turns.is_empty()) && !self.count(entry.span, key, found, expected, of) {
            return Err(Reported);
        }
        nodes.map(Some).ok_or(Reported)
    }

    /// The nodes of a list. Where there are rotations, a triple stands for three entries: a moment, say.
    fn spread(&mut self, rows: &[Row], allowed: Allowed) -> Option<Vec<Node>> {
        if self.scope.graph.turns.is_empty() {
            return self.nodes(Some(rows), "", allowed);
        }
        let mut good = true;
        let mut found = Vec::new();
        for row in rows {
            let nodes = match self.scope.instance_value(&row.instance) {
                Some(Value::Triple(nodes)) => nodes.to_vec(),
                Some(value) => self.scope.number(value, row.instance.body.span).into_iter().collect(),
                None => Vec::new(),
            };
            good &= !nodes.is_empty();
            for node in nodes {
                good &= self.check(node, row.span, &format!("`{}`", row.name), allowed);
                found.push(node);
            }
        }
        good.then_some(found)
    }

    fn redundancy(&mut self) -> Option<Redundancy> {
        let Some(entry) = self.entry("redundant") else { return Some(Redundancy::Refused) };
        if self.document.choice(&entry, REDUNDANT, self.scope.mistakes)? != "least squares" {
            return Some(Redundancy::Refused);
        }
        if self.entry("reaction").is_none() {
            return Some(Redundancy::LeastSquares);
        }
        let message = "least squares are not for multipliers that act through `reaction`".to_owned();
        let hint = "leave out `reaction`, so that they act as -G^T lambda - K^T psi, or `redundant`".to_owned();
        self.scope.mistakes.add(entry.span, message, Some(hint));
        None
    }

    /// Whether negative masses are meant.
    fn indefinite(&mut self) -> Option<bool> {
        let Some(entry) = self.entry("indefinite_mass") else { return Some(false) };
        self.document.flag(&entry, self.scope.mistakes)
    }

    fn solver(&mut self) -> Option<SolverChoice> {
        let Some(entry) = self.entry("solver") else { return Some(SolverChoice::Automatic) };
        match self.document.choice(&entry, SOLVERS, self.scope.mistakes)? {
            "dense" => Some(SolverChoice::Dense),
            "sparse" if self.entry("velocities").is_some() => {
                let message = "matrices of general kinematics are dense".to_owned();
                let hint = "leave out `solver`, or let the velocities be the rates of the coordinates".to_owned();
                self.scope.mistakes.add(entry.span, message, Some(hint));
                None
            }
            "sparse" => Some(SolverChoice::Sparse),
            _ => Some(SolverChoice::Automatic),
        }
    }

    fn check_kinematics(&mut self) {
        let names = self.document.find("variables", "velocities");
        match (names, self.entry("velocities")) {
            (Some(names), None) => {
                let hint = "write the rates of the coordinates as velocities = [\"…\"] under [equations]".to_owned();
                self.scope.mistakes.add(
                    names.key_span,
                    "velocities have names, but no formulas".to_owned(),
                    Some(hint),
                );
            }
            (None, Some(formulas)) => {
                let hint = "name the velocities under [variables]".to_owned();
                self.scope.mistakes.add(
                    formulas.key_span,
                    "velocities have formulas, but no names".to_owned(),
                    Some(hint),
                );
            }
            _ => {}
        }
    }

    /// A reaction of the file's own says what all multipliers do, and those of joints are not the file's.
    fn check_reaction(&mut self) {
        if let (Some(entry), true) = (self.entry("reaction"), self.variables.beneath.v > 0) {
            let hint =
                "forces that depend on reactions are laws under [[forces]], as law = \"-mu*hinge.force\"".to_owned();
            self.scope.mistakes.add(entry.key_span, "`reaction` is not for files with bodies".to_owned(), Some(hint));
        }
    }

    /// How many velocities the file itself has.
    fn own_velocities(&self) -> usize {
        self.variables.layout.bodies().len() - self.variables.beneath.v
    }

    fn motion(&mut self, states: &[Node]) -> Option<Motion> {
        let n = self.own_velocities();
        let extra = self.list("force", n, "velocities", MOTION);
        let extra = extra.map(|extra| extra.map(|own| self.below_laws(&own)));
        match (self.entry("kinetic"), self.entry("mass")) {
            (None, None) if self.variables.beneath.v > 0 && n == 0 => {
                let extra = extra.ok()?.unwrap_or_else(|| self.below_laws(&[]));
                self.lagrange(None, extra, states)
            }
            (Some(_), Some(mass)) => {
                let hint = Some("keep one of the two".to_owned());
                self.scope.mistakes.add(mass.key_span, "both `mass` and `kinetic` are given".to_owned(), hint);
                None
            }
            (Some(kinetic), None) => {
                let zero = self.scope.graph.constant(0.0);
                let extra = extra.ok()?.unwrap_or_else(|| self.below_laws(&vec![zero; n]));
                self.lagrange(Some(kinetic), extra, states)
            }
            (None, mass) => {
                for key in ["potential", "dissipation"] {
                    if let Some(entry) = self.entry(key) {
                        let hint = Some("write the kinetic energy as kinetic = \"…\"".to_owned());
                        self.scope.mistakes.add(entry.key_span, format!("`{key}` needs `kinetic`"), hint);
                    }
                }
                let Some(mass) = mass else {
                    if !self.document.section("equations").is_empty() {
                        let hint = Some(
                            "write `mass` and `force`, or `kinetic` and `potential`, under [equations]".to_owned(),
                        );
                        self.scope.mistakes.add(None, "the model has no mass".to_owned(), hint);
                    }
                    return None;
                };
                if self.entry("force").is_none() {
                    let hint = Some("write force = [\"0\", …] if there is none".to_owned());
                    self.scope.mistakes.add(mass.key_span, "`mass` needs `force`".to_owned(), hint);
                }
                let mass = self.mass(mass);
                let force = extra.ok()??;
                Some((mass?, force, None))
            }
        }
    }

    /// Forces of the file on its own velocities, below those of laws.
    fn below_laws(&mut self, own: &[Node]) -> Vec<Node> {
        let mut all = self.forces.clone();
        all.resize(self.variables.layout.bodies().len(), self.scope.graph.constant(0.0));
        let first = self.variables.beneath.v;
        for (sum, own) in all[first..].iter_mut().zip(own) {
            *sum = self.scope.graph.add(*sum, *own);
        }
        all
    }

    /// Entries of the mass matrix, behind those of bodies.
    fn mass(&mut self, entry: Entry<'d>) -> Option<Vec<(usize, usize, Node)>> {
        let first = self.variables.beneath.v;
        let own = self.own_mass(entry)?;
        Some(own.into_iter().map(|(i, j, node)| (first + i, first + j, node)).collect())
    }

    fn own_mass(&mut self, entry: Entry<'d>) -> Option<Vec<(usize, usize, Node)>> {
        let n = self.own_velocities();
        let square = entry.value.as_array().is_some_and(|array| array.iter().any(|row| row.get_ref().is_array()));
        if !square {
            let diagonal = self.list("mass", n, "velocities", POSITION).ok()??;
            return Some(diagonal.into_iter().enumerate().map(|(i, node)| (i, i, node)).collect());
        }
        let mut found = Vec::new();
        let mut good = true;
        let mut count = 0;
        for (i, row) in entry.value.as_array().into_iter().flat_map(|array| array.iter()).enumerate() {
            count += 1;
            let span = Span::from(row.span());
            let DeValue::Array(_) = row.get_ref() else {
                self.scope.mistakes.add(span, "a row of the mass matrix must be a list".to_owned(), None);
                good = false;
                continue;
            };
            let row = Entry { value: row.get_ref(), span, ..entry };
            let Some(items) = self.document.items(&row, self.scope.mistakes) else {
                good = false;
                continue;
            };
            let rows = rows(items, self.scope, "entry");
            let nodes = self.nodes(Some(&rows), &format!("row {} of mass, ", i + 1), POSITION);
            good &= self.count(span, &format!("row {} of mass", i + 1), rows.len(), n, "velocities");
            match nodes {
                Some(nodes) => found.extend(nodes.into_iter().enumerate().map(|(j, node)| (i, j, node))),
                None => good = false,
            }
        }
        good &= self.count(entry.span, "mass", count, n, "velocities");
        let graph = &self.scope.graph;
        found.retain(|(_, _, node)| !graph.is_zero(*node));
        good.then_some(found)
    }

    fn energy(&mut self, key: &str, allowed: Allowed) -> Result<Option<Node>, Reported> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let formula = self.document.single(entry.value, entry.span, self.scope.mistakes).ok_or(Reported)?;
        let node = self.scope.node(&formula.body, &mut Vec::new()).ok_or(Reported)?;
        if self.check(node, entry.span, &format!("`{key}`"), allowed) { Ok(Some(node)) } else { Err(Reported) }
    }
}
