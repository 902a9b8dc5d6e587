//! Where bodies are at the start, and how they move: roughly, as closing finds the place next to it.

use alembert_mechanism::Body;

use super::Vector;
use super::reader::{Reader, find};
use crate::document::Entry;
use crate::format::{POSE, TURN, VELOCITY};

fn dot(x: &Vector, y: &Vector) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn cross(x: &Vector, y: &Vector) -> Vector {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

fn unit(x: &Vector) -> Vector {
    let size = dot(x, x).sqrt();
    x.map(|x| x / size)
}

/// Axes of a body of which two are given, the first as it is, the second made perpendicular; none if they are parallel.
fn axes(given: [(usize, Vector); 2]) -> Option<[Vector; 3]> {
    let [(i, first), (j, second)] = given;
    let first = unit(&first);
    let second = unit(&second);
    let along = dot(&first, &second);
    if 1.0 - along.abs() < 1e-9 {
        return None;
    }
    let second = unit(&[0, 1, 2].map(|k| second[k] - along * first[k]));
    let third = if (i + 1) % 3 == j { cross(&first, &second) } else { cross(&second, &first) };
    let mut axes = [[0.0; 3]; 3];
    axes[i] = first;
    axes[j] = second;
    axes[3 - i - j] = third;
    Some(axes)
}

/// The quaternion of a rotation whose columns are given: its largest component from the diagonal, the others from the rest.
fn quaternion(axes: &[Vector; 3]) -> [f64; 4] {
    let r = |i: usize, j: usize| axes[j][i];
    let squares = [
        1.0 + r(0, 0) + r(1, 1) + r(2, 2),
        1.0 + r(0, 0) - r(1, 1) - r(2, 2),
        1.0 - r(0, 0) + r(1, 1) - r(2, 2),
        1.0 - r(0, 0) - r(1, 1) + r(2, 2),
    ];
    let largest = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b])).unwrap_or(0);
    let twice = squares[largest].sqrt();
    let off = |i: usize, j: usize, sign: f64| (r(i, j) + sign * r(j, i)) / (2.0 * twice);
    let mut q = match largest {
        0 => [0.0, off(2, 1, -1.0), off(0, 2, -1.0), off(1, 0, -1.0)],
        1 => [off(2, 1, -1.0), 0.0, off(1, 0, 1.0), off(0, 2, 1.0)],
        2 => [off(0, 2, -1.0), off(1, 0, 1.0), 0.0, off(2, 1, 1.0)],
        _ => [off(1, 0, -1.0), off(0, 2, 1.0), off(2, 1, 1.0), 0.0],
    };
    q[largest] = 0.5 * twice;
    q
}

impl<'d> Reader<'_, 'd, '_> {
    /// A body where it is at the start.
    pub fn posed(&mut self, body: Body, keys: &[Entry<'d>]) -> Option<Body> {
        let posed = match find(keys, "pose") {
            None => Some(body.unposed()),
            Some(entry) => self.pose(body, &entry),
        };
        let body = posed?;
        match find(keys, "velocity") {
            None => Some(body),
            Some(entry) => self.velocity(body, &entry),
        }
    }

    fn pose(&mut self, mut body: Body, entry: &Entry<'d>) -> Option<Body> {
        let keys = self.table(entry, POSE)?;
        let at = find(&keys, "at").map_or(Some([0.0; 3]), |entry| self.vector(&entry));
        body = body.at(at.unwrap_or_default());
        if self.planar {
            for wrong in keys.iter().filter(|entry| !["at", "angle"].contains(&entry.key)) {
                let message = format!("a pose in the plane has no `{}`", wrong.key);
                self.wrong(wrong.key_span, message, "write pose = { at = [0, 0], angle = 0 }");
            }
            return match find(&keys, "angle") {
                Some(angle) => Some(body.angled(self.number(&angle)?)),
                None => Some(body),
            };
        }
        if let Some(angle) = find(&keys, "angle") {
            let hint = "in space write turn = { axis = \"z\", angle = … }";
            self.wrong(angle.key_span, "a pose in space has no `angle`", hint);
            return None;
        }
        let directions: Vec<Entry<'d>> =
            keys.iter().filter(|entry| ["x", "y", "z"].contains(&entry.key)).copied().collect();
        let ways: Vec<&str> = match directions.first() {
            Some(first) => vec!["turn", "quaternion", first.key],
            None => vec!["turn", "quaternion"],
        };
        match self.one_of(&keys, &ways) {
            None => Some(body),
            Some(turn) if turn.key == "turn" => {
                let keys = self.table(&turn, TURN)?;
                let hint = "write turn = { axis = \"x\", angle = \"30*deg\" }";
                let axis = self.needed(&keys, "axis", "the turn", turn.span, hint);
                let angle = self.needed(&keys, "angle", "the turn", turn.span, hint);
                let (axis, angle) =
                    (axis.and_then(|entry| self.axis(&entry)), angle.and_then(|entry| self.number(&entry)));
                Some(body.turned(axis?, angle?))
            }
            Some(entry) if entry.key == "quaternion" => {
                let list = self.numbers(&entry)?;
                let square: f64 = list.iter().map(|x| x * x).sum();
                match list[..] {
                    [a, b, c, d] if square > 0.0 => return Some(body.quaternion([a, b, c, d])),
                    [_, _, _, _] => self.wrong(entry.span, "`quaternion` is zero", "no turn is [1, 0, 0, 0]"),
                    _ => {
                        let message = format!("`quaternion` has {} numbers, and must have 4", list.len());
                        self.wrong(entry.span, message, "the scalar comes first: no turn is [1, 0, 0, 0]");
                    }
                }
                None
            }
            Some(_) => self.directed(body, entry, &directions),
        }
    }

    fn directed(&mut self, body: Body, pose: &Entry<'d>, directions: &[Entry<'d>]) -> Option<Body> {
        let number = |key: &str| ["x", "y", "z"].iter().position(|axis| *axis == key).unwrap_or(0);
        let [first, second] = directions else {
            let message = format!("the pose has {} of the directions x, y, z, and must have two", directions.len());
            self.wrong(pose.span, message, "two directions say how a body is turned; the first is kept as it is");
            return None;
        };
        let given = [self.direction(first), self.direction(second)];
        let Some(axes) = axes([(number(first.key), given[0]?), (number(second.key), given[1]?)]) else {
            let message = format!("`{}` and `{}` are parallel", first.key, second.key);
            self.wrong(second.span, message, "give directions of two axes");
            return None;
        };
        Some(body.quaternion(quaternion(&axes)))
    }

    fn velocity(&mut self, mut body: Body, entry: &Entry<'d>) -> Option<Body> {
        let keys = self.table(entry, VELOCITY)?;
        if let Some(at) = find(&keys, "at") {
            body = body.moving(self.vector(&at)?);
        }
        if let Some(angular) = find(&keys, "angular") {
            let spin = match self.planar {
                true => [0.0, 0.0, self.number(&angular)?],
                false => self.vector(&angular)?,
            };
            body = body.spinning(spin);
        }
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alembert::rotation::to_space;

    #[test]
    fn any_two_directions_give_a_right_handed_turn() {
        let pairs = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)];
        let vectors = [[2.0, -1.0, -2.0], [0.3, 2.0, -1.0], [-1.0, 0.1, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]];
        for (i, j) in pairs {
            for first in vectors {
                for second in vectors {
                    let Some(axes) = axes([(i, first), (j, second)]) else {
                        assert!((dot(&unit(&first), &unit(&second)).abs() - 1.0).abs() < 1e-9);
                        continue;
                    };
                    let q = quaternion(&axes);
                    for (axis, expected) in axes.iter().enumerate() {
                        let mut e = [0.0; 3];
                        e[axis] = 1.0;
                        let found = to_space(&q, &e);
                        (0..3).for_each(|k| assert!((found[k] - expected[k]).abs() < 1e-14, "{axes:?} {q:?}"));
                    }
                    // The first is kept, the second is as near as can be.
                    (0..3).for_each(|k| assert!((axes[i][k] - unit(&first)[k]).abs() < 1e-15));
                    assert!(dot(&axes[j], &second) > 0.0);
                }
            }
        }
    }
}
