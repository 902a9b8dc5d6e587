//! Equations without a `[view]`: what their names say.
//!
//! Coordinates `x`, `y` (and `z`) with the same ending (`x1`, `x_a`, `x[3]`) are a point. Two points are joined by a line where a
//! holonomic constraint is a distance between them, and a point is joined with the fixed one that a constraint keeps it away from:
//!
//! ```text
//! g(p, s) a distance       g_p = -g_s, parallel to p - s                      at some places
//! g(p) from a fixed c      the lines p + mu g_p meet in c:  sum (1 - n n^T)(p - c) = 0,  n = g_p/|g_p|
//! ```
//!
//! Nothing else is guessed: a model whose coordinates are angles has no picture unless it says what it looks like.

use alembert_picture::scene::Figure;

use super::Subject;
use super::canvas::{Canvas, Spot, fixed};
use crate::graph::{Derivatives, Node};
use crate::scope::Scope;
use crate::system::Parts;
use crate::tape::{Arguments, Layout, Tape};

/// With more points or constraints than that nothing is guessed.
const MOST: usize = 300;
/// How well gradients must be those of distances.
const EXACT: f64 = 1e-9;

/// A point by its coordinates among q.
struct Point {
    name: String,
    q: Vec<usize>,
}

/// Where constraints are looked at.
const PROBES: usize = 4;

fn probe(k: usize, i: usize) -> f64 {
    let x = (1.3 * (k + 1) as f64 + 2.7 * (i + 1) as f64).sin() + 0.31 * (k as f64 - 1.5);
    1.7 * x + 0.2
}

pub(super) fn draw(subject: &Subject, parts: &Parts, canvas: &mut Canvas, scope: &mut Scope) {
    let layout = subject.variables.layout;
    // Names are compared with each other.
    if layout.q > 8 * MOST || parts.holonomic.len() > MOST {
        return;
    }
    let points = points(&subject.names.q);
    if points.is_empty() || points.len() > MOST {
        return;
    }
    let zero = scope.graph.constant(0.0);
    let spots: Vec<Spot> = points
        .iter()
        .map(|point| {
            let mut at = [zero; 3];
            for (at, q) in at.iter_mut().zip(&point.q) {
                *at = scope.graph.input(layout.q().start + q);
            }
            Spot { frame: 0, at }
        })
        .collect();
    for (name, ends) in rods(subject, &points, parts, layout, scope) {
        let ends = ends.map(|end| match end {
            End::Point(point) => spots[point],
            End::Fixed(at) => fixed(scope, 0, at),
        });
        let points = ends.iter().map(|spot| canvas.place(&scope.graph, *spot)).collect();
        canvas.add(&name, None, Figure::Line { points, closed: false });
        if let [_, fixed] = ends
            && fixed.at.iter().all(|node| scope.graph.value(*node).is_some())
        {
            let at = canvas.place(&scope.graph, fixed);
            canvas.add(&name, None, Figure::Point { at });
        }
    }
    for (point, spot) in points.iter().zip(spots) {
        let at = canvas.place(&scope.graph, spot);
        canvas.add(&point.name, None, Figure::Point { at });
        canvas.add(&point.name, None, Figure::Trace { at });
    }
}

/// Whether the letters behind x belong to a name of a point: nothing, a number, `_…` or an index.
fn is_ending(ending: &str) -> bool {
    let number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let index = ending.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    number(ending) || ending.starts_with('_') || index.is_some_and(number)
}

fn points(names: &[String]) -> Vec<Point> {
    let find = |name: String| names.iter().position(|known| *known == name);
    let mut found = Vec::new();
    for (first, name) in names.iter().enumerate() {
        let Some(ending) = name.strip_prefix('x').filter(|ending| is_ending(ending)) else { continue };
        let Some(second) = find(format!("y{ending}")) else { continue };
        let third = find(format!("z{ending}"));
        let name = match third {
            Some(_) => format!("x{ending}, y{ending}, z{ending}"),
            None => format!("x{ending}, y{ending}"),
        };
        let q = [Some(first), Some(second), third].into_iter().flatten().collect();
        found.push(Point { name, q });
    }
    found
}

enum End {
    Point(usize),
    Fixed([f64; 3]),
}

/// Constraints that are distances, with their ends.
fn rods(
    subject: &Subject,
    points: &[Point],
    parts: &Parts,
    layout: Layout,
    scope: &mut Scope,
) -> Vec<(String, [End; 2])> {
    let mut found = Vec::new();
    let mut values = vec![vec![0.0; layout.q]; PROBES];
    for (k, values) in values.iter_mut().enumerate() {
        values.iter_mut().enumerate().for_each(|(i, x)| *x = probe(k, i));
    }
    for (row, node) in parts.holonomic.iter().enumerate() {
        let inputs = scope.graph.inputs(*node, &mut scope.marks);
        let coordinates: Option<Vec<usize>> =
            inputs.iter().map(|input| layout.q().contains(input).then(|| input - layout.q().start)).collect();
        let Some(coordinates) = coordinates else { continue };
        let of: Vec<usize> =
            (0..points.len()).filter(|point| points[*point].q.iter().any(|q| coordinates.contains(q))).collect();
        let all: Vec<usize> = of.iter().flat_map(|point| points[*point].q.clone()).collect();
        if coordinates.iter().any(|q| !all.contains(q)) {
            continue;
        }
        let gradients = gradients(*node, &all, &values, layout, scope);
        let name = subject.names.holonomic.get(row).cloned().unwrap_or_default();
        let ends = match of[..] {
            [one] => anchor(&points[one], &values, &gradients).map(|at| [End::Point(one), End::Fixed(at)]),
            [one, other] if points[one].q.len() == points[other].q.len() => {
                is_distance([&points[one], &points[other]], &values, &gradients)
                    .then_some([End::Point(one), End::Point(other)])
            }
            _ => None,
        };
        found.extend(ends.map(|ends| (name, ends)));
    }
    found
}

/// The gradient by some coordinates, at all probes.
fn gradients(node: Node, all: &[usize], values: &[Vec<f64>], layout: Layout, scope: &mut Scope) -> Vec<Vec<f64>> {
    let slopes = Derivatives::default().gradient(&mut scope.graph, node, layout.q());
    let outputs: Vec<(usize, Node)> = slopes
        .into_iter()
        .filter_map(|(input, slope)| Some((all.iter().position(|q| layout.q().start + q == input)?, slope)))
        .collect();
    let mut outputs = outputs;
    outputs.sort_by_key(|(at, _)| *at);
    let tape = Tape::new(&scope.graph, layout, &outputs, &mut scope.marks);
    values
        .iter()
        .map(|q| {
            let mut out = vec![0.0; all.len()];
            tape.run_once(Arguments { q, ..Arguments::default() }, &mut out);
            out
        })
        .collect()
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Whether the gradients are those of a distance between two points.
fn is_distance(points: [&Point; 2], values: &[Vec<f64>], gradients: &[Vec<f64>]) -> bool {
    let n = points[0].q.len();
    values.iter().zip(gradients).all(|(q, g)| {
        let (g, h) = g.split_at(n);
        let way: Vec<f64> = (0..n).map(|i| q[points[0].q[i]] - q[points[1].q[i]]).collect();
        let opposite = (0..n).all(|i| (g[i] + h[i]).abs() <= EXACT * size(g));
        let along: f64 = g.iter().zip(&way).map(|(g, x)| g * x).sum();
        opposite && size(g) > 0.0 && (along.abs() - size(g) * size(&way)).abs() <= EXACT * size(g) * size(&way)
    })
}

/// The fixed point that the gradients point away from or to.
fn anchor(point: &Point, values: &[Vec<f64>], gradients: &[Vec<f64>]) -> Option<[f64; 3]> {
    let n = point.q.len();
    let mut matrix = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    (n..3).for_each(|i| matrix[i][i] = 1.0);
    for (q, g) in values.iter().zip(gradients) {
        let length = size(g);
        if length.is_nan() || length == 0.0 {
            return None;
        }
        for i in 0..n {
            for j in 0..n {
                let entry = if i == j { 1.0 } else { 0.0 } - g[i] * g[j] / (length * length);
                matrix[i][j] += entry;
                right[i] += entry * q[point.q[j]];
            }
        }
    }
    let c = solve(matrix, right)?;
    let meets = values.iter().zip(gradients).all(|(q, g)| {
        let way: Vec<f64> = (0..n).map(|i| q[point.q[i]] - c[i]).collect();
        let along: f64 = g.iter().zip(&way).map(|(g, x)| g * x).sum();
        (along.abs() - size(g) * size(&way)).abs() <= EXACT * size(g) * size(&way)
    });
    // Roundings of what is zero.
    meets.then(|| c.map(|x| if x.abs() < 1e-12 { 0.0 } else { x }))
}

/// Gauss with the largest pivot; none if there is no single solution.
fn solve(mut a: [[f64; 3]; 3], mut b: [f64; 3]) -> Option<[f64; 3]> {
    for k in 0..3 {
        let pivot = (k..3).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k].abs() < 1e-9 {
            return None;
        }
        for i in k + 1..3 {
            let factor = a[i][k] / a[k][k];
            for j in k..3 {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    let mut x = [0.0; 3];
    for k in (0..3).rev() {
        let sum: f64 = (k + 1..3).map(|j| a[k][j] * x[j]).sum();
        x[k] = (b[k] - sum) / a[k][k];
    }
    Some(x)
}
