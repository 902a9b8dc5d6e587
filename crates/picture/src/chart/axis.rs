//! An axis: what it is called, which numbers it spans, and where its ticks are.

/// How numbers become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Log,
}

/// An axis, before it has seen any data.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What stands beside it.
    pub label: String,
    scale: Scale,
}

/// An axis with its range. Positions run from 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct Span {
    scale: Scale,
    /// In the scale's own numbers: logarithms to base 10 where it is logarithmic.
    from: f64,
    to: f64,
}

/// A labelled place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub position: f64,
    pub label: String,
}

/// Free space at each end, as a part of the range of the data.
const MARGIN: f64 = 0.05;
/// Larger numbers are drawn at the edge, smaller ones as zero: ranges and steps between ticks stay ordinary numbers.
const LARGEST: f64 = 1e300;
const SMALLEST: f64 = 1e-280;
/// A range smaller than this share of its numbers is rounding: they are drawn as equal.
const NARROWEST: f64 = 1e-12;
/// Most decimals of a label, and the largest number that is written out.
const DECIMALS: usize = 9;
const WRITTEN: f64 = 1e7;
/// Most decades with a fine grid.
const FINE_DECADES: f64 = 30.0;
/// Most labelled ticks that fit.
const MOST: i32 = 12;

impl Axis {
    /// Equal distances for equal differences.
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Linear }
    }

    /// Equal distances for equal ratios.
    pub fn log(label: &str) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Log }
    }

    /// The range of the values that can be shown, with a margin.
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter_map(|value| self.scale.place(value)) {
            (from, to) = (from.min(value), to.max(value));
        }
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        // A single value still needs a range around it, of its own size where 1 would be too large or too small for it.
        let size = from.abs().max(to.abs());
        let margin = match to - from {
            range if range > NARROWEST * size && range > SMALLEST => MARGIN * range,
            _ if size == 0.0 || (1e-2..1e6).contains(&size) => 0.5,
            _ => 0.5 * size,
        };
        (from, to) = (from - margin, to + margin);
        // Two labelled decades at least: with one, the scale could not be read off.
        if self.scale == Scale::Log && to.floor() - from.ceil() < 1.0 {
            (from, to) = (from.floor(), to.ceil());
        }
        Span { scale: self.scale, from, to }
    }
}

impl Scale {
    fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Scale::Linear if value.abs() < SMALLEST => 0.0,
            Scale::Linear => value.clamp(-LARGEST, LARGEST),
            Scale::Log if value > 0.0 => value.log10(),
            Scale::Log => f64::NAN,
        };
        place.is_finite().then_some(place)
    }
}

impl Span {
    /// Where a value is; none where it cannot be shown (zero on a logarithmic axis).
    pub fn position(&self, value: f64) -> Option<f64> {
        Some(self.at(self.scale.place(value)?))
    }

    /// How long a factor of ten is; none on a linear axis.
    pub fn decade(&self) -> Option<f64> {
        (self.scale == Scale::Log).then(|| 1.0 / (self.to - self.from))
    }

    /// The length of its range; none on a logarithmic axis.
    pub fn length(&self) -> Option<f64> {
        (self.scale == Scale::Linear).then_some(self.to - self.from)
    }

    /// Makes the range longer by a factor, about its middle.
    pub fn widen(&mut self, factor: f64) {
        let (middle, half) = (0.5 * (self.from + self.to), 0.5 * factor * (self.to - self.from));
        (self.from, self.to) = (middle - half, middle + half);
    }

    fn at(&self, place: f64) -> f64 {
        (place - self.from) / (self.to - self.from)
    }

    /// Ticks with labels.
    pub fn major(&self) -> Vec<Tick> {
        match self.scale {
            Scale::Log => {
                let decades = self.decades();
                let stride = 1 + (decades.end - decades.start) / (MOST + 1);
                let labelled = decades.filter(|decade| decade.rem_euclid(stride) == 0);
                labelled.map(|decade| Tick { position: self.at(f64::from(decade)), label: power(decade) }).collect()
            }
            Scale::Linear => {
                let (step, decimals) = self.step();
                let values: Vec<f64> = self.multiples(step).collect();
                let label = labels(&values, step, decimals);
                let tick = |&value: &f64| Tick { position: self.at(value), label: label(value).replace('-', "−") };
                values.iter().map(tick).collect()
            }
        }
    }

    /// Places of the fine grid: 1 to 9 of every decade (not all decades may be labelled), or fifths between labels.
    pub fn minor(&self) -> Vec<f64> {
        match self.scale {
            Scale::Log => {
                if self.to - self.from > FINE_DECADES {
                    return Vec::new();
                }
                let decades = (self.from.floor() as i32)..=(self.to.floor() as i32);
                let places = decades.flat_map(|k| (1..10).map(move |digit| f64::from(k) + f64::from(digit).log10()));
                places.filter(|place| (self.from..=self.to).contains(place)).map(|place| self.at(place)).collect()
            }
            Scale::Linear => self.multiples(self.step().0 / 5.0).map(|value| self.at(value)).collect(),
        }
    }

    fn decades(&self) -> std::ops::Range<i32> {
        (self.from.ceil() as i32)..(self.to.floor() as i32 + 1)
    }

    /// 1, 2 or 5 times a power of ten, for four to nine labels, and the decimals these need.
    fn step(&self) -> (f64, i32) {
        let rough = (self.to - self.from) / 9.0;
        let exponent = rough.log10().floor();
        let unit = 10f64.powf(exponent);
        let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * unit >= rough).unwrap_or(10.0);
        let step = factor * unit;
        (step, (-step.log10().floor()).max(0.0) as i32)
    }

    fn multiples(&self, step: f64) -> impl Iterator<Item = f64> {
        let (first, last) = ((self.from / step).ceil() as i64, (self.to / step).floor() as i64);
        (first..=last).map(move |k| k as f64 * step)
    }
}

/// How ticks are labelled: written out where that is short; else in powers of ten; and where they differ in their last digits
/// only, the first one in full and the others by how much they are more.
fn labels(values: &[f64], step: f64, decimals: i32) -> impl Fn(f64) -> String {
    let first = values.first().copied().unwrap_or_default();
    let size = values.iter().fold(0.0, |max: f64, value| max.max(value.abs()));
    // Digits that tell neighbours apart: 1.2e-9 and 1.0e-9 need two, and so do steps of 2e-10 up to just 1e-9.
    let decade = |x: f64| x.log10().floor();
    let digits = if size > 0.0 {
        (decade(size * (1.0 + 1e-9)) - decade(step * (1.0 + 1e-9)) + 1.0).max(0.0) as usize
    } else {
        0
    };
    let short = size < WRITTEN && decimals as usize <= DECIMALS;
    let by_difference = digits > DECIMALS;
    move |value: f64| {
        let difference = value - first;
        if by_difference && value == first {
            format!("{value:e}")
        } else if by_difference {
            format!("+{:e}", (difference / step).round() * step)
        } else if short {
            format!("{value:.0$}", decimals as usize)
        } else if value == 0.0 {
            "0".to_owned()
        } else {
            brief(&format!("{value:.0$e}", digits.saturating_sub(1).min(DECIMALS)))
        }
    }
}

/// A number in powers of ten without zeros at the end of its decimals.
fn brief(number: &str) -> String {
    match number.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => number.to_owned(),
    }
}

/// Ten to the power of `exponent`, as it is printed.
fn power(exponent: i32) -> String {
    let digits = exponent.to_string();
    let raised = digits.chars().map(|letter| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    });
    "10".chars().chain(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(span: &Span) -> Vec<String> {
        span.major().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn decades_are_labelled_in_powers_of_ten() {
        let span = Axis::log("h").span([2e-3, 0.3].into_iter());
        assert_eq!(labelled(&span), ["10⁻²", "10⁻¹"]);
        assert_eq!(span.position(0.0), None);
        assert_eq!(span.position(f64::NAN), None);
    }

    #[test]
    fn one_decade_is_widened_and_many_are_thinned() {
        assert_eq!(labelled(&Axis::log("h").span([0.2, 0.3].into_iter())), ["10⁻¹", "10⁰"]);
        assert!(Axis::log("e").span([1e-40, 1.0].into_iter()).major().len() <= 12);
        assert_eq!(Axis::log("e").span(std::iter::empty()).major().len(), 2);
    }

    #[test]
    fn every_range_has_ticks_and_places() {
        let extremes = [
            0.0,
            -0.0,
            5e-324,
            1e-320,
            2e-308,
            1e-300,
            1e-9,
            1.0,
            1.0 + 1e-15,
            1e9,
            1e9 + 1e-3,
            1.7e9,
            1e15,
            1e300,
            1.7e308,
            f64::MAX,
            -f64::MAX,
            -1e-310,
            -3.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        for a in extremes {
            for b in extremes {
                for axis in [Axis::linear("x"), Axis::log("x")] {
                    let span = axis.span([a, b].into_iter());
                    let ticks = span.major();
                    assert!((2..=13).contains(&ticks.len()), "{a:e} {b:e}: {ticks:?}");
                    assert!(ticks.iter().all(|tick| tick.label.chars().count() <= 22), "{a:e} {b:e}: {ticks:?}");
                    assert!(ticks.windows(2).all(|pair| pair[0].label != pair[1].label), "{a:e} {b:e}: {ticks:?}");
                    assert!(span.minor().len() <= 400, "{a:e} {b:e}");
                    let inside = |place: f64| (-1e-9..=1.0 + 1e-9).contains(&place);
                    assert!(ticks.iter().all(|tick| inside(tick.position)) && span.minor().into_iter().all(inside));
                    for value in [a, b] {
                        assert!(span.position(value).is_none_or(inside), "{a:e} {b:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn large_numbers_and_small_differences_are_labelled_briefly() {
        let span = Axis::linear("x").span([0.0, 3e12].into_iter());
        assert_eq!(labelled(&span)[..4], ["0", "5e11", "1e12", "1.5e12"]);
        let span = Axis::linear("t").span([1.7e9, 1.7e9 + 0.01].into_iter());
        assert_eq!(labelled(&span)[1], "+2e−3");
    }

    #[test]
    fn linear_ticks_are_round() {
        let span = Axis::linear("t").span([0.0, 4.0].into_iter());
        assert_eq!(labelled(&span), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0"]);
        let span = Axis::linear("x").span([-0.1, 0.12].into_iter());
        assert_eq!(labelled(&span), ["−0.10", "−0.05", "0.00", "0.05", "0.10"]);
    }
}
