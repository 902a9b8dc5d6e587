//! A run through singular configurations of its mechanism, where the file says `through = true`.
//!
//! The integrator is stopped before, or stops there. The motion across is found by a collocation from a state before (see `through` in the crate of mechanisms), and the
//! integrator leaps to the state behind:
//!
//! ```text
//! older ---- newer ------ from ---- stop ---- point ---- to ------------
//!   |  integrated again      |  q, v, a by collocation: rows, results, events;  no reactions
//! ```
//!
//! Of the run itself two states are kept on the way: integrating again from the older of them costs little, happens at passages only, and
//! depends on nothing else, so that a run that is resumed passes in the same way.

use std::ops::ControlFlow;

use alembert::initial::{Options, consistent_with};
use alembert::integrator::IntegrateError;
use alembert::{Accepted, Action, ConsistentState, Direction, Guess, Integrator, Observer, Occurrence, State};
use alembert_mechanism::{Lookout, Mechanism, Passage, Singular};
use alembert_model::Model;
use alembert_model::run::Run;

use crate::failure::Failure;
use crate::record::bytes::{Bytes, Cut, Reader};
use crate::results::Stretch;
use crate::simulate::bare;

/// What a passage is called among events.
pub const NAME: &str = "passed a singular configuration";
/// Halvings until an event within a passage is located to rounding.
const HALVINGS: usize = 60;

/// What is known of the smooth motion up to now.
pub struct Approach {
    older: State,
    newer: State,
    /// How much of what a passage needs lies behind the newer state.
    behind: f64,
    lookout: Lookout,
    /// Passages so far.
    pub count: u64,
}

impl Approach {
    /// Of a model that passes singular configurations.
    pub fn new(model: &Model, start: &State) -> Option<Approach> {
        let passes = model.through && model.system.mechanism().is_some();
        let new = || Approach {
            older: start.clone(),
            newer: start.clone(),
            behind: 0.0,
            lookout: Lookout::default(),
            count: 0,
        };
        passes.then(new)
    }

    fn restart(&mut self, from: &State) {
        self.older.clone_from(from);
        self.newer.clone_from(from);
        (self.behind, self.lookout) = (0.0, Lookout::default());
    }

    /// Looks at a step, and says which singular configuration lies just ahead, if it can be passed from here.
    pub fn step(&mut self, (model, run): (&Model, &Run), step: &Accepted) -> Option<Singular> {
        let mechanism = model.system.mechanism()?;
        if step.turns() {
            // What was before says nothing about what comes.
            self.restart(step.after());
            return None;
        }
        self.behind += mechanism.share_of_stretch(&step.state.v, step.h);
        if self.behind >= 1.0 {
            std::mem::swap(&mut self.older, &mut self.newer);
            self.newer.clone_from(step.state);
            self.behind = 0.0;
        }
        let tolerance = run.steps.tolerance().ok()?.rtol;
        self.lookout.step((mechanism, &model.system), [step.from(), step.state], tolerance)
    }

    /// Everything that further passages depend on.
    pub fn save(&self, bytes: &mut Bytes) {
        bytes.word(self.count);
        let [longest, near, tried] = self.lookout.numbers();
        bytes.numbers(&[self.behind, longest, near, tried]);
        bytes.state(&self.older);
        bytes.state(&self.newer);
    }

    /// Takes over what was saved.
    pub fn restore(&mut self, bytes: &mut Reader) -> Result<(), Cut> {
        self.count = bytes.word()?;
        let [behind, longest, near, tried] = bytes.numbers()?[..] else { return Err(Cut) };
        (self.behind, self.lookout) = (behind, Lookout::from_numbers([longest, near, tried]));
        bytes.state(&mut self.older)?;
        bytes.state(&mut self.newer)
    }

    /// Whether a singular configuration has been passed already.
    pub fn is_behind(&self, at: &Singular) -> bool {
        at.t < self.older.t
    }

    /// Passes a singular configuration at which a run has stopped; the integrator is behind it then, unless the run ends before.
    pub fn pass<'m>(
        &mut self,
        (model, run): (&'m Model, &'m Run),
        mechanism: &'m Mechanism,
        at: Singular,
        integrator: &mut Integrator,
    ) -> Result<Bridge, Failure> {
        let from = integrator.state().clone();
        let tolerance = run.steps.tolerance().map_err(|bad| Failure::of(&bad))?.rtol;
        let again = |times: &[f64]| states_at(model, run, &self.older, times).ok().flatten();
        let found = mechanism.passage(&model.system, at, &from, self.older.t, tolerance, again);
        let passage = found.map_err(|error| Failure::of(&error))?;
        let ends = passage.times.end >= run.t_end;
        let to = if ends { passage.state(run.t_end) } else { passage.end().clone() };
        let t = passage.at.t;
        let mut bridge = Bridge { passage, from, to, events: Vec::new(), ends };
        bridge.look_for_events(model)?;
        if t <= bridge.to.t {
            bridge.events.push(bridge.occurrence(model.events.len(), NAME, t, true));
        }
        bridge.events.sort_by(|x, y| x.t.total_cmp(&y.t));
        if !ends {
            integrator.leap(&bridge.to, bridge.events.clone()).map_err(|error| Failure::of(&error))?;
            self.restart(&bridge.to);
        }
        self.count += 1;
        Ok(bridge)
    }
}

/// A consistent state near to one whose multipliers need not be known.
fn consistent(model: &Model, state: &State, known: &State) -> Result<ConsistentState, Failure> {
    let State { t, q, v, .. } = state.clone();
    let guess = Guess::new(t, q, v).with_multipliers(known.lambda.clone(), known.psi.clone());
    let found = consistent_with(&model.system, &guess, &Options::default());
    found.map(|(state, _)| state).map_err(|error| Failure::of(&error))
}

/// States at times that go backwards, by an integration of their own.
fn states_at(model: &Model, run: &Run, from: &State, times: &[f64]) -> Result<Option<Vec<State>>, Failure> {
    struct Rows(Vec<State>);
    impl Observer for Rows {
        fn on_step(&mut self, _: &mut Accepted) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn on_row(&mut self, state: &State) -> ControlFlow<()> {
            self.0.push(state.clone());
            ControlFlow::Continue(())
        }
    }
    let start = consistent(model, from, from)?;
    let mut integrator = bare(model, run, &start)?;
    integrator.show_at(times).map_err(|bad| Failure::of(&bad))?;
    let mut rows = Rows(Vec::new());
    // The stretch may begin at the start itself, which is no row.
    if times.last().is_some_and(|first| *first <= start.t) {
        rows.0.push((*start).clone());
    }
    let Some(end) = times.first() else { return Ok(None) };
    integrator.run(*end, &mut rows).map_err(|error| Failure::of(&error))?;
    rows.0.reverse();
    let found = rows.0.len() == times.len();
    Ok(found.then_some(rows.0))
}

/// The motion between where the integrator has stopped and where it goes on.
pub struct Bridge {
    passage: Passage,
    from: State,
    /// Where it goes on, or the end of the run.
    pub to: State,
    /// What happens on it, the passage itself included.
    pub events: Vec<Occurrence>,
    /// Whether the run ends on it.
    pub ends: bool,
}

impl Bridge {
    /// The state at a time.
    pub fn at(&self, t: f64) -> State {
        self.passage.state(t)
    }

    fn occurrence(&self, event: usize, name: &str, t: f64, rising: bool) -> Occurrence {
        let state = self.at(t);
        Occurrence {
            event,
            name: name.to_owned(),
            t,
            rising,
            action: Action::Continue,
            modes: (0, 0),
            before: state.clone(),
            after: state,
            impulse: Vec::new(),
            contact: 0.0,
        }
    }

    /// Events that take note are located where their functions change sign; others cannot happen here.
    fn look_for_events(&mut self, model: &Model) -> Result<(), Failure> {
        for (index, event) in model.events.iter().enumerate() {
            let [before, after] = [event.value(&self.from), event.value(&self.to)];
            let counts = match event.direction {
                Direction::Rising => before < 0.0,
                Direction::Falling => before > 0.0,
                Direction::Any => true,
            };
            if before * after >= 0.0 || !counts {
                continue;
            }
            let (mut low, mut high) = (self.from.t, self.to.t);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                let value = event.value(&self.at(middle));
                *if value * before > 0.0 { &mut low } else { &mut high } = middle;
                if value.is_nan() {
                    high = f64::NAN;
                    break;
                }
            }
            if !event.only_takes_note() || high.is_nan() {
                let message = format!(
                    "event `{}` happens in the passage through a singular configuration between t = {:.6} and {:.6}",
                    event.name, self.from.t, self.to.t
                );
                let hint = "there it can only take note of what depends on the motion: action = \"continue\"";
                return Err(Failure::work(message).with_hint(hint).with_parameter(event.name.clone()));
            }
            self.events.push(self.occurrence(index, &event.name, high, before < 0.0));
        }
        Ok(())
    }
}

impl Stretch for Bridge {
    fn ends(&self) -> [&State; 2] {
        [&self.from, &self.to]
    }

    fn after(&self) -> &State {
        &self.to
    }

    fn events(&self) -> &[Occurrence] {
        &self.events
    }

    fn accurate(&mut self, t: f64, out: &mut State) {
        *out = self.at(t);
    }

    fn sketch(&mut self, t: f64, out: &mut State) {
        *out = self.at(t);
    }
}

/// The singular configuration at which a run has stopped, if that is why it did.
pub fn stopped_at(model: &Model, error: &IntegrateError, state: &State) -> Option<Singular> {
    model.system.mechanism()?.stopped_at(error, state)
}
