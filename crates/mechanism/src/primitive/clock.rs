//! f(t): what a driver prescribes.

use std::sync::Arc;

use super::Primitive;
use crate::expansion::{Share, Vectors};
use crate::formal::{Formal, Setting, Triple};
use crate::law::TimeLaw;

/// A function of time alone. In a nonholonomic row it is what does not depend on velocities.
#[derive(Clone, Debug)]
pub struct Clock {
    /// f.
    pub law: Arc<dyn TimeLaw>,
}

impl Primitive for Clock {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[]
    }

    fn expand(&self, t: f64, _: &Vectors, share: &mut Share) {
        let [f, f1, f2] = self.law.at(t);
        share.value(f);
        share.time(f1, f2);
    }

    fn formal(&self, _: &mut dyn Setting, _: &[Triple]) -> Option<Formal> {
        // It has no vectors, so that it pulls at nothing; its value is a function that a program gives.
        Some(Formal { value: None, gradient: Vec::new() })
    }
}
