//! The columns of a table as curves to draw: every row while they are few, else the extremes of groups of rows.
//!
//! ```text
//! rows k 2^j .. (k + 1) 2^j - 1:     of each column the smallest and the largest value, with their times
//! ```
//!
//! A curve that is drawn from these looks like that of all rows, since no extreme is lost; memory is bounded.

/// Numbers that all curves together may take.
const ROOM: usize = 1 << 23;
/// Groups of a table, at the least and at the most; there are always an even number.
const FEWEST: usize = 256;
const MOST: usize = 2048;

/// Smallest and largest value of a group with their times.
#[derive(Clone, Copy)]
struct Extremes {
    low: (f64, f64),
    high: (f64, f64),
}

impl Extremes {
    fn join(&mut self, later: &Extremes) {
        // What is not a number is passed over, unless there is nothing else.
        if later.low.1 < self.low.1 || self.low.1.is_nan() {
            self.low = later.low;
        }
        if later.high.1 > self.high.1 || self.high.1.is_nan() {
            self.high = later.high;
        }
    }
}

/// Curves of all columns over the first.
pub struct Curves {
    columns: Vec<String>,
    /// Rows in a group, and in the last one.
    group: usize,
    filled: usize,
    most: usize,
    /// One after the other, those of a group for each column.
    groups: Vec<Extremes>,
}

impl Curves {
    /// Of a table with these columns, the time first.
    pub fn new(columns: Vec<String>) -> Curves {
        let most = (ROOM / 4 / columns.len().max(1)).clamp(FEWEST, MOST) & !1;
        Curves { columns, group: 1, filled: 1, most, groups: Vec::new() }
    }

    /// The columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Takes a row.
    pub fn push(&mut self, row: &[f64]) {
        let width = self.columns.len();
        let extremes = row[..width].iter().map(|value| Extremes { low: (row[0], *value), high: (row[0], *value) });
        if self.filled < self.group {
            self.filled += 1;
            let last = self.groups.len() - width;
            self.groups[last..].iter_mut().zip(extremes).for_each(|(known, new)| known.join(&new));
            return;
        }
        if self.groups.len() == self.most * width {
            let mut joined = Vec::with_capacity(self.groups.len() / 2);
            for pair in self.groups.chunks_exact(2 * width) {
                let (first, second) = pair.split_at(width);
                joined.extend(first.iter().zip(second).map(|(first, second)| {
                    let mut both = *first;
                    both.join(second);
                    both
                }));
            }
            (self.groups, self.group) = (joined, 2 * self.group);
        }
        self.groups.extend(extremes);
        self.filled = 1;
    }

    /// The points of a column over time; none if there is no such column.
    pub fn curve(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let index = self.columns.iter().position(|column| column == name)?;
        let mut points = Vec::new();
        for group in self.groups.chunks_exact(self.columns.len()) {
            let Extremes { low, high } = group[index];
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            points.push(first);
            // Two rows of the same time are two points; one row is one.
            if self.group > 1 && first != second {
                points.push(second);
            }
        }
        Some(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_points_and_of_many_the_extremes() {
        let columns: Vec<String> = ["t", "x"].map(str::to_owned).to_vec();
        let mut curves = Curves::new(columns.clone());
        for k in 0..MOST {
            curves.push(&[k as f64, (k * k) as f64]);
        }
        let points = curves.curve("x").expect("a column");
        assert!(points.len() == MOST && points.iter().enumerate().all(|(k, p)| *p == (k as f64, (k * k) as f64)));
        assert!(curves.curve("y").is_none());
        let mut curves = Curves::new(columns);
        for k in 0..1_000_000 {
            let x = (k as f64 * 0.7).sin();
            curves.push(&[k as f64, if k == 654_321 { 9.0 } else { x }]);
        }
        let points = curves.curve("x").expect("a column");
        assert!(points.len() > MOST && points.len() <= 2 * MOST, "{}", points.len());
        assert!(points.contains(&(654_321.0, 9.0)) && points.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert!(points.iter().filter(|p| p.1 > 0.99).count() > points.len() / 3, "an envelope");
    }
}
