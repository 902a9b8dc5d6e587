//! The `[variables]` section: names, and where their values are among the arguments.

use std::collections::BTreeMap;

use alembert::Dims;

use super::equations::Lists;
use super::mechanism::columns::Bodies;
use super::states::FirstOrder;
use crate::document::Document;
use crate::formula::{AXES, Declaration};
use crate::graph::Graph;
use crate::model::Names;
use crate::scope::{Items, NUMBERS, Scope};
use crate::tape::Layout;
use crate::text::Span;

/// Names of all entries, in the order of the arguments.
pub(crate) struct Variables {
    pub layout: Layout,
    q: Vec<String>,
    /// Directions in which they move: a coordinate, or a turn about an axis of a body.
    directions: Vec<String>,
    v: Vec<String>,
    a: Vec<String>,
    lambda: Vec<String>,
    psi: Vec<String>,
    /// Variables of first order.
    pub states: FirstOrder,
    /// Whether velocities have names of their own.
    pub general: bool,
    /// What of it belongs to bodies and joints.
    pub beneath: Dims,
    /// Names of their constraints, holonomic and nonholonomic.
    constraints: [Vec<String>; 2],
}

/// A declared variable: entries of one kind, from `first` on.
struct Declared {
    name: String,
    span: Span,
    first: usize,
    /// The first of its velocities, where they are its rates. Each rotation before it has one less than numbers.
    first_v: usize,
    /// None for a scalar.
    range: Option<std::ops::RangeInclusive<i64>>,
    is_rotation: bool,
}

impl Declared {
    /// Inputs, when entry 0 of its kind is the input `base`.
    fn inputs(&self, base: usize) -> Items<usize> {
        match &self.range {
            None => Items::One(base + self.first),
            Some(range) => {
                let numbered = range.clone().zip(base + self.first..);
                Items::Many(numbered.collect::<BTreeMap<i64, usize>>())
            }
        }
    }

    /// How many there are.
    fn count(&self) -> usize {
        self.range.as_ref().map_or(1, |range| range.clone().count())
    }

    /// The same for what belongs to it among velocities or accelerations.
    fn moving(&self, base: usize) -> Items<usize> {
        Declared { first: self.first_v, range: self.range.clone(), name: String::new(), ..*self }.inputs(base)
    }

    /// The names of the directions in which it moves.
    fn directions(&self) -> Vec<String> {
        let turns = |name: &String| name.replacen(".omega.", " about ", 1);
        if self.is_rotation { self.names("'").iter().map(turns).collect() } else { self.names("") }
    }

    fn names(&self, primes: &str) -> Vec<String> {
        let stems = match &self.range {
            None => vec![self.name.clone()],
            Some(range) => range.clone().map(|i| format!("{}[{i}]", self.name)).collect(),
        };
        if !self.is_rotation {
            return stems.into_iter().map(|stem| stem + primes).collect();
        }
        // Angular velocities have one prime less than rates of numbers have.
        let parts = |stem: &String| match primes.strip_prefix('\'') {
            None => NUMBERS.map(|number| format!("{stem}.{number}")).to_vec(),
            Some(primes) => AXES.map(|axis| format!("{stem}.omega.{axis}{primes}")).to_vec(),
        };
        stems.iter().flat_map(parts).collect()
    }
}

/// The entries of a list of names; none if it is not there.
fn declared(document: &Document, scope: &mut Scope, key: &str) -> Option<Vec<Declared>> {
    let entry = document.find("variables", key)?;
    let names: Vec<Declaration> = document.names(&entry, scope.mistakes)?;
    let mut found = Vec::new();
    let (mut first, mut first_v) = (0, 0);
    for Declaration { name, range, kind, span } in names {
        let is_rotation = match kind {
            None => false,
            Some((word, _)) if word == "rotation" && key == "coordinates" => true,
            Some((word, at)) => {
                let (message, hint) = match key {
                    "coordinates" => (
                        match word.as_str() {
                            "" => format!("`{name}` has a colon, but no kind"),
                            word => format!("`{word}` is not a kind of coordinate"),
                        },
                        format!("write \"{name} : rotation\", or \"{name}\" for a number"),
                    ),
                    _ => (format!("`{name}` is not a coordinate"), "only coordinates can be rotations".to_owned()),
                };
                scope.mistakes.add(at, message, Some(hint));
                false
            }
        };
        let range = match range {
            Some((from, to)) => match scope.bounds(&from, &to) {
                Some(range) => Some(range),
                None => continue,
            },
            None => None,
        };
        let variable = Declared { name, span, first, first_v, range, is_rotation };
        let (numbers, velocities) = if is_rotation { (4, 3) } else { (1, 1) };
        first += numbers * variable.count();
        first_v += velocities * variable.count();
        found.push(variable);
    }
    Some(found)
}

fn all_names(declared: &[Declared], primes: &str) -> Vec<String> {
    declared.iter().flat_map(|variable| variable.names(primes)).collect()
}

impl Variables {
    pub fn read(document: &Document, lists: &Lists, scope: &mut Scope) -> Option<Variables> {
        let beneath = Bodies::of(scope);
        let coordinates = declared(document, scope, "coordinates").or_else(|| beneath.is_some().then(Vec::new));
        let beneath = beneath.unwrap_or_default();
        let Some(mut coordinates) = coordinates else {
            if !document.section("variables").is_empty() && document.find("variables", "coordinates").is_none() {
                let hint = "write coordinates = [\"x\", \"y\"] under [variables]".to_owned();
                scope.mistakes.add(None, "the model has no coordinates".to_owned(), Some(hint));
            }
            return None;
        };
        let entry_span = document.find("variables", "coordinates").map(|entry| entry.span);
        // Those of bodies come first.
        for variable in &mut coordinates {
            variable.first += beneath.dims.q;
            variable.first_v += beneath.dims.v;
        }
        let q = [beneath.q.clone(), all_names(&coordinates, "")].concat();
        if q.is_empty() && scope.mistakes.is_empty() {
            scope.mistakes.add(entry_span, "the model has no coordinates".to_owned(), None);
        }
        let own = declared(document, scope, "velocities");
        let general = own.is_some();
        if let (Some(entry), true) = (document.find("variables", "velocities"), beneath.dims.v > 0) {
            let hint =
                "leave out `velocities`: those of a file with bodies are the rates of its coordinates".to_owned();
            scope.mistakes.add(entry.key_span, "bodies have velocities of their own".to_owned(), Some(hint));
            return None;
        }
        if let (Some(rotation), Some(entry)) =
            (coordinates.iter().find(|variable| variable.is_rotation), document.find("variables", "velocities"))
        {
            let hint = format!("leave out `velocities`: those of `{0}` are {0}.omega", rotation.name);
            let message = format!("the rotation `{}` has velocities of its own", rotation.name);
            scope.mistakes.add(entry.key_span, message, Some(hint));
            return None;
        }
        let (v, a) = match &own {
            Some(own) => (all_names(own, ""), all_names(own, "'")),
            None => (
                [beneath.v.clone(), all_names(&coordinates, "'")].concat(),
                [beneath.a.clone(), all_names(&coordinates, "''")].concat(),
            ),
        };
        let multipliers = |scope: &mut Scope, key, stem, count: Option<usize>, what| {
            let given = declared(document, scope, key);
            let span = document.find("variables", key).map(|entry| entry.span);
            let given = given.unwrap_or_else(|| {
                let span = Span { start: 0, end: 0 };
                (0..count.unwrap_or(0))
                    .map(|i| Declared {
                        name: format!("{stem}{}", i + 1),
                        span,
                        first: i,
                        first_v: i,
                        range: None,
                        is_rotation: false,
                    })
                    .collect()
            });
            let names = all_names(&given, "");
            if let Some(count) = count
                && names.len() != count
            {
                let many = |n: usize, noun: &str| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
                let constraints = many(count, &format!("{what} constraint"));
                let message = format!("`{key}` has {} for {constraints}", many(names.len(), "name"));
                scope.mistakes.add_count(span, message, Some("one multiplier belongs to each constraint".to_owned()));
            }
            (given, names)
        };
        let (mut holonomic, lambda) = multipliers(scope, "multipliers", "lambda", lists.count_holonomic(), "holonomic");
        let (mut nonholonomic, psi) =
            multipliers(scope, "nonholonomic_multipliers", "psi", lists.count_nonholonomic(), "nonholonomic");
        holonomic.iter_mut().for_each(|variable| variable.first += beneath.dims.lambda);
        nonholonomic.iter_mut().for_each(|variable| variable.first += beneath.dims.psi);
        let lambda = [beneath.lambda.clone(), lambda].concat();
        let psi = [beneath.psi.clone(), psi].concat();
        let states = FirstOrder::read(document, scope);
        let layout = Layout {
            q: q.len() + states.len(),
            v: v.len() + states.len(),
            lambda: lambda.len(),
            psi: psi.len(),
            states: states.len(),
            held: 0,
        };
        states.declare(layout, scope);
        for (p, w) in &beneath.turns {
            scope.graph.add_turn(layout.q().start + p, layout.v().start + w);
        }
        for variable in &coordinates {
            if variable.is_rotation {
                let mut next = 0;
                let mut turn = |_| {
                    let (p, w) = (variable.first + 4 * next, variable.first_v + 3 * next);
                    next += 1;
                    scope.graph.add_turn(layout.q().start + p, layout.v().start + w)
                };
                let turns = match &variable.range {
                    None => Items::One(turn(0)),
                    Some(range) => Items::Many(range.clone().map(|i| (i, turn(i))).collect()),
                };
                scope.declare_rotations(&variable.name, variable.span, turns);
                continue;
            }
            let mut levels = vec![variable.inputs(layout.q().start)];
            if own.is_none() {
                levels.extend([variable.moving(layout.v().start), variable.moving(layout.a().start)]);
            } else {
                let hint = format!("here rates of coordinates are formulas; the velocities are {}", v.join(", "));
                scope.absent.insert(format!("{}'", variable.name), hint);
            }
            scope.declare(&variable.name, variable.span, levels);
        }
        for variable in own.iter().flatten() {
            let levels = vec![variable.inputs(layout.v().start), variable.inputs(layout.a().start)];
            scope.declare(&variable.name, variable.span, levels);
        }
        for (variables, base) in [(&holonomic, layout.lambda().start), (&nonholonomic, layout.psi().start)] {
            for variable in variables {
                scope.declare(&variable.name, variable.span, vec![variable.inputs(base)]);
            }
        }
        let directions = coordinates.iter().flat_map(Declared::directions);
        let directions = beneath.directions.into_iter().chain(directions).collect();
        let (constraints, dims) = (beneath.constraints, beneath.dims);
        Some(Variables { layout, q, directions, v, a, lambda, psi, states, general, beneath: dims, constraints })
    }

    pub fn names(&self, lists: &Lists) -> Names {
        let Variables { q, v, a, lambda, psi, states, .. } = self;
        Names {
            q: q.clone(),
            v: v.clone(),
            states: states.names(),
            a: a.clone(),
            lambda: lambda.clone(),
            psi: psi.clone(),
            outputs: Vec::new(),
            holonomic: [self.constraints[0].clone(), lists.names_holonomic()].concat(),
            nonholonomic: [self.constraints[1].clone(), lists.names_nonholonomic()].concat(),
            said: Vec::new(),
        }
    }

    /// Names of all entries of q, or of the directions in which they move.
    pub fn labels(&self, directions: bool) -> Vec<String> {
        let own = if directions { &self.directions } else { &self.q };
        own.iter().cloned().chain(self.states.names().iter().map(|x| format!("integral of {x}"))).collect()
    }

    /// The name of the direction in which coordinates move with a velocity.
    pub fn direction(&self, column: usize) -> String {
        self.directions.get(column).cloned().unwrap_or_default()
    }

    /// The name of an input, or of the rotation that it is a number of.
    pub fn owner(&self, input: usize, graph: &Graph) -> String {
        let name = self.name(input);
        match graph.quaternion(input).and_then(|_| name.rsplit_once('.')) {
            Some((rotation, _)) => rotation.to_owned(),
            None => name,
        }
    }

    /// The name of an input.
    pub fn name(&self, input: usize) -> String {
        let (layout, states) = (self.layout, self.states.names());
        let entry = |range: std::ops::Range<usize>, own: &[String], end: &str| {
            let i = input.checked_sub(range.start).filter(|_| input < range.end)?;
            own.get(i).cloned().or_else(|| states.get(i - own.len()).map(|name| format!("{name}{end}")))
        };
        entry(layout.q(), &self.q, "")
            .or_else(|| entry(layout.v(), &self.v, ""))
            .or_else(|| entry(layout.a(), &self.a, "'"))
            .or_else(|| entry(layout.lambda(), &self.lambda, ""))
            .or_else(|| entry(layout.psi(), &self.psi, ""))
            .unwrap_or_else(|| "t".to_owned())
    }
}
