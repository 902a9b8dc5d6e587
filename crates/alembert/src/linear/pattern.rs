//! Where a matrix may be nonzero.
//!
//! The values of a matrix with a pattern are a plain slice: one number for each entry of the pattern, row by row and by
//! increasing column within a row. A dense pattern has all entries, so its values are the row-major matrix. Sums of
//! matrices with the same pattern are sums of slices; only products need to know where an entry stands.

/// Rows and columns of the entries of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    columns: usize,
    /// Position of each row's first entry, and the end of the last.
    starts: Vec<u32>,
    /// Column of each entry; empty where all are there.
    indices: Vec<u32>,
    dense: bool,
    /// Whether the entries are those of the diagonal, all of them.
    diagonal: bool,
}

impl Pattern {
    /// All entries.
    pub fn dense(rows: usize, columns: usize) -> Self {
        Pattern {
            columns,
            starts: (0..=rows).map(|i| position(i * columns)).collect(),
            indices: Vec::new(),
            dense: true,
            diagonal: false,
        }
    }

    /// The named entries, in any order; repetitions count once.
    ///
    /// # Panics
    /// If an entry lies outside the matrix, or if there are more than a `u32` can count.
    pub fn from_entries(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut entries: Vec<(u32, u32)> = entries
            .into_iter()
            .inspect(|(i, j)| assert!(*i < rows && *j < columns, "entry ({i}, {j}) of a {rows} by {columns} matrix"))
            .map(|(i, j)| (i as u32, j as u32))
            .collect();
        if !entries.is_sorted() {
            entries.sort_unstable();
        }
        entries.dedup();
        let mut starts = vec![0; rows + 1];
        entries.iter().for_each(|(i, _)| starts[*i as usize + 1] += 1);
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        let indices: Vec<u32> = entries.iter().map(|(_, j)| *j).collect();
        if indices.len() == rows * columns {
            return Self::dense(rows, columns);
        }
        let diagonal =
            rows == columns && indices.len() == rows && indices.iter().enumerate().all(|(i, j)| i == *j as usize);
        Pattern { columns, starts, indices, dense: false, diagonal }
    }

    /// The same columns, with the rows of `other` below.
    pub fn above(&self, other: &Pattern) -> Self {
        let rows = self.rows() + other.rows();
        let entries = (0..self.rows()).flat_map(|i| self.row(i).map(move |(j, _)| (i, j)));
        let below = (0..other.rows()).flat_map(|i| other.row(i).map(move |(j, _)| (self.rows() + i, j)));
        Self::from_entries(rows, self.columns, entries.chain(below))
    }

    /// Some of the rows.
    pub fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let first = rows.start;
        let entries = rows.clone().flat_map(|i| self.row(i).map(move |(j, _)| (i - first, j)));
        Self::from_entries(rows.len(), self.columns, entries)
    }

    /// Rows for columns.
    pub fn transposed(&self) -> Self {
        let entries = (0..self.rows()).flat_map(|i| self.row(i).map(move |(j, _)| (j, i)));
        Self::from_entries(self.columns, self.rows(), entries)
    }

    /// The rows of each column.
    pub(crate) fn transposed_lists(&self) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); self.columns];
        for i in 0..self.rows() {
            self.row(i).for_each(|(j, _)| lists[j].push(i as u32));
        }
        lists
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of entries, and of values.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all entries are there.
    pub fn is_dense(&self) -> bool {
        self.dense
    }

    /// The column of each entry, row by row; none where all entries are there.
    pub(crate) fn indices(&self) -> Option<&[u32]> {
        (!self.dense).then_some(&self.indices)
    }

    /// Position of the first entry of row `i`; for the number of rows, the end.
    pub fn start(&self, i: usize) -> usize {
        self.starts[i] as usize
    }

    /// Columns and positions of a row's entries.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (first, end) = (self.start(i), self.start(i + 1));
        (first..end).map(move |e| (if self.dense { e - first } else { self.indices[e] as usize }, e))
    }

    /// The position of entry (i, j), if it is there.
    pub fn position(&self, i: usize, j: usize) -> Option<usize> {
        let (first, end) = (self.start(i), self.start(i + 1));
        if self.dense {
            return (j < self.columns).then_some(first + j);
        }
        self.indices[first..end].binary_search(&(j as u32)).ok().map(|e| first + e)
    }

    /// Row and column of the entry at a position.
    pub fn place(&self, position: usize) -> (usize, usize) {
        let row = self.starts.partition_point(|start| *start as usize <= position) - 1;
        (row, if self.dense { position - self.start(row) } else { self.indices[position] as usize })
    }

    /// y = A x.
    pub fn multiply(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.for_products(values, x, |i, sum| y[i] = sum);
    }

    /// y += c A x.
    pub fn multiply_add(&self, c: f64, values: &[f64], x: &[f64], y: &mut [f64]) {
        if self.diagonal {
            y.iter_mut().zip(values.iter().zip(x)).for_each(|(y, (a, x))| *y += c * (a * x));
            return;
        }
        self.for_products(values, x, |i, sum| y[i] += c * sum);
    }

    /// y -= b, then z = y + c A u and y += c A x: one sweep unless A is dense.
    pub(crate) fn subtract_and_add_products(
        &self,
        b: &[f64],
        c: f64,
        values: &[f64],
        [u, x]: [&[f64]; 2],
        [z, y]: [&mut [f64]; 2],
    ) {
        if self.dense {
            y.iter_mut().zip(b).for_each(|(y, b)| *y -= b);
            z.copy_from_slice(y);
            self.multiply_add(c, values, u, z);
            return self.multiply_add(c, values, x, y);
        }
        if !self.diagonal {
            let (u, x) = (&u[..self.columns], &x[..self.columns]);
            let mut first = 0;
            for ((z, y), (b, &end)) in z.iter_mut().zip(y).zip(b.iter().zip(&self.starts[1..])) {
                let (mut by_u, mut by_x, end) = (0.0, 0.0, end as usize);
                for (&j, a) in self.indices[first..end].iter().zip(&values[first..end]) {
                    let j = j as usize;
                    by_u += a * u[j];
                    by_x += a * x[j];
                }
                let rest = *y - b;
                *z = rest + c * by_u;
                *y = rest + c * by_x;
                first = end;
            }
            return;
        }
        let products = values.iter().zip(u.iter().zip(x));
        for ((a, (u, x)), ((z, y), b)) in products.zip(z.iter_mut().zip(y).zip(b)) {
            let (a, rest) = (c * a, *y - b);
            *z = rest + a * u;
            *y = rest + a * x;
        }
    }

    #[inline]
    fn for_products(&self, values: &[f64], x: &[f64], mut put: impl FnMut(usize, f64)) {
        if self.dense {
            for (i, row) in values.chunks_exact(self.columns.max(1)).enumerate() {
                put(i, row.iter().zip(x).map(|(a, x)| a * x).sum());
            }
            return;
        }
        if self.diagonal {
            values.iter().zip(x).enumerate().for_each(|(i, (a, x))| put(i, a * x));
            return;
        }
        let mut first = 0;
        for (i, &end) in self.starts.iter().skip(1).enumerate() {
            let end = end as usize;
            let row = self.indices[first..end].iter().zip(&values[first..end]);
            put(i, row.map(|(j, a)| a * x[*j as usize]).sum());
            first = end;
        }
    }

    /// y += c A^T x.
    pub fn multiply_transposed_add(&self, c: f64, values: &[f64], x: &[f64], y: &mut [f64]) {
        if self.dense {
            for (row, x) in values.chunks_exact(self.columns.max(1)).zip(x) {
                for (y, a) in y.iter_mut().zip(row) {
                    *y += c * a * x;
                }
            }
            return;
        }
        let mut first = 0;
        for (&end, x) in self.starts.iter().skip(1).zip(x) {
            let (x, end) = (c * x, end as usize);
            for (j, a) in self.indices[first..end].iter().zip(&values[first..end]) {
                y[*j as usize] += a * x;
            }
            first = end;
        }
    }

    /// The largest entry of A^T x beside the sizes of the terms of A^T y, each beside its own. `room` is two columns long.
    pub(crate) fn share_transposed(&self, values: &[f64], [x, y]: [&[f64]; 2], room: &mut [f64]) -> f64 {
        room.fill(0.0);
        let (sums, terms) = room.split_at_mut(self.columns);
        for (i, (x, y)) in x.iter().zip(y).enumerate() {
            for (j, e) in self.row(i) {
                sums[j] += values[e] * x;
                terms[j] += (values[e] * y).abs();
            }
        }
        let least = BESIDE * terms.iter().fold(0.0_f64, |most, x| most.max(*x));
        let share = |(sum, terms): (&f64, &f64)| if *sum == 0.0 { 0.0 } else { sum.abs() / terms.max(least) };
        sums.iter().zip(&*terms).map(share).fold(0.0, f64::max)
    }

    /// y += (A - B)^T x for two matrices of this pattern.
    pub(crate) fn multiply_transposed_change(&self, a: &[f64], b: &[f64], x: &[f64], y: &mut [f64]) {
        if self.dense {
            self.multiply_transposed_add(1.0, a, x, y);
            return self.multiply_transposed_add(-1.0, b, x, y);
        }
        let mut first = 0;
        for (&end, x) in self.starts.iter().skip(1).zip(x) {
            let end = end as usize;
            for (j, (a, b)) in self.indices[first..end].iter().zip(a[first..end].iter().zip(&b[first..end])) {
                y[*j as usize] += (a - b) * x;
            }
            first = end;
        }
    }

    /// y = c (y + A x), and z -= A^T u for two u: one sweep over the entries.
    pub(crate) fn multiply_both_ways(
        &self,
        c: f64,
        values: &[f64],
        x: &[f64],
        y: &mut [f64],
        [u0, u1]: [&[f64]; 2],
        [z0, z1]: [&mut [f64]; 2],
    ) {
        // One length for all: one test of an index does for three.
        let n = self.columns;
        let (x, z0, z1) = (&x[..n], &mut z0[..n], &mut z1[..n]);
        let mut first = 0;
        for ((y, &end), (u0, u1)) in y.iter_mut().zip(&self.starts[1..]).zip(u0.iter().zip(u1)) {
            let (mut sum, end) = (*y, end as usize);
            for (&j, a) in self.indices[first..end].iter().zip(&values[first..end]) {
                let j = j as usize;
                sum += a * x[j];
                z0[j] -= a * u0;
                z1[j] -= a * u1;
            }
            *y = c * sum;
            first = end;
        }
    }
}

/// As it is stored.
fn position(entry: usize) -> u32 {
    match u32::try_from(entry) {
        Ok(position) => position,
        Err(_) => panic!("a pattern of {entry} entries: more than can be counted"),
    }
}

/// Entries with terms below this share of the largest are measured by it: theirs may be rounding.
const BESIDE: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_dense_products_agree() {
        let sparse = Pattern::from_entries(2, 3, [(1, 2), (0, 1), (1, 0), (0, 1)]);
        assert_eq!((sparse.len(), sparse.position(1, 2), sparse.position(0, 0)), (3, Some(2), None));
        let dense = Pattern::dense(2, 3);
        let (values, full) = ([5.0, 7.0, -2.0], [0.0, 5.0, 0.0, 7.0, 0.0, -2.0]);
        let (x, y) = ([1.0, 2.0, 3.0], [0.5, -1.0]);
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        sparse.multiply(&values, &x, &mut a);
        dense.multiply(&full, &x, &mut b);
        assert_eq!(a, b);
        let (mut a, mut b) = ([1.0; 3], [1.0; 3]);
        sparse.multiply_transposed_add(-1.0, &values, &y, &mut a);
        dense.multiply_transposed_add(-1.0, &full, &y, &mut b);
        assert_eq!(a, b);
        let mut c = [1.0; 3];
        sparse.multiply_transposed_change(&[0.0; 3], &values, &y, &mut c);
        assert_eq!(a, c);
    }

    #[test]
    fn shares_are_those_of_each_column() {
        let rows = Pattern::from_entries(2, 3, [(0, 1), (1, 0), (1, 2)]);
        let room = &mut [f64::NAN; 6];
        // A^T x = (7, 5, -2) times (0.1, 0.01, 0.1), beside terms of A^T y = (14, 5, 4).
        assert_eq!(rows.share_transposed(&[5.0, 7.0, -2.0], [&[0.01, 0.1], &[-1.0, 2.0]], room), 0.05);
        // What is nothing beside the rest is rounding.
        let small = rows.share_transposed(&[5.0, 7.0, -2.0], [&[1e-12, 0.0], &[0.0, 1.0]], room);
        assert!(small < 1e-6, "{small}");
        assert_eq!(rows.share_transposed(&[5.0, 7.0, -2.0], [&[0.0; 2], &[0.0; 2]], room), 0.0);
        assert_eq!(rows.share_transposed(&[5.0, 7.0, -2.0], [&[1.0, 0.0], &[0.0; 2]], room), f64::INFINITY);
    }

    #[test]
    fn sweeps_that_do_several_things_do_what_each_does() {
        let rows = Pattern::from_entries(2, 3, [(0, 1), (1, 0), (1, 2)]);
        let (values, x, u) = ([5.0, 7.0, -2.0], [1.0, 2.0, 3.0], [[0.5, -1.0], [2.0, 0.25]]);
        let (mut y, mut z) = ([1.0, 2.0], [[1.0; 3], [-1.0; 3]]);
        let mut expected = (y, z);
        rows.multiply_add(1.0, &values, &x, &mut expected.0);
        expected.0.iter_mut().for_each(|y| *y *= -3.0);
        rows.multiply_transposed_add(-1.0, &values, &u[0], &mut expected.1[0]);
        rows.multiply_transposed_add(-1.0, &values, &u[1], &mut expected.1[1]);
        let [z0, z1] = &mut z;
        rows.multiply_both_ways(-3.0, &values, &x, &mut y, [&u[0], &u[1]], [z0, z1]);
        assert_eq!((y, z), expected);

        let diagonal = Pattern::from_entries(3, 3, (0..3).map(|i| (i, i)));
        let (values, full) = ([2.0, 3.0, 4.0], [2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0]);
        let sweep = |pattern: &Pattern, values: &[f64]| {
            let (mut z, mut y) = ([f64::NAN; 3], [1.0, 10.0, 100.0]);
            pattern.subtract_and_add_products(&x, 0.5, values, [&[1.0, 2.0, 4.0], &x], [&mut z, &mut y]);
            (z, y)
        };
        assert_eq!(sweep(&diagonal, &values), ([1.0, 11.0, 105.0], [1.0, 11.0, 103.0]));
        assert_eq!(sweep(&diagonal, &values), sweep(&Pattern::dense(3, 3), &full));
        // Blocks of 1 and 2, as of a body with a principal axis.
        let blocks = Pattern::from_entries(3, 3, [(0, 0), (1, 1), (1, 2), (2, 1), (2, 2)]);
        let (values, full) = ([2.0, 3.0, 0.5, -1.0, 4.0], [2.0, 0.0, 0.0, 0.0, 3.0, 0.5, 0.0, -1.0, 4.0]);
        assert_eq!(sweep(&blocks, &values), sweep(&Pattern::dense(3, 3), &full));
    }

    #[test]
    fn stacked_patterns_keep_their_values_in_order() {
        let (top, below) = (Pattern::from_entries(1, 3, [(0, 2)]), Pattern::from_entries(2, 3, [(1, 0)]));
        let both = top.above(&below);
        assert_eq!((both.rows(), both.len(), both.start(1)), (3, 2, 1));
        assert_eq!((both.position(0, 2), both.position(2, 0)), (Some(0), Some(1)));
        assert!(Pattern::dense(1, 2).above(&Pattern::dense(2, 2)).is_dense());
    }
}
