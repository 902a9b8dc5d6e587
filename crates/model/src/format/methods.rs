//! The keys of `[run]` that belong to methods, from their table.

use alembert::catalogue::{Allowed, Entry, METHODS, Parameter, names};

use super::{Holds, Key};

/// The key that names the method.
pub(super) fn choice() -> Key {
    let says = format!("the method; `{}` if omitted", METHODS[0].name);
    Key { name: "method", holds: Holds::Choice(names().leak()), says: says.leak() }
}

/// The keys of all methods, in the order of the table. Methods that share a key are named together.
pub(super) fn keys() -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for parameter in METHODS.iter().flat_map(|entry| entry.parameters) {
        if keys.iter().all(|key| key.name != parameter.name) {
            keys.push(key(parameter.name));
        }
    }
    keys
}

/// The methods with a parameter of this name.
pub(crate) fn owners(name: &str) -> Vec<(&'static Entry, &'static Parameter)> {
    METHODS.iter().filter_map(|entry| Some((entry, entry.parameter(name)?))).collect()
}

fn key(name: &'static str) -> Key {
    // Methods for which it means the same, and what it means.
    let mut meanings: Vec<(Vec<&str>, &str)> = Vec::new();
    let mut words: Vec<&'static str> = Vec::new();
    let mut holds = Holds::Number;
    for (entry, parameter) in owners(name) {
        match meanings.iter_mut().find(|(_, says)| *says == parameter.says) {
            Some((methods, _)) => methods.push(entry.name),
            None => meanings.push((vec![entry.name], parameter.says)),
        }
        holds = match parameter.allowed {
            Allowed::Number => Holds::Number,
            Allowed::WholeOrAuto => Holds::NumberOrAuto,
            Allowed::Flag => Holds::Flag,
            Allowed::Choice(choices) => {
                words.extend(choices.iter().filter(|word| !words.contains(word)).collect::<Vec<_>>());
                Holds::Choice(words.clone().leak())
            }
        };
    }
    let says: Vec<String> = meanings.iter().map(|(methods, says)| format!("{}: {says}", methods.join(", "))).collect();
    Key { name, holds, says: says.join("; ").leak() }
}
