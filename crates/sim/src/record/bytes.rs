//! Numbers and words as bytes and back. Lengths are checked beside what there is before anything is taken.

use alembert::State;

/// Bytes end where more are needed, or are none that were written here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut;

/// Bytes that are being written.
#[derive(Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// A whole number.
    pub fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    /// Bytes with their length before them.
    pub fn block(&mut self, block: &[u8]) {
        self.word(block.len() as u64);
        self.0.extend(block);
    }

    /// Numbers with their count before them.
    pub fn numbers(&mut self, numbers: &[f64]) {
        self.word(numbers.len() as u64);
        self.0.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    }

    /// A state.
    pub fn state(&mut self, State { t, q, v, a, lambda, psi }: &State) {
        self.numbers(&[*t]);
        [q, v, a, lambda, psi].into_iter().for_each(|part| self.numbers(part));
    }
}

/// Bytes that are being read.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Cut> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Cut)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A whole number.
    ///
    /// # Errors
    /// If there is none.
    pub fn word(&mut self) -> Result<u64, Cut> {
        self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| Cut)
    }

    /// Bytes with their length before them.
    ///
    /// # Errors
    /// If some are missing.
    pub fn block(&mut self) -> Result<&'a [u8], Cut> {
        let count = self.word()?;
        self.take(usize::try_from(count).map_err(|_| Cut)?)
    }

    /// Numbers with their count before them.
    ///
    /// # Errors
    /// If some are missing.
    pub fn numbers(&mut self) -> Result<Vec<f64>, Cut> {
        let count = usize::try_from(self.word()?).map_err(|_| Cut)?;
        let bytes = self.take(count.checked_mul(8).ok_or(Cut)?)?;
        Ok(bytes.chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().unwrap_or_default())).collect())
    }

    /// A state, in the place of another one of the same sizes.
    ///
    /// # Errors
    /// If numbers are missing, or sizes differ.
    pub fn state(&mut self, State { t, q, v, a, lambda, psi }: &mut State) -> Result<(), Cut> {
        *t = self.numbers()?.first().copied().ok_or(Cut)?;
        for part in [q, v, a, lambda, psi] {
            let saved = self.numbers()?;
            if saved.len() != part.len() {
                return Err(Cut);
            }
            *part = saved;
        }
        Ok(())
    }
}

/// A checksum, FNV-1a.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
