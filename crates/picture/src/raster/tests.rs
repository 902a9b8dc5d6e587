//! Files that are decoded again, and pixels at known places.

use super::*;
use crate::color::Color;
use crate::scene::{Figure, Frame, Item, Place, Quantity, Turn};
use crate::sketch::Anchor;

/// A frame of a decoded file: its rectangle and the colours in it.
struct Decoded {
    corner: [usize; 2],
    size: [usize; 2],
    colors: Vec<Color>,
}

/// Reads a file back: header, palette, all frames; checks every CRC and the order of the numbers.
fn decoded(file: &[u8]) -> (Vec<String>, Vec<Decoded>) {
    assert_eq!(file[..8], [137, 80, 78, 71, 13, 10, 26, 10]);
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
    let (mut at, mut names, mut frames) = (8, Vec::new(), Vec::new());
    let (mut palette, mut rectangle, mut sequence) = (Vec::new(), [0; 4], 0);
    while at < file.len() {
        let length = number(at);
        let (name, bytes) = (&file[at + 4..at + 8], &file[at + 8..at + 8 + length]);
        assert_eq!(number(at + 8 + length), png::crc(&file[at + 4..at + 8 + length]) as usize);
        let mut next = |at: usize| {
            assert_eq!(number(at), sequence);
            sequence += 1;
        };
        let mut data = |packed: &[u8]| {
            let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(packed).expect("deflated");
            let [width, height, x, y] = rectangle;
            assert_eq!(bytes.len(), (width + 1) * height);
            let mut colors: Vec<Color> = Vec::new();
            for row in bytes.chunks(width + 1) {
                assert_eq!(row[0], 0);
                colors.extend(row[1..].iter().map(|k| palette[usize::from(*k)]));
            }
            frames.push(Decoded { corner: [x, y], size: [width, height], colors });
        };
        match name {
            b"IHDR" => rectangle = [number(at + 8), number(at + 12), 0, 0],
            b"PLTE" => palette = bytes.chunks(3).map(|c| Color(c[0], c[1], c[2])).collect(),
            b"fcTL" => {
                next(at + 8);
                rectangle = [number(at + 12), number(at + 16), number(at + 20), number(at + 24)];
            }
            b"IDAT" => data(bytes),
            b"fdAT" => {
                next(at + 8);
                data(&bytes[4..]);
            }
            _ => {}
        }
        names.push(String::from_utf8_lossy(name).into_owned());
        at += 12 + length;
    }
    (names, frames)
}

const RED: Color = Color(200, 30, 40);
const BLUE: Color = Color(20, 60, 180);

fn sketch() -> Sketch {
    let square = vec![[10.0, 10.0], [30.0, 10.0], [30.0, 30.5], [10.0, 30.5]];
    let shapes = vec![
        Shape::polygon(square, Paint::area(RED)),
        Shape::circle([60.0, 20.0], 10.0, Paint::area(BLUE)),
        Shape::line(vec![[5.0, 50.5], [95.0, 50.5]], Paint { round: false, ..Paint::line(Color::BLACK, 3.0) }),
        Shape::line(vec![[5.0, 60.5], [95.0, 60.5]], Paint::line(Color::BLACK, 3.0).with_dash(&[10.0, 10.0])),
        Shape::polygon(
            vec![[20.0, 20.0], [40.0, 20.0], [40.0, 40.0], [20.0, 40.0]],
            Paint::area(BLUE).with_opacity(0.5),
        ),
    ];
    Sketch { width: 100.0, height: 70.0, shapes }
}

#[test]
fn a_still_is_read_back_with_its_colours() {
    let (names, frames) = decoded(&png(&sketch(), 1.0));
    assert_eq!(names, ["IHDR", "tEXt", "PLTE", "IDAT", "IEND"]);
    let frame = &frames[0];
    assert_eq!((frame.size, frame.corner), ([100, 70], [0, 0]));
    let at = |x: usize, y: usize| frame.colors[y * 100 + x];
    assert_eq!([at(0, 0), at(15, 15), at(60, 20), at(50, 50)], [Color::WHITE, RED, BLUE, Color::BLACK]);
    // The square ends in the middle of row 30: half red, half white.
    assert_eq!(at(12, 30), Color::WHITE.mixed(RED, 0.5));
    assert_eq!([at(12, 31), at(9, 15), at(30, 15)], [Color::WHITE; 3]);
    // What is half transparent lies over what is there.
    assert_eq!([at(25, 25), at(35, 35)], [RED.mixed(BLUE, 0.5), Color::WHITE.mixed(BLUE, 0.5)]);
    // A line of three pixels, cut straight at its ends.
    assert_eq!(
        [at(50, 48), at(50, 49), at(50, 51), at(50, 52)],
        [Color::WHITE, Color::BLACK, Color::BLACK, Color::WHITE]
    );
    assert_eq!(
        [at(4, 50), at(5, 50), at(94, 50), at(95, 50)],
        [Color::WHITE, Color::BLACK, Color::BLACK, Color::WHITE]
    );
    // Dashes: ten pixels of line, ten of gap.
    assert_eq!(
        [at(10, 60), at(20, 60), at(30, 60), at(40, 60)],
        [Color::BLACK, Color::WHITE, Color::BLACK, Color::WHITE]
    );
}

#[test]
fn coverage_is_the_area() {
    let share = |shape: Shape| {
        let image = draw(&Sketch { width: 64.0, height: 64.0, shapes: vec![shape] }, 1.0);
        image.pixels.iter().map(|color| 1.0 - f64::from(color.0) / 255.0).sum::<f64>()
    };
    // A triangle at odd places, of either orientation.
    let corners = vec![[3.3, 5.1], [60.7, 20.9], [17.2, 55.5]];
    let area = 0.5 * ((60.7 - 3.3) * (55.5 - 5.1) - (17.2 - 3.3) * (20.9 - 5.1_f64)).abs();
    let reversed: Vec<Spot> = corners.iter().rev().copied().collect();
    for corners in [corners, reversed] {
        let got = share(Shape::polygon(corners, Paint::area(Color::BLACK)));
        assert!((got / area - 1.0).abs() < 2e-3, "{got} {area}");
    }
    let disc = share(Shape::circle([31.3, 30.8], 20.0, Paint::area(Color::BLACK)));
    assert!((disc / (400.0 * std::f64::consts::PI) - 1.0).abs() < 3e-3, "{disc}");
    let ring = share(Shape::circle([31.3, 30.8], 20.0, Paint::line(Color::BLACK, 3.0)));
    assert!((ring / (2.0 * 20.0 * 3.0 * std::f64::consts::PI) - 1.0).abs() < 1e-2, "{ring}");
    // One long line, and the same as a hundred pieces: joints do not add up.
    let whole = share(Shape::line(vec![[5.0, 7.0], [55.0, 47.0]], Paint::line(Color::BLACK, 1.4)));
    let pieces = (0..=100).map(|k| [5.0 + 0.5 * f64::from(k), 7.0 + 0.4 * f64::from(k)]).collect();
    let pieces = share(Shape::line(pieces, Paint::line(Color::BLACK, 1.4)));
    assert!(
        (whole / pieces - 1.0).abs() < 1e-2 && (whole / (1.4 * 50.0_f64.hypot(40.0)) - 1.0).abs() < 0.05,
        "{whole} {pieces}"
    );
    // Polygons that leave the picture cover what is in it.
    let beyond = vec![[-100.0, -100.0], [200.0, -100.0], [200.0, 32.0], [-100.0, 32.0]];
    assert!((share(Shape::polygon(beyond, Paint::area(Color::BLACK))) - 64.0 * 32.0).abs() < 1e-6);
}

fn moving_dot() -> (Scene, Motion) {
    let at = Place { frame: 1, at: [0.0.into(); 3] };
    let item = |figure: Figure| Item { name: "dot".into(), color: Some("#0000ff".into()), figure };
    let origin = [Quantity::Channel { c: 0 }, 0.0.into(), 0.0.into()];
    let frame = |origin| Frame { name: String::new(), origin, turn: Turn::None };
    let ends = [-1.0, 1.0].map(|x| Place { frame: 0, at: [Quantity::Fixed(x), (-0.3 * x).into(), 0.0.into()] });
    let scene = Scene {
        planar: true,
        up: [0.0, 1.0, 0.0],
        unit: "m".into(),
        frames: vec![frame([0.0.into(); 3]), frame(origin)],
        items: vec![
            item(Figure::Sphere { at, radius: 0.2.into() }),
            item(Figure::Line { points: ends.to_vec(), closed: false }),
        ],
        channels: 1,
    };
    (scene, Motion { t: vec![0.0, 1.0], values: vec![-0.8, 0.8] })
}

#[test]
fn a_film_has_its_frames_in_their_places() {
    let (scene, motion) = moving_dot();
    let (look, film) = (Look { width: 240.0, ..Look::default() }, Film { frames: 5, seconds: Some(2.0) });
    let file = apng(&scene, &motion, &look, &film, 1.0);
    let (names, frames) = decoded(&file);
    assert_eq!(names[..5], ["IHDR", "tEXt", "acTL", "PLTE", "fcTL"]);
    assert_eq!(names.iter().filter(|name| *name == "fdAT").count(), 4);
    assert_eq!(frames.len(), 5);
    let stage = Stage::new(&scene, &motion, &look);
    let [width, height] = stage.size().map(|x| x as usize);
    // The picture after each frame is the one that belongs to its time, up to the palette.
    let mut picture = frames[0].colors.clone();
    assert_eq!(frames[0].size, [width, height]);
    for (frame, t) in frames.iter().zip(motion.times(5)) {
        for (k, color) in frame.colors.iter().enumerate() {
            let (x, y) = (frame.corner[0] + k % frame.size[0], frame.corner[1] + k / frame.size[0]);
            picture[y * width + x] = *color;
        }
        let exact = draw(&stage.sketch(t), 1.0);
        let away = |a: Color, b: Color| a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)).max(a.2.abs_diff(b.2));
        let worst = picture.iter().zip(&exact.pixels).map(|(a, b)| away(*a, *b)).max();
        assert!(worst.is_some_and(|worst| worst <= 12), "{worst:?} at {t}");
        // The middle of the ball.
        let centre = stage.view().spot([-0.8 + 1.6 * t, 0.0, 0.0]).0;
        assert_ne!(picture[centre[1] as usize * width + centre[0] as usize + 12], Color::WHITE);
    }
    // Later frames are smaller than the picture.
    assert!(frames[1..].iter().all(|frame| frame.size[0] * frame.size[1] < width * height));
}

#[test]
fn odd_pictures_are_pictures() {
    let empty = Sketch { width: f64::NAN, height: 0.0, shapes: vec![] };
    let (_, frames) = decoded(&png(&empty, f64::INFINITY));
    assert_eq!(frames[0].size, [1, 1]);
    let words = Shape::words("</x> é\u{1f600} 10⁻³", [5.0, 10.0], 12.0, Anchor::Left, Color::BLACK);
    let (_, frames) = decoded(&png(&Sketch { width: 90.0, height: 20.0, shapes: vec![words] }, 2.0));
    assert!(frames[0].size == [180, 40] && frames[0].colors.contains(&Color::BLACK));
    let scene = Scene { planar: false, up: [0.0; 3], unit: String::new(), frames: vec![], items: vec![], channels: 0 };
    let film = apng(&scene, &Motion::default(), &Look::default(), &Film::default(), 0.5);
    assert_eq!(decoded(&film).1.len(), 1);
}

#[test]
fn sums_are_those_of_the_standard() {
    // The check value of CRC-32.
    assert_eq!(png::crc(b"123456789"), 0xcbf4_3926);
}
