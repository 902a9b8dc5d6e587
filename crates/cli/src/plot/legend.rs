//! The legend: one strip above the frame.

use super::look::{color, marker};
use super::pen::{Anchor, Drawn, Pen};
use super::{Series, Stroke};

const SIZE: f64 = 16.0;
/// Length of the sample of each curve.
const SAMPLE: f64 = 34.0;
/// Between two entries.
const GAP: f64 = 30.0;
/// Width of a letter as a part of its height, generously: the sheet does not know the reader's font.
const LETTER: f64 = 0.58;

/// From one line of entries to the next.
pub const LINE: f64 = 24.0;

fn width(series: &Series) -> f64 {
    SAMPLE + 8.0 + LETTER * SIZE * series.label.chars().count() as f64
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

/// Draws the entries of one line (of a line that is `alone` without a marker), centred between `left` and `right` at height `y`.
pub fn draw(pen: &Pen, series: &[Series], alone: bool, left: f64, right: f64, y: f64) -> Drawn {
    let total = series.iter().map(width).sum::<f64>() + GAP * series.len().saturating_sub(1) as f64;
    let mut x = 0.5 * (left + right - total);
    for series in series {
        let color = color(series.look);
        let middle = (x + 0.5 * SAMPLE, y);
        match series.stroke {
            Stroke::Dots => pen.dot(middle, 2.6, color)?,
            Stroke::Line if alone => pen.line(&[(x, y), (x + SAMPLE, y)], color, 1.4)?,
            Stroke::Line | Stroke::Marked => {
                let width = if series.stroke == Stroke::Line { 1.4 } else { 2.0 };
                pen.line(&[(x, y), (x + SAMPLE, y)], color, width)?;
                pen.marker(middle, marker(series.look), color)?;
            }
        }
        pen.text(&series.label, (x + SAMPLE + 8.0, y), SIZE, false, Anchor::Left)?;
        x += width(series) + GAP;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_do_not_fit_go_to_the_next_line() {
        let entry = |label: &str| Series { label: label.to_owned(), look: 0, stroke: Stroke::Line, points: Vec::new() };
        let series = [entry("Radau 3"), entry("Radau 5"), entry("a name that is wider than the room"), entry("BDF")];
        let counts: Vec<usize> = lines(&series, 250.0).iter().map(|line| line.len()).collect();
        assert_eq!(counts, [2, 1, 1]);
        assert!(lines(&[], 250.0).is_empty());
    }
}
