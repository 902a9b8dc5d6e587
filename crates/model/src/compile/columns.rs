//! `columns` of `[run]`: which columns a result has.

use toml::de::DeValue;

use crate::document::Document;
use crate::model::Names;
use crate::scope::Scope;
use crate::text::Span;

/// The names of the columns that are wanted, entries of vectors one by one; none for all.
pub(crate) fn read(document: &Document, names: &Names, scope: &mut Scope) -> Option<Vec<String>> {
    let entry = document.find("run", "columns")?;
    let DeValue::Array(array) = entry.value else {
        let hint = "write columns = [\"x\", \"x'\"]".to_owned();
        scope.mistakes.add(entry.span, "`columns` must be a list of names".to_owned(), Some(hint));
        return None;
    };
    let mut found = Vec::new();
    for value in array.iter() {
        let span = Span::from(value.span());
        let DeValue::String(name) = value.get_ref() else {
            scope.mistakes.add(span, "a name must be a string".to_owned(), Some("put it in quotes".to_owned()));
            continue;
        };
        match names.chosen(name) {
            Some(chosen) => found.extend(chosen),
            None => scope.mistakes.unknown_of(span, "column", name, &names.columns()),
        }
    }
    Some(found)
}
