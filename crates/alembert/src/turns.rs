//! Matrices with a 3 by 3 block on the diagonal for each rotation, and ones for all numbers that add:
//!
//! ```text
//! B = diag(1, ..., B_1, 1, ..., B_2, ...)         T, T^-1 and what charts make of them
//! ```
//!
//! A matrix whose pattern has all three columns of a rotation in a row as soon as it has one of them keeps its pattern when it
//! is multiplied by B from the right, and the product takes nine multiplications for three entries.

use std::sync::Arc;

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::linear::{Entry, Pattern};
use crate::rotation::tangent_matrix;
use crate::space::Space;

/// A square block, row by row.
pub(crate) type Block<S = f64> = [[S; 3]; 3];

/// No rotation begins at a velocity.
const NONE: u32 = u32::MAX;

/// Such a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Turns<S = f64> {
    /// The first velocity of each rotation.
    firsts: Arc<[usize]>,
    /// For each velocity, the number of the rotation that begins there.
    begins: Arc<[u32]>,
    blocks: Vec<Block<S>>,
}

impl<S: Entry> Keep for Turns<S> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.blocks.iter_mut().flatten().flatten().try_for_each(|x| x.keep(archive))
    }
}

impl<S: Entry> Turns<S> {
    /// Room for the rotations of a space with n velocities.
    pub fn new(space: &Space, n: usize) -> Self {
        let mut begins = vec![NONE; n];
        for (k, &first) in space.rotations().iter().enumerate() {
            begins[first] = k as u32;
        }
        Turns {
            firsts: space.rotations().into(),
            begins: begins.into(),
            blocks: vec![Block::default(); space.rotations().len()],
        }
    }

    /// Room for other numbers.
    pub fn of<R: Entry>(&self) -> Turns<R> {
        Turns {
            firsts: self.firsts.clone(),
            begins: self.begins.clone(),
            blocks: vec![Block::default(); self.blocks.len()],
        }
    }

    /// Gives each rotation its block, from its first velocity.
    pub fn fill(&mut self, mut block: impl FnMut(usize) -> Block<S>) {
        self.blocks.iter_mut().zip(&*self.firsts).for_each(|(to, first)| *to = block(*first));
    }

    /// The first velocity of each rotation, with its block.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Block<S>)> {
        self.firsts.iter().copied().zip(&self.blocks)
    }

    /// x := B x.
    pub fn apply(&self, x: &mut [S]) {
        for (first, block) in self.iter() {
            let [x0, x1, x2] = [x[first], x[first + 1], x[first + 2]];
            for (x, row) in x[first..first + 3].iter_mut().zip(block) {
                *x = row[0] * x0 + row[1] * x1 + row[2] * x2;
            }
        }
    }

    /// out += factor B x.
    pub fn add_to(&self, factor: S, x: &[S], out: &mut [S]) {
        let mut next = 0;
        let numbers = |out: &mut [S], x: &[S]| out.iter_mut().zip(x).for_each(|(out, x)| *out += factor * *x);
        for (first, block) in self.iter() {
            numbers(&mut out[next..first], &x[next..first]);
            next = first + 3;
            let x = &x[first..next];
            for (out, row) in out[first..next].iter_mut().zip(block) {
                *out += factor * (row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
            }
        }
        numbers(&mut out[next..], &x[next..]);
    }

    /// Calls `turn(e, block)` for the position e of the first of three entries that a rotation has in a row.
    fn for_triples(&self, pattern: &Pattern, mut turn: impl FnMut(usize, &Block<S>)) {
        match pattern.indices() {
            Some(indices) => {
                for (e, &j) in indices.iter().enumerate() {
                    if let Some(block) = self.blocks.get(self.begins[j as usize] as usize) {
                        turn(e, block);
                    }
                }
            }
            None => {
                for start in (0..pattern.len()).step_by(pattern.columns().max(1)) {
                    self.iter().for_each(|(first, block)| turn(start + first, block));
                }
            }
        }
    }

    /// A B for real values of a pattern, real and imaginary parts apart.
    pub fn product(&self, pattern: &Pattern, values: &[f64], [re, im]: [&mut [f64]; 2], parts: impl Fn(S) -> [f64; 2]) {
        re.copy_from_slice(values);
        im.fill(0.0);
        self.for_triples(pattern, |e, block| {
            for j in 0..3 {
                let column = block[0][j] * values[e] + block[1][j] * values[e + 1] + block[2][j] * values[e + 2];
                [re[e + j], im[e + j]] = parts(column);
            }
        });
    }
}

impl Turns {
    /// Becomes T(x) of an increment.
    pub fn tangent(&mut self, x: &[f64]) -> &Self {
        self.fill(|j| tangent_matrix(&[x[j], x[j + 1], x[j + 2]]));
        self
    }

    /// A := A B.
    pub fn turn_columns(&self, pattern: &Pattern, values: &mut [f64]) {
        self.for_triples(pattern, |e, block| {
            let [a0, a1, a2] = [values[e], values[e + 1], values[e + 2]];
            for (j, to) in values[e..e + 3].iter_mut().enumerate() {
                *to = a0 * block[0][j] + a1 * block[1][j] + a2 * block[2][j];
            }
        });
    }
}

/// The pattern of such a matrix.
pub(crate) fn pattern(space: &Space, n: usize) -> Pattern {
    let mut rotations = space.rotations().iter().copied().peekable();
    let mut entries = Vec::with_capacity(n + 6 * space.rotations().len());
    let mut i = 0;
    while i < n {
        let width = if rotations.next_if_eq(&i).is_some() { 3 } else { 1 };
        entries.extend((0..width * width).map(|k| (i + k / width, i + k % width)));
        i += width;
    }
    Pattern::from_entries(n, n, entries)
}

/// The first row and column of a pattern that has some of the three columns of a rotation, but not all.
pub(crate) fn open_place(pattern: &Pattern, rotations: &[usize]) -> Option<(usize, usize)> {
    (0..pattern.rows()).find_map(|i| {
        let lacks = |j: usize| {
            let k = rotations.partition_point(|first| *first <= j).checked_sub(1)?;
            let triple = rotations[k]..rotations[k] + 3;
            let open = triple.contains(&j) && triple.clone().any(|other| pattern.position(i, other).is_none());
            open.then_some((i, j))
        };
        pattern.row(i).find_map(|(j, _)| lacks(j))
    })
}

/// The product of two blocks.
pub(crate) fn times<S: Entry>(a: &Block<S>, b: &Block<S>) -> Block<S> {
    a.map(|row| [0, 1, 2].map(|j| row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]))
}

/// The inverse of a block, by cofactors; none if its determinant is zero or not a number.
pub(crate) fn inverse<S: Entry>(a: &Block<S>) -> Option<Block<S>> {
    let cofactor = |i: usize, j: usize| {
        let ([k, l], [m, n]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
        a[k][m] * a[l][n] - a[k][n] * a[l][m]
    };
    let determinant = a[0][0] * cofactor(0, 0) + a[0][1] * cofactor(0, 1) + a[0][2] * cofactor(0, 2);
    let size = determinant.size();
    (size > 0.0 && size.is_finite()).then(|| [0, 1, 2].map(|i| [0, 1, 2].map(|j| cofactor(j, i) / determinant)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::inverse_tangent_matrix;
    use crate::system::Dims;
    use faer::c64;

    fn space() -> Space {
        Space::new(Dims { q: 10, v: 8, lambda: 0, psi: 0 }, &[1, 5], false).expect("fits")
    }

    const X: [f64; 8] = [0.1, 0.3, -2.0, 0.7, -1.0, 1e-5, 2e-5, -0.3];

    #[test]
    fn sparse_and_dense_matrices_turn_alike_and_back() {
        let mut turns = Turns::<f64>::new(&space(), 8);
        let rows = [(0, 0..4), (1, 5..8), (2, 4..5), (3, 0..8)];
        let sparse = Pattern::from_entries(4, 8, rows.into_iter().flat_map(|(i, js)| js.map(move |j| (i, j))));
        let dense = Pattern::dense(4, 8);
        let mut full = vec![0.0; 32];
        let mut values: Vec<f64> = (0..sparse.len()).map(|e| (1.0 + e as f64).sin()).collect();
        let before = values.clone();
        (0..4).for_each(|i| sparse.row(i).for_each(|(j, e)| full[8 * i + j] = values[e]));
        turns.tangent(&X).turn_columns(&sparse, &mut values);
        turns.turn_columns(&dense, &mut full);
        // A T u, with T u from the map of single rotations.
        let u = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let (mut moved, mut here, mut there) = ([0.0; 8], [0.0; 4], [0.0; 4]);
        space().tangent(&X, &u, &mut moved);
        sparse.multiply(&before, &moved, &mut here);
        sparse.multiply(&values, &u, &mut there);
        for i in 0..4 {
            assert!((here[i] - there[i]).abs() < 1e-13, "{here:?} {there:?}");
            sparse.row(i).for_each(|(j, e)| assert_eq!(full[8 * i + j], values[e]));
        }
        turns.fill(|j| inverse_tangent_matrix(&[X[j], X[j + 1], X[j + 2]]));
        turns.turn_columns(&sparse, &mut values);
        assert!(values.iter().zip(&before).all(|(x, y)| (x - y).abs() < 1e-13));
    }

    #[test]
    fn complex_blocks_multiply_and_invert() {
        let a: Block<c64> = [0, 1, 2]
            .map(|i| [0, 1, 2].map(|j| c64::new((1.0 + i as f64 * 3.0 + j as f64).sin(), i as f64 - 2.0 * j as f64)));
        let product = times(&a, &inverse(&a).expect("regular"));
        for (i, row) in product.iter().enumerate() {
            for (j, x) in row.iter().enumerate() {
                assert!((*x - c64::new(f64::from(u8::from(i == j)), 0.0)).norm() < 1e-14);
            }
        }
        assert!(inverse(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 0.0]]).is_none());
        let mut turns = Turns::<c64>::new(&space(), 8);
        turns.fill(|_| a);
        let rows = Pattern::from_entries(1, 8, [(0, 0), (0, 5), (0, 6), (0, 7)]);
        let (mut re, mut im) = ([0.0; 4], [1.0; 4]);
        turns.product(&rows, &[2.0, 1.0, 0.0, -1.0], [&mut re, &mut im], |x| [x.re, x.im]);
        assert_eq!((re[0], im[0]), (2.0, 0.0));
        assert_eq!([re[2], im[2]], [a[0][1].re - a[2][1].re, a[0][1].im - a[2][1].im]);
    }

    #[test]
    fn patterns_that_lack_a_column_of_a_rotation_are_found() {
        let all = pattern(&space(), 8);
        assert_eq!((all.len(), open_place(&all, &[1, 5])), (2 + 18, None));
        let open = Pattern::from_entries(2, 8, [(0, 0), (0, 4), (1, 5), (1, 6)]);
        assert_eq!(open_place(&open, &[1, 5]), Some((1, 5)));
    }
}
