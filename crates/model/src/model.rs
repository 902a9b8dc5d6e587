//! A model: a system, where it starts, and everything a file says about running it.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use alembert::integrator::IntegrateError;
use alembert::{ConstrainedSystem, Dims, Direction, Guess, Integrator, Quantities, State};

use alembert_mechanism::Closed;

use crate::clock::Clock;
use crate::compile::{compile, compile_and_look};
use crate::explain::{Explanation, explain};
use crate::formula::AXES;
use crate::measure::Measure;
use crate::ranges::Ranges;
use crate::run::Run;
use crate::scope::NUMBERS;
use crate::sharp::{Profile, Sharpness};
use crate::source::{Files, NoFiles, Source};
use crate::start::{Find, Start};
use crate::system::System;
use crate::tape::{Arguments, Registers, Tape};
use crate::text::Mistakes;
use crate::view::View;

/// A compiled model file.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the file calls it.
    pub name: String,
    /// More about it.
    pub description: String,
    /// Parameters with their values, overridden ones included.
    pub parameters: Vec<(String, f64)>,
    /// The scenario that was chosen.
    pub scenario: Option<String>,
    /// The equations.
    pub system: Arc<System>,
    /// The start as given: not necessarily on the constraints.
    pub guess: Guess,
    /// How the start follows from it.
    pub start: Start,
    /// Parameters that the start determines.
    pub find: Vec<Find>,
    /// Their values, when they are found.
    pub found: Vec<(String, f64)>,
    /// How to run it.
    pub run: Run,
    /// Names of columns.
    pub names: Names,
    /// Names of the columns that a result has, if not all.
    pub(crate) shown: Option<Vec<String>>,
    pub(crate) mask: Option<Vec<bool>>,
    /// What to watch.
    pub events: Vec<Event>,
    /// What can be given from outside while it runs.
    pub inputs: Vec<Input>,
    /// The files that it named, as they were read.
    pub files: Files,
    /// What the whole run comes to.
    pub results: Vec<Measure>,
    /// What could be said in a better way: message and hint.
    pub notes: Vec<(String, String)>,
    pub(crate) profile: Profile,
    pub(crate) outputs: Tape,
    pub(crate) exact: Option<Exact>,
    pub(crate) ranges: Ranges,
    /// Whether its mechanism passes singular configurations.
    pub through: bool,
    /// How the bodies of a mechanism came together.
    pub closed: Option<Closed>,
    /// What it looks like, where that is known.
    pub view: Option<View>,
}

/// Names of the entries of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Coordinates.
    pub q: Vec<String>,
    /// Velocities.
    pub v: Vec<String>,
    /// States, discrete variables and inputs: their values follow the velocities in v.
    pub states: Vec<String>,
    /// Accelerations.
    pub a: Vec<String>,
    /// Multipliers of the holonomic constraints.
    pub lambda: Vec<String>,
    /// Multipliers of the nonholonomic constraints.
    pub psi: Vec<String>,
    /// Further outputs.
    pub outputs: Vec<String>,
    /// Holonomic constraints.
    pub holonomic: Vec<String>,
    /// Nonholonomic constraints.
    pub nonholonomic: Vec<String>,
    /// Units and labels of columns that have any.
    pub said: Vec<Said>,
}

/// What a file says of a column, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The column.
    pub column: String,
    /// Its unit.
    pub unit: Option<String>,
    /// What figures call it.
    pub label: Option<String>,
}

impl Names {
    /// All columns after t, in their order.
    pub fn columns(&self) -> Vec<String> {
        let Names { q, v, states, a, lambda, psi, outputs, .. } = self;
        [q, v, states, a, lambda, psi, outputs].into_iter().flatten().cloned().collect()
    }

    /// The columns that a name chooses: one, all entries of a vector, the numbers of a rotation `R` or the components of `R.omega`; none if there
    /// are no such columns.
    pub fn chosen(&self, name: &str) -> Option<Vec<String>> {
        let (stem, primes) = name.split_at(name.trim_end_matches('\'').len());
        let is_entry = |column: &str| {
            column.strip_prefix(stem).is_some_and(|rest| {
                rest.strip_suffix(primes).is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'))
            })
        };
        // `R` is R.e0, …; `R.omega'` is R.omega.x', ….
        let is_part = |column: &str| {
            let (column, own) = column.split_at(column.trim_end_matches('\'').len());
            let Some((of, part)) = column.rsplit_once('.') else { return false };
            let of_this =
                of == stem || of.strip_prefix(stem).is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'));
            let (vector, omega) = (stem.strip_suffix(".omega"), of.strip_suffix(".omega"));
            let of_all = vector.zip(omega).is_some_and(|(stem, of)| {
                of.strip_prefix(stem).is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'))
            });
            own == primes && (of_this || of_all) && (NUMBERS.contains(&part) || AXES.contains(&part))
        };
        let columns = self.columns();
        let found: Vec<String> = match columns.iter().find(|column| *column == name) {
            Some(column) => vec![column.clone()],
            None => columns.into_iter().filter(|column| is_entry(column) || is_part(column)).collect(),
        };
        if found.is_empty() { None } else { Some(found) }
    }

    /// The same with these columns only.
    pub fn only(&self, shown: &[String]) -> Names {
        let shown: HashSet<&str> = shown.iter().map(String::as_str).collect();
        let kept = |names: &[String]| names.iter().filter(|name| shown.contains(name.as_str())).cloned().collect();
        let Names { q, v, states, a, lambda, psi, outputs, .. } = self;
        Names {
            q: kept(q),
            v: kept(v),
            states: kept(states),
            a: kept(a),
            lambda: kept(lambda),
            psi: kept(psi),
            outputs: kept(outputs),
            ..self.clone()
        }
    }

    /// What is said of a column.
    pub fn said_of(&self, column: &str) -> Option<&Said> {
        self.said.iter().find(|said| said.column == column)
    }
}

/// The exact solution, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    /// Entries of t, q, v, a, lambda, psi in this order.
    pub tape: Tape,
    pub known: Vec<bool>,
}

/// A variable that is given from outside while a model runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// As in the file.
    pub name: String,
    /// Its place in v.
    pub velocity: usize,
}

impl Input {
    /// Gives it a value from the present time on: the motion starts afresh there.
    ///
    /// # Errors
    /// If the value is not finite, or constraints cannot follow it.
    pub fn set(&self, integrator: &mut Integrator, value: f64) -> Result<(), IntegrateError> {
        integrator.change(|state| state.v[self.velocity] = value)
    }
}

/// What an event does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Ends the run.
    Stop,
    /// Takes note.
    Continue,
    /// Bounces off the surface where the function is zero.
    Bounce {
        /// In [0, 1].
        restitution: f64,
    },
    /// Sets velocities, states and discrete variables.
    Set(Box<Assignment>),
}

/// New values of some velocities.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub(crate) velocities: Vec<usize>,
    pub(crate) tape: Tape,
}

impl Assignment {
    /// Changes the velocities of a state.
    pub fn apply(&self, state: &mut State) {
        let mut values = vec![0.0; self.velocities.len()];
        self.tape.run_once(arguments(state), &mut values);
        for (velocity, value) in self.velocities.iter().zip(values) {
            state.v[*velocity] = value;
        }
    }
}

/// A function of a program.
#[derive(Clone)]
pub struct Given(Arc<dyn Fn(&State) -> f64 + Send + Sync>);

impl Given {
    /// A function of the state.
    pub fn new(function: impl Fn(&State) -> f64 + Send + Sync + 'static) -> Given {
        Given(Arc::new(function))
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Given")
    }
}

/// What a program has where a file says so: its `program` keys.
#[derive(Clone, Default)]
pub struct Program {
    /// The equations, or some of them.
    pub system: Option<Arc<dyn ConstrainedSystem>>,
    /// Which: those that take the place of what the file says.
    pub quantities: Quantities,
    /// Functions of events, by their names.
    pub events: Vec<(String, Given)>,
}

impl Program {
    /// The function of an event.
    pub(crate) fn event(&self, name: &str) -> Option<Given> {
        self.events.iter().find(|(known, _)| known == name).map(|(_, function)| function.clone())
    }
}

/// A function to watch.
#[derive(Clone, Debug)]
pub struct Event {
    /// What messages call it.
    pub name: String,
    /// Which way it must pass through zero.
    pub direction: Direction,
    /// Whether it also happens where the function jumps over zero.
    pub jumps: bool,
    /// The times at which it happens, if it does not depend on the motion.
    pub clock: Option<Clock>,
    /// How often it happens at most.
    pub most: Option<u64>,
    /// What happens then.
    pub action: Action,
    /// The function, if a program has it.
    pub given: Option<Given>,
    pub(crate) value: Tape,
    /// Its derivatives by t, along the velocities (by q under a general rate) and by v in this order; those that are always zero are not
    /// written.
    pub(crate) gradient: Tape,
    /// How many those are.
    pub(crate) arguments: usize,
}

impl Event {
    /// The function at a state.
    pub fn value(&self, state: &State) -> f64 {
        self.value_with(state, &mut Registers::default())
    }

    fn value_with(&self, state: &State, registers: &mut Registers) -> f64 {
        match (&self.clock, &self.given) {
            (Some(clock), _) => clock.value(state.t).0,
            (None, Some(Given(function))) => function(state),
            (None, None) => self.value.value(arguments(state), registers),
        }
    }

    /// Whether it changes nothing, however often it happens.
    pub fn only_takes_note(&self) -> bool {
        matches!(self.action, Action::Continue) && self.most.is_none()
    }

    /// The derivatives of the function at a state: exact, made of its formula.
    pub fn gradient(&self, state: &State, out: &mut alembert::Gradient) {
        self.gradient_into(state, &mut (Registers::default(), Vec::new()), out);
    }

    fn gradient_into(&self, state: &State, room: &mut (Registers, Vec<f64>), out: &mut alembert::Gradient) {
        if let Some(clock) = &self.clock {
            out.t = clock.value(state.t).1;
            out.q.fill(0.0);
            out.v.fill(0.0);
            return;
        }
        let (registers, all) = room;
        all.clear();
        all.resize(self.arguments, 0.0);
        self.gradient.run(arguments(state), registers, all);
        let (q, v) = all[1..].split_at(all.len() - 1 - state.v.len());
        out.t = all[0];
        out.q.copy_from_slice(q);
        out.v.copy_from_slice(v);
    }

    /// The event as the integrator wants it.
    pub fn watcher(&self) -> alembert::Event<'static> {
        let (mut registers, mut room) = (Registers::default(), (Registers::default(), Vec::new()));
        let (own, slopes) = (self.clone(), self.clone());
        let event = alembert::Event::new(self.name.clone(), move |state| own.value_with(state, &mut registers))
            .with_direction(self.direction);
        let event = match &self.given {
            // Derivatives of a program's function are differences.
            Some(_) => event,
            None => event.with_gradient(move |state, out| slopes.gradient_into(state, &mut room, out)),
        };
        let event = if self.jumps { event.with_jumps() } else { event };
        let event = self.most.into_iter().fold(event, |event, most| event.with_times(most));
        match self.action.clone() {
            Action::Stop => event,
            Action::Continue => event.with_action(|_| alembert::Action::Continue),
            Action::Bounce { restitution } => event.with_bounce(restitution),
            Action::Set(assignment) => event.with_action(move |state| {
                assignment.apply(state);
                alembert::Action::Restart
            }),
        }
    }
}

impl Model {
    /// Compiles a model file. `name` is what messages call the file; `settings` override parameters, as ("m", "2.5").
    ///
    /// # Errors
    /// Everything that is wrong with it, with line, column and excerpt.
    pub fn parse(name: &str, text: &str, settings: &[(String, String)]) -> Result<Model, Mistakes> {
        Model::parse_with(name, text, settings, &NoFiles)
    }

    /// The same for a file that may name other files, such as those of tables.
    ///
    /// # Errors
    /// Everything that is wrong with it, with line, column and excerpt; files that cannot be read or used among it.
    pub fn parse_with(
        name: &str,
        text: &str,
        settings: &[(String, String)],
        source: &dyn Source,
    ) -> Result<Model, Mistakes> {
        Model::parse_given(name, text, settings, source, &Program::default())
    }

    /// The same for a file that leaves equations or functions of events to a program: where it says `program`, they are these.
    ///
    /// # Errors
    /// Everything that is wrong with it; equations of another size than the file's among it.
    pub fn parse_given(
        name: &str,
        text: &str,
        settings: &[(String, String)],
        source: &dyn Source,
        program: &Program,
    ) -> Result<Model, Mistakes> {
        compile(name, text, settings, source, program)
    }

    /// The same with the equations as formulas, at most so many rows of each kind.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn explain(
        name: &str,
        text: &str,
        settings: &[(String, String)],
        source: &dyn Source,
        most: usize,
    ) -> Result<(Model, Explanation), Mistakes> {
        let mut found = Explanation::default();
        let model = compile_and_look(
            name,
            text,
            settings,
            (source, &Program::default()),
            |document, scope, layout, parts, names| {
                // Joints are not formulas of the file.
                if parts.mechanism.is_none() {
                    found = explain(most, document, scope, layout, parts, names);
                }
            },
        )?;
        Ok((model, found))
    }

    /// Where formulas of t alone are sharp between two times. Costs some milliseconds where there are any.
    pub fn sharpness(&self, from: f64, to: f64) -> Sharpness {
        self.profile.search(from, to)
    }

    /// Which table is at its end at a state and has no value beyond it, in words: for runs that cannot go on there.
    pub fn left_table(&self, state: &State) -> Option<String> {
        self.ranges.left(arguments(state))
    }

    /// Further outputs at a state.
    pub fn outputs_into(&self, state: &State, out: &mut [f64]) {
        // What is constantly zero is not written.
        out.fill(0.0);
        self.outputs.run_once(arguments(state), out);
    }

    /// Kinetic plus potential energy, where the model is made of them.
    pub fn energy(&self, state: &State) -> Option<f64> {
        self.system.energy(state.t, &state.q, &state.v).map(|energy| energy.kinetic + energy.potential)
    }

    /// The exact solution at a time: what the file knows of it, NaN elsewhere. None if it knows nothing.
    pub fn exact(&self, t: f64) -> Option<State> {
        let exact = self.exact.as_ref()?;
        let mut values = vec![0.0; exact.known.len()];
        exact.tape.run_once(Arguments { t, ..Arguments::default() }, &mut values);
        for (value, known) in values.iter_mut().zip(&exact.known) {
            if !known {
                *value = f64::NAN;
            }
        }
        let mut rest = values.into_iter().skip(1);
        let mut part = |count: usize| rest.by_ref().take(count).collect::<Vec<f64>>();
        let Dims { q, v, lambda, psi } = self.system.dims();
        Some(State { t, q: part(q), v: part(v), a: part(v), lambda: part(lambda), psi: part(psi) })
    }

    /// Which numbers of a full row, t first, a result has; none if all.
    pub fn mask(&self) -> Option<&[bool]> {
        self.mask.as_deref()
    }

    /// Chooses columns.
    pub fn show(&mut self, shown: Option<Vec<String>>) {
        self.mask = shown.as_ref().map(|shown| {
            let shown: HashSet<&str> = shown.iter().map(String::as_str).collect();
            let columns = self.names.columns();
            std::iter::once(true).chain(columns.iter().map(|column| shown.contains(column.as_str()))).collect()
        });
        self.shown = shown;
    }

    /// Names of the columns that a result has.
    pub fn shown_names(&self) -> Names {
        match &self.shown {
            Some(shown) => self.names.only(shown),
            None => self.names.clone(),
        }
    }

    /// Names of the columns of a result, after t.
    pub fn columns(&self) -> Vec<&str> {
        let Names { q, v, states, a, lambda, psi, outputs, .. } = &self.names;
        [q, v, states, a, lambda, psi, outputs].into_iter().flatten().map(String::as_str).collect()
    }
}

pub(crate) fn arguments(state: &State) -> Arguments<'_> {
    Arguments { t: state.t, q: &state.q, v: &state.v, a: &state.a, lambda: &state.lambda, psi: &state.psi, held: &[] }
}
