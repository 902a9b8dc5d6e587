//! Vectors in space and places in a picture.

/// A vector in space.
pub type Vector = [f64; 3];
/// A place in a picture: to the right and down from its upper left corner, in pixels.
pub type Spot = [f64; 2];

/// `a + s b`.
pub fn along(a: Vector, s: f64, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + s * b[k])
}

/// `a − b`.
pub fn minus(a: Vector, b: Vector) -> Vector {
    along(a, -1.0, b)
}

/// `s a`.
pub fn times(s: f64, a: Vector) -> Vector {
    a.map(|x| s * x)
}

/// The scalar product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector product.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length of a vector.
pub fn length(a: Vector) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

/// The unit vector of this direction, or another one where there is no direction.
pub fn unit(a: Vector, otherwise: Vector) -> Vector {
    let size = length(a);
    if size > 0.0 && size.is_finite() { times(1.0 / size, a) } else { otherwise }
}

/// Some unit vector that is perpendicular to a unit vector.
pub fn beside(a: Vector) -> Vector {
    // The axis that is least along it.
    let axis = if a[0].abs() <= a[1].abs().min(a[2].abs()) {
        [1.0, 0.0, 0.0]
    } else if a[1].abs() <= a[2].abs() {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    unit(cross(a, axis), [1.0, 0.0, 0.0])
}

/// The part of the line from `a` to `b` that lies in the rectangle from the origin to a corner, as parts of its length; none if it does not.
pub fn clipped(a: Spot, b: Spot, corner: Spot) -> Option<(f64, f64)> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let step = b[k] - a[k];
        // Where the line enters and leaves the strip of this coordinate.
        let (enter, leave) = match step {
            step if step > 0.0 => (-a[k] / step, (corner[k] - a[k]) / step),
            step if step < 0.0 => ((corner[k] - a[k]) / step, -a[k] / step),
            _ if (0.0..=corner[k]).contains(&a[k]) => (0.0, 1.0),
            _ => return None,
        };
        (from, to) = (from.max(enter), to.min(leave));
    }
    (from < to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_edges() {
        let corner = [10.0, 4.0];
        assert_eq!(clipped([1.0, 1.0], [2.0, 3.0], corner), Some((0.0, 1.0)));
        assert_eq!(clipped([-10.0, 2.0], [30.0, 2.0], corner), Some((0.25, 0.5)));
        assert_eq!(clipped([5.0, 8.0], [5.0, -8.0], corner), Some((0.25, 0.5)));
        assert_eq!(clipped([0.0, 5.0], [10.0, 5.0], corner), None);
        assert_eq!(clipped([-2.0, 3.0], [3.0, 8.0], corner), None);
        assert_eq!(clipped([f64::NAN, 0.0], [1.0, 1.0], corner), None);
    }

    #[test]
    fn perpendicular_vectors_are_perpendicular() {
        for a in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], unit([1.0, -2.0, 0.5], [0.0; 3])] {
            assert!(dot(a, beside(a)).abs() < 1e-15 && (length(beside(a)) - 1.0).abs() < 1e-15);
        }
        assert_eq!(unit([0.0; 3], [0.0, 0.0, 1.0]), [0.0, 0.0, 1.0]);
        assert_eq!(unit([f64::NAN; 3], [0.0, 0.0, 1.0]), [0.0, 0.0, 1.0]);
    }
}
