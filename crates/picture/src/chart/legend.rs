//! The legend: one strip above the frame.

use super::look::{color, dash, marker};
use super::pen::{Pen, shortened};
use super::{Series, Stroke};
use crate::sketch::{Anchor, width_of};

const SIZE: f64 = 14.0;
/// Length of the sample of each curve.
const SAMPLE: f64 = 38.0;
/// Between two entries.
const GAP: f64 = 30.0;
/// The longest entry, in pixels.
const WIDEST: f64 = 640.0;

/// From one line of entries to the next.
pub const LINE: f64 = 24.0;

fn label(series: &Series) -> String {
    shortened(&series.label, SIZE, WIDEST - SAMPLE - 8.0)
}

fn width(series: &Series) -> f64 {
    SAMPLE + 8.0 + width_of(&label(series), SIZE)
}

/// The entries, as many in each line as fit into `room`.
pub fn lines(series: &[Series], room: f64) -> Vec<&[Series]> {
    let mut lines = Vec::new();
    let mut rest = series;
    while !rest.is_empty() {
        let mut used = -GAP;
        let fitting = rest.iter().take_while(|series| {
            used += GAP + width(series);
            used <= room
        });
        // An entry wider than the sheet still needs a line.
        let count = fitting.count().max(1);
        lines.push(&rest[..count]);
        rest = &rest[count..];
    }
    lines
}

/// Draws the entries of one line (with dashes, unless a line is `alone`), centred between `left` and `right` at height `y`.
pub fn draw(pen: &mut Pen, series: &[Series], alone: bool, left: f64, right: f64, y: f64) {
    let total = series.iter().map(width).sum::<f64>() + GAP * series.len().saturating_sub(1) as f64;
    let mut x = 0.5 * (left + right - total);
    for series in series {
        let color = color(series.look);
        let (middle, ends) = ((x + 0.5 * SAMPLE, y), [(x, y), (x + SAMPLE, y)]);
        match series.stroke {
            Stroke::Dots => pen.dots(&[middle], color),
            Stroke::Line => pen.line(&ends, color, 1.6, if alone { &[] } else { dash(series.look) }),
            Stroke::Marked => {
                pen.line(&ends, color, 2.0, &[]);
                pen.marker(middle, marker(series.look), color);
            }
        }
        pen.text(&label(series), (x + SAMPLE + 8.0, y), SIZE, Anchor::Left);
        x += width(series) + GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_do_not_fit_go_to_the_next_line() {
        let entry = |label: &str| Series { label: label.to_owned(), look: 0, stroke: Stroke::Line, points: Vec::new() };
        let series = [entry("Radau 3"), entry("Radau 5"), entry("a name that is wider than the room"), entry("BDF")];
        let counts: Vec<usize> = lines(&series, 240.0).iter().map(|line| line.len()).collect();
        assert_eq!(counts, [2, 1, 1]);
        assert!(lines(&[], 250.0).is_empty());
    }
}
