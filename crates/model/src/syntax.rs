//! Text that is not TOML. An entry that cannot be read is told once and left out, so that it does not hide the mistakes of
//! all others.
//!
//! The parser itself would read a list that is not closed on to the end of the file. Here the text is cut at the lines on
//! which a key or a section begins, and each entry is read alone.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, Error};

use crate::text::{Collector, Span};

/// What a text of several lines stands between.
const LONG: &str = "\"\"\"";
/// The same for one that is taken literally.
const LONG_LITERAL: &str = "'''";

/// The text with blanks in the place of what is not TOML: all places stay what they were.
pub(crate) fn without_broken_entries<'t>(text: &'t str, mistakes: &mut Collector) -> Cow<'t, str> {
    if DeTable::parse(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len());
    let mut lost = Vec::new();
    // Whether the heading of the present section cannot be read: its entries then belong nowhere.
    let mut astray = false;
    for range in entries(text) {
        let entry = &text[range.clone()];
        let read = DeTable::parse(entry);
        if entry.trim_start().starts_with('[') {
            astray = read.is_err();
        }
        if let Err(error) = &read {
            tell(error, range.start, unquoted(entry, error), mistakes);
        }
        if read.is_ok() && !astray {
            whole.push_str(entry);
        } else {
            lost.push(entry);
            whole.extend(entry.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        }
    }
    // Told first: from here on mistakes are left out that these may have caused.
    for entry in lost {
        mistakes.lose(entry);
    }
    Cow::Owned(whole)
}

/// Adds what the parser says about a text that begins at `offset`.
pub(crate) fn tell(error: &Error, offset: usize, hint: Option<String>, mistakes: &mut Collector) {
    let span = error.span().map_or(offset..offset, |span| span.start + offset..span.end + offset);
    mistakes.add(Span::from(span), format!("this is not TOML: {}", error.message()), hint.or_else(|| dotted(error)));
}

/// What to write for a key that needs quotation marks: x', or f(u, w).
fn unquoted(entry: &str, error: &Error) -> Option<String> {
    let before = entry.get(..error.span()?.start)?;
    let line = entry[before.rfind('\n').map_or(0, |at| at + 1)..].lines().next()?;
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let is_name = key.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let is_like = |letter: char| letter.is_alphanumeric() || "_'()[], .".contains(letter);
    let wants = is_name && key.contains(['\'', '(', '[']) && key.chars().all(is_like);
    wants.then(|| format!("write \"{key}\" = …: a key with such signs stands between quotation marks"))
}

/// What to write for `R.omega = …` beside `R = …`: without quotes R would be a table.
fn dotted(error: &Error) -> Option<String> {
    let hint = "a key with a point stands in quotes: \"R.omega\" = …";
    error.message().contains("dotted key").then(|| hint.to_owned())
}

/// Keys with their values, and headings of sections. Lines within a text of several lines begin nothing.
fn entries(text: &str) -> Vec<Range<usize>> {
    let (mut starts, mut at, mut quote) = (vec![0], 0, None);
    for line in text.split_inclusive('\n') {
        if quote.is_none() && at > 0 && begins(line) {
            starts.push(at);
        }
        quote = open_after(line, quote);
        at += line.len();
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The mark of the text of several lines that is open at the end of a line. Marks within comments and texts of one line are
/// letters like others.
fn open_after(line: &str, mut open: Option<&'static str>) -> Option<&'static str> {
    let mut rest = line;
    loop {
        if let Some(mark) = open {
            let Some(end) = closing(rest, mark) else { return open };
            rest = &rest[end..];
            open = None;
            continue;
        }
        let at = rest.find(['#', '"', '\''])?;
        rest = &rest[at..];
        if rest.starts_with('#') {
            return None;
        }
        if let Some(mark) = [LONG, LONG_LITERAL].into_iter().find(|mark| rest.starts_with(*mark)) {
            open = Some(mark);
            rest = &rest[mark.len()..];
            continue;
        }
        // A text of one line that is not closed ends with it.
        let end = closing(&rest[1..], &rest[..1])?;
        rest = &rest[1 + end..];
    }
}

/// Where a text behind its opening mark is over. A backslash before a quotation mark hides it, unless quotes are single.
fn closing(text: &str, mark: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(mark)?;
        let slashes = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if mark.starts_with('\'') || slashes % 2 == 0 {
            return Some(at + mark.len());
        }
        from = at + 1;
    }
}

/// Whether a line begins an entry: `key =` or `[section]`, even if that is not finished.
fn begins(line: &str) -> bool {
    let line = line.trim();
    let is_bare = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if let Some(heading) = line.strip_prefix('[') {
        let name = heading.trim_start_matches('[');
        let rest = name.trim_start_matches(is_bare).trim_start_matches(']').trim_start();
        return name.starts_with(char::is_alphabetic) && (rest.is_empty() || rest.starts_with('#'));
    }
    let rest = match line.chars().next() {
        Some(quote @ ('"' | '\'')) => line[1..].split_once(quote).map(|(_, rest)| rest),
        Some(first) if is_bare(first) => Some(line.trim_start_matches(is_bare)),
        _ => None,
    };
    // A key without its value or its `=` begins an entry as well; the next line of a list ends with a comma or a bracket.
    rest.is_some_and(|rest| rest.trim_start().starts_with('=') || (rest != line && !rest.contains([',', ']', '}'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_begin_at_keys_and_sections() {
        let text = "a = 1\n[b]\nc = [\n  [1, 2],\n  \"x = 1\",\n]\n\"d'\" = '''\ne = 1\n''' # x\nf 2\n[[g]] # y\n";
        let found: Vec<&str> = entries(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            found,
            [
                "a = 1\n",
                "[b]\n",
                "c = [\n  [1, 2],\n  \"x = 1\",\n]\n",
                "\"d'\" = '''\ne = 1\n''' # x\n",
                "f 2\n",
                "[[g]] # y\n"
            ]
        );
        assert_eq!(entries("").len(), 1);
    }

    #[test]
    fn marks_in_comments_and_texts_open_nothing() {
        for line in [
            "a = 1 # '''",
            "a = 1 # it's \"\"\"",
            "a = \"'''\"",
            "a = '\"\"\"'",
            "a = \"x # y\" # '''",
            "a = \"\\\"'''\"",
        ] {
            assert_eq!(entries(&format!("{line}\nb = 2\nc = 3\n")).len(), 3, "{line}");
        }
        assert_eq!(entries("a = \"\"\"\nb = 2\n\\\"\"\"\nc = 3\n\"\"\"\nd = 4\n").len(), 2);
    }

    #[test]
    fn entries_of_a_lost_section_are_lost() {
        let (text, mut mistakes) = ("[a]\nb = 1\n[c\nd = 2\n[e]\nf = 3\n", Collector::default());
        assert_eq!(without_broken_entries(text, &mut mistakes), "[a]\nb = 1\n  \n     \n[e]\nf = 3\n");
    }

    #[test]
    fn places_stay_what_they_were() {
        let (text, mut mistakes) = ("a = 1\nb = = ü\nc = 3\n", Collector::default());
        let whole = without_broken_entries(text, &mut mistakes);
        assert_eq!(whole, "a = 1\n        \nc = 3\n");
        assert_eq!(whole.len(), text.len());
        assert!(!mistakes.is_empty());
    }
}
