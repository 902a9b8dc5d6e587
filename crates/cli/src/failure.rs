//! How a command ends: a status when it did its work, a failure with words when it could not.

use alembert_sim::Kind;

use crate::words;
use std::io;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Everything ran and agrees.
    Agrees,
    /// A number disagrees, or something did not run to its end.
    Disagrees,
    /// The command line asks for what is not there, or a model file has mistakes.
    Usage,
    /// A limit is reached: what was computed so far is there, marked as partial, and can be continued.
    Limited,
    /// Ctrl-C: what was computed so far is there, marked as partial.
    Interrupted,
    /// The reader of stdout has gone (`alembert ... | head`): what a shell reports for any filter it cuts off.
    Unread,
}

impl Status {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Status::Agrees => 0,
            Status::Disagrees => 1,
            Status::Usage => 2,
            Status::Limited => 3,
            Status::Interrupted => 130,
            Status::Unread => 141,
        }
    }
}

/// Why a command stopped, and what to try next.
#[derive(Debug)]
pub struct Failure {
    /// What happened; as it is to be written if `whole`.
    pub message: String,
    whole: bool,
    pub hint: Option<String>,
    pub status: Status,
}

impl Failure {
    /// The command line asks for what is not there.
    pub fn usage(message: String) -> Failure {
        Failure { message, whole: false, hint: None, status: Status::Usage }
    }

    /// The work itself failed.
    pub fn work(message: String) -> Failure {
        Failure { message, whole: false, hint: None, status: Status::Disagrees }
    }

    /// Adds what to try next.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Writes message and hint to stderr.
    pub fn tell(&self) {
        // A reader that has closed stdout does not wait for an explanation.
        if self.status == Status::Unread {
            return;
        }
        let heading = if self.whole { "" } else { "error: " };
        let hint = self.hint.as_ref().map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
        words::insist(format_args!("{heading}{}\n{hint}", self.message));
    }
}

impl From<alembert_sim::Failure> for Failure {
    fn from(failure: alembert_sim::Failure) -> Failure {
        let status = match failure.kind {
            Kind::Usage | Kind::Mistakes => Status::Usage,
            Kind::Work => Status::Disagrees,
            Kind::Interrupted => Status::Interrupted,
        };
        let whole = failure.kind == Kind::Mistakes;
        Failure { message: failure.message, whole, hint: failure.hint, status }
    }
}

/// Only stdout is written without naming a path; files carry theirs (see [`crate::folder::Folder`]).
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let status = if error.kind() == io::ErrorKind::BrokenPipe { Status::Unread } else { Status::Disagrees };
        Failure { message: format!("cannot write to standard output: {error}"), whole: false, hint: None, status }
    }
}
