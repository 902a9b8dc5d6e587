//! Curves with what is seen of them: files of a million rows are as small as those of a thousand.
//!
//! First, where a curve runs to the right, of each half pixel its first, lowest, highest and last place stay. Then places that a straight line to a
//! later one passes within a distance that nobody sees are left out. Where a curve still has too many places, as one that fills an area, the distance grows.

use std::collections::HashSet;

use super::pen::Place;

/// A distance that nobody sees, in pixels, and places that may be left out in a row.
const UNSEEN: f64 = 0.1;
const MOST_LEFT_OUT: usize = 200;
/// Places of a curve, at most about.
const MOST: usize = 12_000;
/// The width of a column in which the extent of a curve is seen and nothing else.
const COLUMN: f64 = 0.5;
/// Dots of a series, at most.
const MOST_DOTS: usize = 12_000;

/// The curve without places that make no difference.
pub fn simplified(curve: &[Place]) -> Vec<Place> {
    let mut places = columns(curve);
    let mut unseen = UNSEEN;
    loop {
        places = straightened(&places, unseen);
        if places.len() <= MOST {
            return places;
        }
        unseen *= 2.0;
        // Far more than a pixel: the curve fills an area, and some of it does as well.
        if unseen > 8.0 {
            let stride = places.len().div_ceil(MOST);
            return places.into_iter().step_by(stride).collect();
        }
    }
}

/// Of each narrow column the first, lowest, highest and last place, if the curve runs to the right; else the curve without places that are where the one before is.
fn columns(curve: &[Place]) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    if curve.windows(2).any(|pair| pair[1].0 < pair[0].0) {
        for (k, place) in curve.iter().enumerate() {
            let near = kept.last().is_some_and(|last| (place.0 - last.0).hypot(place.1 - last.1) < 0.5 * UNSEEN);
            if !near || k + 1 == curve.len() {
                kept.push(*place);
            }
        }
        return kept;
    }
    let column = |place: &Place| (place.0 / COLUMN).floor();
    for together in curve.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| together[*a].1.total_cmp(&together[*b].1);
        let least = (0..together.len()).min_by(by_height).unwrap_or_default();
        let most = (0..together.len()).max_by(by_height).unwrap_or_default();
        let mut rows = [0, least, most, together.len() - 1];
        rows.sort_unstable();
        let mut last = None;
        for row in rows {
            if last != Some(row) {
                kept.push(together[row]);
            }
            last = Some(row);
        }
    }
    kept
}

/// The curve without places that a straight line to a later one passes within a distance.
fn straightened(curve: &[Place], unseen: f64) -> Vec<Place> {
    let Some(&first) = curve.first() else { return Vec::new() };
    let mut kept = vec![first];
    let mut from = 0;
    for to in 2..curve.len() {
        let ((x0, y0), (x1, y1)) = (curve[from], curve[to]);
        let (dx, dy) = (x1 - x0, y1 - y0);
        let length = dx * dx + dy * dy;
        let apart = |&(x, y): &Place| {
            // From the part of the line between its ends: curves turn back.
            let s = if length > 0.0 { (((x - x0) * dx + (y - y0) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
            (x - x0 - s * dx).hypot(y - y0 - s * dy)
        };
        if to - from > MOST_LEFT_OUT || curve[from + 1..to].iter().any(|place| apart(place) > unseen) {
            from = to - 1;
            kept.push(curve[from]);
        }
    }
    kept.extend(curve.get(1..).and_then(<[Place]>::last));
    kept
}

/// Dots of which none hides another: one in each cell of a grid that gets coarser until they are few enough.
pub fn thinned(dots: &[Place]) -> Vec<Place> {
    let mut kept = dots.to_vec();
    let mut cell = 0.25;
    while kept.len() > MOST_DOTS {
        cell *= 1.5;
        let mut taken: HashSet<(i64, i64)> = HashSet::new();
        kept.retain(|(x, y)| taken.insert(((x / cell).floor() as i64, (y / cell).floor() as i64)));
    }
    kept
}

/// Places for markers: all of a few, and of many those that are some way from the last.
pub fn apart(places: &[Place], distance: f64, few: usize) -> Vec<Place> {
    if places.len() <= few {
        return places.to_vec();
    }
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        if kept.last().is_none_or(|last| (place.0 - last.0).hypot(place.1 - last.1) >= distance) {
            kept.push(*place);
        }
    }
    let stride = kept.len().div_ceil(few).max(1);
    kept.into_iter().step_by(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_drawn_with_what_is_seen_of_them() {
        // A straight line there and back, and a circle.
        let line: Vec<Place> = (0..=100).map(|k| (f64::from(50 - (k - 50_i32).abs()), 3.0)).collect();
        assert_eq!(simplified(&line), [(0.0, 3.0), (50.0, 3.0), (0.0, 3.0)]);
        let circle: Vec<Place> = (0..=1000)
            .map(|k| (f64::from(k) * std::f64::consts::TAU / 1000.0).sin_cos())
            .map(|(s, c)| (100.0 * c, 100.0 * s))
            .collect();
        let drawn = simplified(&circle);
        assert!((30..200).contains(&drawn.len()), "{}", drawn.len());
        let middles = drawn.windows(2).map(|pair| (0.5 * (pair[0].0 + pair[1].0)).hypot(0.5 * (pair[0].1 + pair[1].1)));
        assert!(middles.clone().all(|r| (r - 100.0).abs() < 2.0 * UNSEEN), "{:?}", middles.collect::<Vec<f64>>());
        assert_eq!(
            (simplified(&[]).len(), simplified(&circle[..1]), simplified(&circle[..2]).len()),
            (0, circle[..1].to_vec(), 2)
        );
    }

    #[test]
    fn peaks_of_long_curves_stay() {
        let n = 1_000_000;
        let mut curve: Vec<Place> =
            (0..n).map(|k| (600.0 * f64::from(k) / f64::from(n), 200.0 + (f64::from(k) * 0.7).sin())).collect();
        curve[345_678].1 = 20.0;
        curve[700_001].1 = 390.0;
        let drawn = simplified(&curve);
        assert!(drawn.len() < MOST, "{}", drawn.len());
        assert!(drawn.contains(&curve[345_678]) && drawn.contains(&curve[700_001]));
        assert_eq!((drawn.first(), drawn.last()), (curve.first(), curve.last()));
    }

    #[test]
    fn what_fills_an_area_is_finite() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let places: Vec<Place> = (0..200_000).map(|_| (600.0 * random(), 400.0 * random())).collect();
        assert!(simplified(&places).len() <= MOST);
        assert!((4000..=MOST_DOTS).contains(&thinned(&places).len()));
        assert!(apart(&places, 8.0, 400).len() <= 400);
        assert_eq!((thinned(&places[..50]).len(), apart(&places[..50], 8.0, 400).len()), (50, 50));
    }
}
