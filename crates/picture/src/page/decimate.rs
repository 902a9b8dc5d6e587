//! Long tables, thinned without losing peaks.
//!
//! Rows are cut into buckets of about equal counts. Of a bucket the first and the last row stay, and for each column the rows where it is
//! least and largest, and the first where it has no value: a curve through what stays has the same extent in every bucket. There are as
//! many buckets as the number of rows allows; where extrema fall together, as in smooth motions, these are many more than in the worst case.

/// Rows of a table in a page.
pub const MOST_ROWS: usize = 100_000;

/// The rows that stay, at most about `most` of them, in order. `t` are the times and `events` times whose neighbouring rows stay.
pub fn decimate(t: &[f64], columns: &[&[f64]], events: &[f64], most: usize) -> Vec<usize> {
    let n = t.len();
    if n <= most {
        return (0..n).collect();
    }
    let mut marked = vec![false; n];
    // Nobody has more events than a fourth of the rows; but a page has to be finite.
    for event in events.iter().take(most / 8) {
        let next = t.partition_point(|t| t < event);
        let beyond = t.partition_point(|t| t <= event);
        for row in [next.wrapping_sub(1), next, beyond.wrapping_sub(1), beyond] {
            if row < n {
                marked[row] = true;
            }
        }
    }
    // In the worst case a bucket keeps its ends and three rows for each column.
    let fewest = (most / (2 + 3 * columns.len())).max(1);
    let mut buckets = (most / 2).max(1);
    loop {
        let kept = thinned(n, columns, &marked, buckets);
        if kept.len() <= most || buckets <= fewest {
            return kept;
        }
        buckets = (buckets / 2).max(fewest);
    }
}

fn thinned(n: usize, columns: &[&[f64]], marked: &[bool], buckets: usize) -> Vec<usize> {
    let mut stays = marked.to_vec();
    for bucket in 0..buckets {
        // A product of counts may be larger than a usize has room for on small machines.
        let edge = |k: usize| (k as u128 * n as u128 / buckets as u128) as usize;
        let (from, to) = (edge(bucket), edge(bucket + 1));
        if from == to {
            continue;
        }
        (stays[from], stays[to - 1]) = (true, true);
        for column in columns {
            let rows = &column[from.min(column.len())..to.min(column.len())];
            let (mut least, mut most, mut gap) = (None, None, None);
            for (k, value) in rows.iter().enumerate() {
                if !value.is_finite() {
                    gap = gap.or(Some(k));
                    continue;
                }
                if least.is_none_or(|other: usize| *value < rows[other]) {
                    least = Some(k);
                }
                if most.is_none_or(|other: usize| *value > rows[other]) {
                    most = Some(k);
                }
            }
            for row in [least, most, gap].into_iter().flatten() {
                stays[from + row] = true;
            }
        }
    }
    (0..n).filter(|row| stays[*row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tables_stay() {
        assert_eq!(decimate(&[0.0, 1.0, 2.0], &[&[1.0, 2.0, 3.0]], &[], 3), [0, 1, 2]);
        assert!(decimate(&[], &[], &[], 10).is_empty());
    }

    #[test]
    fn peaks_and_gaps_and_events_stay() {
        let n = 1_000_000;
        let t: Vec<f64> = (0..n).map(|k| 1e-3 * k as f64).collect();
        let mut noise = 1_u64;
        let mut random = || {
            noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (noise >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut columns: Vec<Vec<f64>> = (0..10).map(|_| (0..n).map(|_| random()).collect()).collect();
        columns[3][123_457] = 7.0;
        columns[4][765_432] = -7.0;
        columns[5][500_001] = f64::NAN;
        columns[6][42] = f64::INFINITY;
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let kept = decimate(&t, &views, &[314.1592], 100_000);
        assert!(kept.len() <= 100_000, "{}", kept.len());
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        for row in [0, n - 1, 123_457, 765_432, 500_001, 42, 314_159, 314_160] {
            assert!(kept.binary_search(&row).is_ok(), "{row}");
        }
        // Each column has its extent also in pieces that are a few buckets long.
        for column in &views {
            for piece in 0..100 {
                let within = piece * n / 100..(piece + 1) * n / 100;
                let extent = |rows: &mut dyn Iterator<Item = usize>| {
                    rows.map(|row| column[row])
                        .filter(|x| x.is_finite())
                        .fold((1.0_f64, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)))
                };
                let kept = extent(&mut kept.iter().copied().filter(|row| within.contains(row)));
                let all = extent(&mut within.clone());
                assert!((kept.0 - all.0).abs() < 1e-3 && (kept.1 - all.1).abs() < 1e-3, "{kept:?} {all:?}");
            }
        }
    }

    #[test]
    fn smooth_curves_have_as_many_rows_as_allowed() {
        let n = 300_000;
        let t: Vec<f64> = (0..n).map(f64::from).collect();
        let columns: Vec<Vec<f64>> =
            (1..11).map(|k| t.iter().map(|t| (1e-4 * f64::from(k) * t).sin()).collect()).collect();
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let kept = decimate(&t, &views, &[], 100_000);
        assert!((40_000..=100_000).contains(&kept.len()), "{}", kept.len());
    }

    #[test]
    fn many_columns_and_columns_of_other_lengths_are_thinned_too() {
        let t: Vec<f64> = (0..5000).map(f64::from).collect();
        let columns: Vec<Vec<f64>> = (0..500).map(|k| (0..4000 + k).map(|j| f64::from(j * k % 77)).collect()).collect();
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let kept = decimate(&t, &views, &[1e9, -1.0, f64::NAN], 100);
        // Each of 500 columns has its peak somewhere: one bucket is the least there can be.
        assert!(kept.len() <= 2 + 3 * 500 && kept.first() == Some(&0) && kept.last() == Some(&4999));
    }
}
