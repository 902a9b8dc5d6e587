//! Evaluations at equal error: between two tolerances both logarithms are taken to be linear.

use super::measure::Effort;
use alembert_sim::table::{Column, Format, Table, cell};

/// What another program needs for an error of q.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    pub error: f64,
    pub evaluations: f64,
}

/// Both programs at one error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    pub error: f64,
    /// None where no tolerance of the ladder reaches the error.
    pub ours: Option<f64>,
    pub theirs: f64,
}

/// What the runs of a ladder need for the rival's error.
pub fn compare(rival: &Rival, ladder: &[Effort]) -> Comparison {
    let points: Vec<(f64, f64)> = ladder.iter().map(|run| (run.errors[0], run.evaluations as f64)).collect();
    Comparison { error: rival.error, ours: at_error(rival.error, &points), theirs: rival.evaluations }
}

/// The cost at an error, from points (error, cost) in the order of falling tolerances. Where the error wavers around
/// the one asked for, the last crossing counts; where even the first point is better, its cost is an upper bound.
pub fn at_error(error: f64, points: &[(f64, f64)]) -> Option<f64> {
    let crossing = points.windows(2).rev().find(|pair| pair[0].0 >= error && error >= pair[1].0);
    match crossing {
        Some(&[(e0, c0), (e1, c1)]) if e0 > e1 => {
            let part = (e0 / error).ln() / (e0 / e1).ln();
            Some((c0.ln() + part * (c1 / c0).ln()).exp())
        }
        Some(pair) => Some(pair[0].1),
        None => points.first().filter(|first| first.0 <= error).map(|first| first.1),
    }
}

/// A row for each error.
pub fn table(compared: &[Comparison]) -> Table {
    Table {
        columns: vec![
            Column::new("error_q", "error of q", Format::Size),
            Column::new("evaluations", "evaluations", Format::Count),
            Column::new("paper_evaluations", "paper", Format::Count),
            Column::new("ratio", "ratio", Format::Ratio),
        ],
        rows: compared
            .iter()
            .map(|c| {
                let ratio = c.ours.map(|ours| ours / c.theirs);
                vec![cell(c.error), c.ours.and_then(cell), cell(c.theirs), ratio.and_then(cell)]
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_points_logarithms_are_linear() {
        let points = [(1e-2, 100.0), (1e-4, 400.0), (1e-6, 1600.0)];
        assert!((at_error(1e-3, &points).expect("inside") - 200.0).abs() < 1e-9);
        assert!((at_error(1e-6, &points).expect("the end") - 1600.0).abs() < 1e-9);
        assert_eq!(at_error(1e-1, &points), Some(100.0), "the first is better already");
        assert_eq!(at_error(1e-7, &points), None, "nobody reached it");
    }

    #[test]
    fn where_errors_waver_the_last_crossing_counts() {
        let points = [(1e-2, 1.0), (1e-5, 2.0), (1e-3, 3.0), (1e-5, 4.0)];
        let cost = at_error(1e-4, &points).expect("reached");
        assert!((3.0..4.0).contains(&cost), "{cost}");
    }
}
