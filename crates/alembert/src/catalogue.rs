//! The one table of methods: what each is called, when to use it, its parameters with their ranges, and how to make it.
//!
//! Model files, their schema, the help of the command line, comparisons and the table in `docs/methods.md` are made from it. A new
//! method is its own file, a file here that describes it, and a line in [`METHODS`].

mod bdf;
mod hht;
mod radau;
mod soi2;
mod text;

use std::collections::BTreeMap;

use crate::method::{BadMethod, Scheme};

pub use text::{help, markdown};

/// Every method; the first is the one to try first.
pub const METHODS: &[Entry] = &[radau::ENTRY, bdf::ENTRY, soi2::ENTRY, hht::ENTRY];

/// A method of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// What it is, and when to use it.
    pub says: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Makes it.
    pub build: Build,
    /// The variants that take part in comparisons.
    pub variants: &'static [Variant],
}

/// Makes a method from its parameters, for steps that meet a relative tolerance, or for prescribed ones if there is none.
pub type Build = fn(&Parameters, Option<f64>) -> Result<Box<dyn Scheme>, BadMethod>;

/// A parameter of a method, which is a key of model files.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub allowed: Allowed,
    /// What it means.
    pub says: &'static str,
    /// The same in a few words, with its range.
    pub brief: &'static str,
}

/// What a parameter may be. Ranges of numbers are checked by the method itself, which names the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// A number.
    Number,
    /// A whole number, or "auto".
    WholeOrAuto,
    /// true or false.
    Flag,
    /// One of some words.
    Choice(&'static [&'static str]),
}

/// A method with some parameters, as comparisons run it.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// Its name in figures.
    pub label: &'static str,
    /// Parameters that are not as usual.
    pub parameters: &'static [(&'static str, Value)],
    /// How far it can go.
    pub reach: Reach,
}

/// What accuracy a method is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All tolerances.
    Fine,
    /// Tolerances down to 1e-9: below, a low order takes too many steps to be of use.
    Coarse,
    /// Prescribed steps: order 2 is compared at equal steps.
    Steps,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(usize),
    /// true or false.
    Flag(bool),
    /// One of some words.
    Word(&'static str),
}

/// Parameters as they are given; those that are not given have their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    given: BTreeMap<&'static str, Value>,
}

impl Parameters {
    /// The same with another parameter.
    pub fn with(mut self, name: &'static str, value: Value) -> Self {
        self.given.insert(name, value);
        self
    }

    /// Whether it is given.
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.given.get(name) {
            Some(Value::Number(value)) => Some(*value),
            Some(Value::Whole(value)) => Some(*value as f64),
            _ => None,
        }
    }

    /// A whole number.
    pub fn whole(&self, name: &str) -> Option<usize> {
        match self.given.get(name) {
            Some(Value::Whole(value)) => Some(*value),
            _ => None,
        }
    }

    /// true or false.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.given.get(name) {
            Some(Value::Flag(value)) => Some(*value),
            _ => None,
        }
    }

    /// A word.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.given.get(name) {
            Some(Value::Word(value)) => Some(value),
            _ => None,
        }
    }
}

/// The method of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    METHODS.iter().find(|entry| entry.name == name)
}

/// The names of all methods.
pub fn names() -> Vec<&'static str> {
    METHODS.iter().map(|entry| entry.name).collect()
}

/// All variants, each with the method it is one of.
pub fn variants() -> impl Iterator<Item = (&'static Entry, &'static Variant)> {
    METHODS.iter().flat_map(|entry| entry.variants.iter().map(move |variant| (entry, variant)))
}

impl Entry {
    /// The parameter of a name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// A variant of it, for steps that meet a relative tolerance, or for prescribed ones.
    ///
    /// # Errors
    /// If the table is wrong.
    pub fn build_variant(&self, variant: &Variant, rtol: Option<f64>) -> Result<Box<dyn Scheme>, BadMethod> {
        let given = variant.parameters.iter();
        let parameters = given.fold(Parameters::default(), |all, (name, value)| all.with(name, *value));
        (self.build)(&parameters, rtol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_and_every_variant_can_be_made() {
        for entry in METHODS {
            for rtol in [None, Some(1e-3), Some(1e-12)] {
                assert!((entry.build)(&Parameters::default(), rtol).is_ok(), "{} at {rtol:?}", entry.name);
                for variant in entry.variants {
                    assert!(entry.build_variant(variant, rtol).is_ok(), "{} at {rtol:?}", variant.name);
                }
            }
        }
        let mut names: Vec<&str> = variants().map(|(_, variant)| variant.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), variants().count(), "variants have different names");
    }

    /// If a word of a choice made no difference, the builder would not know it.
    #[test]
    fn words_and_numbers_out_of_range_are_refused_by_name() {
        for (method, name, value) in [
            ("radau", "stages", Value::Whole(1)),
            ("radau", "stages", Value::Whole(10)),
            ("bdf", "order", Value::Whole(0)),
            ("bdf", "order", Value::Whole(7)),
            ("soi2", "rho_infinity", Value::Number(1.1)),
            ("soi2", "largest_ratio", Value::Number(0.5)),
            ("hht", "alpha", Value::Number(0.1)),
            ("hht", "b", Value::Number(0.5)),
            ("hht", "largest_ratio", Value::Number(0.5)),
        ] {
            let entry = find(method).expect("known");
            assert!(entry.parameter(name).is_some(), "{method} has {name}");
            let bad = (entry.build)(&Parameters::default().with(name, value), None).err();
            let blamed = bad.as_ref().and_then(BadMethod::parameter);
            assert!(blamed.is_some(), "{method}, {name} = {value:?}: {bad:?}");
        }
    }
}
