//! `alembert methods` and `alembert schema`: what there is.

use std::io::{self, Write};

use crate::failure::{Failure, Status};

/// Says which methods there are.
pub fn run() -> Result<Status, Failure> {
    io::stdout().lock().write_all(alembert::catalogue::help().as_bytes())?;
    Ok(Status::Agrees)
}

/// Prints the schema.
pub fn schema() -> Result<Status, Failure> {
    io::stdout().lock().write_all(alembert_model::schema().as_bytes())?;
    Ok(Status::Agrees)
}
