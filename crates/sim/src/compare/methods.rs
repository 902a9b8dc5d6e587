//! The methods that can be compared: the variants of the table of methods, each with the ladder it is run over.

use alembert::catalogue::{Entry, Reach, Variant, variants};
use alembert::method::{BadMethod, Scheme};

/// A method and the ladder it is run over.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// Its name in figures.
    pub label: &'static str,
    entry: &'static Entry,
    variant: &'static Variant,
}

/// What grows finer from run to run.
#[derive(Clone, Copy, Debug)]
pub enum Ladder {
    /// Tolerances, relative and absolute alike.
    Tolerances(&'static [f64]),
    /// Numbers of equal steps.
    Steps(&'static [u32]),
}

const FINE: Ladder = Ladder::Tolerances(&[1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12]);
const COARSE: Ladder = Ladder::Tolerances(&[1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]);
const STEPS: Ladder = Ladder::Steps(&[250, 500, 1000, 2000, 4000, 8000, 16000]);

/// Every method.
pub fn methods() -> Vec<Candidate> {
    let named = |(entry, variant): (&'static Entry, &'static Variant)| {
        let Variant { name, label, .. } = *variant;
        Candidate { name, label, entry, variant }
    };
    variants().map(named).collect()
}

impl Candidate {
    /// What it is run with.
    pub fn ladder(&self) -> Ladder {
        match self.variant.reach {
            Reach::Fine => FINE,
            Reach::Coarse => COARSE,
            Reach::Steps => STEPS,
        }
    }

    /// Makes it, for a tolerance or for prescribed steps.
    ///
    /// # Errors
    /// If the table is wrong.
    pub fn scheme(&self, rtol: Option<f64>) -> Result<Box<dyn Scheme>, BadMethod> {
        self.entry.build_variant(self.variant, rtol)
    }
}
