//! What is compared of a run: its states by time, its events, how it ended.

use alembert::{Occurrence, State};
use alembert_model::Model;

use super::torn::is_torn;
use crate::simulate::End;

/// The quantities of a state.
pub const QUANTITIES: [&str; 5] = ["q", "v", "a", "lambda", "psi"];

/// The entries of each quantity.
pub fn parts(state: &State) -> [&[f64]; 5] {
    [&state.q, &state.v, &state.a, &state.lambda, &state.psi]
}

/// One number for each quantity, the largest of its entries; none where there is no such quantity.
pub type Errors = [Option<f64>; 5];

/// Of two numbers for each quantity the larger.
pub fn larger(x: Errors, y: Errors) -> Errors {
    std::array::from_fn(|i| x[i].into_iter().chain(y[i]).reduce(f64::max))
}

/// The differences of two states; what is unknown (NaN) in the second is left out.
pub fn distance(state: &State, truth: &State) -> Errors {
    let (mine, theirs) = (parts(state), parts(truth));
    std::array::from_fn(|i| {
        let known = mine[i].iter().zip(theirs[i]).filter(|(_, y)| !y.is_nan());
        known.map(|(x, y)| (x - y).abs()).reduce(f64::max)
    })
}

/// An event that changed the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    pub name: String,
    pub t: f64,
}

/// A run as far as it is compared.
pub struct Track {
    /// In the order of time.
    pub states: Vec<State>,
    pub instants: Vec<Instant>,
    pub end: End,
}

impl Track {
    /// A run of a model. Integrals of first-order states, which stand in q and matter to nobody, are left out.
    pub fn new(model: &Model, mut states: Vec<State>, occurrences: &[Occurrence], end: End) -> Track {
        let bodies = model.names.q.len();
        for state in &mut states {
            state.q.iter_mut().skip(bodies).for_each(|integral| *integral = 0.0);
        }
        // Accelerations that are computed anew differ by rounding, even if nothing has changed.
        let what = |state: &State| (state.q.clone(), state.v.clone());
        let changes = occurrences.iter().filter(|event| what(&event.after) != what(&event.before));
        let instants = changes.map(|event| Instant { name: event.name.clone(), t: event.t }).collect();
        Track { states, instants, end }
    }

    /// The state at a time, met to within `slack`.
    pub fn at(&self, t: f64, slack: f64) -> Option<&State> {
        let from = self.states.partition_point(|state| state.t < t - slack);
        self.states.get(from).filter(|state| state.t <= t + slack)
    }

    /// How many events changed the state or ended the run.
    pub fn count(&self) -> usize {
        self.instants.len() + usize::from(self.stop().is_some())
    }

    /// Where it ended, if an event ended it.
    fn stop(&self) -> Option<(&str, &State)> {
        match &self.end {
            End::Event(name) => Some((name, self.states.last()?)),
            _ => None,
        }
    }
}

/// At most `most` of these, evenly chosen, the last one included.
pub fn thinned<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    let every = all.len().div_ceil(most).max(1);
    let mut chosen: Vec<T> = all.iter().rev().step_by(every).copied().collect();
    chosen.reverse();
    chosen
}

/// Two runs side by side.
pub struct Pair<'a> {
    pub run: &'a Track,
    pub truth: &'a Track,
    pub span: f64,
    /// The model, whose forces may jump at a row, so that accelerations there are those of one side or the other.
    pub model: Option<&'a Model>,
}

impl Pair<'_> {
    /// Times that count as one.
    fn slack(&self) -> f64 {
        1e-9 * self.span
    }

    /// The differences at these times. Between the instants at which the two see the same event one of them has jumped and
    /// the other has not: there the instants are compared instead.
    pub fn errors(&self, times: &[f64]) -> Errors {
        let mut found = [None; 5];
        for (_, errors) in self.along(times) {
            found = larger(found, errors);
        }
        found
    }

    /// The differences at each of these times that both know.
    pub fn along(&self, times: &[f64]) -> Vec<(f64, Errors)> {
        let slack = self.slack();
        let count = self.run.instants.len().max(self.truth.instants.len());
        let jumps: Vec<(f64, f64)> = (0..count)
            .filter_map(|k| {
                let both =
                    [self.run.instants.get(k), self.truth.instants.get(k)].map(|event| event.map(|event| event.t));
                let (x, y) = (both[0].or(both[1])?, both[1].or(both[0])?);
                Some((x.min(y) - slack, x.max(y) + slack))
            })
            .collect();
        let quiet = |t: f64| !jumps.iter().any(|(from, to)| (from..=to).contains(&&t));
        let mut rows: Vec<(f64, Errors)> = times
            .iter()
            .filter(|t| quiet(**t))
            .filter_map(|&t| Some((t, self.compared(self.run.at(t, slack)?, self.truth.at(t, slack)?))))
            .collect();
        let stops = self.run.stop().zip(self.truth.stop());
        if let Some(((_, x), (_, y))) = stops.filter(|((mine, _), (theirs, _))| mine == theirs) {
            rows.push((x.t, distance(x, y)));
        }
        rows
    }

    /// The differences of two states of one time, without what jumps there.
    fn compared(&self, state: &State, truth: &State) -> Errors {
        let mut errors = distance(state, truth);
        if self.model.is_some_and(|model| is_torn(model, state, truth, self.slack())) {
            errors[2..].fill(None);
        }
        errors
    }

    /// At how many of these times a force jumps.
    pub fn torn(&self, times: &[f64]) -> usize {
        let slack = self.slack();
        let Some(model) = self.model else { return 0 };
        let both = times.iter().filter_map(|&t| Some((self.run.at(t, slack)?, self.truth.at(t, slack)?)));
        both.filter(|(state, truth)| is_torn(model, state, truth, slack)).count()
    }

    /// The largest difference of the instants; an error in words if there are others, or in another order.
    pub fn instants(&self) -> Result<Option<f64>, String> {
        let stops = [self.run, self.truth].map(|track| track.stop().map(|(name, state)| (name.to_owned(), state.t)));
        let told = |stop: &Option<(String, f64)>| match stop {
            Some((name, t)) => format!("ends with the event `{name}` at t = {t:.6}"),
            None => "reaches the end time".to_owned(),
        };
        if stops[0].as_ref().map(|stop| &stop.0) != stops[1].as_ref().map(|stop| &stop.0) {
            return Err(format!("the run {}, its reference {}", told(&stops[0]), told(&stops[1])));
        }
        let (mine, theirs) = (&self.run.instants, &self.truth.instants);
        let other = mine.iter().zip(theirs).find(|(x, y)| x.name != y.name);
        if let Some((x, y)) = other {
            return Err(format!(
                "the run meets the event `{}` at t = {:.6} where its reference meets `{}` at t = {:.6}",
                x.name, x.t, y.name, y.t
            ));
        }
        if mine.len() != theirs.len() {
            let (few, who) = if mine.len() < theirs.len() { (mine.len(), theirs) } else { (theirs.len(), mine) };
            return Err(format!(
                "the run meets {} events, its reference {}: the first that only one of them meets is `{}` at t = {:.6}",
                mine.len(),
                theirs.len(),
                who[few].name,
                who[few].t
            ));
        }
        let ends = stops[0].iter().zip(&stops[1]).map(|(x, y)| (x.1 - y.1).abs());
        Ok(mine.iter().zip(theirs).map(|(x, y)| (x.t - y.t).abs()).chain(ends).reduce(f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alembert::Dims;

    fn track(states: &[(f64, f64)], instants: &[f64]) -> Track {
        let states = states.iter().map(|&(t, v)| {
            let mut state = State::zero(Dims { q: 1, v: 1, lambda: 0, psi: 0 });
            (state.t, state.v[0]) = (t, v);
            state
        });
        let instants = instants.iter().map(|&t| Instant { name: "floor".to_owned(), t }).collect();
        Track { states: states.collect(), instants, end: End::Reached }
    }

    #[test]
    fn between_the_instants_of_one_event_states_are_not_compared() {
        let run = track(&[(0.0, -1.0), (0.5, -1.0), (1.0, 1.0)], &[0.5 + 1e-8]);
        let truth = track(&[(0.0, -1.0), (0.5, 1.0), (1.0, 1.0 + 1e-9)], &[0.5 - 1e-8]);
        let pair = Pair { run: &run, truth: &truth, span: 1.0, model: None };
        let error = pair.errors(&[0.0, 0.5, 1.0])[1].expect("velocities");
        assert!((error - 1e-9).abs() < 1e-12, "{error:e}");
        let apart = pair.instants().expect("the same events").expect("an event");
        assert!((apart - 2e-8).abs() < 1e-12, "{apart:e}");
        // A bounce that one of them missed is told, and shows in the states.
        let missed =
            Pair { run: &run, truth: &track(&[(0.0, -1.0), (0.5, -1.0), (1.0, -1.0)], &[]), span: 1.0, model: None };
        assert!(missed.instants().expect_err("other events").contains("`floor`"));
        assert_eq!(missed.errors(&[0.0, 0.5, 1.0])[1], Some(2.0));
    }

    #[test]
    fn thinning_keeps_the_last() {
        let all: Vec<usize> = (0..1001).collect();
        let chosen = thinned(&all, 100);
        assert!(chosen.len() <= 100 && chosen.last() == Some(&1000), "{chosen:?}");
        assert_eq!(thinned(&all[..5], 100), [0, 1, 2, 3, 4]);
    }
}
