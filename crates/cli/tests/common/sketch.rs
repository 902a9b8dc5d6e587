//! A mechanism drawn from a result: its bars at some times, the later ones fainter, and the path of a point.
//!
//! ```text
//! 0,0 tip; tip elbow pen tip; elbow 0.3,0; trace pen 0.6; label P pen; at 0 0.1 0.2
//! ```
//!
//! Parts are between semicolons. A bar goes through points: two numbers with a comma, or an output that is a triple, `tip` for the columns
//! `tip_x` and `tip_y`. `trace` is followed by such an output and by the time at which its path ends; a `label` stands beside a point at the first time.

use std::fmt::Write;

/// Width of a picture, and the space around what it shows.
const WIDTH: f64 = 560.0;
const MARGIN: f64 = 34.0;

/// Columns of a result.
struct Rows<'r> {
    names: Vec<&'r str>,
    rows: Vec<Vec<f64>>,
}

impl<'r> Rows<'r> {
    fn read(text: &'r str) -> Self {
        let mut lines = text.lines();
        let names = lines.next().unwrap_or_default().split(',').collect();
        let row = |line: &str| line.split(',').map(|x| x.parse().expect("a number")).collect();
        Rows { names, rows: lines.map(row).collect() }
    }

    fn value(&self, row: usize, name: &str) -> f64 {
        let at = self.names.iter().position(|other| *other == name);
        self.rows[row][at.unwrap_or_else(|| panic!("no column `{name}`"))]
    }

    /// The row nearest to a time.
    fn at(&self, t: f64) -> usize {
        let away = |row: &usize| (self.rows[*row][0] - t).abs();
        (0..self.rows.len()).min_by(|a, b| away(a).total_cmp(&away(b))).expect("rows")
    }

    fn point(&self, row: usize, word: &str) -> [f64; 2] {
        match word.split_once(',') {
            Some((x, y)) => [x, y].map(|x| x.parse().expect("a number")),
            None => ["x", "y"].map(|axis| self.value(row, &format!("{word}_{axis}"))),
        }
    }
}

/// The picture.
pub fn drawn(text: &str, order: &str) -> String {
    let rows = Rows::read(text);
    let (mut bars, mut times, mut paths, mut labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in order.split(';') {
        let words: Vec<&str> = part.split_whitespace().collect();
        match words[..] {
            ["trace", point, end] => {
                let last = rows.at(end.parse().expect("a time"));
                paths.push((0..=last).map(|row| rows.point(row, point)).collect::<Vec<_>>());
            }
            ["label", word, point] => labels.push((word, point)),
            ["at", ..] => times.extend(words[1..].iter().map(|t| t.parse::<f64>().expect("a time"))),
            _ => bars.push(words),
        }
    }
    let positions: Vec<Vec<Vec<[f64; 2]>>> = times
        .iter()
        .map(|t| bars.iter().map(|bar| bar.iter().map(|word| rows.point(rows.at(*t), word)).collect()).collect())
        .collect();
    let all = || positions.iter().flatten().flatten().chain(paths.iter().flatten());
    let least = [0, 1].map(|k| all().map(|p| p[k]).fold(f64::INFINITY, f64::min));
    let most = [0, 1].map(|k| all().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max));
    let scale = (WIDTH - 2.0 * MARGIN) / (most[0] - least[0]);
    let height = (scale * (most[1] - least[1]) + 2.0 * MARGIN).ceil();
    let place = |p: &[f64; 2]| [MARGIN + scale * (p[0] - least[0]), MARGIN + scale * (most[1] - p[1])];
    let line = |points: &[[f64; 2]]| {
        let words = points.iter().map(place).map(|[x, y]| format!("{x:.1},{y:.1}"));
        words.collect::<Vec<_>>().join(" ")
    };
    let mut body = String::new();
    // The first position is on top, and the others fade.
    for (k, position) in positions.iter().enumerate().rev() {
        let opacity = if k == 0 { 1.0 } else { 0.42 - 0.3 * k as f64 / positions.len() as f64 };
        let _ = writeln!(body, "<g opacity=\"{opacity:.2}\">");
        for bar in position {
            let area = if bar.first() == bar.last() { "#a6cdea" } else { "none" };
            let points = line(bar);
            let _ =
                writeln!(body, "<polyline points=\"{points}\" fill=\"{area}\" stroke=\"#1f5f93\" stroke-width=\"4\"/>");
        }
        for [x, y] in position.iter().flatten().map(place) {
            let _ = writeln!(
                body,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"#fff\" stroke=\"#222\" stroke-width=\"1.6\"/>"
            );
        }
        let _ = writeln!(body, "</g>");
    }
    // Points given by numbers are on the ground.
    let mut fixed: Vec<&str> = bars.iter().flatten().copied().filter(|word| word.contains(',')).collect();
    fixed.dedup();
    for word in fixed {
        let [x, y] = place(&rows.point(0, word));
        let _ = writeln!(
            body,
            "<path d=\"M{:.1},{:.1} l-11,19 h22 z\" fill=\"#cfd6dd\" stroke=\"#4a5560\" stroke-width=\"1.6\"/>\n\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"#fff\" stroke=\"#222\" stroke-width=\"1.6\"/>",
            x, y
        );
    }
    for path in &paths {
        let _ =
            writeln!(body, "<polyline points=\"{}\" fill=\"none\" stroke=\"#d9480f\" stroke-width=\"2\"/>", line(path));
    }
    for (word, point) in labels {
        let [x, y] = place(&rows.point(rows.at(times[0]), point));
        let _ = writeln!(
            body,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"18\" font-style=\"italic\">{word}</text>",
            x + 12.0,
            y - 6.0
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}
