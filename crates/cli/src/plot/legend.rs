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

/// Draws the entries in one line, centred between `left` and `right` at height `y`.
pub fn draw(pen: &Pen, series: &[Series], left: f64, right: f64, y: f64) -> Drawn {
    let widths: Vec<f64> =
        series.iter().map(|series| SAMPLE + 8.0 + LETTER * SIZE * series.label.chars().count() as f64).collect();
    let total = widths.iter().sum::<f64>() + GAP * series.len().saturating_sub(1) as f64;
    let mut x = 0.5 * (left + right - total);
    for (series, width) in series.iter().zip(widths) {
        let color = color(series.look);
        let middle = (x + 0.5 * SAMPLE, y);
        match series.stroke {
            Stroke::Dots => pen.dot(middle, 2.6, color)?,
            Stroke::Line => pen.line(&[(x, y), (x + SAMPLE, y)], color, 1.4)?,
            Stroke::Marked => {
                pen.line(&[(x, y), (x + SAMPLE, y)], color, 2.0)?;
                pen.marker(middle, marker(series.look), color)?;
            }
        }
        pen.text(&series.label, (x + SAMPLE + 8.0, y), SIZE, false, Anchor::Left)?;
        x += width + GAP;
    }
    Ok(())
}
