//! Sums over stages. Stage vectors are rows of a flat slice; there are few stages and often few components, so that the
//! sums are unrolled for the usual numbers of stages.

/// Row i of `out` = factor sum_j matrix_ij row j of `x`, for a square matrix.
pub(super) fn combine(matrix: &[f64], factor: f64, x: &[f64], out: &mut [f64], width: usize) {
    combine_heads(matrix, factor, x, width, out, width);
}

/// The same for the first `width` entries of the rows of `x`, which are `stride` long.
pub(super) fn combine_heads(matrix: &[f64], factor: f64, x: &[f64], stride: usize, out: &mut [f64], width: usize) {
    if x.is_empty() {
        return;
    }
    match x.len() / stride {
        2 => unrolled::<2>(matrix, factor, x, stride, out, width),
        3 => unrolled::<3>(matrix, factor, x, stride, out, width),
        5 => unrolled::<5>(matrix, factor, x, stride, out, width),
        7 => unrolled::<7>(matrix, factor, x, stride, out, width),
        stages => {
            for (row, out) in matrix.chunks_exact(stages).zip(out.chunks_exact_mut(width)) {
                out.fill(0.0);
                add_heads(row, factor, x, stride, out);
            }
        }
    }
}

fn unrolled<const S: usize>(matrix: &[f64], factor: f64, x: &[f64], stride: usize, out: &mut [f64], width: usize) {
    let Some(rows) = matrix.as_chunks::<S>().0.first_chunk::<S>() else { return };
    // Said once here, it need not be checked at every access.
    assert!(width <= stride);
    let mut from = 0;
    while from + 2 <= width {
        columns::<S, 2>(rows, factor, x, stride, out, width, from);
        from += 2;
    }
    if from < width {
        columns::<S, 1>(rows, factor, x, stride, out, width, from);
    }
}

/// W components of all rows, few enough for registers.
#[inline(always)]
fn columns<const S: usize, const W: usize>(
    rows: &[[f64; S]; S],
    factor: f64,
    mut x: &[f64],
    stride: usize,
    mut out: &mut [f64],
    width: usize,
    from: usize,
) {
    let heads: [[f64; W]; S] = std::array::from_fn(|_| {
        let (row, rest) = x.split_at(stride);
        x = rest;
        std::array::from_fn(|k| factor * row[from + k])
    });
    for row in rows {
        let mut sums: [f64; W] = std::array::from_fn(|k| row[0] * heads[0][k]);
        for j in 1..S {
            for k in 0..W {
                sums[k] += row[j] * heads[j][k];
            }
        }
        let (target, rest) = std::mem::take(&mut out).split_at_mut(width);
        target[from..from + W].copy_from_slice(&sums);
        out = rest;
    }
}

/// out += factor sum_j weights_j row j of `x`.
pub(super) fn add_rows(weights: &[f64], factor: f64, x: &[f64], out: &mut [f64]) {
    add_heads(weights, factor, x, out.len().max(1), out);
}

/// The same for the heads of rows that are `stride` long.
pub(super) fn add_heads(weights: &[f64], factor: f64, x: &[f64], stride: usize, out: &mut [f64]) {
    for (weight, row) in weights.iter().zip(x.chunks_exact(stride)) {
        let weight = factor * weight;
        for (out, x) in out.iter_mut().zip(row) {
            *out += weight * x;
        }
    }
}

/// x += d.
pub(super) fn add(x: &mut [f64], d: &[f64]) {
    for (x, d) in x.iter_mut().zip(d) {
        *x += d;
    }
}

/// x += d; the sum of (d w)^2 over all rows, which are as long as w.
pub(super) fn add_weighed(x: &mut [f64], d: &[f64], w: &[f64]) -> f64 {
    let mut sum = 0.0;
    let width = w.len().max(1);
    for (x, d) in x.chunks_exact_mut(width).zip(d.chunks_exact(width)) {
        for ((x, d), w) in x.iter_mut().zip(d).zip(w) {
            *x += d;
            sum += (d * w) * (d * w);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_stages_are_those_written_down() {
        for (stages, stride) in [(2, 1), (3, 4), (4, 3), (5, 3), (5, 13), (7, 2)] {
            for width in 1..=stride {
                let matrix: Vec<f64> = (0..stages * stages).map(|k| (k as f64 + 0.5).sin()).collect();
                let x: Vec<f64> = (0..stages * stride).map(|k| (k as f64).cos()).collect();
                let mut out = vec![f64::NAN; stages * width];
                combine_heads(&matrix, 0.3, &x, stride, &mut out, width);
                for (k, out) in out.iter().enumerate() {
                    let (i, component) = (k / width, k % width);
                    let sum: f64 = (0..stages).map(|j| matrix[i * stages + j] * x[j * stride + component]).sum();
                    assert!((out - 0.3 * sum).abs() < 1e-14, "{stages} stages, {width} of {stride}: {out} {sum}");
                }
            }
        }
    }
}
