//! Rows as bare numbers, eight bytes each: what archives by columns are made from at the end.

use std::io::{self, BufReader, Read};

use super::{Head, Mark, Sink};
use crate::disk::Channel;

/// Writes rows as their bytes.
pub struct Spool<C> {
    out: C,
    rows: u64,
    bytes: u64,
}

impl<C: Channel> Spool<C> {
    /// To an empty file.
    pub fn new(out: C) -> Spool<C> {
        Spool { out, rows: 0, bytes: 0 }
    }
}

impl<C: Channel> Sink for Spool<C> {
    fn begin(&mut self, _: &Head) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, row: &[f64]) -> io::Result<()> {
        for value in row {
            self.out.write_all(&value.to_le_bytes())?;
        }
        self.rows += 1;
        self.bytes += 8 * row.len() as u64;
        Ok(())
    }

    fn mark(&mut self) -> io::Result<Mark> {
        self.out.flush()?;
        self.out.sync()?;
        Ok(Mark { rows: self.rows, bytes: self.bytes, tail: Vec::new() })
    }

    fn resume(&mut self, _: &Head, mark: &Mark) {
        (self.rows, self.bytes) = (mark.rows, mark.bytes);
    }

    fn end(&mut self) -> io::Result<()> {
        self.mark().map(|_| ())
    }
}

/// Shows the rows of a spool one by one; what follows the last whole one is left out.
///
/// # Errors
/// If it cannot be read, or who looks says so.
pub fn read_spool(spool: impl Read, width: usize, mut look: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
    let mut spool = BufReader::with_capacity(1 << 18, spool);
    let (mut bytes, mut row) = (vec![0; 8 * width], vec![0.0; width]);
    loop {
        match spool.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        for (value, bytes) in row.iter_mut().zip(bytes.chunks_exact(8)) {
            *value = f64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        look(&row)?;
    }
}
