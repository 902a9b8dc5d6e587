//! Slopes at knots: of monotone cubics, and of splines.
//!
//! ```text
//! d_i = (y_(i+1) - y_i)/h_i
//! pchip     s_i = (w1 + w2)/(w1/d_(i-1) + w2/d_i),  w1 = 2 h_i + h_(i-1),  w2 = h_i + 2 h_(i-1);  zero at extrema
//! spline    h_i s_(i-1) + 2 (h_(i-1) + h_i) s_i + h_(i-1) s_(i+1) = 3 (h_i d_(i-1) + h_(i-1) d_i)
//! ```
//!
//! The spline's ends: the third derivative does not jump at the second knot and at the last but one (not-a-knot), so that cubic
//! polynomials are reproduced; with three points it is their parabola, with two a line. F. N. Fritsch, J. Butland, SIAM J. Sci.
//! Stat. Comput. 5 (1984) 300-304; C. de Boor, A Practical Guide to Splines, chapter IV.

/// Distances of knots, and the slopes of the lines between them.
fn differences(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let h: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
    let d = y.windows(2).zip(&h).map(|(y, h)| (y[1] - y[0]) / h).collect();
    (h, d)
}

pub(super) fn pchip(x: &[f64], y: &[f64], periodic: bool) -> Vec<f64> {
    let (h, d) = differences(x, y);
    let last = h.len() - 1;
    let inner = |i: usize, j: usize| {
        if d[i] * d[j] <= 0.0 {
            return 0.0;
        }
        let (w1, w2) = (2.0 * h[j] + h[i], h[j] + 2.0 * h[i]);
        (w1 + w2) / (w1 / d[i] + w2 / d[j])
    };
    // The slope of the parabola through three points, as far as it is monotone.
    let end = |h0: f64, h1: f64, d0: f64, d1: f64| {
        let s = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
        if s * d0 <= 0.0 {
            0.0
        } else if d0 * d1 <= 0.0 && s.abs() > 3.0 * d0.abs() {
            3.0 * d0
        } else {
            s
        }
    };
    let mut slopes = vec![d[0]; x.len()];
    for i in 1..=last {
        slopes[i] = inner(i - 1, i);
    }
    if periodic {
        slopes[0] = inner(last, 0);
        slopes[last + 1] = slopes[0];
    } else if last > 0 {
        slopes[0] = end(h[0], h[1], d[0], d[1]);
        slopes[last + 1] = end(h[last], h[last - 1], d[last], d[last - 1]);
    }
    slopes
}

pub(super) fn spline(x: &[f64], y: &[f64], periodic: bool) -> Vec<f64> {
    let (h, d) = differences(x, y);
    let n = x.len();
    if periodic {
        return around(&h, &d);
    }
    if n == 2 {
        return vec![d[0]; 2];
    }
    // Rows: below, diagonal, above, right-hand side.
    let mut rows: Vec<[f64; 4]> = vec![[0.0; 4]; n];
    for i in 1..n - 1 {
        rows[i] = [h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1], 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i])];
    }
    if n == 3 {
        rows[0] = [0.0, 1.0, 1.0, 2.0 * d[0]];
        rows[2] = [1.0, 1.0, 0.0, 2.0 * d[1]];
    } else {
        let end = |h0: f64, h1: f64, d0: f64, d1: f64| ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
        let k = n - 2;
        rows[0] = [0.0, h[1], h[0] + h[1], end(h[0], h[1], d[0], d[1])];
        rows[n - 1] = [h[k] + h[k - 1], h[k - 1], 0.0, end(h[k], h[k - 1], d[k], d[k - 1])];
    }
    solve(&rows)
}

/// Slopes of a periodic spline: one knot less is unknown. The corners of the matrix are taken out (Sherman and Morrison).
fn around(h: &[f64], d: &[f64]) -> Vec<f64> {
    let n = h.len();
    let mut slopes = match n {
        1 => vec![0.0],
        2 => vec![(d[0] / h[0] + d[1] / h[1]) / (1.0 / h[0] + 1.0 / h[1]); 2],
        _ => {
            let row = |i: usize| {
                let before = (i + n - 1) % n;
                [h[i], 2.0 * (h[before] + h[i]), h[before], 3.0 * (h[i] * d[before] + h[before] * d[i])]
            };
            let mut rows: Vec<[f64; 4]> = (0..n).map(row).collect();
            let (corner, opposite) = (rows[0][0], rows[n - 1][2]);
            let gamma = -rows[0][1];
            rows[0][1] -= gamma;
            rows[n - 1][1] -= corner * opposite / gamma;
            let plain = solve(&rows);
            for (i, row) in rows.iter_mut().enumerate() {
                row[3] = if i == 0 {
                    gamma
                } else if i == n - 1 {
                    opposite
                } else {
                    0.0
                };
            }
            let z = solve(&rows);
            let share = corner / gamma;
            let factor = (plain[0] + share * plain[n - 1]) / (1.0 + z[0] + share * z[n - 1]);
            plain.iter().zip(&z).map(|(x, z)| x - factor * z).collect()
        }
    };
    slopes.push(slopes[0]);
    slopes
}

/// A system with three diagonals, which needs no pivots here.
fn solve(rows: &[[f64; 4]]) -> Vec<f64> {
    let n = rows.len();
    let (mut above, mut right) = (vec![0.0; n], vec![0.0; n]);
    let (mut c, mut r) = (0.0, 0.0);
    for (i, [below, diagonal, over, side]) in rows.iter().enumerate() {
        let pivot = diagonal - below * c;
        (c, r) = (over / pivot, (side - below * r) / pivot);
        (above[i], right[i]) = (c, r);
    }
    for i in (0..n.saturating_sub(1)).rev() {
        right[i] -= above[i] * right[i + 1];
    }
    right
}
