//! `include` at the top of a file: parameters from files beside it.

use toml::de::{DeTable, DeValue};

use crate::document::{Document, Entry, entries};
use crate::scope::Scope;
use crate::source::{Source, why_not};
use crate::text::Span;

/// Defines the parameters of the files that are named. Those of the file itself win, and of the others the later ones.
pub(crate) fn read(document: &Document, source: &dyn Source, scope: &mut Scope) {
    let Some(entry) = document.find("", "include") else { return };
    let mut names: Vec<(String, Span)> = Vec::new();
    match entry.value {
        DeValue::Array(array) => {
            for value in array.iter() {
                let span = Span::from(value.span());
                let one = Entry { value: value.get_ref(), span, ..entry };
                names.extend(document.words(&one, scope.mistakes).map(|name| (name, span)));
            }
        }
        _ => names.extend(document.words(&entry, scope.mistakes).map(|name| (name, entry.span))),
    }
    let own: Vec<&str> = document.section("parameters").iter().map(|entry| entry.key).collect();
    let mut known: Vec<String> = Vec::new();
    // Later files first: who comes second finds its names taken.
    for (name, span) in names.iter().rev() {
        one(document, source, (name, *span), &own, &mut known, scope);
    }
}

fn one(
    document: &Document,
    source: &dyn Source,
    (name, span): (&str, Span),
    own: &[&str],
    known: &mut Vec<String>,
    scope: &mut Scope,
) {
    let refused = |why: &str| format!("cannot include `{name}`: {why}");
    if let Some(why) = why_not(name) {
        scope.mistakes.add(span, refused(why), Some("name a file beside the model".to_owned()));
        return;
    }
    let text = match source.read(name).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => return scope.mistakes.add(span, refused("it is not text"), None),
        Err(why) => {
            let hint = "name a TOML file with [parameters] beside the model".to_owned();
            return scope.mistakes.add(span, refused(&why), Some(hint));
        }
    };
    let root = match DeTable::parse(&text) {
        Ok(root) => root,
        Err(error) => {
            let why = format!("it is not TOML: {}", error.message());
            return scope.mistakes.add(span, refused(&why), None);
        }
    };
    for section in entries(root.get_ref()) {
        let (DeValue::Table(table), "parameters") = (section.value, section.key) else {
            let hint = "an included file has [parameters] and nothing else".to_owned();
            scope.mistakes.add(span, refused(&format!("it has `{}`", section.key)), Some(hint));
            continue;
        };
        for entry in entries(table) {
            if own.contains(&entry.key) || known.iter().any(|known| known == entry.key) {
                continue;
            }
            known.push(entry.key.to_owned());
            // Places are those of the line that includes: the other text is not shown.
            let value = Entry { key_span: span, span, ..entry };
            if !document.named(&value, scope.mistakes) {
                continue;
            }
            if entry.value.is_array() {
                if let Some(items) = document.items(&value, scope.mistakes) {
                    let formulas: Vec<_> = items.into_iter().map(|item| (item.formula, span)).collect();
                    scope.define(entry.key, span, &formulas, true, true);
                }
            } else if let Some(formula) = document.formula(entry.value, span, scope.mistakes) {
                scope.define(entry.key, span, &[(formula, span)], false, true);
            }
        }
    }
}
