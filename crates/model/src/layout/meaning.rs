//! Whether two texts say the same: values are equal, and strings and keys too, or formulas that differ in spaces only.

use toml::de::{DeTable, DeValue};

use crate::document::entries;
use crate::formula::same_formula;

pub(super) fn is_same(one: &str, other: &str) -> bool {
    match (DeTable::parse(one), DeTable::parse(other)) {
        (Ok(one), Ok(other)) => are_same_tables(one.get_ref(), other.get_ref(), true),
        _ => false,
    }
}

/// Entries of both, those of one name together: sections and keys that the format knows have changed places.
fn are_same_tables<'d>(one: &'d DeTable<'d>, other: &'d DeTable<'d>, top: bool) -> bool {
    let (mut one, mut other) = (entries(one), entries(other));
    let is_alike = |a: &str, b: &str| a == b || (!top && same_formula(a, b));
    if !one.iter().zip(&other).all(|(one, other)| is_alike(one.key, other.key)) {
        one.sort_by_key(|entry| entry.key);
        other.sort_by_key(|entry| entry.key);
    }
    one.len() == other.len()
        && one.iter().zip(&other).all(|(one, other)| is_alike(one.key, other.key) && are_same(one.value, other.value))
}

fn are_same<'d>(one: &'d DeValue<'d>, other: &'d DeValue<'d>) -> bool {
    match (one, other) {
        (DeValue::String(one), DeValue::String(other)) => one == other || same_formula(one, other),
        (DeValue::Integer(one), DeValue::Integer(other)) => {
            one.as_str() == other.as_str() && one.radix() == other.radix()
        }
        (DeValue::Float(one), DeValue::Float(other)) => one.as_str() == other.as_str(),
        (DeValue::Boolean(one), DeValue::Boolean(other)) => one == other,
        (DeValue::Datetime(one), DeValue::Datetime(other)) => one == other,
        (DeValue::Array(one), DeValue::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other.iter()).all(|(one, other)| are_same(one.get_ref(), other.get_ref()))
        }
        (DeValue::Table(one), DeValue::Table(other)) => are_same_tables(one, other, false),
        _ => false,
    }
}
