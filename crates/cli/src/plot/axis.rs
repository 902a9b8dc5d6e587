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
    pub label: String,
    scale: Scale,
}

/// An axis with its range. Positions run from 0 to 1.
#[derive(Clone, Debug)]
pub struct Span {
    scale: Scale,
    /// In the scale's own numbers: logarithms to base 10 where it is logarithmic.
    from: f64,
    to: f64,
}

/// A labelled place.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub position: f64,
    pub label: String,
}

/// Free space at each end, as a part of the range of the data.
const MARGIN: f64 = 0.05;
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
    pub fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter_map(|value| self.scale.place(value)) {
            (from, to) = (from.min(value), to.max(value));
        }
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        // A single value still needs a range around it.
        let margin = if to > from { MARGIN * (to - from) } else { 0.5 };
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
            Scale::Linear => value,
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
                let (step, digits) = self.step();
                let label = |value: f64| format!("{value:.digits$}").replace('-', "−");
                self.multiples(step).map(|value| Tick { position: self.at(value), label: label(value) }).collect()
            }
        }
    }

    /// Places of the fine grid: 1 to 9 of every decade (not all decades may be labelled), or fifths between labels.
    pub fn minor(&self) -> Vec<f64> {
        match self.scale {
            Scale::Log => {
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
    fn step(&self) -> (f64, usize) {
        let rough = (self.to - self.from) / 9.0;
        let exponent = rough.log10().floor();
        let unit = 10f64.powf(exponent);
        let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * unit >= rough).unwrap_or(10.0);
        let step = factor * unit;
        (step, (-step.log10().floor()).max(0.0) as usize)
    }

    fn multiples(&self, step: f64) -> impl Iterator<Item = f64> {
        let (first, last) = ((self.from / step).ceil() as i64, (self.to / step).floor() as i64);
        (first..=last).map(move |k| k as f64 * step)
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

    fn labels(span: &Span) -> Vec<String> {
        span.major().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn decades_are_labelled_in_powers_of_ten() {
        let span = Axis::log("h").span([2e-3, 0.3].into_iter());
        assert_eq!(labels(&span), ["10⁻²", "10⁻¹"]);
        assert_eq!(span.position(0.0), None);
        assert_eq!(span.position(f64::NAN), None);
    }

    #[test]
    fn one_decade_is_widened_and_many_are_thinned() {
        assert_eq!(labels(&Axis::log("h").span([0.2, 0.3].into_iter())), ["10⁻¹", "10⁰"]);
        assert!(Axis::log("e").span([1e-40, 1.0].into_iter()).major().len() <= 12);
        assert_eq!(Axis::log("e").span(std::iter::empty()).major().len(), 2);
    }

    #[test]
    fn linear_ticks_are_round() {
        let span = Axis::linear("t").span([0.0, 4.0].into_iter());
        assert_eq!(labels(&span), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0"]);
        let span = Axis::linear("x").span([-0.1, 0.12].into_iter());
        assert_eq!(labels(&span), ["−0.10", "−0.05", "0.00", "0.05", "0.10"]);
    }
}
