//! Rungs of a ladder of step sizes, as a table and as a figure.

use alembert_picture::chart::{Axis, Figure, Series, Stroke};
use alembert_sim::table::{Cell, Column, Format, Table, cell};

/// The quantities whose errors are measured.
pub const VARIABLES: [&str; 5] = ["q", "v", "a", "lambda", "psi"];

/// The same, as they are written in a figure.
const SYMBOLS: [&str; 5] = ["q", "v", "a", "λ", "ψ"];

/// Errors of q, v, a, lambda, psi; none where the system has no such quantity.
pub type Errors = [Option<f64>; 5];

/// One rung.
pub struct Row {
    /// Mean step.
    pub h: f64,
    pub steps: u64,
    pub errors: Errors,
    /// Observed order since the row above.
    pub orders: Errors,
}

impl Row {
    /// A rung below another, whose errors give the observed orders.
    pub fn below(above: Option<&Row>, h: f64, steps: u64, errors: Errors) -> Row {
        let mut orders = [None; 5];
        if let Some(above) = above {
            for (order, (fine, coarse)) in orders.iter_mut().zip(errors.iter().zip(&above.errors)) {
                // An error of zero has no order.
                let observed = fine.zip(*coarse).map(|(fine, coarse)| (coarse / fine).ln() / (above.h / h).ln());
                *order = observed.filter(|order| order.is_finite());
            }
        }
        Row { h, steps, errors, orders }
    }
}

/// h, steps, and for each variable its error and observed order.
pub fn table(rows: &[Row]) -> Table {
    let mut columns = vec![
        Column { group: None, name: "h", heading: "h", format: Format::Step },
        Column { group: None, name: "steps", heading: "steps", format: Format::Count },
    ];
    for name in VARIABLES {
        columns.push(Column { group: Some("error"), name, heading: name, format: Format::Size });
        columns.push(Column { group: Some("order"), name, heading: "order", format: Format::Ratio });
    }
    let cells = |row: &Row| -> Vec<Cell> {
        let measured =
            row.errors.iter().zip(&row.orders).flat_map(|(error, order)| [error.and_then(cell), order.and_then(cell)]);
        [cell(row.h), cell(row.steps)].into_iter().chain(measured).collect()
    };
    Table { columns, rows: rows.iter().map(cells).collect() }
}

/// Errors against h, both logarithmic, with a slope triangle for each of the orders.
pub fn figure(rows: &[Row], heading: &str, title: &str, ordinate: &str, orders: &[f64]) -> Figure {
    let series = (0..VARIABLES.len()).filter_map(|i| {
        let points: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((row.h, row.errors[i]?))).collect();
        // The position in the list of variables, not among those present: q looks the same in every figure.
        (!points.is_empty()).then(|| Series { label: SYMBOLS[i].to_owned(), look: i, stroke: Stroke::Marked, points })
    });
    Figure {
        heading: heading.to_owned(),
        title: title.to_owned(),
        x: Axis::log("step size h"),
        y: Axis::log(ordinate),
        series: series.collect(),
        slopes: orders.to_vec(),
        marks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_compare_with_the_row_above() {
        let coarse = Row::below(None, 0.1, 10, [Some(4e-2), None, Some(1.0), None, None]);
        let fine = Row::below(Some(&coarse), 0.05, 20, [Some(1e-2), None, Some(0.0), None, None]);
        assert_eq!(coarse.orders, [None; 5]);
        assert!((fine.orders[0].expect("an order") - 2.0).abs() < 1e-12);
        assert_eq!(fine.orders[2], None, "an error of zero");
    }
}
