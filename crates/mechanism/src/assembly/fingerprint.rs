//! A number that differs for other bodies, markers and ratios: checkpoints of another mechanism are refused by it, and buffers of
//! another one are made afresh. Laws are functions, and not looked into.

use super::Assembly;
use crate::support::Support;

/// FNV-1a over numbers.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn number(&mut self, x: f64) {
        self.word(x.to_bits());
    }

    fn support(&mut self, support: &Support) {
        support.nodes.iter().for_each(|node| self.word(*node as u64));
        for vector in &support.vectors {
            self.word(vector.slot as u64 + 8 * vector.what as u64);
            vector.arm.iter().for_each(|x| self.number(*x));
        }
    }
}

impl Assembly {
    /// Of all that is known.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        self.gravity.iter().for_each(|x| hash.number(*x));
        for (node, inertia) in self.nodes.iter().zip(self.inertias.iter()) {
            hash.word(node.kind as u64);
            hash.number(inertia.mass);
            inertia.moments.iter().flatten().for_each(|x| hash.number(*x));
        }
        for joint in self.joints.iter() {
            hash.support(&joint.support());
            for (row, _) in joint.rows() {
                hash.number(row.offset);
                hash.number(row.scale);
                for part in &row.parts {
                    hash.number(part.weight);
                    part.vectors.iter().for_each(|z| hash.word(u64::from(*z)));
                }
            }
        }
        for pull in &self.pulls {
            hash.support(&pull.support);
        }
        hash.0
    }
}
