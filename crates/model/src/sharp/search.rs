//! The search: samples, changes of sign, and closer and closer looks.

use super::profile::{Formulas, Profile};
use super::{Sharpness, Window};

/// Samples of the span: as many as this work allows.
const MOST_SAMPLES: usize = 200_000;
const FEWEST_SAMPLES: usize = 20_000;
const WORK: usize = 40_000_000;
/// A sample is sharp if it is this far from the mean of its neighbours, relative to the range.
const SHARP: f64 = 1e-3;
/// The largest numbers of kinks and of spans, and of places to look at closely.
const MOST_KINKS: usize = 20_000;
const MOST_WINDOWS: usize = 2000;
/// Halvings of the distance of two samples; what is narrower still is a pole, which is no pulse.
const HALVINGS: usize = 30;
/// Sharp samples in a row that resolve what they see, and the longest step there in samples.
const RESOLVED: usize = 16;
const STEP: f64 = 4.0;
/// If more than this share of the samples is sharp, everything is. Steps then see it by themselves, if they are not too long.
const EVERYWHERE: f64 = 0.2;
const STEP_EVERYWHERE: f64 = 64.0;
/// Spans that overlap are joined if the ratio of their longest steps is at most this.
const ALIKE: f64 = 8.0;
/// How many steps are made in a pulse that was found by a close look.
const STEPS: f64 = 16.0;
/// Roundings between two changes of sign that are one: a sign is zero in between.
const ONE_PLACE: f64 = 4.0;

/// Samples of some formulas, row by row.
struct Samples {
    from: f64,
    apart: f64,
    width: usize,
    values: Vec<f64>,
}

impl Samples {
    fn new(formulas: &Formulas, from: f64, to: f64, count: usize) -> Self {
        let (width, apart) = (formulas.count, (to - from) / count as f64);
        let mut values = vec![0.0; (count + 1) * width];
        for (i, row) in values.chunks_exact_mut(width.max(1)).enumerate() {
            formulas.at(from + apart * i as f64, row);
        }
        Samples { from, apart, width, values }
    }

    fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    fn t(&self, i: usize) -> f64 {
        self.from + self.apart * i as f64
    }

    fn value(&self, i: usize, formula: usize) -> f64 {
        self.values[i * self.width + formula]
    }
}

impl Profile {
    /// Where the formulas are sharp between two times.
    pub fn search(&self, from: f64, to: f64) -> Sharpness {
        let mut found = Sharpness::default();
        let work = self.values.len() + self.switches.len() + self.pieces.len() + self.inner.len();
        if self.values.count == 0 || !(to - from).is_finite() || to <= from {
            return found;
        }
        let count = (WORK / work.max(1)).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
        // Candidates for what is hidden between two samples.
        let mut places = Vec::new();
        let inner = Samples::new(&self.inner, from, to, count);
        for formula in 0..self.inner.count {
            places.extend(turning_points(&inner, &self.inner, formula, true));
            places.extend(crossings(&inner, &self.inner, formula, &[], sign).into_iter().map(|(_, t)| t));
        }
        drop(inner);
        self.find_kinks(from, to, count, &places, &mut found);
        let values = Samples::new(&self.values, from, to, count);
        for formula in 0..self.values.count {
            self.find_windows(&values, formula, &places, &mut found);
        }
        found.windows.sort_by(|x, y| x.from.total_cmp(&y.from));
        found.windows.dedup_by(|later, kept| {
            // What is sharp within something less sharp keeps its own steps.
            let ratio = later.longest / kept.longest;
            let overlap = later.from <= kept.to && (1.0 / ALIKE..=ALIKE).contains(&ratio);
            if overlap {
                (kept.to, kept.longest) = (kept.to.max(later.to), kept.longest.min(later.longest));
            }
            overlap
        });
        found
    }

    fn find_kinks(&self, from: f64, to: f64, count: usize, places: &[f64], found: &mut Sharpness) {
        let samples = Samples::new(&self.switches, from, to, count);
        let mut kinks: Vec<((f64, f64), &String)> = Vec::new();
        let mut known = places.to_vec();
        // Kinks of one formula may lie where another one has its turning point: a triangle is a kink within a kink.
        for _ in 0..2 {
            for formula in 0..self.switches.count {
                known.extend(turning_points(&samples, &self.switches, formula, false));
            }
            known.sort_by(f64::total_cmp);
            known.dedup();
            kinks.clear();
            for formula in 0..self.switches.count {
                let pairs = crossings(&samples, &self.switches, formula, &known, sign);
                kinks.extend(pairs.into_iter().map(|pair| (pair, &self.switch_owners[formula])));
            }
            known.extend(kinks.iter().map(|((_, t), _)| *t));
        }
        drop(samples);
        let samples = Samples::new(&self.pieces, from, to, count);
        for formula in 0..self.pieces.count {
            // A number of a piece is whole.
            let pairs = crossings(&samples, &self.pieces, formula, &known, |piece| piece as i64);
            kinks.extend(pairs.into_iter().map(|pair| (pair, &self.piece_owners[formula])));
        }
        kinks.retain(|((before, after), _)| *before > from && *after < to);
        kinks.sort_by(|x, y| x.0.1.total_cmp(&y.0.1));
        if kinks.len() > MOST_KINKS {
            found.too_many = true;
            return;
        }
        if let Some((_, owner)) = kinks.first() {
            found.kinked = (*owner).clone();
        }
        found.kinks = kinks.into_iter().map(|(pair, _)| pair).collect();
        found.kinks.dedup();
    }

    fn find_windows(&self, samples: &Samples, formula: usize, places: &[f64], found: &mut Sharpness) {
        let (last, apart) = (samples.len() - 1, samples.apart);
        let value = |i: usize| samples.value(i, formula);
        let finite = (0..=last).map(value).filter(|x| x.is_finite());
        let (mut low, mut high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let mut row = vec![0.0; samples.width];
        let mut at = |t: f64| {
            self.values.at(t, &mut row);
            row[formula]
        };
        // What was hidden belongs to the range.
        let kinks = found.kinks.iter().map(|(_, t)| *t);
        for t in places.iter().copied().chain(kinks).take(MOST_WINDOWS) {
            let x = at(t);
            if x.is_finite() {
                (low, high) = (low.min(x), high.max(x));
            }
        }
        let sharp = SHARP * (high - low);
        if sharp.is_nan() || sharp <= 0.0 {
            return;
        }
        let is_sharp = |i: usize| (value(i) - 0.5 * (value(i - 1) + value(i + 1))).abs() > sharp;
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut total = 0;
        for i in (1..last).filter(|i| is_sharp(*i)) {
            total += 1;
            match runs.last_mut() {
                Some(run) if i - run.1 <= RESOLVED => run.1 = i,
                _ => runs.push((i, i)),
            }
        }
        let (t_first, t_last) = (samples.t(0), samples.t(last));
        let what = || self.owners[formula].clone();
        if total as f64 > EVERYWHERE * last as f64 {
            let longest = STEP_EVERYWHERE * apart;
            found.windows.push(Window { from: t_first, to: t_last, longest, what: what() });
            return;
        }
        let mut near: Vec<f64> = places.to_vec();
        for (first, last) in runs {
            if last - first >= RESOLVED {
                let (from, to) = (samples.t(first - 1), samples.t(last + 1));
                found.windows.push(Window { from, to, longest: STEP * apart, what: what() });
            } else {
                // A jump that is known to be one is landed on exactly.
                let known = |t: f64| {
                    let at = found.kinks.partition_point(|(_, kink)| *kink < t - 1.5 * apart);
                    found.kinks.get(at).is_some_and(|(_, kink)| *kink < t + 1.5 * apart)
                };
                near.extend((first..=last).map(|i| samples.t(i)).filter(|t| !known(*t)));
            }
        }
        found.too_many |= near.len() > MOST_WINDOWS;
        for t in near.into_iter().take(MOST_WINDOWS) {
            // How far the pulse reaches: the largest distance at which the formula is off the line through its neighbourhood.
            let (far_left, far_right) = (t - 2.0 * apart, t + 2.0 * apart);
            let (left, right) = (at(far_left), at(far_right));
            let line = |s: f64| left + (right - left) * (s - far_left) / (far_right - far_left);
            let mut reach = None;
            for halving in 0..=HALVINGS {
                let d = apart * 0.5_f64.powi(halving as i32);
                // A jump is off its line at any distance.
                if [t - d, t + d].into_iter().any(|s| (at(s) - line(s)).abs() > 0.5 * sharp) {
                    reach = Some(d);
                    break;
                }
            }
            if let Some(d) = reach {
                let (from, to) = ((t - 2.0 * d).max(t_first), (t + 2.0 * d).min(t_last));
                found.windows.push(Window { from, to, longest: 4.0 * d / STEPS, what: what() });
            }
        }
        if found.windows.len() > MOST_WINDOWS {
            found.windows.truncate(MOST_WINDOWS);
            found.too_many = true;
        }
    }
}

/// Where a formula, seen by samples, has an extremum between them: the place, by golden section. Of `all` extrema, or of those
/// only that come nearer to zero, where a change of sign may hide.
fn turning_points(samples: &Samples, formulas: &Formulas, formula: usize, all: bool) -> Vec<f64> {
    let mut row = vec![0.0; formulas.count];
    let mut at = |t: f64| {
        formulas.at(t, &mut row);
        row[formula]
    };
    let mut found = Vec::new();
    for i in 1..samples.len().saturating_sub(1) {
        let [a, b, c] = [i - 1, i, i + 1].map(|i| samples.value(i, formula));
        let sign = match (b >= a && b >= c && (b > a || b > c), b <= a && b <= c && (b < a || b < c)) {
            (true, _) => 1.0,
            (_, true) => -1.0,
            _ => continue,
        };
        // A maximum comes nearer to zero where it is negative.
        if !all && sign * b > 0.0 {
            continue;
        }
        let (mut low, mut high) = (samples.t(i - 1), samples.t(i + 1));
        for _ in 0..60 {
            let (x, y) = (low + 0.381_966 * (high - low), low + 0.618_034 * (high - low));
            if sign * at(x) >= sign * at(y) { high = y } else { low = x }
        }
        found.push(0.5 * (low + high));
        if found.len() >= MOST_WINDOWS {
            break;
        }
    }
    found
}

/// Where a formula goes from one class (its sign, say) to another between samples, or between them and some places: the last time
/// before and the first after.
fn crossings(
    samples: &Samples,
    formulas: &Formulas,
    formula: usize,
    places: &[f64],
    class_of: impl Fn(f64) -> i64,
) -> Vec<(f64, f64)> {
    let mut row = vec![0.0; formulas.count];
    let mut class = |t: f64| {
        formulas.at(t, &mut row);
        class_of(row[formula])
    };
    let mut found: Vec<(f64, f64)> = Vec::new();
    let mut place = 0;
    for i in 1..samples.len() {
        let (mut low, end) = (samples.t(i - 1), samples.t(i));
        let mut before = class_of(samples.value(i - 1, formula));
        while place < places.len() && places[place] <= low {
            place += 1;
        }
        let within = places[place..].iter().take_while(|t| **t < end).copied();
        let last = class_of(samples.value(i, formula));
        for high in within.chain([end]) {
            let after = if high == end { last } else { class(high) };
            while before != after && low < high {
                let (mut a, mut b) = (low, high);
                while a.next_up() < b {
                    let middle = a + 0.5 * (b - a);
                    if class(middle) == before { a = middle } else { b = middle }
                }
                let next = class(b);
                match found.last_mut() {
                    // Through an exact zero: one place.
                    Some(pair) if b - pair.1 <= ONE_PLACE * f64::EPSILON * b.abs() => pair.1 = b,
                    _ => found.push((a, b)),
                }
                (low, before) = (b, next);
                if found.len() > MOST_KINKS {
                    return found;
                }
            }
            low = high;
        }
    }
    found
}

/// -1, 0 or 1; 0 for what is no number.
fn sign(x: f64) -> i64 {
    i64::from(x > 0.0) - i64::from(x < 0.0)
}
