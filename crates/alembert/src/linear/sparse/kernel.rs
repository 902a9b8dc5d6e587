//! Dense arithmetic on panels of a known width W: rows of W numbers, one after the other.
//!
//! The block D on the diagonal is inverted without exchanges while that is safe. Safe means that no pivot is a small
//! difference of large numbers: along with the diagonal the sizes of everything added to it are summed, and a pivot is
//! judged by its share of that sum, which no scaling of the unknowns changes. A doubtful block is inverted again with
//! exchanges of rows inside the block; there each entry has its own sum, and a pivot lost in the rounding errors of
//! its sum makes the matrix singular.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::Field;

use super::symbolic::{PANEL, Panel};

/// Share of its sum below which a pivot is doubtful; and how much a sum may grow inside a block, inverted.
const DOUBTFUL: f64 = 1e-6;

/// Updates of at most so many later unknowns are products of rows; larger ones are left to blocked code.
pub(super) const FEW: usize = 8;
/// From so many rows on the blocked product is faster than plain loops.
const MANY: usize = 48;

/// Blocks up to this width are eliminated in registers.
const IN_REGISTERS: usize = 8;

/// What is known of the pivots of all panels.
pub(super) struct Pivots<'a> {
    /// Sums of sizes on the diagonal, of what was added so far; where the pivot is known, its share in the sum of all.
    pub sums: &'a mut [f64],
    /// Pivots up to this share of their sum are rounding errors.
    pub noise: f64,
}

/// Rows of W numbers.
#[inline(always)]
pub(super) fn rows<S, const W: usize>(numbers: &[S]) -> &[[S; W]] {
    numbers.as_chunks().0
}

/// Rows of W numbers.
#[inline(always)]
pub(super) fn rows_mut<S, const W: usize>(numbers: &mut [S]) -> &mut [[S; W]] {
    numbers.as_chunks_mut().0
}

/// Sum of products.
#[inline(always)]
fn dot<S: Field, const W: usize>(a: &[S; W], b: &[S; W]) -> S {
    let mut sum = a[0] * b[0];
    for k in 1..W {
        sum += a[k] * b[k];
    }
    sum
}

#[inline(always)]
fn store<S: Copy, const W: usize>(matrix: &[[S; W]; W], place: &mut [[S; W]]) {
    for (to, from) in place.iter_mut().zip(matrix) {
        *to = *from;
    }
}

/// Every row times a matrix, in registers and as `stored`; the rows as they were are left in `before`.
#[inline(always)]
fn multiply<S: Field, const W: usize>(
    rows: &mut [[S; W]],
    matrix: &[[S; W]; W],
    stored: &[[S; W]],
    before: &mut [[S; W]],
) {
    if rows.len() >= MANY {
        before.copy_from_slice(rows);
        return multiply_blocked(before.as_flattened(), stored.as_flattened(), W, rows.as_flattened_mut());
    }
    for (row, before) in rows.iter_mut().zip(before) {
        *before = *row;
        let mut sum = [S::default(); W];
        for (x, other) in row.iter().zip(matrix) {
            for (s, y) in sum.iter_mut().zip(other) {
                *s += *x * *y;
            }
        }
        *row = sum;
    }
}

#[inline(never)]
fn multiply_blocked<S: Field>(rows: &[S], matrix: &[S], w: usize, products: &mut [S]) {
    let count = rows.len() / w;
    matmul(
        MatMut::from_row_major_slice_mut(products, count, w),
        Accum::Replace,
        MatRef::from_row_major_slice(rows, count, w),
        MatRef::from_row_major_slice(matrix, w, w),
        S::from(1.0),
        Par::Seq,
    );
}

/// Eliminates a panel: D becomes its transposed inverse, B becomes B D^-1 and, where there is a transposed C, it becomes
/// that of D^-1 C. The rows that multiply the new B in the update, those of B or of the transposed C, are left in
/// `factors`; an `update` of few `later` unknowns is made here. Fails with the unknown that has no pivot.
// One function for each width: inlined into one, they would compete for registers.
#[inline(never)]
pub(super) fn eliminate<S: Field, const W: usize>(
    panel: &Panel,
    numbers: &mut [S],
    right: Option<&mut [S]>,
    factors: &mut [S],
    pivots: &mut Pivots,
    later: &[u32],
    update: &mut [S],
) -> Result<(), usize> {
    let at = panel.first as usize;
    let symmetric = right.is_none();
    let (block, below) = rows_mut::<S, W>(numbers).split_at_mut(W);
    let factors = rows_mut::<S, W>(factors);
    if symmetric {
        for i in 0..W {
            for j in i + 1..W {
                block[i][j] = block[j][i];
            }
        }
    }
    let mut inverse = [[S::default(); W]; W];
    for (to, from) in inverse.iter_mut().zip(&*block) {
        *to = *from;
    }
    if invert(&mut inverse, at, pivots) {
        store(&inverse, block);
    } else {
        invert_exchanging(block.as_flattened_mut(), W, at, pivots)?;
        inverse.copy_from_slice(block);
    }
    multiply(below, &inverse, block, factors);
    if let Some(right) = right {
        for i in 0..W {
            for j in 0..i {
                (inverse[i][j], inverse[j][i]) = (inverse[j][i], inverse[i][j]);
            }
        }
        store(&inverse, block);
        multiply(rows_mut(right), &inverse, block, factors);
    }
    let inner = panel.inner as usize;
    let (inside, outside) = pivots.sums.split_at_mut(at + W + inner);
    for (sum, (b, c)) in inside[at + W..].iter_mut().zip(below.iter().zip(&*factors)) {
        *sum += dot(b, c).size();
    }
    let (below, factors) = (&below[inner..], &factors[inner..]);
    let sums = later.iter().map(|&k| k as usize - at - W - inner);
    let few = later.len() <= FEW;
    for (i, (sum, (b, c))) in sums.zip(below.iter().zip(factors)).enumerate() {
        let diagonal = dot(b, c);
        outside[sum] += diagonal.size();
        if few {
            let row = &mut update[i * later.len()..][..later.len()];
            row[i] -= diagonal;
            for (x, c) in row[..i].iter_mut().zip(factors) {
                *x -= dot(b, c);
            }
            if !symmetric {
                for (x, c) in row[i + 1..].iter_mut().zip(&factors[i + 1..]) {
                    *x -= dot(b, c);
                }
            }
        }
    }
    Ok(())
}

/// Inverts a block by Gauss-Jordan elimination without exchanges; false if that is not safe.
#[inline(always)]
fn invert<S: Field, const W: usize>(a: &mut [[S; W]; W], at: usize, pivots: &mut Pivots) -> bool {
    let mut values = [S::default(); W];
    let all_sums = &mut pivots.sums[at..at + W];
    let mut sums = [0.0; W];
    for k in 0..W {
        sums[k] = all_sums[k] + a[k][k].size();
    }
    let before = sums;
    let mut safe = true;
    if W <= IN_REGISTERS {
        // Only constant indices keep the block in registers, and the compiler does not unroll this far by itself.
        macro_rules! unrolled {
            ($k:literal: $($i:literal)*) => {
                if $k < W {
                    let row = scaled_row(a, $k, &mut values);
                    $(if $i < W && $i != $k {
                        let factor = std::mem::take(&mut a[$i % W][$k % W]);
                        for j in 0..W {
                            a[$i % W][j] -= factor * row[j];
                        }
                        if $i > $k {
                            sums[$i % W] += (factor * row[$i % W]).size();
                        }
                    })*
                    safe &= values[$k % W].size() > DOUBTFUL * sums[$k % W];
                }
            };
            ($($k:literal)*) => { $(unrolled!($k: 0 1 2 3 4 5 6 7);)* };
        }
        unrolled!(0 1 2 3 4 5 6 7);
    } else {
        for k in 0..W {
            let row = scaled_row(a, k, &mut values);
            for i in (0..W).filter(|&i| i != k) {
                // In memory a zero stored in the middle of a row would delay reading the row.
                let factor = a[i][k];
                for j in 0..W {
                    a[i][j] -= factor * row[j];
                }
                a[i][k] = -(factor * row[k]);
                if i > k {
                    sums[i] += (factor * row[i]).size();
                }
            }
            safe &= values[k].size() > DOUBTFUL * sums[k];
        }
    }
    for k in 0..W {
        safe &= before[k] == 0.0 || sums[k] * DOUBTFUL <= before[k];
    }
    if safe {
        for k in 0..W {
            all_sums[k] = values[k].size() / sums[k];
        }
    }
    safe
}

/// First half of step k: the row of the pivot is divided by it.
#[inline(always)]
fn scaled_row<S: Field, const W: usize>(a: &mut [[S; W]; W], k: usize, pivots: &mut [S; W]) -> [S; W] {
    pivots[k] = a[k][k];
    let inverse = S::from(1.0) / a[k][k];
    a[k][k] = S::from(1.0);
    for x in &mut a[k] {
        *x *= inverse;
    }
    a[k]
}

/// Gauss-Jordan elimination with exchanges of rows, compared by their largest entries.
#[cold]
#[inline(never)]
fn invert_exchanging<S: Field>(a: &mut [S], w: usize, at: usize, pivots: &mut Pivots) -> Result<(), usize> {
    let diagonal = &mut pivots.sums[at..at + w];
    let mut sums = [0.0; PANEL * PANEL];
    let mut scale = [0.0_f64; PANEL];
    let mut exchanged = [0; PANEL];
    for i in 0..w {
        for j in 0..w {
            // What earlier panels added beside the diagonal is at most the geometric mean, as far as it is definite.
            sums[i * w + j] = a[i * w + j].size().max((diagonal[i] * diagonal[j]).sqrt());
            scale[i] = scale[i].max(a[i * w + j].size());
        }
    }
    for k in 0..w {
        let relative = |i: usize| a[i * w + k].size() / scale[i];
        let p = (k..w).fold(k, |best, i| if relative(i) > relative(best) { i } else { best });
        exchanged[k] = p;
        if p != k {
            scale.swap(k, p);
            for j in 0..w {
                a.swap(k * w + j, p * w + j);
                sums.swap(k * w + j, p * w + j);
            }
        }
        let pivot = a[k * w + k];
        // Written so that it is true for NaN.
        if !matches!(pivot.size().partial_cmp(&(pivots.noise * sums[k * w + k])), Some(std::cmp::Ordering::Greater)) {
            return Err(at + k);
        }
        diagonal[k] = pivot.size() / sums[k * w + k];
        let inverse = S::from(1.0) / pivot;
        a[k * w + k] = S::from(1.0);
        for j in 0..w {
            a[k * w + j] *= inverse;
        }
        for i in (0..w).filter(|&i| i != k) {
            let factor = std::mem::take(&mut a[i * w + k]);
            for j in 0..w {
                let product = factor * a[k * w + j];
                a[i * w + j] -= product;
                sums[i * w + j] += product.size();
            }
        }
    }
    // Exchanged rows of the matrix are exchanged columns of the inverse.
    for k in (0..w).rev() {
        for i in 0..w {
            a.swap(i * w + k, i * w + exchanged[k]);
        }
    }
    Ok(())
}
