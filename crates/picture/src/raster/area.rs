//! The insides of polygons.
//!
//! Going down along an edge, everything to its right is inside, going up it is outside again. In a row of pixels an edge that falls by `dy`
//! in a pixel adds `dy` to the winding of all pixels to the right, and to its own pixel `dy` times the share that is to the right of it. So each edge changes a few
//! numbers of each row, and a sum along the row gives the covered share of every pixel, exactly.

use super::image::Mask;
use crate::vector::Spot;

/// Covers the insides of polygons.
pub fn cover(mask: &mut Mask, polygons: &[Vec<Spot>]) {
    let mut least = [f64::INFINITY; 2];
    let mut most = [f64::NEG_INFINITY; 2];
    for spot in polygons.iter().flatten() {
        for k in 0..2 {
            (least[k], most[k]) = (least[k].min(spot[k]), most[k].max(spot[k]));
        }
    }
    if !(least[0] < most[0] && least[1] < most[1]) {
        return;
    }
    let [columns, rows] = mask.touch(least, most);
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    // One more column takes what is beyond the right edge.
    let stride = columns.len() + 1;
    let mut changes = vec![0.0; stride * rows.len()];
    let corner = [columns.start as f64, rows.start as f64];
    let extent = [columns.len() as f64, rows.len() as f64];
    for polygon in polygons {
        for (k, a) in polygon.iter().enumerate() {
            let b = polygon[(k + 1) % polygon.len()];
            let [a, b] = [*a, b].map(|spot| [spot[0] - corner[0], spot[1] - corner[1]]);
            edge(&mut changes, stride, extent, a, b);
        }
    }
    for (y, row) in rows.zip(changes.chunks(stride)) {
        let mut winding = 0.0_f64;
        for (x, change) in columns.clone().zip(row) {
            winding += change;
            mask.raise(x, y, winding.abs().min(1.0));
        }
    }
}

fn edge(changes: &mut [f64], stride: usize, extent: [f64; 2], a: Spot, b: Spot) {
    if a[1] == b[1] {
        return;
    }
    let (way, top, bottom) = if a[1] < b[1] { (1.0, a, b) } else { (-1.0, b, a) };
    let slope = (bottom[0] - top[0]) / (bottom[1] - top[1]);
    let (from, to) = (top[1].max(0.0), bottom[1].min(extent[1]));
    let mut y = from;
    while y < to {
        let row = y.floor();
        let end = (row + 1.0).min(to);
        let across = |y: f64| (top[0] + slope * (y - top[1])).clamp(0.0, extent[0]);
        let (left, right) = (across(y).min(across(end)), across(y).max(across(end)));
        spread(&mut changes[row as usize * stride..][..stride], way * (end - y), left, right);
        y = end;
    }
}

/// Adds an edge that falls by `fall` while it goes from `left` to `right`, evenly, to one row.
fn spread(row: &mut [f64], fall: f64, left: f64, right: f64) {
    let (first, last) = (left.floor() as usize, right.floor() as usize);
    let mut put = |x: usize, fall: f64, middle: f64| {
        let right_of_it = (x as f64 + 1.0 - middle).clamp(0.0, 1.0);
        let end = row.len() - 1;
        row[x.min(end)] += fall * right_of_it;
        if x + 1 < row.len() {
            row[x + 1] += fall * (1.0 - right_of_it);
        }
    };
    if first == last || right - left < 1e-12 {
        return put(first, fall, 0.5 * (left + right));
    }
    for x in first..=last {
        let (from, to) = (left.max(x as f64), right.min(x as f64 + 1.0));
        if to > from {
            put(x, fall * (to - from) / (right - left), 0.5 * (from + to));
        }
    }
}
