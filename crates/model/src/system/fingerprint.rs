//! A number that tells systems apart.

use std::fmt::{self, Write};
use std::sync::Arc;

use alembert::{ConstrainedSystem, Quantity};

use super::System;
use crate::table::Table;

impl System {
    /// The same for the same formulas, parameters and points of tables, on every machine.
    pub(super) fn fingerprint(&self, tables: &[Arc<Table>]) -> u64 {
        let mut sum = Fnv(0xcbf2_9ce4_8422_2325);
        use Quantity::{Force, Holonomic, Mass, Nonholonomic, Rate, Reaction};
        for quantity in [Mass, Force, Holonomic, Nonholonomic, Reaction, Rate] {
            if let Some(tape) = &self.alone[quantity as usize] {
                // A sum has no errors.
                let _ = tape.list(&mut sum);
            }
        }
        if let Some(beneath) = &self.beneath {
            let _ = write!(sum, "{}", beneath.mechanism.system().description().fingerprint);
        }
        // Events may use tables, too.
        tables.iter().for_each(|table| {
            let _ = table.list(&mut sum);
        });
        sum.0
    }
}

/// FNV-1a.
struct Fnv(u64);

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = text.bytes().fold(self.0, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Ok(())
    }
}
