//! Several instants of a motion in one picture: beside each other, or over each other with the earlier ones fainter.

use crate::color::Color;
use crate::scene::{Motion, Scene};
use crate::sketch::{Outline, Paint, Shape, Sketch};
use crate::stage::{Look, Stage, layer};

/// How instants are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// In rows, each with its time.
    Beside,
    /// In one place, fainter the earlier they are.
    Over,
}

/// Instants beside each other in a row, at most.
const ROW: usize = 4;
/// The height of the title.
const TITLE: f64 = 44.0;
/// Opacity of the first and of the last but one instant.
const FAINTEST: f64 = 0.16;
const FAINT: f64 = 0.45;

/// A picture of `count` instants at equal distances in time, the first and the last of the motion among them.
pub fn contact_sheet(scene: &Scene, motion: &Motion, look: &Look, count: usize, arrangement: Arrangement) -> Sketch {
    let times = motion.times(count.clamp(1, 100));
    match arrangement {
        Arrangement::Beside => beside(scene, motion, look, &times),
        Arrangement::Over => over(scene, motion, look, &times),
    }
}

fn beside(scene: &Scene, motion: &Motion, look: &Look, times: &[f64]) -> Sketch {
    let columns = times.len().min(ROW);
    // A last row that is not much emptier than the others.
    let columns = times.len().div_ceil(times.len().div_ceil(columns));
    let own = Look { width: (look.width / columns as f64).floor(), title: String::new(), height: None, ..look.clone() };
    let stage = Stage::new(scene, motion, &own);
    let [width, height] = stage.size();
    let top = if look.title.is_empty() { 0.0 } else { TITLE };
    let rows = times.len().div_ceil(columns);
    let whole = [look.width, top + rows as f64 * height];
    let mut shapes = vec![background(whole)];
    for (k, t) in times.iter().enumerate() {
        let by = [width * (k % columns) as f64, top + height * (k / columns) as f64];
        let mut tile: Vec<Shape> = stage.backdrop().split_off(1);
        tile.extend(stage.shapes(*t));
        if k == 0 {
            tile.extend(stage.caption());
        }
        tile.push(stage.clock(&stage.time(*t)));
        shapes.extend(tile.into_iter().map(|shape| moved(shape, by)));
    }
    if !look.title.is_empty() {
        shapes.push(crate::stage::title(&look.title, whole[0]));
    }
    Sketch { width: whole[0], height: whole[1], shapes }
}

fn over(scene: &Scene, motion: &Motion, look: &Look, times: &[f64]) -> Sketch {
    let stage = Stage::new(scene, motion, look);
    let (from, to) = (times.first().copied().unwrap_or_default(), times.last().copied().unwrap_or_default());
    let last = stage.shapes(to);
    let mut under: Vec<Shape> = Vec::new();
    for (k, t) in times[..times.len() - 1].iter().enumerate() {
        // What does not move, and paths and words, are there once.
        let moves = |(shape, now): &(Shape, &Shape)| {
            !shape.outline.is_still(&now.outline) && !matches!(shape.outline, Outline::Words { .. })
        };
        let shapes = stage.shapes(*t).into_iter().zip(&last).filter(moves).map(|(shape, _)| shape).collect();
        let part = k as f64 / (times.len() - 1) as f64;
        let pale = 1.0 - (FAINTEST + (FAINT - FAINTEST) * part);
        for shape in (Sketch { width: 0.0, height: 0.0, shapes }).ordered() {
            let mut shape = shape.clone();
            // Paler rather than transparent: what is behind would confuse.
            for color in [&mut shape.paint.stroke, &mut shape.paint.fill].into_iter().flatten() {
                *color = color.mixed(Color::WHITE, pale);
            }
            // Each instant as a whole lies over the ones before.
            under.push(shape.placed(layer::TRACE, 0.0));
        }
    }
    // The ground is below all of them, everything of the last instant above.
    let mut shapes = stage.backdrop();
    shapes.extend(last);
    shapes.extend(stage.caption());
    shapes.push(stage.clock(&format!("{} … {}", stage.time(from), stage.time(to))));
    for shape in shapes.iter_mut().filter(|shape| shape.layer >= layer::TRACE) {
        shape.layer += 1;
    }
    shapes.extend(under);
    let [width, height] = stage.size();
    Sketch { width, height, shapes }
}

fn background([width, height]: [f64; 2]) -> Shape {
    let corners = vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
    Shape::polygon(corners, Paint::area(Color::WHITE)).placed(0, f64::NEG_INFINITY)
}

fn moved(mut shape: Shape, by: [f64; 2]) -> Shape {
    let shift = |at: &mut [f64; 2]| (0..2).for_each(|k| at[k] += by[k]);
    match &mut shape.outline {
        Outline::Lines { lines, .. } => lines.iter_mut().flatten().for_each(shift),
        Outline::Circle { at, .. } | Outline::Words { at, .. } => shift(at),
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Figure, Frame, Item, Place, Quantity, Turn};
    use crate::svg;

    fn moving_point() -> (Scene, Motion) {
        let origin = [Quantity::Channel { c: 0 }, 0.0.into(), 0.0.into()];
        let frame = |origin| Frame { name: String::new(), origin, turn: Turn::None };
        let item = |frame, x: f64| {
            let at = Place { frame, at: [x.into(), (0.2 * x).into(), 0.0.into()] };
            Item { name: "p".into(), color: Some("black".into()), figure: Figure::Point { at } }
        };
        let scene = Scene {
            planar: true,
            up: [0.0, 1.0, 0.0],
            unit: "m".into(),
            frames: vec![frame([0.0.into(); 3]), frame(origin)],
            items: vec![item(1, 0.0), item(0, 1.0)],
            channels: 1,
        };
        (scene, Motion { t: vec![0.0, 3.0], values: vec![0.0, 1.0] })
    }

    fn points(sketch: &Sketch) -> Vec<([f64; 2], Color)> {
        let of = |shape: &Shape| match shape.outline {
            Outline::Circle { at, .. } => Some((at, shape.paint.fill.expect("a colour"))),
            _ => None,
        };
        sketch.shapes.iter().filter_map(of).collect()
    }

    fn words(sketch: &Sketch) -> Vec<&str> {
        sketch.shapes.iter().filter_map(Shape::text).collect()
    }

    #[test]
    fn scale_bars_leave_room_for_the_time() {
        let (scene, motion) = moving_point();
        for (width, count) in [(640.0, 4), (640.0, 3), (400.0, 2), (800.0, 1)] {
            let look = Look { width, ..Look::default() };
            let sheet = contact_sheet(&scene, &motion, &look, count, Arrangement::Beside);
            let bar = sheet.shapes.iter().find_map(|shape| match &shape.outline {
                Outline::Lines { lines, .. }
                    if lines.len() == 1 && lines[0].len() == 4 && shape.paint.fill.is_none() =>
                {
                    Some(lines[0][2][0])
                }
                _ => None,
            });
            let time = sheet.shapes.iter().find_map(|shape| match &shape.outline {
                Outline::Words { at, .. } if shape.text().is_some_and(|text| text.starts_with("t = ")) => Some(at[0]),
                _ => None,
            });
            // Ten letters of 15 pixels, less than two thirds as wide as high.
            let (bar, time) = (bar.expect("a bar"), time.expect("a time") - 90.0);
            assert!(bar < time, "{count} of {width}: {bar} {time}");
        }
    }

    #[test]
    fn instants_stand_beside_each_other() {
        let (scene, motion) = moving_point();
        let look = Look { width: 800.0, title: "a & b".into(), ..Look::default() };
        let sheet = contact_sheet(&scene, &motion, &look, 4, Arrangement::Beside);
        assert!(svg::tests::well_formed(&svg::write(&sheet)) > 10);
        let all = words(&sheet);
        for time in ["t = 0.00 s", "t = 1.00 s", "t = 2.00 s", "t = 3.00 s", "a & b"] {
            assert!(all.contains(&time), "{all:?}");
        }
        // In each of four tiles of 200 pixels the point is a third of the way further, the fixed one at its place.
        let places = points(&sheet);
        assert_eq!(places.len(), 8);
        for k in 0..4 {
            let (moving, fixed) = (places[2 * k].0, places[2 * k + 1].0);
            let start = places[0].0[0] + 200.0 * k as f64;
            assert!((fixed[0] - places[1].0[0] - 200.0 * k as f64).abs() < 1e-9);
            assert!((moving[0] - start - (places[1].0[0] - places[0].0[0]) * k as f64 / 3.0).abs() < 1e-9);
        }
        // Nine tiles have three rows of three.
        let sheet = contact_sheet(&scene, &motion, &look, 9, Arrangement::Beside);
        assert!((points(&sheet)[7].0[0] - points(&sheet)[1].0[0]).abs() < 1e-9);
    }

    #[test]
    fn earlier_instants_are_paler() {
        let (scene, motion) = moving_point();
        let sheet = contact_sheet(&scene, &motion, &Look::default(), 4, Arrangement::Over);
        let mut places = points(&sheet);
        places.retain(|(at, _)| at[0] < 603.0);
        places.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
        // Three instants before the last, which lies with the fixed point at the right edge; the fixed one is there once.
        assert_eq!(points(&sheet).len(), 5);
        assert!(places.windows(2).all(|pair| pair[0].1.0 > pair[1].1.0), "{places:?}");
        assert!(words(&sheet).contains(&"t = 0.00 … 3.00 s"));
        for count in [0, 1] {
            assert_eq!(points(&contact_sheet(&scene, &motion, &Look::default(), count, Arrangement::Over)).len(), 2);
        }
        assert!(points(&contact_sheet(&scene, &Motion::default(), &Look::default(), 3, Arrangement::Over)).len() == 2);
    }
}
