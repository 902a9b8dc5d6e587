//! Runs: from a model (or a system) and a scenario to a trajectory, and what can be said of it.
//!
//! ```text
//! (Model, Run)  -> simulate -> Trajectory -> Sheet -> csv, npz, parquet;   summary as words and as JSON
//!               -> verify   -> Certificate: error bars, and reasons not to trust them
//!               -> check    -> Findings: rank, start, derivatives, without running
//! (text, grid)  -> sweep    -> one row for each point
//! Problem       -> compare  -> what accuracy costs, method by method
//! system        -> solve    -> Solution: all steps, and the state at any time in between (of the library, shown here again)
//! ```
//!
//! Nothing here reads or writes files, prints, or listens to signals: writers take an [`std::io::Write`], and a caller that wants to see
//! progress or to interrupt passes an [`Onlooker`]. Arguments, files and words belong to the command line, or to whatever else drives
//! the runs.

pub mod check;
pub mod compare;
mod failure;
mod npz;
mod onlooker;
mod parquet;
mod sampler;
pub mod sheet;
pub mod simulate;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod trail;
pub mod trial;
pub mod verify;

pub use alembert::{Plan, Solution, solve};
pub use failure::{Failure, Kind};
pub use onlooker::{Alone, Onlooker, Unseen};
pub use sheet::Sheet;
pub use simulate::{End, Trajectory, simulate};
