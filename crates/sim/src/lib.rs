//! Runs: from a model (or a system) and a scenario to a trajectory, and what can be said of it.
//!
//! ```text
//! (Model, Run)  -> simulate -> Trajectory -> Sheet -> csv, npz, parquet;   summary as words and as JSON
//!               -> record   -> Account: the same on disk, as it is made; resume goes on after whatever ended it
//!               -> verify   -> Certificate: error bars, and reasons not to trust them
//!               -> check    -> Findings: rank, start, derivatives, without running
//! (text, grid)  -> sweep    -> one row for each point
//! Problem       -> compare  -> what accuracy costs, method by method
//! system        -> solve    -> Solution: all steps, and the state at any time in between (of the library, shown here again)
//! ```
//!
//! Nothing here prints or listens to signals, and files are written by [`record`] into its [`folder`] only: other writers take an
//! [`std::io::Write`], and who wants to see progress or to interrupt is an [`Onlooker`]. The command line, and whatever else drives
//! runs, keeps arguments and words.

pub mod account;
mod beside;
pub mod check;
pub mod compare;
pub mod curves;
pub mod dense;
pub mod disk;
pub mod drive;
pub mod excerpt;
mod failure;
pub mod find;
pub mod folder;
pub mod from;
pub mod limits;
mod npz;
mod onlooker;
mod parquet;
mod passage;
pub mod record;
pub mod report;
pub mod results;
mod sampler;
pub mod save;
pub mod sheet;
pub mod simulate;
pub mod sink;
pub mod start;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod trail;
pub mod trial;
pub mod verify;
pub mod wishes;

pub use alembert::{Plan, Solution, solve};
pub use beside::Beside;
pub use failure::{Failure, Kind};
pub use onlooker::{Alone, Onlooker, Unseen};
pub use sheet::Sheet;
pub use simulate::{End, Trajectory, simulate};
pub use wishes::Wishes;
