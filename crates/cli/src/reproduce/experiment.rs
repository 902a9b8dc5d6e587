//! What every experiment offers, whatever it measures.

use std::error::Error;

use super::verdict::Verdict;
use alembert_picture::chart::Figure;
use alembert_sim::table::Table;

/// A report, or why there is none.
pub type Outcome = Result<Report, Box<dyn Error>>;

/// Something a paper shows and this program can run again.
pub trait Experiment {
    /// Paper and figure or table, as `1/fig5.1`.
    fn name(&self) -> &str;

    /// What is run, in one line that can stand alone.
    fn title(&self) -> &str;

    /// Runs it and compares.
    fn run(&self) -> Outcome;

    /// The paper's number: what stands before the slash.
    fn paper(&self) -> &str {
        self.name().split('/').next().unwrap_or_default()
    }

    /// Name of its files, without extension.
    fn stem(&self) -> String {
        self.name().replace('/', "-")
    }
}

/// A table, and a figure where one is worth drawing.
pub struct Sheet {
    /// Name of the files, without extension.
    pub stem: String,
    pub table: Table,
    pub figure: Option<Figure>,
}

/// What came out of an experiment.
pub struct Report {
    /// What is printed.
    pub sheet: Sheet,
    /// What people see below it, each with a line about it; JSON has the rows of `sheet` only, all of one shape.
    pub beside: Vec<(String, Sheet)>,
    /// What goes to files only.
    pub more: Vec<Sheet>,
    pub verdict: Verdict,
}
