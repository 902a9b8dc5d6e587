//! A model file as sections of entries, every key known, every value with its place.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::format::{self, Section, sections};
use crate::formula::{self, Declaration, Formula, Place};
use crate::scope;
use crate::text::{Collector, Span};

/// Sections that only a file without bodies must have.
pub(crate) const OF_EQUATIONS: [&str; 2] = ["variables", "equations"];

/// A key with its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'d> {
    pub key: &'d str,
    pub key_span: Span,
    pub value: &'d DeValue<'d>,
    pub span: Span,
}

/// A list entry: a formula that may have a name.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub formula: Formula,
    pub name: Option<String>,
    pub span: Span,
}

/// The entries of all sections, each in the order of the file.
pub(crate) struct Document<'d> {
    text: &'d str,
    sections: Vec<(&'static str, Vec<Entry<'d>>)>,
}

impl<'d> Document<'d> {
    pub fn read(text: &'d str, root: &'d DeTable<'d>, mistakes: &mut Collector) -> Document<'d> {
        let mut document = Document { text, sections: Vec::new() };
        let mut top = Vec::new();
        for entry in entries(root) {
            match (entry.value, format::find(entry.key).filter(|section| !section.name.is_empty())) {
                (DeValue::Table(table), Some(section)) if !section.repeated => document.take(section, table, mistakes),
                (DeValue::Array(array), Some(section)) if section.repeated => {
                    for element in array.iter() {
                        match element.get_ref() {
                            DeValue::Table(table) => document.take(section, table, mistakes),
                            _ => mistakes.add(
                                Span::from(element.span()),
                                format!("`{}` holds tables", section.name),
                                Some(format!("write [[{}]]", section.name)),
                            ),
                        }
                    }
                }
                (_, Some(section)) => {
                    let bracket = if section.repeated { ("[[", "]]") } else { ("[", "]") };
                    let hint = format!("write {}{}{} and its keys below", bracket.0, section.name, bracket.1);
                    mistakes.add(entry.key_span, format!("`{}` is a section", section.name), Some(hint));
                }
                (DeValue::Table(_), None) => {
                    let known = sections().iter().map(|section| section.name);
                    mistakes.unknown(entry.key_span, "section", entry.key, known);
                }
                (_, None) => top.push(entry),
            }
        }
        let here = &sections()[0];
        top.retain(|entry| known(here, entry, mistakes));
        document.sections.push(("", top));
        let mechanism = document.repeated("bodies").next().is_some();
        for section in sections().iter().filter(|section| section.required && !section.name.is_empty()) {
            // Bodies and joints are variables and equations.
            if mechanism && OF_EQUATIONS.contains(&section.name) {
                continue;
            }
            if !document.sections.iter().any(|(name, _)| *name == section.name) {
                mistakes.add(None, format!("the section [{}] is missing", section.name), None);
            }
        }
        document
    }

    fn take(&mut self, section: &'static Section, table: &'d DeTable<'d>, mistakes: &mut Collector) {
        let mut found = entries(table);
        found.retain(|entry| known(section, entry, mistakes));
        self.sections.push((section.name, found));
    }

    /// The entries of a section.
    pub fn section(&self, name: &str) -> &[Entry<'d>] {
        self.sections.iter().find(|(known, _)| *known == name).map_or(&[], |(_, entries)| entries)
    }

    /// Puts entries in the place of those with the same keys, or behind them.
    pub fn override_with(&mut self, section: &'static str, entries: Vec<Entry<'d>>) {
        if !self.sections.iter().any(|(name, _)| *name == section) {
            self.sections.push((section, Vec::new()));
        }
        let Some((_, own)) = self.sections.iter_mut().find(|(name, _)| *name == section) else { return };
        for entry in entries {
            match own.iter_mut().find(|known| known.key == entry.key) {
                Some(known) => *known = entry,
                None => own.push(entry),
            }
        }
    }

    /// All sections of one name.
    pub fn repeated(&self, name: &'static str) -> impl Iterator<Item = &[Entry<'d>]> {
        self.sections.iter().filter(move |(known, _)| *known == name).map(|(_, entries)| entries.as_slice())
    }

    /// An entry of a section.
    pub fn find(&self, section: &str, key: &str) -> Option<Entry<'d>> {
        self.section(section).iter().find(|entry| entry.key == key).copied()
    }

    /// Where the text of a string is.
    pub fn place(&self, content: &str, whole: Span) -> Place {
        let raw = self.text.get(whole.start..whole.end).unwrap_or("");
        let offset =
            [1, 3, 4, 5, 0].into_iter().find(|&offset| raw.get(offset..offset + content.len()) == Some(content));
        Place { base: offset.map(|offset| whole.start + offset), whole }
    }

    /// A name or words of one line.
    pub fn words(&self, entry: &Entry, mistakes: &mut Collector) -> Option<String> {
        let words = self.text_of(entry, mistakes)?;
        if words.chars().any(char::is_control) {
            let hint = "write it in one line, without control characters".to_owned();
            mistakes.add(entry.span, format!("`{}` contains a control character", entry.key), Some(hint));
            return None;
        }
        Some(words)
    }

    /// Words that may have several lines.
    pub fn text_of(&self, entry: &Entry, mistakes: &mut Collector) -> Option<String> {
        match entry.value {
            DeValue::String(words) => Some(words.to_string()),
            _ => {
                mistakes.add(entry.span, format!("`{}` must be a string", entry.key), None);
                None
            }
        }
    }

    pub fn flag(&self, entry: &Entry, mistakes: &mut Collector) -> Option<bool> {
        match entry.value {
            DeValue::Boolean(flag) => Some(*flag),
            _ => {
                mistakes.add(entry.span, format!("`{}` must be true or false", entry.key), None);
                None
            }
        }
    }

    pub fn choice(&self, entry: &Entry, known: &[&'static str], mistakes: &mut Collector) -> Option<&'static str> {
        let words = self.words(entry, mistakes)?;
        let found = known.iter().find(|known| **known == words).copied();
        if found.is_none() {
            let near = crate::nearest::nearest(&words, known.iter().copied());
            let meant = near.map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
            let hint = format!("{meant}it may be {}", known.join(", "));
            mistakes.add(entry.span, format!("unknown {} \"{words}\"", entry.key), Some(hint));
        }
        found
    }

    /// A formula: a string or a number.
    pub fn formula(&self, value: &DeValue, span: Span, mistakes: &mut Collector) -> Option<Formula> {
        let (content, place) = match value {
            DeValue::String(content) => (content.to_string(), self.place(content, span)),
            DeValue::Integer(_) | DeValue::Float(_) => {
                // Underscores and signs are TOML's; the digits are those of a formula.
                let digits = match value {
                    DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                    DeValue::Float(number) => number.as_str().to_owned(),
                    _ => String::new(),
                };
                (digits.replace("inf", "").replace("nan", ""), Place { base: None, whole: span })
            }
            other => {
                let message = format!("expected a formula (a string or a number), found {}", kind(other));
                mistakes.add(span, message, None);
                return None;
            }
        };
        match formula::parse(&content, place) {
            Ok(formula) => Some(formula),
            Err(error) if matches!(value, DeValue::String(_)) => {
                mistakes.add(error.span, error.message, error.hint);
                None
            }
            Err(_) => {
                mistakes.add(
                    span,
                    "this number cannot be used".to_owned(),
                    Some("use a finite decimal number".to_owned()),
                );
                None
            }
        }
    }

    /// A formula where `for` has no meaning.
    pub fn single(&self, value: &DeValue, span: Span, mistakes: &mut Collector) -> Option<Formula> {
        let formula = self.formula(value, span, mistakes)?;
        if let Some(clause) = formula.clauses.first() {
            mistakes.add(clause.span, "one formula is expected here, not several".to_owned(), None);
            return None;
        }
        Some(formula)
    }

    /// A list of formulas. Entries with mistakes are reported and left out; none if there were such, because the count is then wrong.
    pub fn items(&self, entry: &Entry<'d>, mistakes: &mut Collector) -> Option<Vec<Item>> {
        let DeValue::Array(array) = entry.value else {
            let message = format!("`{}` must be a list of formulas, found {}", entry.key, kind(entry.value));
            mistakes.add(entry.span, message, Some(format!("write {} = [\"…\"]", entry.key)));
            return None;
        };
        let items: Vec<Option<Item>> = array.iter().map(|value| self.item(value, mistakes)).collect();
        items.into_iter().collect()
    }

    fn item(&self, value: &'d Spanned<DeValue<'d>>, mistakes: &mut Collector) -> Option<Item> {
        let span = Span::from(value.span());
        let DeValue::Table(table) = value.get_ref() else {
            return Some(Item { formula: self.formula(value.get_ref(), span, mistakes)?, name: None, span });
        };
        let (mut name, mut formula) = (None, None);
        for entry in entries(table) {
            match entry.key {
                "name" => name = self.words(&entry, mistakes),
                "formula" => formula = Some(self.formula(entry.value, entry.span, mistakes)),
                other => mistakes.unknown(entry.key_span, "key", other, ["name", "formula"]),
            }
        }
        match formula {
            Some(formula) => Some(Item { formula: formula?, name, span }),
            None => {
                mistakes.add(span, "this entry has no `formula`".to_owned(), None);
                None
            }
        }
    }

    /// A list of names of variables.
    pub fn names(&self, entry: &Entry<'d>, mistakes: &mut Collector) -> Option<Vec<Declaration>> {
        let DeValue::Array(array) = entry.value else {
            mistakes.add(entry.span, format!("`{}` must be a list of names", entry.key), None);
            return None;
        };
        let mut names = Vec::new();
        for value in array.iter() {
            let span = Span::from(value.span());
            let DeValue::String(content) = value.get_ref() else {
                mistakes.add(span, "a name must be a string".to_owned(), None);
                continue;
            };
            match formula::parse_declaration(content, self.place(content, span)) {
                Ok(declaration) => names.push(declaration),
                Err(error) => mistakes.add(error.span, error.message, error.hint),
            }
        }
        Some(names)
    }

    /// A key that is a variable in an assignment: `x`, `x'`, `x[3]`, `R.omega`.
    pub fn target(&self, entry: &Entry, mistakes: &mut Collector) -> Option<formula::Expr> {
        let place = self.place(entry.key, entry.key_span);
        match formula::parse(entry.key, place) {
            Ok(formula) if formula.clauses.is_empty() && scope::root(&formula.body.kind).is_some() => {
                Some((*formula.body).clone())
            }
            _ => {
                mistakes.add(entry.key_span, format!("`{}` is not a variable", entry.key), None);
                None
            }
        }
    }

    /// A key that names a function and its arguments.
    pub fn signature(&self, entry: &Entry, mistakes: &mut Collector) -> Option<(String, Vec<String>)> {
        formula::parse_signature(entry.key, self.place(entry.key, entry.key_span))
            .map_err(|error| {
                let hint = "a function is written \"f(x, y)\" = \"…\"".to_owned();
                mistakes.add(error.span, error.message, Some(hint));
            })
            .ok()
    }

    /// A key that names a parameter, definition or output.
    pub fn named(&self, entry: &Entry, mistakes: &mut Collector) -> bool {
        let mut letters = entry.key.chars();
        let good = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_');
        if !good {
            let hint = "use letters, digits and `_`, a letter first".to_owned();
            mistakes.add(
                entry.key_span,
                format!("`{}` cannot be used as a name", entry.key.escape_debug()),
                Some(hint),
            );
        }
        good
    }
}

/// Entries in the order of the file.
pub(crate) fn entries<'d>(table: &'d DeTable<'d>) -> Vec<Entry<'d>> {
    let mut found: Vec<Entry<'d>> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref(),
            key_span: key.span().into(),
            value: value.get_ref(),
            span: value.span().into(),
        })
        .collect();
    found.sort_by_key(|entry| entry.key_span);
    found
}

fn known(section: &Section, entry: &Entry, mistakes: &mut Collector) -> bool {
    let known = section.open.is_some() || section.keys.iter().any(|key| key.name == entry.key);
    if !known {
        let kind = if section.name.is_empty() { "key".to_owned() } else { format!("key of [{}]", section.name) };
        let mut names: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
        if section.name.is_empty() {
            names.extend(sections().iter().map(|section| section.name).filter(|name| !name.is_empty()));
        }
        mistakes.unknown(entry.key_span, &kind, entry.key, names);
    }
    known
}

/// What a value is, in words.
pub(crate) fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
