//! Where rows go as they are made.
//!
//! ```text
//! begin (columns, what is known of the run)   row row row ...   mark (where we are: everything until here lasts)   row ...   end
//! ```
//!
//! No sink keeps more than a bounded number of rows. A mark says how to continue after the program was killed: the file is cut to
//! its bytes, the sink takes its rows that were not written yet, and what follows is what would have followed.

mod csv;
mod spool;

use std::io;

pub use crate::parquet::Parquet;
pub use csv::{Csv, number};
pub use spool::{Spool, read_spool};

/// What a table is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Names of the columns, the time first.
    pub columns: Vec<String>,
    /// Names of further numbers in each row, which only some formats show.
    pub beside: Vec<String>,
    /// What is known of the run: model, program, method, tolerances, units.
    pub facts: Vec<(String, String)>,
}

/// Where a sink is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Rows it was given.
    pub rows: u64,
    /// Bytes in its file.
    pub bytes: u64,
    /// Numbers of the rows that are not in the file yet.
    pub tail: Vec<f64>,
}

/// What a mark is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Lines of text.
    Text,
    /// Groups of rows.
    Groups,
    /// Bare numbers.
    Numbers,
}

/// Counts beyond this are none that were counted.
pub const COUNTABLE: u64 = 1 << 48;

impl Mark {
    /// Whether it can be that of a table: a checkpoint may be spoilt in a way that its checksum does not show.
    pub fn fits(&self, kind: Kind, head: &Head) -> bool {
        let width = head.columns.len() + head.beside.len();
        self.rows < COUNTABLE
            && match kind {
                Kind::Text => self.tail.is_empty(),
                Kind::Numbers => self.tail.is_empty() && self.bytes == 8 * width as u64 * self.rows,
                Kind::Groups => crate::parquet::fits(head, self),
            }
    }
}

/// Takes rows.
pub trait Sink {
    /// Before the first row.
    ///
    /// # Errors
    /// If the file does not take it.
    fn begin(&mut self, head: &Head) -> io::Result<()>;

    /// One row: a number for each column, then those beside.
    ///
    /// # Errors
    /// If the file does not take it.
    fn row(&mut self, row: &[f64]) -> io::Result<()>;

    /// Makes everything so far last, and says where it is.
    ///
    /// # Errors
    /// If the file does not take it.
    fn mark(&mut self) -> io::Result<Mark>;

    /// Continues from a mark that [fits](Mark::fits); the file has been cut to its bytes.
    fn resume(&mut self, head: &Head, mark: &Mark);

    /// After the last row: the file is whole, and lasts.
    ///
    /// # Errors
    /// If the file does not take it.
    fn end(&mut self) -> io::Result<()>;
}
