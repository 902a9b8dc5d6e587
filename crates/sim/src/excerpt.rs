//! The steps of a run, or its rows, thinned: all of them while they are few, else those with the extremes.
//!
//! ```text
//! steps 0 .. 2^k - 1 | 2^k .. 2 2^k - 1 | ...      of each group: the last, and those in which a column is smallest or largest
//! ```
//!
//! Every row is a step that was made, extremes are never lost, and k grows so that memory is bounded.

use crate::record::bytes::{Bytes, Cut, Reader};
use crate::sink::COUNTABLE;

/// Most rows, unless somebody has room for more; half of them are left where they become too many.
pub const MOST: usize = 8192;

/// Rows with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    most: usize,
    seen: u64,
    /// Steps in a group.
    group: u64,
    rows: Vec<(u64, Vec<f64>)>,
}

impl Default for Excerpt {
    fn default() -> Self {
        Excerpt::with_room(MOST)
    }
}

impl Excerpt {
    /// Room for so many rows.
    pub fn with_room(most: usize) -> Self {
        Excerpt { most, seen: 0, group: 0, rows: Vec::new() }
    }

    /// Takes a step.
    pub fn push(&mut self, row: Vec<f64>) {
        self.rows.push((self.seen, row));
        self.seen += 1;
        if self.rows.len() > self.most {
            while self.rows.len() > self.most / 2 {
                self.group = self.group.saturating_mul(2).max(2);
                self.thin();
            }
        }
    }

    fn thin(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        for group in rows.chunk_by(|x, y| x.0 / self.group == y.0 / self.group) {
            let mut kept = vec![group.len() - 1];
            for column in 1..group[0].1.len() {
                let order = |x: &usize, y: &usize| group[*x].1[column].total_cmp(&group[*y].1[column]);
                // The first of several that are equal.
                kept.extend((0..group.len()).min_by(order));
                kept.extend((0..group.len()).rev().max_by(order));
            }
            kept.sort_unstable();
            kept.dedup();
            self.rows.extend(kept.into_iter().map(|k| group[k].clone()));
        }
    }

    /// Whether all steps are there.
    pub fn is_whole(&self) -> bool {
        self.group == 0
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.iter().map(|(_, row)| row.as_slice())
    }

    /// Writes itself.
    pub fn save(&self, bytes: &mut Bytes) {
        bytes.word(self.seen);
        bytes.word(self.group);
        bytes.word(self.rows.len() as u64);
        for (number, row) in &self.rows {
            bytes.word(*number);
            bytes.numbers(row);
        }
    }

    /// Reads itself.
    ///
    /// # Errors
    /// If bytes are missing, or they are not those of steps in their order.
    pub fn restore(bytes: &mut Reader) -> Result<Excerpt, Cut> {
        let (seen, group) = (bytes.word()?, bytes.word()?);
        let mut excerpt = Excerpt { seen, group, ..Excerpt::default() };
        let count = bytes.word()?;
        if excerpt.seen >= COUNTABLE || count > MOST as u64 {
            return Err(Cut);
        }
        for _ in 0..count {
            let row = (bytes.word()?, bytes.numbers()?);
            let follows = excerpt.rows.last().is_none_or(|(number, last)| *number < row.0 && last.len() == row.1.len());
            if !follows || row.0 >= excerpt.seen {
                return Err(Cut);
            }
            excerpt.rows.push(row);
        }
        Ok(excerpt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_steps_are_all_there_and_of_many_the_extremes() {
        let mut excerpt = Excerpt::default();
        let value = |k: u64| ((k * 7919) % 1_000_003) as f64;
        for k in 0..MOST as u64 {
            excerpt.push(vec![k as f64, value(k), -1.0]);
        }
        assert!(excerpt.is_whole() && excerpt.rows().count() == MOST);
        for k in MOST as u64..1_000_000 {
            excerpt.push(vec![k as f64, value(k), if k == 77_777 { 5.0 } else { -1.0 }]);
        }
        assert!(!excerpt.is_whole() && excerpt.rows().count() <= MOST);
        let times: Vec<f64> = excerpt.rows().map(|row| row[0]).collect();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times.last() == Some(&999_999.0));
        assert!(excerpt.rows().all(|row| row[1] == value(row[0] as u64)), "not a step that was made");
        let (least, most) = (0..1_000_000).map(value).fold((f64::MAX, 0.0), |(x, y), v| (x.min(v), f64::max(y, v)));
        assert!(excerpt.rows().any(|row| row[1] == least) && excerpt.rows().any(|row| row[1] == most));
        assert!(excerpt.rows().any(|row| row[2] == 5.0));
        let mut bytes = Bytes::default();
        excerpt.save(&mut bytes);
        assert_eq!(Excerpt::restore(&mut Reader(&bytes.0)), Ok(excerpt));
        assert_eq!(Excerpt::restore(&mut Reader(&bytes.0[..bytes.0.len() - 1])), Err(Cut));
    }
}
