//! Small products of row-major matrices.

/// y = A x.
pub(super) fn multiply(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, y) in a.chunks_exact(x.len()).zip(y) {
        *y = row.iter().zip(x).map(|(a, x)| a * x).sum();
    }
}

/// out = A B, B with `columns` columns.
pub(super) fn product(a: &[f64], b: &[f64], columns: usize, out: &mut [f64]) {
    if columns == 0 {
        return;
    }
    let inner = b.len() / columns;
    for (a_row, out_row) in a.chunks_exact(inner).zip(out.chunks_exact_mut(columns)) {
        out_row.fill(0.0);
        for (a, b_row) in a_row.iter().zip(b.chunks_exact(columns)).filter(|(a, _)| **a != 0.0) {
            for (out, b) in out_row.iter_mut().zip(b_row) {
                *out += a * b;
            }
        }
    }
}

/// The transpose of a matrix with `columns` columns.
pub(super) fn transpose(a: &[f64], columns: usize, out: &mut [f64]) {
    let rows = a.len().checked_div(columns).unwrap_or(0);
    for (i, row) in a.chunks_exact(columns.max(1)).enumerate() {
        for (j, x) in row.iter().enumerate() {
            out[j * rows + i] = *x;
        }
    }
}

/// a -= b.
pub(super) fn subtract(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b;
    }
}

/// a = -(a + b).
pub(super) fn negate_sum(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = -(*a + b);
    }
}
