//! `[scenarios.fast]`: other runs, parameters and starts of the same model, by name.

use toml::de::DeValue;

use crate::document::{Document, Entry, entries, kind};
use crate::format;
use crate::run::SCENARIO;
use crate::text::Collector;

/// Sections of which a scenario may have entries, each in a table of its own.
const TABLES: [&str; 3] = ["parameters", "initial", "start"];

/// Takes over the entries of the scenario that a setting chooses; its name, and the settings that are left.
pub(crate) fn choose<'d>(
    document: &mut Document<'d>,
    settings: &[(String, String)],
    mistakes: &mut Collector,
) -> (Option<String>, Vec<(String, String)>) {
    let (chosen, left): (Vec<_>, Vec<_>) = settings.iter().cloned().partition(|(name, _)| name == SCENARIO);
    let chosen = chosen.into_iter().next_back().map(|(_, name)| name);
    let scenarios: Vec<Entry<'d>> = document.section("scenarios").to_vec();
    // All of them are looked at, so that a mistake does not wait for the day it is chosen.
    for scenario in &scenarios {
        let DeValue::Table(table) = scenario.value else {
            let hint = format!("write [scenarios.{}] and its keys below", scenario.key);
            let message = format!("a scenario must be a table, found {}", kind(scenario.value));
            mistakes.add(scenario.span, message, Some(hint));
            continue;
        };
        let (mut run, mut others) = (Vec::new(), Vec::new());
        for entry in entries(table) {
            let keys = format::find("run").map_or(&[][..], |section| section.keys);
            match (TABLES.iter().find(|name| **name == entry.key), entry.value) {
                (Some(section), DeValue::Table(table)) => others.push((*section, entries(table))),
                (Some(section), _) => {
                    let hint = format!("write {section} = {{ … }}");
                    mistakes.add(entry.span, format!("`{section}` of a scenario must be a table"), Some(hint));
                }
                (None, _) if keys.iter().any(|key| key.name == entry.key) => run.push(entry),
                (None, _) => {
                    let known = keys.iter().map(|key| key.name).chain(TABLES);
                    mistakes.unknown(entry.key_span, "key of a scenario", entry.key, known);
                }
            }
        }
        if chosen.as_deref() == Some(scenario.key) {
            document.override_with("run", run);
            others.into_iter().for_each(|(section, entries)| document.override_with(section, entries));
        }
    }
    if let Some(name) = &chosen
        && !scenarios.iter().any(|scenario| scenario.key == name)
    {
        let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.key).collect();
        let hint = match known.is_empty() {
            true => "the file has no [scenarios]".to_owned(),
            false => format!("the scenarios are {}", known.join(", ")),
        };
        mistakes.add(None, format!("there is no scenario `{name}`"), Some(hint));
    }
    (chosen, left)
}
