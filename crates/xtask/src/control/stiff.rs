//! x
use crate::TaskError;
pub fn run() -> Result<(), TaskError> {
    Ok(())
}
