//! Results of a run, gathered step by step: extremes, integrals, values at times and events.
//!
//! ```text
//! extremes     samples of the interpolated step; a peak that may be one is refined on states as accurate as the steps
//! integrals    Lobatto's rule with 4 points in its extension by Kronrod with 7, h times
//!              1/6 5/6 5/6 1/6 at +-1, +-sqrt(1/5);   11/210 72/245 125/294 16/35 ... at +-1, +-sqrt(2/3), +-sqrt(1/5), 0
//!              a step is divided where the two differ by more than a part of the tolerance
//! ```
//!
//! Between rows and between steps alike: which rows a result has does not change these numbers.

use std::collections::BTreeMap;

use alembert::{Accepted, Occurrence, State};
use alembert_model::Model;
use alembert_model::measure::{Made, Measure, Room};
use alembert_model::run::{Run, Steps};
use serde_json::{Map, Value, json};

use crate::record::bytes::{Bytes, Cut, Reader};
use crate::start::digits;

/// Samples inside a step, as events have them.
const SAMPLES: usize = 8;
/// An extreme is located to this share of its step: there the function is flat.
const LOCATED: f64 = 1e-7;
const MOST_LOOKS: usize = 40;
/// The share of the tolerance that a rule may be off by, and the tolerance of prescribed steps.
const SHARE: f64 = 0.1;
const PRESCRIBED: f64 = 1e-8;
/// How often a step is divided in two.
const DEEPEST: usize = 8;

/// What is known of one result so far.
#[derive(Clone, Debug)]
struct Gauge {
    /// The extreme, the value, or nothing yet.
    value: f64,
    /// When that was.
    at: f64,
    /// The integral, that of the size, and the time.
    sum: f64,
    size: f64,
    span: f64,
    /// Occurrences of its event.
    count: u64,
}

/// All results of a run under way.
pub struct Results {
    gauges: Vec<Gauge>,
    room: Vec<Room>,
    rtol: f64,
}

/// A result when the run is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Its value; not a number if the motion did not come to it.
    pub value: f64,
    /// When, where there is a time to it.
    pub t: Option<f64>,
    /// Its unit.
    pub unit: Option<String>,
    /// What it is called.
    pub label: Option<String>,
}

impl Outcome {
    /// In words.
    pub fn words(&self) -> String {
        let name = self.label.as_deref().unwrap_or(&self.name);
        let unit = self.unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
        let at = self.t.map(|t| format!(" at t = {}", digits(t))).unwrap_or_default();
        if self.value.is_nan() { format!("{name}: none") } else { format!("{name} = {}{unit}{at}", digits(self.value)) }
    }
}

/// Results for machines.
pub fn json(outcomes: &[Outcome]) -> Value {
    let one = |outcome: &Outcome| {
        let Outcome { value, t, unit, label, .. } = outcome;
        json!({ "value": value, "t": t, "unit": unit, "label": label })
    };
    let all: Map<String, Value> = outcomes.iter().map(|outcome| (outcome.name.clone(), one(outcome))).collect();
    all.into()
}

/// A stretch of the motion, whose states are known at all times.
pub trait Stretch {
    /// Where it begins and where it ends.
    fn ends(&self) -> [&State; 2];

    /// Where the next one begins.
    fn after(&self) -> &State;

    /// What happens in it.
    fn events(&self) -> &[Occurrence];

    /// The state at a time inside, as accurate as the ends wherever that is possible.
    fn accurate(&mut self, t: f64, out: &mut State);

    /// The same where its cost counts.
    fn sketch(&mut self, t: f64, out: &mut State);
}

impl Stretch for Accepted<'_, '_> {
    fn ends(&self) -> [&State; 2] {
        [self.from(), self.state]
    }

    fn after(&self) -> &State {
        Accepted::after(self)
    }

    fn events(&self) -> &[Occurrence] {
        self.events
    }

    fn accurate(&mut self, t: f64, out: &mut State) {
        if self.consistent_at(t, out).is_err() {
            self.interpolate(t, out);
        }
    }

    fn sketch(&mut self, t: f64, out: &mut State) {
        self.interpolate(t, out);
    }
}

/// States inside a step, each made once.
struct Inside<'a> {
    step: &'a mut dyn Stretch,
    known: BTreeMap<u64, State>,
    room: State,
}

impl Inside<'_> {
    /// The state at a time within the step, as accurate as its ends wherever that is possible.
    fn at(&mut self, t: f64) -> &State {
        let [from, to] = self.step.ends().map(|state| state.t);
        if t <= from {
            return self.step.ends()[0];
        }
        if t >= to {
            return self.step.ends()[1];
        }
        // Times of one sign are in the order of their bits; the order does not matter here.
        let key = t.to_bits();
        if !self.known.contains_key(&key) {
            let mut state = self.room.clone();
            self.step.accurate(t, &mut state);
            state.t = t;
            self.known.insert(key, state);
        }
        &self.known[&key]
    }
}

impl Results {
    /// Nothing is known yet but the start.
    pub fn new(model: &Model, run: &Run, start: &State) -> Results {
        let rtol = match run.steps {
            Steps::ByError { rtol, .. } => rtol,
            Steps::Fixed { .. } => PRESCRIBED,
        };
        let mut results = Results { gauges: Vec::new(), room: Vec::new(), rtol };
        for measure in &model.results {
            let mut gauge = Gauge { value: f64::NAN, at: start.t, sum: 0.0, size: 0.0, span: 0.0, count: 0 };
            let mut room = Room::default();
            let inside = measure.from.is_none_or(|from| from <= start.t);
            match measure.made {
                Made::Max | Made::Min if inside => gauge.value = measure.value(start, &mut room),
                Made::Last => gauge.value = measure.value(start, &mut room),
                Made::At(t) if t == start.t => gauge.value = measure.value(start, &mut room),
                _ => {}
            }
            results.gauges.push(gauge);
            results.room.push(room);
        }
        results
    }

    /// Looks at an accepted step, or at what stands for one.
    pub fn step(&mut self, model: &Model, step: &mut dyn Stretch) {
        if self.gauges.is_empty() {
            return;
        }
        let [t0, t1] = step.ends().map(|state| state.t);
        let room = step.ends()[1].clone();
        let events: Vec<Occurrence> = step.events().to_vec();
        let mut inside = Inside { step, known: BTreeMap::new(), room };
        for ((measure, gauge), room) in model.results.iter().zip(&mut self.gauges).zip(&mut self.room) {
            let (from, to) = (measure.from.unwrap_or(t0).max(t0), measure.to.unwrap_or(t1).min(t1));
            match &measure.made {
                Made::Max | Made::Min if from <= to => extreme(measure, gauge, room, &mut inside, (from, to)),
                Made::Mean | Made::Rms | Made::Integral if from < to => {
                    let f = |state: &State| {
                        let value = measure.value(state, room);
                        if measure.made == Made::Rms { value * value } else { value }
                    };
                    integral(f, gauge, &mut inside, (from, to), SHARE * self.rtol);
                }
                Made::Last => (gauge.value, gauge.at) = (measure.value(inside.step.after(), room), t1),
                Made::At(t) if (t0 < *t && *t <= t1) => {
                    (gauge.value, gauge.at) = (measure.value(inside.at(*t), room), *t);
                }
                Made::Event { index, which } => {
                    for event in events.iter().filter(|event| event.event == *index) {
                        gauge.count += 1;
                        if which.is_none_or(|which| which == gauge.count) {
                            (gauge.value, gauge.at) = (measure.value(&event.before, room), event.t);
                        }
                    }
                }
                Made::Count { index } => {
                    let within =
                        |t: f64| measure.from.is_none_or(|from| from <= t) && measure.to.is_none_or(|to| t <= to);
                    gauge.count +=
                        events.iter().filter(|event| event.event == *index && within(event.t)).count() as u64;
                }
                _ => {}
            }
        }
    }

    /// What they came to.
    pub fn outcomes(&self, model: &Model) -> Vec<Outcome> {
        let one = |(measure, gauge): (&Measure, &Gauge)| {
            let Gauge { value, at, sum, span, count, .. } = gauge;
            let (value, t) = match measure.made {
                Made::Max | Made::Min | Made::Last | Made::At(_) | Made::Event { .. } => (*value, Some(*at)),
                Made::Mean => (sum / span, None),
                Made::Rms => ((sum / span).sqrt(), None),
                Made::Integral => (if *span > 0.0 { *sum } else { f64::NAN }, None),
                Made::Count { .. } => (*count as f64, None),
            };
            let t = t.filter(|_| !value.is_nan());
            Outcome { name: measure.name.clone(), value, t, unit: measure.unit.clone(), label: measure.label.clone() }
        };
        model.results.iter().zip(&self.gauges).map(one).collect()
    }

    /// Everything that what follows depends on.
    pub fn save(&self, bytes: &mut Bytes) {
        bytes.word(self.gauges.len() as u64);
        for Gauge { value, at, sum, size, span, count } in &self.gauges {
            bytes.numbers(&[*value, *at, *sum, *size, *span]);
            bytes.word(*count);
        }
    }

    /// Takes over what was saved.
    ///
    /// # Errors
    /// If bytes are missing, or are those of other results.
    pub fn restore(&mut self, bytes: &mut Reader) -> Result<(), Cut> {
        if bytes.word()? != self.gauges.len() as u64 {
            return Err(Cut);
        }
        for gauge in &mut self.gauges {
            let [value, at, sum, size, span] = bytes.numbers()?[..] else { return Err(Cut) };
            *gauge = Gauge { value, at, sum, size, span, count: bytes.word()? };
        }
        Ok(())
    }
}

/// Looks for a larger (or smaller) value within a part of a step.
fn extreme(measure: &Measure, gauge: &mut Gauge, room: &mut Room, inside: &mut Inside, (from, to): (f64, f64)) {
    let sign = if measure.made == Made::Max { 1.0 } else { -1.0 };
    let mut samples: Vec<(f64, f64)> = Vec::with_capacity(SAMPLES + 1);
    for k in 0..=SAMPLES {
        let t = if k == SAMPLES { to } else { from + (to - from) * k as f64 / SAMPLES as f64 };
        let [first, last] = inside.step.ends().map(|state| state.t);
        let value = if t <= first || t >= last || k == 0 || k == SAMPLES {
            measure.value(inside.at(t), room)
        } else {
            let mut state = inside.room.clone();
            inside.step.sketch(t, &mut state);
            state.t = t;
            measure.value(&state, room)
        };
        samples.push((t, sign * value));
    }
    let mut offer = |t: f64, value: f64| {
        if gauge.value.is_nan() || value > sign * gauge.value {
            (gauge.value, gauge.at) = (sign * value, t);
        }
    };
    offer(samples[0].0, samples[0].1);
    offer(samples[SAMPLES].0, samples[SAMPLES].1);
    if to <= from {
        return;
    }
    for k in 0..=SAMPLES {
        let (left, right) = (k.saturating_sub(1), (k + 1).min(SAMPLES));
        let peak = samples[k].1;
        let lower = |j: usize| j == k || samples[j].1 <= peak;
        // A peak between samples is higher than the sample by less than the sample is above its lower neighbour.
        let rise = peak - samples[left].1.min(samples[right].1);
        if !(lower(left) && lower(right)) || rise <= 0.0 || peak + rise <= sign * gauge.value {
            continue;
        }
        let (t, value) =
            refined(samples[left].0, samples[right].0, to - from, |t| sign * measure.value(inside.at(t), room));
        if gauge.value.is_nan() || value > sign * gauge.value {
            (gauge.value, gauge.at) = (sign * value, t);
        }
    }
}

/// The largest value between two times, by golden section and then parabolas.
fn refined(mut a: f64, mut b: f64, h: f64, mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    let golden = 0.5 * (3.0 - 5.0_f64.sqrt());
    let mut x = a + golden * (b - a);
    let mut best = (x, f(x));
    let (mut second, mut third) = (best, best);
    let (mut last, mut before) = (0.0_f64, 0.0_f64);
    for _ in 0..MOST_LOOKS {
        let (middle, tolerance) = (0.5 * (a + b), LOCATED * h);
        if (best.0 - middle).abs() <= 2.0 * tolerance - 0.5 * (b - a) {
            break;
        }
        // Brent's method: a parabola through the three best, unless it goes too far.
        let r = (best.0 - second.0) * (best.1 - third.1);
        let mut q = (best.0 - third.0) * (best.1 - second.1);
        let mut p = (best.0 - third.0) * q - (best.0 - second.0) * r;
        q = 2.0 * (q - r);
        if q > 0.0 {
            p = -p;
        }
        q = q.abs();
        let parabolic = p.abs() < (0.5 * q * before).abs() && p > q * (a - best.0) && p < q * (b - best.0);
        before = if parabolic {
            last
        } else if best.0 >= middle {
            a - best.0
        } else {
            b - best.0
        };
        last = if parabolic { p / q } else { golden * before };
        let step = if last.abs() >= tolerance { last } else { tolerance.copysign(last) };
        x = (best.0 + step).clamp(a, b);
        let value = f(x);
        if value >= best.1 {
            if x >= best.0 {
                a = best.0
            } else {
                b = best.0
            }
            (third, second, best) = (second, best, (x, value));
        } else {
            if x < best.0 {
                a = x
            } else {
                b = x
            }
            if value >= second.1 || second.0 == best.0 {
                (third, second) = (second, (x, value));
            } else if value >= third.1 || third.0 == best.0 || third.0 == second.0 {
                third = (x, value);
            }
        }
    }
    best
}

/// Adds the integral over a part of a step.
fn integral(
    mut f: impl FnMut(&State) -> f64,
    gauge: &mut Gauge,
    inside: &mut Inside,
    (from, to): (f64, f64),
    part: f64,
) {
    let mut stack = vec![(from, to, 0)];
    while let Some((a, b, depth)) = stack.pop() {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let inner = half * 0.2_f64.sqrt();
        let outer = half * (2.0_f64 / 3.0).sqrt();
        let mut at = |t: f64| f(inside.at(t));
        let ends = [at(a), at(b)];
        let inner = [at(middle - inner), at(middle + inner)];
        let outer = [at(middle - outer), at(middle + outer)];
        let centre = at(middle);
        let pair = |x: [f64; 2]| x[0] + x[1];
        let coarse = half * (pair(ends) + 5.0 * pair(inner)) / 6.0;
        let rule = |ends: f64, outer: f64, inner: f64, centre: f64| {
            half * (11.0 / 210.0 * ends + 72.0 / 245.0 * outer + 125.0 / 294.0 * inner + 16.0 / 35.0 * centre)
        };
        let fine = rule(pair(ends), pair(outer), pair(inner), centre);
        let size = rule(pair(ends.map(f64::abs)), pair(outer.map(f64::abs)), pair(inner.map(f64::abs)), centre.abs());
        if (fine - coarse).abs() > part * (gauge.size + size) && depth < DEEPEST {
            stack.extend([(middle, b, depth + 1), (a, middle, depth + 1)]);
            continue;
        }
        gauge.sum += fine;
        gauge.size += size;
        gauge.span += b - a;
    }
}

#[cfg(test)]
mod tests {
    use super::refined;

    #[test]
    fn a_peak_is_found_between_samples() {
        let (t, value) = refined(1.0, 2.0, 1.0, f64::sin);
        assert!((t - std::f64::consts::FRAC_PI_2).abs() < 1e-6 && (value - 1.0).abs() < 1e-13, "{t} {value}");
        // One with a corner, and one at the end.
        let (t, _) = refined(0.0, 1.0, 1.0, |t| -(t - 0.3).abs());
        assert!((t - 0.3).abs() < 1e-6, "{t}");
        let (t, _) = refined(0.0, 1.0, 1.0, |t| t);
        assert!(t > 1.0 - 1e-6, "{t}");
    }
}
