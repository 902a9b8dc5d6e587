//! Why work could not be done, as data: what happened, what to try, and which parameter is to blame.

use std::fmt;

use alembert::{Advice, Advised};
use alembert_mechanism::Singular;
use serde_json::{Value, json};

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something was asked for that does not exist or cannot be done.
    Usage,
    /// A model file has mistakes; the message tells all of them with their places.
    Mistakes,
    /// The work itself failed.
    Work,
    /// The onlooker wanted it to stop before there was anything to keep.
    Interrupted,
}

impl Kind {
    /// Its name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Usage => "usage",
            Kind::Mistakes => "mistakes",
            Kind::Work => "work",
            Kind::Interrupted => "interrupted",
        }
    }
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind it is.
    pub kind: Kind,
    /// What happened.
    pub message: String,
    /// What to try next.
    pub hint: Option<String>,
    /// The parameter, constraint, coordinate or event to blame, by its name in a model file.
    pub parameter: Option<String>,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), hint: None, parameter: None }
    }

    /// Something was asked for that is not there.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Usage, message)
    }

    /// Mistakes of a file, with their own words for each.
    pub fn mistakes(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Mistakes, message)
    }

    /// The work itself failed.
    pub fn work(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Work, message)
    }

    /// Stopped before there was anything to keep.
    pub fn interrupted() -> Failure {
        Failure::new(Kind::Interrupted, "interrupted")
    }

    /// What the library says went wrong with the work.
    pub fn of(error: &dyn Advised) -> Failure {
        let Advice { message, hint, blame } = error.advice();
        Failure { kind: Kind::Work, message, hint, parameter: blame }
    }

    /// A mechanism has come to a singular configuration, and was not told to pass it.
    pub fn singular(at: &Singular) -> Failure {
        let message = format!("{at}: beyond it the motion is not determined");
        let hint = "`through = true` at the top of the file lets it pass by momentum; without that, stop before it";
        let blame = at.joints.first().cloned();
        Failure { parameter: blame, ..Failure::work(message).with_hint(hint) }
    }

    /// A motion of a mechanism begins in a singular configuration.
    pub fn singular_start(at: &Singular) -> Failure {
        let message = format!("the start is a {at}, and where the motion goes from there is not determined");
        let hint = "begin beside it: give a joint another angle under its `start`, a thousandth of a radian is enough";
        let blame = at.joints.first().cloned();
        Failure { parameter: blame, ..Failure::work(message).with_hint(hint) }
    }

    /// Adds what to try next.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the parameter to blame.
    pub fn with_parameter(mut self, parameter: impl Into<String>) -> Failure {
        self.parameter = Some(parameter.into());
        self
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let Failure { kind, message, hint, parameter } = self;
        json!({ "kind": kind.name(), "message": message, "hint": hint, "parameter": parameter })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for Failure {}
