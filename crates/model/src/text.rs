//! Where a mistake is in a file, and how it is shown: line, column, the line itself with the place underlined.

use std::collections::HashSet;
use std::fmt;

use crate::nearest::nearest;

/// Mistakes beyond this number are not collected: they would not be read.
const MOST: usize = 50;
/// Longest part of a line that is shown.
const WINDOW: usize = 100;

/// A part of a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span { start: range.start, end: range.end }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mistake {
    /// Where; nowhere if something is missing altogether.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

/// Collects mistakes while a file is read.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    list: Vec<Mistake>,
    seen: HashSet<Mistake>,
    /// Words of entries that could not be read: a mistake that comes from their absence is not told.
    lost: HashSet<String>,
}

impl Collector {
    /// Adds a mistake, once.
    pub fn add(&mut self, span: impl Into<Option<Span>>, message: String, hint: Option<String>) {
        let mistake = Mistake { span: span.into(), message: shown(message), hint: hint.map(shown) };
        if self.is_lossy() && (mistake.span.is_none() || self.misses(&mistake.message)) {
            return;
        }
        if self.list.len() < MOST && self.seen.insert(mistake.clone()) {
            self.list.push(mistake);
        }
    }

    /// Adds a mistake about how many there are of something, unless entries are missing that would count.
    pub fn add_count(&mut self, span: impl Into<Option<Span>>, message: String, hint: Option<String>) {
        if !self.is_lossy() {
            self.add(span, message, hint);
        }
    }

    /// Adds an entry that cannot be read. From here on, only mistakes that it did not cause are collected.
    pub fn lose(&mut self, entry: &str) {
        self.lost.extend(words(entry).map(str::to_owned));
    }

    /// Whether entries were lost.
    fn is_lossy(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Whether a message is about a name of what was lost.
    fn misses(&self, message: &str) -> bool {
        message.split('`').skip(1).step_by(2).flat_map(words).any(|word| self.lost.contains(word))
    }

    /// Whether no more mistakes are collected, so that nobody need look for hints.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// Adds "unknown KIND `name`" with the nearest of the known names.
    pub fn unknown<'a>(&mut self, span: Span, kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) {
        if self.is_full() {
            return;
        }
        let hint = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        self.add(span, format!("unknown {kind} `{name}`"), hint);
    }

    /// The same where few are known: without a near one they are listed, as "the events are a, b".
    pub fn unknown_of(&mut self, span: Span, kind: &str, name: &str, known: &[String]) {
        let near = nearest(name, known.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
        let shown: Vec<&str> = known.iter().take(12).map(String::as_str).collect();
        let more = if known.len() > 12 { ", …" } else { "" };
        let hint = near.unwrap_or_else(|| match known.is_empty() {
            true => format!("there are no {kind}s"),
            false => format!("the {kind}s are {}{more}", shown.join(", ")),
        });
        self.add(span, format!("unknown {kind} `{name}`"), Some(hint));
    }

    /// How many mistakes were collected so far.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was wrong so far.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The mistakes as they came.
    pub fn into_list(self) -> Vec<Mistake> {
        self.list
    }

    /// All mistakes with the text they are in.
    pub fn into_mistakes(self, name: &str, text: &str) -> Mistakes {
        let mut list = self.list;
        list.sort_by_key(|mistake| mistake.span);
        Mistakes { name: name.to_owned(), text: text.to_owned(), list }
    }
}

/// A message with the control characters of names and formulas made visible.
fn shown(message: String) -> String {
    match message.chars().any(|letter| letter.is_control() && letter != '\n') {
        true => message.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect(),
        false => message,
    }
}

/// Names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// Everything that is wrong with a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    name: String,
    text: String,
    list: Vec<Mistake>,
}

impl Mistakes {
    /// The mistakes in the order of the file, first those without a place.
    pub fn list(&self) -> &[Mistake] {
        &self.list
    }

    /// Line and column of a place, from 1.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let at = floor(&self.text, span.start);
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, span: Span) -> fmt::Result {
        let (line, column) = self.position(span);
        let at = floor(&self.text, span.start);
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        let whole: Vec<char> = self.text[start..].lines().next().unwrap_or("").chars().collect();
        let first = (column - 1).saturating_sub(WINDOW / 2);
        let first = if whole.len() <= WINDOW { 0 } else { first };
        let shown: String =
            whole.iter().skip(first).take(WINDOW).map(|c| if c.is_control() { ' ' } else { *c }).collect();
        let end = floor(&self.text, span.end.max(at));
        let marked = self.text[at..end].lines().next().unwrap_or("").chars().count();
        let room = (first + WINDOW).saturating_sub(column - 1).max(1);
        let gutter = line.to_string();
        let margin = " ".repeat(gutter.len());
        writeln!(f, "{margin}--> {}:{line}:{column}", self.name)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{gutter} | {}", shown.trim_end())?;
        let (blank, carets) = (" ".repeat(column - 1 - first), "^".repeat(marked.clamp(1, room)));
        writeln!(f, "{margin} | {blank}{carets}")
    }
}

/// The next place before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mistake in &self.list {
            writeln!(f, "error: {}", mistake.message)?;
            match mistake.span {
                Some(span) => self.show(f, span)?,
                None => writeln!(f, "--> {}", self.name)?,
            }
            if let Some(hint) = &mistake.hint {
                writeln!(f, "hint: {hint}")?;
            }
            writeln!(f)?;
        }
        match self.list.len() {
            1 => write!(f, "1 mistake in {}", self.name),
            MOST => write!(f, "{MOST} mistakes or more in {}", self.name),
            n => write!(f, "{n} mistakes in {}", self.name),
        }
    }
}

impl std::error::Error for Mistakes {}
