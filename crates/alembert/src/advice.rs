//! Errors that say what to do: message, hint and the parameter to blame as data, in the same way for the library, files and programs.
//!
//! ```text
//! to_string()  =  message, and on a line of its own "hint: " with what to try, where there is something
//! ```

use std::error::Error;
use std::fmt;

/// An error with its parts.
pub trait Advised: Error {
    /// Writes what happened, without the hint.
    ///
    /// # Errors
    /// If the formatter does not take it.
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// What to try next.
    fn hint(&self) -> Option<String>;

    /// The parameter, constraint, coordinate or event to blame, by its name.
    fn blame(&self) -> Option<String> {
        None
    }

    /// What happened, without the hint.
    fn message(&self) -> String {
        Message(self).to_string()
    }

    /// All of it as data.
    fn advice(&self) -> Advice {
        Advice { message: self.message(), hint: self.hint(), blame: self.blame() }
    }
}

/// An error as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What happened.
    pub message: String,
    /// What to try next.
    pub hint: Option<String>,
    /// The parameter, constraint, coordinate or event to blame.
    pub blame: Option<String>,
}

/// An error without its hint.
pub(crate) struct Message<'a, E: ?Sized>(pub &'a E);

impl<E: Advised + ?Sized> fmt::Display for Message<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.tell(f)
    }
}

/// Writes message and hint: what `Display` of every such error does.
pub(crate) fn show(error: &(impl Advised + ?Sized), f: &mut fmt::Formatter<'_>) -> fmt::Result {
    error.tell(f)?;
    error.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
}

/// `Display` of errors that are [`Advised`].
macro_rules! displayed {
    ($($error:ty),+ $(,)?) => {$(
        impl std::fmt::Display for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::advice::show(self, f)
            }
        }
        impl std::error::Error for $error {}
    )+};
}
pub(crate) use displayed;
