//! Saves and restores the complete state of an integration, so that it continues bit for bit.
//!
//! ```text
//! magic   version   what must be the same (method, sizes, parameters)   state of the integrator   checksum
//! ```
//!
//! Every part of an integration has one function, [`Keep::keep`], that both writes itself to an [`Archive`] and reads
//! itself from one, so that the two cannot differ. Numbers are stored with all their bits, the least significant byte first;
//! vectors are preceded by their sizes. Of the system itself only values of its functions near the state are stored. A
//! checkpoint is read by an integrator that was built in the same way, and refused by any other, and by one whose system has
//! other parameters.

use std::fmt;

use crate::advice::{Advised, displayed};
use crate::state::State;

const MAGIC: &[u8; 16] = b"alembert restart";
/// It changes whenever the format does.
const VERSION: u64 = 12;

/// Why a checkpoint cannot be written or read.
#[derive(Clone, Debug, PartialEq)]
pub enum BadCheckpoint {
    /// The bytes are not a checkpoint.
    Foreign,
    /// It was written by another version of the format.
    Version {
        /// The version it has.
        found: u64,
        /// The version that can be read.
        expected: u64,
    },
    /// Bytes are missing or changed.
    Corrupt,
    /// It belongs to another integration.
    Different {
        /// What differs.
        what: String,
        /// What the checkpoint has.
        found: String,
        /// What the integrator has.
        expected: String,
    },
    /// It was made by a system with other parameters or formulas.
    OtherSystem {
        /// Which of its functions differs.
        function: String,
        /// A value the checkpoint has, at a point near its state.
        found: f64,
        /// What the system of the integrator has there.
        expected: f64,
    },
    /// A method or controller does not support checkpoints.
    Unsupported,
}

impl Advised for BadCheckpoint {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCheckpoint::Foreign => write!(f, "this is not a checkpoint of alembert"),
            BadCheckpoint::Version { found, expected } => {
                write!(f, "the checkpoint has version {found} of the format, this program reads version {expected}")
            }
            BadCheckpoint::Corrupt => write!(f, "the checkpoint is damaged: bytes are missing or changed"),
            BadCheckpoint::Different { what, found, expected } => {
                write!(f, "the checkpoint belongs to another integration: its {what} is {found}, here it is {expected}")
            }
            BadCheckpoint::OtherSystem { function, found, expected } => write!(
                f,
                "the checkpoint was made by a system with other parameters or formulas: near its state the {function} \
                 of that one is {found:e}, here it is {expected:e}"
            ),
            BadCheckpoint::Unsupported => write!(f, "the method or the controller cannot be saved"),
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            BadCheckpoint::Foreign | BadCheckpoint::Corrupt => return None,
            BadCheckpoint::Version { .. } => "continue with the program that wrote it".to_owned(),
            BadCheckpoint::Different { .. } => {
                "build the integrator in the same way as the one that wrote the checkpoint".to_owned()
            }
            BadCheckpoint::OtherSystem { .. } => {
                "give the system the parameters it had when the checkpoint was written".to_owned()
            }
            BadCheckpoint::Unsupported => "implement its `keep`".to_owned(),
        })
    }

    fn blame(&self) -> Option<String> {
        match self {
            BadCheckpoint::Different { what, .. } => Some(what.clone()),
            BadCheckpoint::OtherSystem { function, .. } => Some(function.clone()),
            _ => None,
        }
    }
}

displayed!(BadCheckpoint);

/// Bytes being written or read.
pub struct Archive {
    bytes: Vec<u8>,
    /// Where to read next; nothing when writing.
    place: Option<usize>,
}

impl Archive {
    /// An empty archive, to write to.
    pub(crate) fn writing() -> Self {
        let mut archive = Archive { bytes: MAGIC.to_vec(), place: None };
        archive.bytes.extend(VERSION.to_le_bytes());
        archive
    }

    /// An archive to read from; magic, version and checksum are checked.
    pub(crate) fn reading(bytes: &[u8]) -> Result<Self, BadCheckpoint> {
        if !bytes.starts_with(MAGIC) {
            return Err(BadCheckpoint::Foreign);
        }
        let mut archive = Archive { bytes: bytes.to_vec(), place: Some(MAGIC.len()) };
        let found = archive.word(0)?;
        if found != VERSION {
            return Err(BadCheckpoint::Version { found, expected: VERSION });
        }
        let (content, sum) = bytes.split_at_checked(bytes.len() - 8).ok_or(BadCheckpoint::Corrupt)?;
        if checksum(content).to_le_bytes() != sum {
            return Err(BadCheckpoint::Corrupt);
        }
        archive.bytes.truncate(content.len());
        Ok(archive)
    }

    /// The bytes written, with their checksum.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(checksum(&self.bytes).to_le_bytes());
        self.bytes
    }

    /// Whether everything was read.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.place.is_none_or(|place| place == self.bytes.len())
    }

    /// Whether this is a restoration.
    pub fn is_reading(&self) -> bool {
        self.place.is_some()
    }

    /// Writes a word, or reads one: any number, where those that are [kept](Keep) are counts.
    pub(crate) fn word(&mut self, word: u64) -> Result<u64, BadCheckpoint> {
        let Some(place) = self.place else {
            self.bytes.extend(word.to_le_bytes());
            return Ok(word);
        };
        let bytes = self.bytes.get(place..place.saturating_add(8)).and_then(|bytes| bytes.try_into().ok());
        self.place = Some(place.saturating_add(8));
        bytes.map(u64::from_le_bytes).ok_or(BadCheckpoint::Corrupt)
    }

    /// Something that must be the same when the checkpoint is read.
    ///
    /// # Errors
    /// If it is not.
    pub fn same(&mut self, what: &str, value: f64) -> Result<(), BadCheckpoint> {
        let found = f64::from_bits(self.word(value.to_bits())?);
        let same = found.to_bits() == value.to_bits();
        let different =
            || BadCheckpoint::Different { what: what.into(), found: found.to_string(), expected: value.to_string() };
        if same { Ok(()) } else { Err(different()) }
    }

    /// A name that must be the same when the checkpoint is read.
    ///
    /// # Errors
    /// If it is not.
    pub fn same_name(&mut self, what: &str, name: &str) -> Result<(), BadCheckpoint> {
        let length = self.word(name.len() as u64)? as usize;
        let Some(place) = self.place else {
            self.bytes.extend(name.bytes());
            return Ok(());
        };
        let end = place.checked_add(length).ok_or(BadCheckpoint::Corrupt)?;
        let bytes = self.bytes.get(place..end).ok_or(BadCheckpoint::Corrupt)?;
        self.place = Some(end);
        if bytes == name.as_bytes() {
            return Ok(());
        }
        let found = String::from_utf8_lossy(bytes).into_owned();
        Err(BadCheckpoint::Different { what: what.into(), found, expected: name.into() })
    }

    /// Values of a function of the system, which must be the same to twelve digits when the checkpoint is read; numbers that
    /// are not finite only have to be so again.
    pub(crate) fn same_system(&mut self, function: &str, values: &[f64]) -> Result<(), BadCheckpoint> {
        let mut stored = values.to_vec();
        self.growing(&mut stored)?;
        let different = |found: f64, expected: f64| {
            Err(BadCheckpoint::OtherSystem { function: function.to_owned(), found, expected })
        };
        if stored.len() != values.len() {
            return different(stored.len() as f64, values.len() as f64);
        }
        // An entry that cancels is rounding beside the others.
        let size = values.iter().filter(|x| x.is_finite()).fold(0.0_f64, |max, x| max.max(x.abs()));
        for (found, expected) in stored.into_iter().zip(values) {
            let close = (found - expected).abs() <= 1e-12 * (found.abs() + expected.abs()) + 1e-14 * size;
            if !(close || (!found.is_finite() && !expected.is_finite())) {
                return different(found, *expected);
            }
        }
        Ok(())
    }

    /// A vector whose length may change.
    ///
    /// # Errors
    /// If bytes are missing.
    pub fn growing(&mut self, x: &mut Vec<f64>) -> Result<(), BadCheckpoint> {
        let length = self.word(x.len() as u64)? as usize;
        if self.place.is_some_and(|place| length > (self.bytes.len() - place.min(self.bytes.len())) / 8) {
            return Err(BadCheckpoint::Corrupt);
        }
        x.resize(length, 0.0);
        x.iter_mut().try_for_each(|x| x.keep(self))
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What writes itself to an archive and reads itself from one.
pub trait Keep {
    /// Writes or reads, depending on the archive.
    ///
    /// # Errors
    /// If bytes are missing, or sizes differ.
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint>;
}

impl Keep for f64 {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        *self = f64::from_bits(archive.word(self.to_bits())?);
        Ok(())
    }
}

/// Counts and places beyond this are none that were counted: one more would not fit, or be nowhere.
const COUNTABLE: u64 = 1 << 48;

impl Keep for u64 {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        *self = archive.word(*self)?;
        if archive.is_reading() && *self >= COUNTABLE { Err(BadCheckpoint::Corrupt) } else { Ok(()) }
    }
}

impl Keep for usize {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut word = *self as u64;
        word.keep(archive)?;
        *self = word as usize;
        Ok(())
    }
}

impl Keep for bool {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        *self = match archive.word(u64::from(*self))? {
            0 => false,
            1 => true,
            _ => return Err(BadCheckpoint::Corrupt),
        };
        Ok(())
    }
}

impl<T: Keep + Default> Keep for Option<T> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut there = self.is_some();
        there.keep(archive)?;
        if !there {
            *self = None;
            return Ok(());
        }
        self.get_or_insert_default().keep(archive)
    }
}

impl<T: Keep> Keep for Vec<T> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        archive.same("size of a vector", self.len() as f64)?;
        self.iter_mut().try_for_each(|x| x.keep(archive))
    }
}

impl<T: Keep, const N: usize> Keep for [T; N] {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.iter_mut().try_for_each(|x| x.keep(archive))
    }
}

impl<T: Keep, U: Keep> Keep for (T, U) {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.0.keep(archive)?;
        self.1.keep(archive)
    }
}

impl Keep for State {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let State { t, q, v, a, lambda, psi } = self;
        t.keep(archive)?;
        for x in [q, v, a, lambda, psi] {
            x.keep(archive)?;
        }
        Ok(())
    }
}

/// Keeps one field after another.
macro_rules! keep {
    ($archive:expr; $($part:expr),* $(,)?) => {{
        $( $crate::checkpoint::Keep::keep(&mut $part, $archive)?; )*
        Ok(())
    }};
}
pub(crate) use keep;
