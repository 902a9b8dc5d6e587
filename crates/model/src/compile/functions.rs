//! The `[functions]` section: `"f(x, y)" = "…"`, or `f = { of = ["x", "y"], formula = "…" }`.

use toml::de::DeValue;

use crate::document::{Document, Entry, entries};
use crate::formula::Formula;
use crate::scope::Scope;
use crate::text::Span;

pub(crate) fn read(document: &Document, scope: &mut Scope) {
    for entry in document.section("functions") {
        let function = match entry.value {
            DeValue::Table(_) => table(document, entry, scope),
            _ => signature(document, entry, scope),
        };
        if let Some((name, arguments, formula)) = function {
            scope.add_function(&name, arguments, formula.body, entry.key_span);
        }
    }
}

type Parsed = (String, Vec<String>, Formula);

fn signature(document: &Document, entry: &Entry, scope: &mut Scope) -> Option<Parsed> {
    let parsed = document.signature(entry, scope.mistakes);
    let formula = document.single(entry.value, entry.span, scope.mistakes);
    let (name, arguments) = parsed?;
    Some((name, arguments, formula?))
}

fn table(document: &Document, entry: &Entry, scope: &mut Scope) -> Option<Parsed> {
    let hint = || Some(format!("write {} = {{ of = [\"x\"], formula = \"…\" }}", entry.key));
    let named = document.named(entry, scope.mistakes);
    let (mut arguments, mut formula) = (None, None);
    for part in entries(entry.value.as_table()?) {
        match part.key {
            "of" => arguments = Some(names(document, &part, scope)?),
            "formula" => formula = Some(document.single(part.value, part.span, scope.mistakes)?),
            other => scope.mistakes.unknown(part.key_span, "key", other, ["of", "formula"]),
        }
    }
    if arguments.is_none() || formula.is_none() {
        let message = format!("the function `{}` needs `of` and `formula`", entry.key);
        scope.mistakes.add(entry.span, message, hint());
    }
    named.then_some((entry.key.to_owned(), arguments?, formula?))
}

fn names(document: &Document, entry: &Entry, scope: &mut Scope) -> Option<Vec<String>> {
    let declared = document.names(entry, scope.mistakes)?;
    let mut found = Vec::new();
    for name in declared {
        if name.range.is_some() {
            let hint = Some("an argument is a number or a triple".to_owned());
            scope.mistakes.add(name.span, "an argument cannot be a vector".to_owned(), hint);
            return None;
        }
        found.push(name.name);
    }
    if found.is_empty() {
        no_arguments(entry.span, scope);
        return None;
    }
    Some(found)
}

fn no_arguments(span: Span, scope: &mut Scope) {
    let hint = Some("what has no arguments is a definition".to_owned());
    scope.mistakes.add(span, "the function has no arguments".to_owned(), hint);
}
