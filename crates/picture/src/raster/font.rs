//! Letters as lines.
//!
//! A letter is a few strokes on a grid of small whole numbers: x from 0, y from 0 (the lowest point of g) over 2 (the base line) and 6 (the
//! height of x) to 8 (the height of H). A stroke is a row of pairs of digits. `~` makes it a smooth curve, which begins and ends at its ends and is
//! drawn towards the points in between; `o` a smooth closed one. Letters that are not here are drawn as a box.

use crate::sketch::Anchor;
use crate::vector::Spot;

/// The width of a stroke as a part of the size of letters.
pub const PLAIN: f64 = 0.085;
pub const BOLD: f64 = 0.135;
/// A unit of the grid as a part of the size of letters.
const UNIT: f64 = 0.119;
/// Between two letters, in units.
const GAP: f64 = 1.5;
/// Pieces of a curve between two of its points.
const SMOOTH: usize = 4;

/// Strokes of words of some size that are centred on the height of a place.
pub fn strokes(words: &str, at: Spot, size: f64, anchor: Anchor, upward: bool) -> Vec<Vec<Spot>> {
    let unit = UNIT * size;
    let width: f64 = words.chars().map(|letter| advance(letter) + GAP).sum::<f64>() - GAP;
    let mut x = match anchor {
        Anchor::Left => 0.0,
        Anchor::Center => -0.5 * width,
        Anchor::Right => -width,
    };
    let mut all = Vec::new();
    for letter in words.chars() {
        let (letter, size, raised) = base(letter);
        for stroke in glyph(letter).split(' ').filter(|stroke| !stroke.is_empty()) {
            let place = |[a, b]: Spot| {
                // The middle of a capital letter is on the height of the place.
                let (right, up) = (unit * (x + size * a), unit * (raised + size * (b - 2.0) - 3.0));
                if upward { [at[0] - up, at[1] - right] } else { [at[0] + right, at[1] - up] }
            };
            all.push(curve(stroke).into_iter().map(place).collect());
        }
        x += size * wide(letter) + GAP;
    }
    all
}

/// The letter that a raised one is made from, its size and how far it is raised, in units.
fn base(letter: char) -> (char, f64, f64) {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    match RAISED.chars().position(|raised| raised == letter) {
        Some(digit) => (char::from(b'0' + digit as u8), 0.6, 3.2),
        None if letter == '⁻' => ('-', 0.6, 3.2),
        None => (letter, 1.0, 0.0),
    }
}

/// How wide a letter is as it is drawn, in units.
fn advance(letter: char) -> f64 {
    let (letter, size, _) = base(letter);
    size * wide(letter)
}

/// The points of a stroke.
fn curve(stroke: &str) -> Vec<Spot> {
    let digits: Vec<f64> = stroke.bytes().filter(u8::is_ascii_digit).map(|digit| f64::from(digit - b'0')).collect();
    let points: Vec<Spot> = digits.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let n = points.len();
    let middle = |k: usize| [0, 1].map(|j| 0.5 * (points[k % n][j] + points[(k + 1) % n][j]));
    // Parabolas from middle to middle, drawn towards the point in between.
    let bend = |out: &mut Vec<Spot>, a: Spot, b: Spot, c: Spot| {
        for k in 1..=SMOOTH {
            let s = k as f64 / SMOOTH as f64;
            out.push([0, 1].map(|j| (1.0 - s) * (1.0 - s) * a[j] + 2.0 * s * (1.0 - s) * b[j] + s * s * c[j]));
        }
    };
    let mut out = Vec::new();
    if stroke.starts_with('o') {
        out.push(middle(0));
        (1..=n).for_each(|k| bend(&mut out, middle(k - 1), points[k % n], middle(k)));
    } else if stroke.starts_with('~') && n > 2 {
        out.push(points[0]);
        for k in 1..n - 1 {
            let a = if k == 1 { points[0] } else { middle(k - 1) };
            let c = if k == n - 2 { points[n - 1] } else { middle(k) };
            bend(&mut out, a, points[k], c);
        }
    } else {
        out = points;
    }
    out
}

/// How wide a letter is, in units.
fn wide(letter: char) -> f64 {
    match letter {
        ' ' => 1.2,
        'M' | 'W' | 'w' | 'm' => 6.0,
        'O' | 'Q' => 5.0,
        'I' | 'l' | 'i' | '.' | ',' | ':' | ';' | '!' | '\'' | '|' | '·' => 0.6,
        '(' | ')' | '[' | ']' | '°' | '"' | '{' | '}' => 2.0,
        'j' => 1.0,
        'r' => 2.4,
        'a'..='u' | 'x' | 'z' | '-' | '/' | '\\' | '<' | '>' | 'θ' | 'µ' | 'μ' => 3.0,
        _ => 4.0,
    }
}

/// The strokes of a letter.
fn glyph(letter: char) -> &'static str {
    match letter {
        ' ' => "",
        '0' => "o02084842",
        '1' => "072822 0242",
        '2' => "~0608484502 0242",
        '3' => "~0708484525 ~2545420203",
        '4' => "32380444",
        '5' => "480805 ~052646421203",
        '6' => "~38080604 o02064642",
        '7' => "084812",
        '8' => "o05084845 o02054542",
        '9' => "o04084844 ~46444212",
        'A' => "022842 1434",
        'B' => "0802 ~08484505 ~05454202",
        'C' => "~474808024243",
        'D' => "0802 ~0828484222",
        'E' => "48080242 0535",
        'F' => "480802 0535",
        'G' => "~474808024245 4525",
        'H' => "0802 4842 0545",
        'I' => "0802",
        'J' => "~3834320204",
        'K' => "0802 4804 1542",
        'L' => "080242",
        'M' => "0208346862",
        'N' => "02084248",
        'O' => "o02085852",
        'P' => "0802 ~08484404",
        'Q' => "o02085852 3451",
        'R' => "0802 ~08484404 2442",
        'S' => "~4748080545420203",
        'T' => "0848 2822",
        'U' => "~080402424448",
        'V' => "082248",
        'W' => "0812375268",
        'X' => "0842 4802",
        'Y' => "082548 2522",
        'Z' => "08480242",
        'a' => "o02063632 3632",
        'b' => "0802 o02063632",
        'c' => "~353606023233",
        'd' => "3832 o02063632",
        'e' => "0434 ~343606023233",
        'f' => "~38181512 0626",
        'g' => "o02063632 ~3632300001",
        'h' => "0802 ~0406363432",
        'i' => "0602 0808",
        'j' => "~16121000 1818",
        'k' => "0802 3603 1432",
        'l' => "0802",
        'm' => "0602 ~0406363432 ~3436666462",
        'n' => "0602 ~0406363432",
        'o' => "o02063632",
        'p' => "0600 o02063632",
        'q' => "3630 o02063632",
        'r' => "0602 ~040626",
        's' => "~3536060434320203",
        't' => "~18131232 0626",
        'u' => "~0604023234 3632",
        'v' => "062246",
        'w' => "0612365266",
        'x' => "0632 3602",
        'y' => "0622 4610",
        'z' => "06360232",
        '.' => "0202",
        ',' => "0201",
        ':' => "0202 0505",
        ';' => "0201 0505",
        '!' => "0804 0202",
        '?' => "~070848452524 2222",
        '-' => "0434",
        '−' | '–' => "0545",
        '+' => "0545 2723",
        '=' => "0646 0444",
        '/' => "0138",
        '\\' => "0831",
        '(' => "~29080221",
        ')' => "~09282201",
        '[' => "29090121",
        ']' => "09292101",
        '{' => "29181605141221",
        '}' => "09181625141201",
        '<' => "370533",
        '>' => "073503",
        '|' => "0901",
        '_' => "0141",
        '*' => "2723 0644 0446",
        '\'' => "0806",
        '"' => "0806 2826",
        '%' => "0248 o06082826 o22244442",
        '#' => "1218 3238 0444 0646",
        '&' => "~432202043638181642",
        '^' => "062846",
        '~' => "~04162435",
        '°' => "o06082826",
        '·' => "0505",
        '×' => "0347 4307",
        '…' => "0202 2222 4242",
        'µ' | 'μ' => "0600 ~0604023234 3632",
        'α' => "o02063632 ~36333242",
        'θ' => "o02083832 0535",
        'λ' => "0842 2502",
        'π' => "0646 1612 3632",
        'τ' => "0646 ~262232",
        'φ' => "o02064642 2800",
        'ω' => "~06022224 ~24224246",
        'Δ' => "02284202",
        _ => "0208484202",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_are_pairs_within_their_letters() {
        for letter in (' '..='~').chain("−°·×…µαθλπτφωΔé".chars()) {
            for stroke in glyph(letter).split(' ').filter(|stroke| !stroke.is_empty()) {
                let digits = stroke.bytes().filter(u8::is_ascii_digit).count();
                assert!(digits % 2 == 0 && digits >= 2, "{letter}: {stroke}");
                let known = stroke.trim_start_matches(['o', '~']);
                assert!(known.bytes().all(|byte| byte.is_ascii_digit()), "{letter}: {stroke}");
                for [x, y] in curve(stroke) {
                    assert!(
                        (0.0..=wide(letter).max(0.01)).contains(&x) && (0.0..=9.0).contains(&y),
                        "{letter}: {x} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_stand_where_they_are_anchored() {
        let range = |anchor: Anchor, upward: bool, k: usize| {
            let all = strokes("H0H", [100.0, 50.0], 20.0, anchor, upward);
            all.iter().flatten().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[k]), b.max(p[k])))
        };
        let width = (3.0 * 4.0 + 2.0 * GAP) * UNIT * 20.0;
        for (anchor, left) in
            [(Anchor::Left, 100.0), (Anchor::Center, 100.0 - 0.5 * width), (Anchor::Right, 100.0 - width)]
        {
            let (a, b) = range(anchor, false, 0);
            assert!((a - left).abs() < 1e-9 && (b - left - width).abs() < 1e-9);
        }
        // Centred on their height; upwards they run against y.
        let (a, b) = range(Anchor::Left, false, 1);
        assert!((a + b - 100.0).abs() < 1e-9 && (b - a - 6.0 * UNIT * 20.0).abs() < 1e-9);
        // Raised digits are smaller and higher.
        let high = strokes("⁻²", [0.0, 0.0], 20.0, Anchor::Left, false);
        let (top, bottom) = high.iter().flatten().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[1]), b.max(p[1])));
        assert!(top < a - 50.0 && bottom < 0.0 && bottom - top < 0.7 * (b - a), "{top} {bottom}");
        let (a, b) = range(Anchor::Left, true, 1);
        assert!((b - 50.0).abs() < 1e-9 && (b - a - width).abs() < 1e-9);
    }
}
