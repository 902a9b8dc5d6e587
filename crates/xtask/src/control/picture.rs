//! A picture of error against tolerance, as SVG.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 6] = ["#1b6ca8", "#d1495b", "#2e8b57", "#8a5a9e", "#e08a1e", "#444444"];

/// A curve of (tolerance, error).
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Both axes logarithmic, decades marked, with a dashed line of slope 2/3.
pub fn svg(curves: &[Curve]) -> String {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let decade = |x: f64| x.log10();
    let (left, right) = range(all().map(|p| decade(p.0)));
    let (low, high) = range(all().map(|p| decade(p.1)));
    let x = |tol: f64| LEFT + (decade(tol) - left) / (right - left) * (WIDTH - LEFT - RIGHT);
    let y = |error: f64| HEIGHT - BOTTOM - (decade(error) - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-weight=\"bold\">Generalized-alpha (SOI2) under error control</text>\n"
    );
    let mut put = |line: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{line}");
    };
    for k in left as i32..=right as i32 {
        let at = x(10f64.powi(k));
        put(format!(
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
            HEIGHT - BOTTOM
        ));
        put(format!("<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">1e{k}</text>", HEIGHT - BOTTOM + 16.0));
    }
    for k in low as i32..=high as i32 {
        let at = y(10f64.powi(k));
        put(format!("<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>", WIDTH - RIGHT));
        put(format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">1e{k}</text>", LEFT - 6.0, at + 4.0));
    }
    put(format!("<text x=\"{:.1}\" y=\"{:.1}\">tolerance</text>", 0.5 * (LEFT + WIDTH - RIGHT) - 24.0, HEIGHT - 12.0));
    put(format!("<text transform=\"translate(16,{:.1}) rotate(-90)\">largest error of q</text>", 0.5 * HEIGHT + 50.0));
    // The guide begins at the middle of the left edge.
    let (from, base) = (10f64.powf(left), 10f64.powf(low + 0.2 * (high - low)));
    let to = 10f64.powf(right);
    let end = base * (to / from).powf(2.0 / 3.0);
    put(format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#999\" stroke-dasharray=\"5 4\"/>",
        x(from),
        y(base),
        x(to),
        y(end)
    ));
    put(format!("<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#777\">slope 2/3</text>", WIDTH - RIGHT + 8.0, y(end) + 4.0));
    let mut labels: Vec<f64> = Vec::new();
    // From the top down, so that labels stand in the order of their curves.
    let top = |curve: &Curve| curve.points.iter().fold(0.0_f64, |max, p| max.max(p.1));
    let mut sorted: Vec<&Curve> = curves.iter().collect();
    sorted.sort_by(|a, b| top(b).total_cmp(&top(a)));
    for (curve, colour) in sorted.into_iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<String> = curve.points.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
        put(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
            points.join(" ")
        ));
        for p in &curve.points {
            put(format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", x(p.0), y(p.1)));
        }
        let Some(last) = curve.points.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        // Labels that would lie on each other move down.
        let mut at = y(last.1) + 4.0;
        while labels.iter().chain([&(y(end) + 4.0)]).any(|other| (other - at).abs() < 13.0) {
            at += 2.0;
        }
        labels.push(at);
        put(format!("<text x=\"{:.1}\" y=\"{at:.1}\" fill=\"{colour}\">{}</text>", WIDTH - RIGHT + 8.0, curve.name));
    }
    out.push_str("</svg>\n");
    out
}

/// The decades that enclose all values.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x.floor()), high.max(x.ceil())))
}
