//! Lines, discs and rings: a pixel is covered by how far its middle is inside the border, from half a pixel outside to half a pixel inside.
//!
//! Pieces of one line take the larger share where they meet: joints are round, and a line of many short pieces is not darker than one long piece.

use super::image::Mask;
use crate::vector::Spot;

/// Covers a line of some width through places.
pub fn cover(mask: &mut Mask, line: &[Spot], width: f64, round: bool) {
    // Lines thinner than a pixel are as faint as they are thin.
    let (half, strength) = (0.5 * width.max(1.0), width.min(1.0));
    match line {
        [] => {}
        [one] => piece(mask, *one, *one, half, strength, [true, true]),
        _ => {
            let last = line.len() - 2;
            for (k, pair) in line.windows(2).enumerate() {
                piece(mask, pair[0], pair[1], half, strength, [round || k > 0, round || k < last]);
            }
        }
    }
}

/// One straight piece; an end that is not round is cut straight.
fn piece(mask: &mut Mask, a: Spot, b: Spot, half: f64, strength: f64, round: [bool; 2]) {
    let reach = half + 1.0;
    let [columns, rows] = mask.touch([0, 1].map(|k| a[k].min(b[k]) - reach), [0, 1].map(|k| a[k].max(b[k]) + reach));
    let d = [b[0] - a[0], b[1] - a[1]];
    let length = d[0].hypot(d[1]);
    let u = if length > 0.0 { d.map(|x| x / length) } else { [1.0, 0.0] };
    for y in rows {
        let middle = y as f64 + 0.5;
        // Of a long piece only what is near this row.
        let (mut from, mut to) = (0.0, 1.0);
        if d[1].abs() > 1e-9 {
            let s = [(middle - reach - a[1]) / d[1], (middle + reach - a[1]) / d[1]];
            (from, to) = (s[0].min(s[1]).clamp(0.0, 1.0), s[0].max(s[1]).clamp(0.0, 1.0));
        }
        let ends = [a[0] + from * d[0], a[0] + to * d[0]];
        let start = ((ends[0].min(ends[1]) - reach).floor().max(columns.start as f64) as usize).min(columns.end);
        let end = ((ends[0].max(ends[1]) + reach).ceil().max(0.0) as usize).min(columns.end);
        for x in start..end {
            let p = [x as f64 + 0.5 - a[0], middle - a[1]];
            let (ahead, beside) = (p[0] * u[0] + p[1] * u[1], (p[0] * u[1] - p[1] * u[0]).abs());
            let (outside, end) = if ahead < 0.0 { (-ahead, 0) } else { (ahead - length, 1) };
            let share = if outside <= 0.0 || round[end] {
                half + 0.5 - beside.hypot(outside.max(0.0))
            } else {
                (half + 0.5 - beside).min(0.5 - outside)
            };
            // A straight end begins to fade half a pixel before it.
            let share = if !round[end] && outside > -0.5 { share.min(0.5 - outside) } else { share };
            if share > 0.0 {
                mask.raise(x, y, share.min(1.0) * strength);
            }
        }
    }
}

/// Covers a disc.
pub fn disc(mask: &mut Mask, at: Spot, radius: f64) {
    around(mask, at, radius + 1.0, |distance| radius + 0.5 - distance);
}

/// Covers a ring of some width around a circle.
pub fn ring(mask: &mut Mask, at: Spot, radius: f64, width: f64) {
    let (half, strength) = (0.5 * width.max(1.0), width.min(1.0));
    around(mask, at, radius + half + 1.0, |distance| (half + 0.5 - (distance - radius).abs()).min(1.0) * strength);
}

fn around(mask: &mut Mask, at: Spot, reach: f64, share: impl Fn(f64) -> f64) {
    let [columns, rows] = mask.touch(at.map(|x| x - reach), at.map(|x| x + reach));
    for y in rows {
        for x in columns.clone() {
            let share = share((x as f64 + 0.5 - at[0]).hypot(y as f64 + 0.5 - at[1]));
            if share > 0.0 {
                mask.raise(x, y, share.min(1.0));
            }
        }
    }
}

/// The dashes of a line; the line itself if there are none.
pub fn dashes(line: Vec<Spot>, dash: &[f64]) -> Vec<Vec<Spot>> {
    if dash.is_empty() || !dash.iter().all(|length| *length > 0.05) {
        return vec![line];
    }
    let mut pieces = Vec::new();
    let mut piece: Vec<Spot> = line.first().copied().into_iter().collect();
    let (mut next, mut left) = (0, dash[0]);
    for pair in line.windows(2) {
        let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let here = [0, 1].map(|k| pair[0][k] + done / length * (pair[1][k] - pair[0][k]));
            if next % 2 == 0 {
                piece.push(here);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![here];
            }
            next += 1;
            left = dash[next % dash.len()];
        }
        left -= length - done;
        if next % 2 == 0 {
            piece.push(pair[1]);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}
