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
    // Pairs of components, and what is left of an odd number: rows are cut once, not at every access.
    let heads: [(&[[f64; 2]], &[f64]); S] = std::array::from_fn(|j| x[j * stride..j * stride + width].as_chunks());
    let mut outs = out.chunks_exact_mut(width);
    let mut outs: [(&mut [[f64; 2]], &mut [f64]); S] =
        std::array::from_fn(|_| outs.next().unwrap_or_default().as_chunks_mut());
    for c in 0..width / 2 {
        let sums = sums(rows, std::array::from_fn(|j| heads[j].0[c].map(|x| factor * x)));
        outs.iter_mut().zip(sums).for_each(|((out, _), sum)| out[c] = sum);
    }
    if width % 2 == 1 {
        let sums = sums(rows, std::array::from_fn(|j| [factor * heads[j].1[0]]));
        outs.iter_mut().zip(sums).for_each(|((_, out), [sum])| out[0] = sum);
    }
}

/// W components of all rows, few enough for registers.
#[inline(always)]
fn sums<const S: usize, const W: usize>(rows: &[[f64; S]; S], heads: [[f64; W]; S]) -> [[f64; W]; S] {
    std::array::from_fn(|i| {
        let row = &rows[i];
        let mut sums: [f64; W] = std::array::from_fn(|k| row[0] * heads[0][k]);
        for j in 1..S {
            for k in 0..W {
                sums[k] += row[j] * heads[j][k];
            }
        }
        sums
    })
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
