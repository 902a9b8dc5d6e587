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
    let (rows, _) = matrix.as_chunks::<S>();
    // Lengths checked once, so that the loops carry no checks.
    let (rows, x, out) = (&rows[..S], &x[..S * stride], &mut out[..S * width]);
    let width = width.min(stride);
    for component in 0..width {
        let column: [f64; S] = std::array::from_fn(|j| factor * x[j * stride + component]);
        for (i, row) in rows.iter().enumerate() {
            let mut sum = 0.0;
            for j in 0..S {
                sum += row[j] * column[j];
            }
            out[i * width + component] = sum;
        }
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
