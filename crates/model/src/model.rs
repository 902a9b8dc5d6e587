//! A model: a system, where it starts, and everything a file says about running it.

use alembert::{Direction, Guess, State};

use crate::compile::{compile, compile_and_look};
use crate::explain::{Explanation, explain};
use crate::run::Run;
use crate::sharp::{Profile, Sharpness};
use crate::system::System;
use crate::tape::{Arguments, Registers, Tape};
use crate::text::Mistakes;

/// A compiled model file.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the file calls it.
    pub name: String,
    /// More about it.
    pub description: String,
    /// Parameters with their values, overridden ones included.
    pub parameters: Vec<(String, f64)>,
    /// The equations.
    pub system: System,
    /// The start as given: not necessarily on the constraints.
    pub guess: Guess,
    /// How to run it.
    pub run: Run,
    /// Names of columns.
    pub names: Names,
    /// What to watch.
    pub events: Vec<Event>,
    pub(crate) profile: Profile,
    pub(crate) outputs: Tape,
    pub(crate) exact: Option<Exact>,
}

/// Names of the entries of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Coordinates.
    pub q: Vec<String>,
    /// Velocities.
    pub v: Vec<String>,
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
}

/// The exact solution, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    /// Entries of t, q, v, a, lambda, psi in this order.
    pub tape: Tape,
    pub known: Vec<bool>,
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
    /// Sets velocities.
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

/// A function to watch.
#[derive(Clone, Debug)]
pub struct Event {
    /// What messages call it.
    pub name: String,
    /// Which way it must pass through zero.
    pub direction: Direction,
    /// Whether it also happens where the function jumps over zero.
    pub jumps: bool,
    /// What happens then.
    pub action: Action,
    pub(crate) value: Tape,
    /// Its derivatives by t, q and v in this order; those that are always zero are not written.
    pub(crate) gradient: Tape,
    /// How many those are.
    pub(crate) arguments: usize,
}

impl Event {
    /// The function at a state.
    pub fn value(&self, state: &State) -> f64 {
        self.value.value(arguments(state), &mut Registers::default())
    }

    /// The derivatives of the function at a state: exact, made of its formula.
    pub fn gradient(&self, state: &State, out: &mut alembert::Gradient) {
        self.gradient_into(state, &mut (Registers::default(), Vec::new()), out);
    }

    fn gradient_into(&self, state: &State, room: &mut (Registers, Vec<f64>), out: &mut alembert::Gradient) {
        let (registers, all) = room;
        all.clear();
        all.resize(self.arguments, 0.0);
        self.gradient.run(arguments(state), registers, all);
        let (q, v) = all[1..].split_at(state.q.len());
        out.t = all[0];
        out.q.copy_from_slice(q);
        out.v.copy_from_slice(v);
    }

    /// The event as the integrator wants it.
    pub fn watcher(&self) -> alembert::Event<'_> {
        let (mut registers, mut room) = (Registers::default(), (Registers::default(), Vec::new()));
        let event =
            alembert::Event::new(self.name.clone(), move |state| self.value.value(arguments(state), &mut registers))
                .with_gradient(move |state, out| self.gradient_into(state, &mut room, out))
                .with_direction(self.direction);
        let event = if self.jumps { event.with_jumps() } else { event };
        match &self.action {
            Action::Stop => event,
            Action::Continue => event.with_action(|_| alembert::Action::Continue),
            Action::Bounce { restitution } => event.with_bounce(*restitution),
            Action::Set(assignment) => event.with_action(|state| {
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
        compile(name, text, settings)
    }

    /// The same with the equations as formulas, at most so many rows of each kind.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn explain(
        name: &str,
        text: &str,
        settings: &[(String, String)],
        most: usize,
    ) -> Result<(Model, Explanation), Mistakes> {
        let mut found = Explanation::default();
        let model = compile_and_look(name, text, settings, |document, scope, layout, parts, names| {
            found = explain(most, document, scope, layout, parts, names);
        })?;
        Ok((model, found))
    }

    /// Where formulas of t alone are sharp between two times. Costs some milliseconds where there are any.
    pub fn sharpness(&self, from: f64, to: f64) -> Sharpness {
        self.profile.search(from, to)
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
        let mut part = |names: &[String]| rest.by_ref().take(names.len()).collect::<Vec<f64>>();
        let Names { q, v, lambda, psi, .. } = &self.names;
        Some(State { t, q: part(q), v: part(v), a: part(v), lambda: part(lambda), psi: part(psi) })
    }

    /// Names of the columns of a result, after t.
    pub fn columns(&self) -> Vec<&str> {
        let Names { q, v, a, lambda, psi, outputs, .. } = &self.names;
        [q, v, a, lambda, psi, outputs].into_iter().flatten().map(String::as_str).collect()
    }
}

fn arguments(state: &State) -> Arguments<'_> {
    Arguments { t: state.t, q: &state.q, v: &state.v, a: &state.a, lambda: &state.lambda, psi: &state.psi, held: &[] }
}
