//! Gaussian elimination for the small systems of the references, kept apart from the library under test.

/// Solves A x = b in place, A row-major and overwritten. False if a pivot vanishes or is not finite.
///
/// Rows are scaled by their largest entry before pivots are compared: mass and constraint rows differ by many powers
/// of ten.
pub(crate) fn solve(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let scale: Vec<f64> = (0..n).map(|i| a[i * n..(i + 1) * n].iter().fold(0.0_f64, |m, x| m.max(x.abs()))).collect();
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let weight = |p: usize| a[order[p] * n + k].abs() / scale[order[p]];
        let Some(pivot) = (k..n).max_by(|&i, &j| weight(i).total_cmp(&weight(j))) else { return false };
        order.swap(k, pivot);
        let row = order[k];
        let diagonal = a[row * n + k];
        if diagonal == 0.0 || !diagonal.is_finite() {
            return false;
        }
        for &other in &order[k + 1..] {
            let factor = a[other * n + k] / diagonal;
            if factor == 0.0 {
                continue;
            }
            for j in k + 1..n {
                a[other * n + j] -= factor * a[row * n + j];
            }
            b[other] -= factor * b[row];
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let row = order[k];
        let known: f64 = (k + 1..n).map(|j| a[row * n + j] * x[j]).sum();
        x[k] = (b[row] - known) / a[row * n + k];
    }
    b.copy_from_slice(&x);
    b.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    #[test]
    fn solves_with_a_zero_diagonal() {
        let mut a = [0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 5.0, 0.0];
        let x = [1.0, -2.0, 3.0];
        let mut b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[i * 3 + j] * x[j]).sum()).collect();
        assert!(super::solve(&mut a, &mut b));
        for (got, want) in b.iter().zip(x) {
            assert!((got - want).abs() < 1e-15);
        }
        assert!(!super::solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }
}
