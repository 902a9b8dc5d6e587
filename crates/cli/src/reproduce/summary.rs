//! The last line: how all experiments together came out.

use std::fmt;

use super::experiment::Outcome;
use crate::failure::Status;

/// Counts over the experiments, with the names of those to look at.
#[derive(Debug, Default)]
pub struct Summary {
    agreed: usize,
    numbers: usize,
    disagreed: Vec<String>,
    failed: Vec<String>,
}

impl Summary {
    /// Counts an experiment.
    pub fn add(&mut self, name: &str, outcome: &Outcome) {
        match outcome {
            Err(_) => self.failed.push(name.to_owned()),
            Ok(report) => {
                self.numbers += report.verdict.compared();
                if report.verdict.disagreements() == 0 {
                    self.agreed += 1;
                } else {
                    self.disagreed.push(name.to_owned());
                }
            }
        }
    }

    /// What the program exits with.
    pub fn status(&self) -> Status {
        if self.disagreed.is_empty() && self.failed.is_empty() { Status::Agrees } else { Status::Disagrees }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let count = self.agreed + self.disagreed.len() + self.failed.len();
        write!(f, "{} of {count} experiments agree ({} numbers compared)", self.agreed, self.numbers)?;
        if !self.disagreed.is_empty() {
            write!(f, "; disagree: {}", self.disagreed.join(", "))?;
        }
        if !self.failed.is_empty() {
            write!(f, "; failed: {}", self.failed.join(", "))?;
        }
        Ok(())
    }
}
