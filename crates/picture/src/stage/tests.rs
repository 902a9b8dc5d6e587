//! Shapes against places that were computed by hand.

use super::*;
use crate::scene::{Arrow, Frame, Item, Quantity, Sign, Turn};
use crate::sketch::Outline;

fn fixed(at: [f64; 3]) -> Place {
    within(0, at)
}

fn within(frame: usize, at: [f64; 3]) -> Place {
    Place { frame, at: at.map(Quantity::Fixed) }
}

fn channel(c: usize) -> Quantity {
    Quantity::Channel { c }
}

/// A scene with a world and a body that moves by channels 0, 1 and turns by channel 2.
fn scene(planar: bool, figures: Vec<Figure>) -> Scene {
    let frame = |name: &str, origin, turn| Frame { name: name.into(), origin, turn };
    let items = figures.into_iter().map(|figure| Item { name: "body".into(), color: None, figure }).collect();
    Scene {
        planar,
        up: if planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] },
        unit: "m".into(),
        frames: vec![
            frame("world", [0.0.into(); 3], Turn::None),
            frame("body", [channel(0), channel(1), 0.0.into()], Turn::Angle(channel(2))),
        ],
        items,
        channels: 3,
    }
}

/// Two frames: at the origin, and at (3, 1) with a quarter of a turn.
fn motion() -> Motion {
    Motion { t: vec![0.0, 2.0], values: vec![0.0, 0.0, 0.0, 3.0, 1.0, std::f64::consts::FRAC_PI_2] }
}

/// Room of 400 by 200 for what moves.
fn look() -> Look {
    Look { width: 400.0 + 2.0 * SIDE, height: Some(200.0 + ABOVE + BELOW), ..Look::default() }
}

fn spots(shape: &Shape) -> Vec<Spot> {
    match &shape.outline {
        Outline::Lines { lines, .. } => lines.concat(),
        Outline::Circle { at, .. } | Outline::Words { at, .. } => vec![*at],
    }
}

fn near(got: Spot, known: Spot) {
    assert!((got[0] - known[0]).abs() < 1e-9 && (got[1] - known[1]).abs() < 1e-9, "{got:?} {known:?}");
}

#[test]
fn a_bar_is_where_its_body_is() {
    let bar = Figure::Line { points: vec![within(1, [0.0; 3]), within(1, [1.0, 0.0, 0.0])], closed: false };
    let (scene, motion) = (scene(true, vec![bar]), motion());
    let stage = Stage::new(&scene, &motion, &look());
    // From (0, 0) to (3, 2): a hundred pixels a metre, 300 of them in the middle of 400 across.
    assert_eq!(stage.view().scale, 100.0);
    let [left, bottom] = [SIDE + 50.0, ABOVE + 200.0];
    let start = spots(&stage.shapes(0.0)[0]);
    near(start[0], [left, bottom]);
    near(start[1], [left + 100.0, bottom]);
    let end = spots(&stage.shapes(2.0)[0]);
    near(end[0], [left + 300.0, bottom - 100.0]);
    near(end[1], [left + 300.0, bottom - 200.0]);
    let half = spots(&stage.shapes(1.0)[0]);
    near(half[1], [left + 150.0 + 50.0 * 2_f64.sqrt(), bottom - 50.0 - 50.0 * 2_f64.sqrt()]);
}

#[test]
fn the_largest_arrow_is_a_fifth_of_the_scene() {
    let arrow = |of: Arrow, vector: [Quantity; 3]| Figure::Arrow { at: fixed([0.0; 3]), vector, of };
    let figures = vec![
        Figure::Line { points: vec![fixed([0.0; 3]), fixed([5.0, 0.0, 0.0])], closed: false },
        arrow(Arrow::Force, [0.0.into(), channel(0), 0.0.into()]),
        arrow(Arrow::Force, [0.0.into(), channel(1), 0.0.into()]),
        arrow(Arrow::Velocity, [channel(1), 0.0.into(), 0.0.into()]),
    ];
    let (scene, motion) = (scene(true, figures), motion());
    let stage = Stage::new(&scene, &motion, &look());
    // The largest force is 3, the largest velocity 1; there is no torque. The scene is 5 long.
    let [force, torque, velocity] = stage.arrow_scales();
    assert!((force - 1.0 / 3.0).abs() < 1e-12 && torque == 0.0 && (velocity - 1.0).abs() < 1e-12);
    let shapes = stage.shapes(2.0);
    let (root, tip) = (spots(&shapes[1])[0], spots(&shapes[2])[0]);
    assert!((root[1] - tip[1] - stage.view().scale).abs() < 1e-9 && (root[0] - tip[0]).abs() < 1e-9);
    // At the start all of them vanish: a shape is there, but not shown.
    assert!(stage.shapes(0.0)[1..].iter().all(|shape| !shape.shown));
    // Without arrows there are none.
    let bare = Stage::new(&scene, &motion, &Look { arrows: false, ..look() });
    assert_eq!(bare.shapes(2.0).len(), 1);
}

#[test]
fn springs_end_where_they_are_fixed_and_keep_their_width() {
    let (from, to) = (fixed([0.0; 3]), within(1, [1.0, 0.0, 0.0]));
    let spring = Figure::Spring { from, to, coils: 5, radius: 0.1.into() };
    let damper = Figure::Damper { from, to, radius: 0.1.into() };
    let (scene, motion) = (scene(true, vec![spring, damper]), motion());
    let stage = Stage::new(&scene, &motion, &look());
    for t in [0.0, 0.7, 2.0] {
        let shapes = stage.shapes(t);
        let channels = interpolate(&scene, &motion, t);
        let ends = [from, to].map(|place| stage.view().spot(place.world(&scene.poses(&channels), &channels)).0);
        for shape in &shapes {
            near(spots(shape)[0], ends[0]);
            near(*spots(shape).last().expect("an end"), ends[1]);
        }
        let zigzag = spots(&shapes[0]);
        assert_eq!(zigzag.len(), 2 + 10 + 2);
        let (u, n, _) = flat::direction(ends[0], ends[1]);
        let widths: Vec<f64> =
            zigzag[2..12].iter().map(|p| (p[0] - ends[0][0]) * n[0] + (p[1] - ends[0][1]) * n[1]).collect();
        assert!(widths.iter().all(|w| (w.abs() - 0.1 * stage.view().scale).abs() < 1e-9), "{widths:?}");
        // Along the spring places only advance.
        let ahead: Vec<f64> = zigzag.iter().map(|p| p[0] * u[0] + p[1] * u[1]).collect();
        assert!(ahead.windows(2).all(|pair| pair[1] > pair[0]));
    }
}

#[test]
fn traces_are_drawn_up_to_now() {
    let (scene, motion) = (scene(true, vec![Figure::Trace { at: within(1, [0.0; 3]) }]), motion());
    let stage = Stage::new(&scene, &motion, &look());
    for (t, part) in [(-1.0, 0.0), (0.5, 0.25), (2.0, 1.0), (5.0, 1.0)] {
        let shapes = stage.shapes(t);
        assert_eq!(shapes.len(), 2);
        assert!((shapes[1].paint.part - part).abs() < 1e-12);
        assert_eq!((shapes[0].shown, shapes[1].shown), (true, part > 0.0));
    }
}

#[test]
fn three_faces_of_a_box_are_seen_from_a_corner() {
    let solid = Figure::Box { at: fixed([0.0; 3]), edges: [1.0.into(), 2.0.into(), 3.0.into()], turn: Turn::None };
    let scene = scene(false, vec![solid]);
    let stage_motion = motion();
    let stage = Stage::new(&scene, &stage_motion, &look());
    let shapes = stage.shapes(0.0);
    assert_eq!(shapes.len(), 6);
    // Faces in the order +x, −x, +y, −y, +z, −z; the eye is at +x, −y, +z.
    let seen: Vec<bool> = shapes.iter().map(|shape| shape.shown).collect();
    assert_eq!(seen, [true, false, false, true, true, false]);
    // The top is the brightest of them.
    let light = |shape: &Shape| shape.paint.fill.map(|c| u32::from(c.0) + u32::from(c.1) + u32::from(c.2));
    assert!(light(&shapes[4]) > light(&shapes[0]) && light(&shapes[4]) > light(&shapes[3]));
    // The centre of a face is the mean of its corners: z = 1.5 is seen at 1.5 cos(24°) above the middle.
    let top = spots(&shapes[4]);
    let mean = [0, 1].map(|k| top.iter().map(|p| p[k]).sum::<f64>() / 4.0);
    let middle = stage.view().spot([0.0; 3]).0;
    near(mean, [middle[0], middle[1] - 1.5 * 24_f64.to_radians().cos() * stage.view().scale]);
}

#[test]
fn the_outline_of_a_drum_is_as_long_as_the_drum() {
    let drum =
        Figure::Cylinder { from: fixed([0.0; 3]), to: fixed([0.0, 0.0, 2.0]), radius: 0.5.into(), rounded: false };
    let scene = scene(false, vec![drum]);
    let stage_motion = motion();
    let stage = Stage::new(&scene, &stage_motion, &look());
    let shapes = stage.shapes(0.0);
    let extent = |shape: &Shape, k: usize| {
        let range = spots(shape).iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[k]), b.max(p[k])));
        (range.1 - range.0) / stage.view().scale
    };
    // A diameter wide; the height of the axis and half an ellipse at each end, as the eye is raised by 24 degrees.
    let (sin, cos) = 24_f64.to_radians().sin_cos();
    assert!((extent(&shapes[0], 0) - 1.0).abs() < 1e-3);
    assert!((extent(&shapes[0], 1) - (2.0 * cos + 2.0 * 0.5 * sin)).abs() < 1e-2);
    // The end that is seen is the upper one.
    assert!((extent(&shapes[1], 1) - sin).abs() < 1e-2);
    let highest = |shape: &Shape| spots(shape).iter().fold(f64::MAX, |a, p| a.min(p[1]));
    assert!((highest(&shapes[0]) - highest(&shapes[1])).abs() < 1e-9);
}

#[test]
fn every_figure_has_as_many_shapes_at_all_times() {
    for planar in [true, false] {
        let place = within(1, [0.2, 0.1, 0.3]);
        let at = fixed([0.0; 3]);
        let q = channel(0);
        let mut figures = vec![
            Figure::Point { at: place },
            Figure::Line { points: vec![at, place], closed: false },
            Figure::Line { points: vec![at, place, place], closed: true },
            Figure::Line { points: vec![], closed: true },
            Figure::Circle { at: place, radius: q, axis: [0.0, 1.0, 0.0] },
            Figure::Sphere { at: place, radius: q },
            Figure::Box { at: place, edges: [q, q, q], turn: Turn::Quaternion([q, q, q, q]) },
            Figure::Cylinder { from: at, to: place, radius: q, rounded: true },
            Figure::Cylinder { from: at, to: place, radius: q, rounded: false },
            Figure::Spring { from: at, to: place, coils: 0, radius: 0.0.into() },
            Figure::Damper { from: at, to: place, radius: 0.0.into() },
            Figure::Trace { at: place },
            Figure::Plane { at: place, normal: [0.0, 1.0, 0.3] },
            Figure::Label { at: place, text: "a".into() },
        ];
        for of in [Arrow::Force, Arrow::Torque, Arrow::Velocity] {
            figures.push(Figure::Arrow { at: place, vector: [q, q, q], of });
        }
        for sign in [Sign::Pin, Sign::Ball, Sign::Slider, Sign::Weld, Sign::Other] {
            figures.push(Figure::Joint { at, axis: [1.0, 0.0, 0.0], sign, residual: Some(q) });
        }
        let scene = scene(planar, figures);
        // Ordinary, nothing, tiny, huge and no numbers at all.
        let states = [
            [0.3, 0.2, 1.0],
            [0.0; 3],
            [1e-300, 0.0, 0.0],
            [1e300, 1.0, 0.0],
            [f64::NAN; 3],
            [f64::INFINITY, 0.0, 0.0],
            [-1.0, 0.5, 9.0],
        ];
        let motion = Motion { t: (0..states.len()).map(|k| k as f64).collect(), values: states.concat() };
        let stage = Stage::new(&scene, &motion, &look());
        let count = stage.shapes(0.0).len();
        for t in [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 3.5, 4.0, 5.0, 5.5, 6.0, 7.0, f64::NAN] {
            let shapes = stage.shapes(t);
            assert_eq!(shapes.len(), count, "{t}");
            for shape in stage.sketch(t).ordered() {
                assert!(spots(shape).iter().flatten().all(|x| x.is_finite()), "{shape:?}");
            }
        }
        let kinds = |t: f64| stage.shapes(t).iter().map(|shape| (shape.layer, spots(shape).len())).collect::<Vec<_>>();
        assert_eq!(kinds(0.0), kinds(6.0));
    }
}

#[test]
fn an_empty_scene_is_a_picture() {
    let scene = scene(true, vec![]);
    let motion = Motion::default();
    let stage = Stage::new(&scene, &motion, &Look { title: "nothing".into(), ..Look::default() });
    assert!(stage.shapes(0.0).is_empty());
    assert!(stage.size().iter().all(|x| *x > 100.0));
    let words: Vec<Shape> = stage
        .sketch(0.0)
        .ordered()
        .into_iter()
        .filter(|s| matches!(s.outline, Outline::Words { .. }))
        .cloned()
        .collect();
    // A title and a scale bar, but no time.
    assert_eq!(words.len(), 2);
}
