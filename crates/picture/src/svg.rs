//! Sketches as SVG.
//!
//! Each shape is one element: `path`, `circle` or `text`. What most shapes have in common stands once, in the root. Numbers have two
//! decimals, without zeros at their end.

mod animate;

use std::fmt::Write;

use crate::sketch::{Anchor, Outline, Shape, Sketch};
use crate::vector::Spot;

pub use animate::{Film, animate_svg};

/// A sketch as an SVG file.
pub fn write(sketch: &Sketch) -> String {
    let mut svg = open(sketch.width, sketch.height);
    for shape in sketch.ordered() {
        let _ = writeln!(svg, "{}", element(shape));
    }
    svg.push_str("</svg>\n");
    svg
}

/// The root element.
fn open(width: f64, height: f64) -> String {
    let (width, height) = (number(width, 2), number(height, 2));
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\" \
         fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n"
    )
}

/// The element of a shape.
fn element(shape: &Shape) -> String {
    tagged(&shape.outline, &attributes(shape, 2, false), "", "")
}

/// An element with its attributes, further ones as they stand, and what is within it.
fn tagged(outline: &Outline, attributes: &[(&'static str, String)], further: &str, within: &str) -> String {
    let (name, words) = match outline {
        Outline::Lines { .. } => ("path", String::new()),
        Outline::Circle { .. } => ("circle", String::new()),
        Outline::Words { text, .. } => ("text", escaped(text)),
    };
    let mut out = format!("<{name}");
    for (key, value) in attributes {
        let _ = write!(out, " {key}=\"{value}\"");
    }
    out.push_str(further);
    if words.is_empty() && within.is_empty() {
        out.push_str("/>");
    } else {
        let _ = write!(out, ">{words}{within}</{name}>");
    }
    out
}

/// The attributes of a shape. The drawn part of a line is cut off, or, where it is to move, hidden by a dash.
fn attributes(shape: &Shape, decimals: usize, moving: bool) -> Vec<(&'static str, String)> {
    let paint = &shape.paint;
    let mut all = Vec::new();
    let n = |x: f64| number(x, decimals);
    match &shape.outline {
        Outline::Lines { lines, closed } => {
            if moving || paint.part >= 1.0 {
                all.push(("d", path(lines, *closed, decimals)));
            } else {
                let cut: Vec<Vec<Spot>> = lines.iter().map(|line| beginning(line, paint.part)).collect();
                all.push(("d", path(&cut, *closed, decimals)));
            }
        }
        Outline::Circle { at, radius } => all.extend([("cx", n(at[0])), ("cy", n(at[1])), ("r", n(radius.abs()))]),
        Outline::Words { at: [x, y], size, anchor, bold, upward, .. } => {
            // Letters hang below the middle of their height by about a third of their size.
            let drop = 0.35 * size;
            if *upward {
                all.push(("transform", format!("translate({},{}) rotate(-90)", n(x + drop), n(*y))));
            } else {
                all.extend([("x", n(*x)), ("y", n(y + drop))]);
            }
            all.push(("font-size", n(*size)));
            match anchor {
                Anchor::Left => {}
                Anchor::Center => all.push(("text-anchor", "middle".to_owned())),
                Anchor::Right => all.push(("text-anchor", "end".to_owned())),
            }
            if *bold {
                all.push(("font-weight", "bold".to_owned()));
            }
        }
    }
    all.extend(paint.fill.map(|color| ("fill", color.hex())));
    if let Some(color) = paint.stroke {
        all.push(("stroke", color.hex()));
        all.push(("stroke-width", n(paint.width)));
        if !paint.round {
            all.push(("stroke-linecap", "butt".to_owned()));
        }
        if matches!(shape.outline, Outline::Words { .. }) {
            // The line of letters is around them and not over them.
            all.push(("paint-order", "stroke".to_owned()));
        }
        if moving && paint.part < 1.0 {
            // A dash as long as the whole line, moved back by what is not to be seen.
            all.extend([("pathLength", "1".to_owned()), ("stroke-dasharray", "1 2".to_owned())]);
            all.push(("stroke-dashoffset", number(1.0 - paint.part, 4)));
        } else if !paint.dash.is_empty() {
            let dash: Vec<String> = paint.dash.iter().map(|length| n(*length)).collect();
            all.push(("stroke-dasharray", dash.join(" ")));
        }
    }
    if paint.opacity < 1.0 {
        all.push(("opacity", number(paint.opacity, 2)));
    }
    all
}

/// The data of a path.
fn path(lines: &[Vec<Spot>], closed: bool, decimals: usize) -> String {
    let mut data = String::new();
    for line in lines {
        for (k, [x, y]) in line.iter().enumerate() {
            // After the first place of a line all are joined by lines, without a letter for each.
            data.push_str(["M", "L", " "][k.min(2)]);
            let _ = write!(data, "{} {}", number(*x, decimals), number(*y, decimals));
        }
        // A single place is a dot: a line of no length with round ends.
        match line.len() {
            0 => {}
            1 => data.push_str("h0"),
            _ if closed => data.push('Z'),
            _ => {}
        }
    }
    data
}

/// The beginning of a line: a part of its length.
pub(crate) fn beginning(line: &[Spot], part: f64) -> Vec<Spot> {
    let step = |pair: &[Spot]| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
    let total: f64 = line.windows(2).map(step).sum();
    let mut left = part.clamp(0.0, 1.0) * total;
    let mut kept: Vec<Spot> = line.first().copied().into_iter().collect();
    for pair in line.windows(2) {
        let length = step(pair);
        if left <= 0.0 {
            break;
        }
        let s = if length > left { left / length } else { 1.0 };
        kept.push([0, 1].map(|k| pair[0][k] + s * (pair[1][k] - pair[0][k])));
        left -= length;
    }
    kept
}

/// A number with some decimals at most, as short as it can be.
pub(crate) fn number(x: f64, decimals: usize) -> String {
    // What cannot be drawn is not written: no file has a word where a number belongs.
    let x = if x.is_finite() { x } else { 0.0 };
    let text = format!("{x:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text {
        "-0" | "" => "0".to_owned(),
        _ => text.to_owned(),
    }
}

/// Words between tags and in attributes.
pub(crate) fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::color::Color;
    use crate::sketch::Paint;

    /// Checks that every element is closed, in order, that attributes are in quotes and written once, and that no entity is unknown.
    /// Returns how many elements there are.
    pub fn well_formed(xml: &str) -> usize {
        let (mut open, mut count, mut rest): (Vec<&str>, usize, &str) = (Vec::new(), 0, xml);
        while let Some(start) = rest.find('<') {
            let words = &rest[..start];
            entities(words);
            assert!(!words.contains('>'), "{words}");
            let end = start + rest[start..].find('>').expect("the end of a tag");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
                continue;
            }
            let alone = tag.ends_with('/');
            let tag = tag.trim_end_matches('/');
            let name = tag.split(' ').next().expect("a name");
            let mut known: Vec<&str> = Vec::new();
            let mut left = tag[name.len()..].trim();
            while !left.is_empty() {
                let (key, after) = left.split_once("=\"").expect("an attribute");
                let (value, after) = after.split_once('"').expect("the end of a value");
                assert!(!known.contains(&key) && !value.contains(['<', '>']), "{tag}");
                assert!(!value.contains("NaN") && !value.contains("inf"), "{tag}");
                entities(value);
                known.push(key);
                left = after.trim_start();
            }
            count += 1;
            if !alone {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
        count
    }

    fn entities(words: &str) {
        for (at, _) in words.match_indices('&') {
            let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
            assert!(known.iter().any(|entity| words[at..].starts_with(entity)), "{words}");
        }
    }

    #[test]
    fn numbers_are_short() {
        let written = |x: f64| number(x, 2);
        assert_eq!(
            [0.0, -0.0, -0.001, 1.0, 10.0, 12.345, -0.5, 100.0].map(written),
            ["0", "0", "0", "1", "10", "12.35", "-0.5", "100"]
        );
        assert_eq!(
            (written(f64::NAN), written(f64::INFINITY), number(120.0, 0)),
            ("0".into(), "0".into(), "120".into())
        );
    }

    #[test]
    fn a_line_begins_where_it_begins() {
        let line = [[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]];
        assert_eq!(beginning(&line, 0.5), [[0.0, 0.0], [3.0, 0.0], [3.0, 0.5]]);
        assert_eq!(beginning(&line, 1.0), line);
        assert_eq!(beginning(&line, 0.0), [[0.0, 0.0]]);
        assert!(beginning(&[], 0.5).is_empty());
    }

    #[test]
    fn shapes_are_elements() {
        let shapes = vec![
            Shape::polygon(vec![[0.0, 0.0], [1.5, 0.0], [0.0, 2.25]], Paint::area(Color(255, 0, 0))),
            Shape::circle([5.0, 6.0], 2.0, Paint::line(Color::BLACK, 1.0).with_dash(&[4.0, 2.5])),
            Shape::words("</svg><script>\"'&", [1.0, 2.0], 10.0, Anchor::Center, Color::BLACK),
            Shape::words("up", [1.0, 2.0], 10.0, Anchor::Right, Color::BLACK).upward().bolder(),
            Shape::circle([f64::NAN, 6.0], 2.0, Paint::default()),
        ];
        let svg = write(&Sketch { width: 30.0, height: 20.0, shapes });
        assert_eq!(well_formed(&svg), 5, "{svg}");
        assert!(svg.contains("<path d=\"M0 0L1.5 0 0 2.25Z\" fill=\"#f00\"/>"), "{svg}");
        assert!(svg.contains(
            "<circle cx=\"5\" cy=\"6\" r=\"2\" stroke=\"#000\" stroke-width=\"1\" stroke-dasharray=\"4 2.5\"/>"
        ));
        assert!(svg.contains(">&lt;/svg&gt;&lt;script&gt;&quot;&#39;&amp;</text>"));
        assert!(svg.contains("transform=\"translate(4.5,2) rotate(-90)\""));
    }
}
