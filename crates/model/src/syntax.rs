//! Text that is not TOML. An entry that cannot be read is told once and left out, so that it does not hide the mistakes of
//! all others.
//!
//! The parser itself would read a list that is not closed on to the end of the file. Here the text is cut at the lines on
//! which a key or a section begins, and each entry is read alone.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, Error};

use crate::text::{Collector, Span};

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
            tell(error, range.start, mistakes);
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
pub(crate) fn tell(error: &Error, offset: usize, mistakes: &mut Collector) {
    let span = error.span().map_or(offset..offset, |span| span.start + offset..span.end + offset);
    mistakes.add(Span::from(span), format!("this is not TOML: {}", error.message()), None);
}

/// Keys with their values, and headings of sections. Lines within a text of several lines begin nothing.
fn entries(text: &str) -> Vec<Range<usize>> {
    let (mut starts, mut at, mut quote) = (vec![0], 0, None);
    for line in text.split_inclusive('\n') {
        if quote.is_none() && at > 0 && begins(line) {
            starts.push(at);
        }
        for mark in ["\"\"\"", "'''"] {
            for _ in line.matches(mark) {
                quote = match quote {
                    None => Some(mark),
                    Some(open) if open == mark => None,
                    open => open,
                };
            }
        }
        at += line.len();
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
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
