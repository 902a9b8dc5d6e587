//! Hashes of operations: a few small numbers each, millions of them. The standard hasher takes a tenth of the time in which a
//! large model is loaded.

use std::hash::Hasher;

/// 2^64 divided by the golden ratio: multiples of it are spread evenly.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes numbers by multiplication.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(SPREAD);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    /// The high bits are the mixed ones; tables use the low ones as well.
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash;

    #[test]
    fn neighbours_are_spread() {
        let hash = |a: u32, b: u32| {
            let mut mixer = Mixer::default();
            (7_u8, a, b).hash(&mut mixer);
            mixer.finish()
        };
        // Low bits, which choose a place, of all pairs of 300 numbers: about as many places as for random numbers.
        let places: HashSet<u64> = (0..300).flat_map(|a| (0..300).map(move |b| hash(a, b) & 0x3_ffff)).collect();
        assert!(places.len() > 70_000, "{}", places.len());
    }
}
