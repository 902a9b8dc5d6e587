//! Random parameters, as `m = { normal = [1, 0.1] }`, and their seed.

use toml::de::DeValue;

use crate::document::{Document, Entry, entries};
use crate::formula::{self, Place};
use crate::random::Distribution;
use crate::scope::Scope;

/// The setting that changes the seed, where no parameter has this name.
const SEED: &str = "seed";

/// Defines the parameters that are tables. Returns the settings that are left: one of the seed is used here.
pub(crate) fn define(document: &Document, settings: &[(String, String)], scope: &mut Scope) -> Vec<(String, String)> {
    let is_random = |entry: &&Entry| entry.value.is_table();
    let random: Vec<&Entry> = document.section("parameters").iter().filter(is_random).collect();
    let own = document.section("parameters").iter().any(|entry| entry.key == SEED);
    let mut left = settings.to_vec();
    let mut seed = match document.find("run", SEED) {
        Some(entry) => super::run::number(document, scope, &entry).and_then(|value| whole(value, &entry, scope)),
        None => Some(0),
    };
    if !random.is_empty() && !own {
        if let Some((_, text)) = settings.iter().rev().find(|(name, _)| name == SEED) {
            let value = text.parse::<f64>().ok().filter(|x| x.fract() == 0.0 && (0.0..=MOST).contains(x));
            if value.is_none() {
                let hint = "it is a whole number from 0 on".to_owned();
                scope.mistakes.add(None, format!("cannot set the seed to `{text}`"), Some(hint));
            }
            seed = value.map(|value| value as u64);
        }
        left.retain(|(name, _)| name != SEED);
    }
    for entry in random {
        if !document.named(entry, scope.mistakes) {
            continue;
        }
        let Some(distribution) = distribution(document, entry, scope) else { continue };
        let value = distribution.number(seed.unwrap_or(0), entry.key);
        // A number is a formula; its digits read back to the same bits.
        let place = Place { base: None, whole: entry.span };
        if let Ok(formula) = formula::parse(&format!("({value:e})"), place) {
            scope.define(entry.key, entry.key_span, &[(formula, entry.span)], false, true);
        }
    }
    left
}

/// Whole numbers up to here are exact.
const MOST: f64 = 9e15;

fn whole(value: f64, entry: &Entry, scope: &mut Scope) -> Option<u64> {
    if value.fract() != 0.0 || !(0.0..=MOST).contains(&value) {
        scope.mistakes.add(
            entry.span,
            format!("`seed` must be a whole number from 0 on, not {value}"),
            Some("write seed = 7".to_owned()),
        );
        return None;
    }
    Some(value as u64)
}

fn distribution(document: &Document, entry: &Entry, scope: &mut Scope) -> Option<Distribution> {
    let hint = || Some(format!("write {} = {{ normal = [1, 0.1] }} or {{ uniform = [0.9, 1.1] }}", entry.key));
    let DeValue::Table(table) = entry.value else { return None };
    let keys = entries(table);
    let [how] = &keys[..] else {
        scope.mistakes.add(entry.span, "a random parameter has one distribution".to_owned(), hint());
        return None;
    };
    if !["normal", "uniform"].contains(&how.key) {
        scope.mistakes.add(how.key_span, format!("unknown distribution `{}`", how.key), hint());
        return None;
    }
    let items = document.items(how, scope.mistakes)?;
    let mut values = Vec::new();
    for item in &items {
        let node = scope.node(&item.formula.body, &mut Vec::new())?;
        match scope.graph.value(node).filter(|x| x.is_finite()) {
            Some(value) => values.push(value),
            None => scope.mistakes.add(item.span, "this must be a finite constant".to_owned(), None),
        }
    }
    match (how.key, &values[..]) {
        ("normal", [mean, deviation]) if *deviation >= 0.0 => Some(Distribution::Normal(*mean, *deviation)),
        ("uniform", [from, to]) if from <= to => Some(Distribution::Uniform(*from, *to)),
        _ if values.len() < items.len() => None,
        ("normal", _) => {
            let message = "`normal` holds a mean and a standard deviation that is not negative".to_owned();
            scope.mistakes.add(how.span, message, hint());
            None
        }
        _ => {
            scope.mistakes.add(how.span, "`uniform` holds two ends in increasing order".to_owned(), hint());
            None
        }
    }
}
