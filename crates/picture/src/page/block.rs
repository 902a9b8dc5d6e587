//! Tables of numbers, packed.
//!
//! Times are f64, columns are f32 of `value − offset`, with the difference taken in f64: what is drawn has seven digits of the range of
//! its column and not of its size. Bytes are shuffled: the first bytes of all numbers, then the second ones, and so on, since neighbours
//! are similar in their first bytes. Then deflate with a zlib header, then base64.
//!
//! f32 ends at 3.4e38: what differs from its offset by more is infinite in the page, and a gap in its curves.

use super::base64;

/// How hard deflate tries: higher levels take much longer and save a few per cent.
const EFFORT: u8 = 6;
/// A column whose numbers are more than this many times larger than their range is stored as differences from the middle of it.
const FAR: f64 = 4.0;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Its numbers; NaN and infinite ones are gaps.
    pub values: &'a [f64],
    /// What is subtracted from them; the document has to say the same.
    pub offset: f64,
}

impl<'a> Column<'a> {
    /// A column with the offset that suits its numbers: zero, or the middle of their range if this is narrow.
    pub fn new(values: &'a [f64]) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.iter().copied().filter(|value| value.is_finite()) {
            (least, most) = (least.min(value), most.max(value));
        }
        let far = least <= most && least.abs().max(most.abs()) > FAR * (most - least);
        Column { values, offset: if far { 0.5 * least + 0.5 * most } else { 0.0 } }
    }
}

/// Packed tables.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    pub(super) texts: Vec<String>,
}

impl Blocks {
    /// No tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Packs a table and returns the number of its block. A column that is longer than `t` is cut, a shorter one ends with gaps.
    pub fn push(&mut self, t: &[f64], columns: &[Column]) -> usize {
        let n = t.len();
        let mut bytes = vec![0; n * (8 + 4 * columns.len())];
        let (head, tail) = bytes.split_at_mut(8 * n);
        shuffle(head, n, t.iter().map(|t| t.to_le_bytes()));
        for (column, room) in columns.iter().zip(tail.chunks_mut((4 * n).max(1))) {
            let value = |k: usize| column.values.get(k).copied().unwrap_or(f64::NAN);
            shuffle(room, n, (0..n).map(|k| ((value(k) - column.offset) as f32).to_le_bytes()));
        }
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&bytes, EFFORT);
        self.texts.push(base64::encode(&packed));
        self.texts.len() - 1
    }
}

/// Writes the first bytes of all numbers, then the second ones.
fn shuffle<const N: usize>(room: &mut [u8], n: usize, numbers: impl Iterator<Item = [u8; N]>) {
    for (k, number) in numbers.enumerate() {
        for (plane, byte) in number.into_iter().enumerate() {
            room[plane * n + k] = byte;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Times and columns of a block, as the viewer finds them.
    pub fn unpacked(text: &str, n: usize) -> (Vec<f64>, Vec<Vec<f32>>) {
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&base64::decode(text)).expect("deflated bytes");
        let (head, tail) = bytes.split_at(8 * n);
        let t = (0..n).map(|k| f64::from_le_bytes(std::array::from_fn(|plane| head[plane * n + k]))).collect();
        let column = |room: &[u8]| {
            (0..n).map(|k| f32::from_le_bytes(std::array::from_fn(|plane| room[plane * n + k]))).collect()
        };
        (t, tail.chunks((4 * n).max(1)).map(column).collect())
    }

    #[test]
    fn numbers_come_back_with_seven_digits_of_their_range() {
        let n = 1000;
        let t: Vec<f64> = (0..n).map(|k| 1.7e9 + 1e-3 * f64::from(k)).collect();
        let small: Vec<f64> = t.iter().map(|t| (t - 1.7e9).sin()).collect();
        let far: Vec<f64> = small.iter().map(|x| 1e6 + 1e-3 * x).collect();
        let mut blocks = Blocks::new();
        let columns = [Column::new(&small), Column::new(&far)];
        assert_eq!(blocks.push(&t, &columns), 0);
        let (times, values) = unpacked(&blocks.texts[0], n as usize);
        assert_eq!(times, t);
        assert_eq!(columns[0].offset, 0.0);
        for k in 0..n as usize {
            assert!((f64::from(values[0][k]) - small[k]).abs() < 1e-7);
            // The differences have seven digits of a range of 1e-3, far below one unit in the last place of a f32 near 1e6 (0.06).
            assert!((columns[1].offset + f64::from(values[1][k]) - far[k]).abs() < 5e-10, "{k}");
        }
    }

    #[test]
    fn gaps_stay_gaps_and_ends_are_filled_with_them() {
        let t = [0.0, 1.0, 2.0, 3.0];
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5.0];
        let mut blocks = Blocks::new();
        blocks.push(&t, &[Column::new(&odd), Column::new(&[1.0, 2.0]), Column::new(&[])]);
        let (_, values) = unpacked(&blocks.texts[0], 4);
        assert!(values[0][0].is_nan());
        assert_eq!(values[0][1..3], [f32::INFINITY, f32::NEG_INFINITY]);
        // One finite number is its own offset.
        assert_eq!((Column::new(&odd).offset, values[0][3]), (5.0, 0.0));
        assert!(values[1][2].is_nan() && values[1][3].is_nan() && values[2].iter().all(|x| x.is_nan()));
    }

    #[test]
    fn nothing_can_be_packed() {
        let mut blocks = Blocks::new();
        assert!(blocks.is_empty());
        assert_eq!((blocks.push(&[], &[Column::new(&[])]), blocks.push(&[], &[])), (0, 1));
        assert_eq!(blocks.len(), 2);
        assert_eq!(unpacked(&blocks.texts[1], 0).0, Vec::<f64>::new());
    }

    #[test]
    fn offsets_are_finite_for_all_numbers() {
        for values in [&[f64::MAX, f64::MAX][..], &[-f64::MAX, f64::MAX], &[5e-324], &[f64::NAN], &[]] {
            assert!(Column::new(values).offset.is_finite(), "{values:?}");
        }
    }
}
