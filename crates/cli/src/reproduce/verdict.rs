//! Whether the numbers are those that were expected.

use std::fmt;

/// A set of statements of one kind, each of which holds or not.
#[derive(Clone, Debug)]
pub struct Tally {
    /// One statement and many, with the verb: "error agrees to 3 digits", "errors agree to 3 digits".
    pub says: [&'static str; 2],
    /// How many were compared.
    pub compared: usize,
    /// Those that do not hold: what was found, what was expected.
    pub disagreements: Vec<String>,
}

impl Tally {
    /// Nothing compared yet.
    pub fn new(says: [&'static str; 2]) -> Tally {
        Tally { says, compared: 0, disagreements: Vec::new() }
    }

    /// Adds a statement; an error says why it does not hold.
    pub fn add(&mut self, statement: Result<(), String>) {
        self.compared += 1;
        self.disagreements.extend(statement.err());
    }
}

/// All statements about one experiment.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub tallies: Vec<Tally>,
}

impl Verdict {
    /// How many statements do not hold.
    pub fn disagreements(&self) -> usize {
        self.tallies.iter().map(|tally| tally.disagreements.len()).sum()
    }

    /// How many were compared.
    pub fn compared(&self) -> usize {
        self.tallies.iter().map(|tally| tally.compared).sum()
    }
}

/// One line of counts, then a line for each disagreement.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let counts: Vec<String> = self
            .tallies
            .iter()
            .filter(|tally| tally.compared > 0)
            .map(|tally| {
                let agree = tally.compared - tally.disagreements.len();
                format!("{agree} of {} {}", tally.compared, tally.says[usize::from(tally.compared != 1)])
            })
            .collect();
        writeln!(f, "{}", if counts.is_empty() { "nothing to compare".to_owned() } else { counts.join(", ") })?;
        for disagreement in self.tallies.iter().flat_map(|tally| &tally.disagreements) {
            writeln!(f, "  disagrees: {disagreement}")?;
        }
        Ok(())
    }
}

/// Agreement to three significant digits: as far off as rounding to the third may be, and a tenth of that for an
/// expected number which was itself rounded to four.
pub fn same_three_digits(found: f64, expected: f64) -> bool {
    let unit = 10f64.powf(expected.abs().log10().floor() - 2.0);
    (found - expected).abs() <= 0.5 * unit + 0.05 * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_mean_three_digits() {
        assert!(same_three_digits(1.2344e-3, 1.234e-3));
        assert!(!same_three_digits(1.245e-3, 1.234e-3));
        assert!(!same_three_digits(9.87e-4, 9.97e-4));
        assert!(!same_three_digits(f64::NAN, 1.0));
    }

    #[test]
    fn counts_and_disagreements_are_told() {
        let mut errors = Tally::new(["error agrees", "errors agree"]);
        errors.add(Ok(()));
        errors.add(Err("error of q: 2, expected 1".to_owned()));
        let mut orders = Tally::new(["order is right", "orders are right"]);
        orders.add(Ok(()));
        let verdict = Verdict { tallies: vec![errors, Tally::new(["", ""]), orders] };
        assert_eq!(
            verdict.to_string(),
            "1 of 2 errors agree, 1 of 1 order is right\n  disagrees: error of q: 2, expected 1\n"
        );
        assert_eq!((verdict.compared(), verdict.disagreements()), (3, 1));
    }
}
