//! Items to lines: spaces, wrapped lists, and comments behind code in columns.
//!
//! Comments on lines that follow each other stand in one column, and so do those that stood in one column before: two spaces behind
//! the longest line of them.

use std::collections::HashMap;

use super::order::{Block, Ordered, name};
use super::reader::{Above, Comment, Group, Item, What};
use crate::format::{self, Holds};
use crate::formula;

/// Longest line that a list may be on.
const WIDTH: usize = 120;
/// What a list is moved in by.
const INDENT: &str = "    ";

/// A line, which may contain a text of several, and the comment behind it.
struct Line<'t> {
    code: String,
    comment: Option<Comment<'t>>,
}

#[derive(Default)]
struct Lines<'t> {
    lines: Vec<Line<'t>>,
    /// The keys that lead to what is written now.
    path: Vec<&'t str>,
    /// Whether the file has bodies.
    drawn: bool,
}

pub(super) fn written(file: Ordered) -> String {
    let is_body = |block: &Block| block.heading.as_ref().is_some_and(|heading| heading.key.first() == Some(&"bodies"));
    let mut lines = Lines { drawn: file.blocks.iter().any(is_body), ..Lines::default() };
    lines.above(&file.above, "");
    for block in &file.blocks {
        lines.block(block);
    }
    if !file.below.is_empty() && !lines.is_empty() {
        lines.blank();
    }
    lines.above(&file.below, "");
    lines.text(file.line_break)
}

impl<'t> Lines<'t> {
    fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn push(&mut self, code: String, comment: Option<Comment<'t>>) {
        self.lines.push(Line { code, comment });
    }

    /// A blank line, unless there is one.
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.code.is_empty() || line.comment.is_some()) {
            self.push(String::new(), None);
        }
    }

    fn above(&mut self, above: &[Above<'t>], indent: &str) {
        for above in above {
            match above {
                Above::Blank => self.blank(),
                Above::Comment(comment) => self.push(format!("{indent}{}", comment.text), None),
            }
        }
    }

    fn block(&mut self, block: &Block<'t>) {
        self.path.clear();
        if let Some(heading) = &block.heading {
            self.blank();
            self.above(&heading.above, "");
            let repeated = matches!(heading.what, What::Heading { repeated: true });
            let (open, close) = if repeated { ("[[", "]]") } else { ("[", "]") };
            self.push(format!("{open}{}{close}", heading.key.join(".")), heading.comment);
            self.path.extend(heading.key.iter().map(|part| name(part)));
        }
        for item in &block.items {
            self.above(&item.above, "");
            self.item(item, "", "");
        }
        self.above(&block.below, "");
    }

    /// An entry or an element, with what comes behind it.
    fn item(&mut self, item: &Item<'t>, indent: &str, behind: &str) {
        let depth = self.path.len();
        self.path.extend(item.key.iter().map(|part| name(part)));
        let key = self.key(item);
        let start = if key.is_empty() { indent.to_owned() } else { format!("{indent}{key} = ") };
        match (&item.what, self.flat(&item.what, false)) {
            (What::List(group), Some(flat)) if wide(&start, &flat, behind) => {
                self.wrapped(group, item.comment, ("[", "]"), &start, indent, behind);
            }
            (_, Some(flat)) => self.push(format!("{start}{flat}{behind}"), item.comment),
            (What::List(group), None) => self.wrapped(group, item.comment, ("[", "]"), &start, indent, behind),
            (What::Table(group), None) => self.wrapped(group, item.comment, ("{", "}"), &start, indent, behind),
            (What::Heading { .. } | What::Scalar(_), None) => {}
        }
        self.path.truncate(depth);
    }

    fn key(&self, item: &Item<'t>) -> String {
        match (&item.key[..], self.path.first()) {
            // The signature of a function.
            ([part], Some(&"functions")) if self.path.len() == 2 => spaced(part),
            (parts, _) => parts.join("."),
        }
    }

    /// A list or a table on several lines.
    fn wrapped(
        &mut self,
        group: &Group<'t>,
        comment: Option<Comment<'t>>,
        (open, close): (&str, &str),
        start: &str,
        indent: &str,
        behind: &str,
    ) {
        self.push(format!("{start}{open}"), group.opening);
        let inner = format!("{indent}{INDENT}");
        if is_numbers(group) && !has_comments(group) {
            self.fill(group, &inner);
        } else {
            for (i, item) in group.items.iter().enumerate() {
                let parted = i == 0 && matches!(item.above.first(), Some(Above::Blank));
                self.above(&item.above[usize::from(parted)..], &inner);
                self.item(item, &inner, ",");
            }
            let blanks = group.below.iter().rev().take_while(|above| matches!(above, Above::Blank)).count();
            let below = &group.below[..group.below.len() - blanks];
            let parted = group.items.is_empty() && matches!(below.first(), Some(Above::Blank));
            self.above(&below[usize::from(parted)..], &inner);
        }
        self.push(format!("{indent}{close}{behind}"), comment);
    }

    /// As many numbers on a line as fit.
    fn fill(&mut self, group: &Group<'t>, indent: &str) {
        let mut line = String::new();
        for item in &group.items {
            let What::Scalar(number) = item.what else { continue };
            if !line.is_empty() && wide(&line, ", ", number) {
                self.push(std::mem::take(&mut line), None);
            }
            line += if line.is_empty() { indent } else { " " };
            line += number;
            line.push(',');
        }
        self.push(line, None);
    }

    /// A value on one line; none if it is to be on several. In tables everything is on one line, but for comments.
    fn flat(&mut self, what: &What<'t>, in_table: bool) -> Option<String> {
        match what {
            What::Heading { .. } => None,
            What::Scalar(scalar) if is_formula(&self.path, self.drawn) => Some(spaced(scalar)),
            What::Scalar(scalar) => Some((*scalar).to_owned()),
            What::List(group) | What::Table(group) if has_comments(group) => None,
            What::List(group) if group.broken && !in_table && !is_numbers(group) && !group.items.is_empty() => None,
            What::List(group) => {
                let parts: Option<Vec<String>> =
                    group.items.iter().map(|item| self.flat(&item.what, in_table)).collect();
                Some(format!("[{}]", parts?.join(", ")))
            }
            What::Table(group) if group.items.is_empty() => Some("{}".to_owned()),
            What::Table(group) => {
                let mut parts = Vec::new();
                for item in &group.items {
                    let depth = self.path.len();
                    self.path.extend(item.key.iter().map(|part| name(part)));
                    let value = self.flat(&item.what, true);
                    parts.push(format!("{} = {}", self.key(item), value.as_deref().unwrap_or_default()));
                    self.path.truncate(depth);
                    value?;
                }
                Some(format!("{{ {} }}", parts.join(", ")))
            }
        }
    }

    /// The lines as text, comments in their columns.
    fn text(self, line_break: &str) -> String {
        let columns = columns(&self.lines);
        let mut text = String::new();
        for (line, column) in self.lines.iter().zip(columns) {
            text += &line.code;
            if let Some(comment) = line.comment {
                text += &" ".repeat(column - width(&line.code));
                text += comment.text;
            }
            text += line_break;
        }
        text
    }
}

/// By line: where its comment begins.
fn columns(lines: &[Line]) -> Vec<usize> {
    // Lines of one group have the same number; groups are joined by giving one the number of the other.
    let mut group: Vec<usize> = (0..lines.len()).collect();
    let mut by_column: HashMap<usize, usize> = HashMap::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(comment) = line.comment else { continue };
        let before = i.checked_sub(1).filter(|before| lines[*before].comment.is_some());
        for other in [by_column.insert(comment.column, i), before].into_iter().flatten() {
            let (from, to) = (root(&group, i), root(&group, other));
            group[from] = to;
        }
    }
    let mut widths: HashMap<usize, usize> = HashMap::new();
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.comment.is_some()) {
        let widest = widths.entry(root(&group, i)).or_default();
        *widest = (*widest).max(width(&line.code) + 2);
    }
    (0..lines.len()).map(|i| widths.get(&root(&group, i)).copied().unwrap_or(0)).collect()
}

fn root(group: &[usize], mut i: usize) -> usize {
    while group[i] != i {
        i = group[i];
    }
    i
}

/// How many letters the last line has.
fn width(code: &str) -> usize {
    code.rsplit('\n').next().map_or(0, |line| line.chars().count())
}

fn wide(start: &str, middle: &str, end: &str) -> bool {
    [start, middle, end].iter().map(|part| part.chars().count()).sum::<usize>() > WIDTH
}

fn is_numbers(group: &Group) -> bool {
    group.items.iter().all(|item| matches!(item.what, What::Scalar(scalar) if !scalar.starts_with(['"', '\''])))
}

/// Whether there is a comment in brackets, however deep.
fn has_comments(group: &Group) -> bool {
    let is_comment = |above: &Above| matches!(above, Above::Comment(_));
    group.opening.is_some()
        || group.below.iter().any(is_comment)
        || group.items.iter().any(|item| {
            item.comment.is_some()
                || item.above.iter().any(is_comment)
                || matches!(&item.what, What::List(inner) | What::Table(inner) if has_comments(inner))
        })
}

/// Keys of pictures that hold no formulas.
const WORDS: [&str; 5] = ["for", "label", "text", "color", "show"];
/// Keys of pictures that hold formulas and no places.
const VIEWED: [&str; 11] =
    ["radius", "size", "angle", "turn", "length", "vector", "circle", "sphere", "box", "force", "velocity"];

/// Whether a string at the end of these keys is a formula, or a name of a variable.
fn is_formula(path: &[&str], drawn: bool) -> bool {
    let Some(section) = path.first().and_then(|section| format::find(section)) else { return false };
    let key = path.get(1).and_then(|name| section.keys.iter().find(|key| key.name == *name));
    let Some(holds) = key.map(|key| key.holds).or(section.open) else { return false };
    let inner = path.get(2..).unwrap_or_default();
    match holds {
        Holds::Assignments => inner.len() == 1,
        Holds::Number
        | Holds::NumberOrAuto
        | Holds::Names
        | Holds::Formula
        | Holds::Formulas
        | Holds::NamedFormulas
        | Holds::Matrix
        | Holds::FormulaOrList
        | Holds::Numbers
        | Holds::NumberOrNumbers
        | Holds::NumberOrByVariable
        | Holds::Parameter
        | Holds::Output
        | Holds::Function => matches!(inner, [] | ["formula"] | ["of"]),
        // Places on bodies have names with any signs in them; what cannot be one is laid out.
        Holds::KeysOrList(_) if section.name == "view" => match inner.last() {
            Some(last) if drawn => VIEWED.contains(last),
            Some(last) => !WORDS.contains(last),
            None => false,
        },
        Holds::Measure => matches!(inner, ["max" | "min" | "mean" | "rms" | "integral" | "value"]),
        _ => false,
    }
}

/// A string with the spaces of a formula; as it is if it contains escapes, or is none.
fn spaced(scalar: &str) -> String {
    for mark in ["\"\"\"", "'''", "\"", "'"] {
        let inside = scalar.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        if let Some(inside) = inside {
            let kept = mark.starts_with('"') && inside.contains('\\');
            return match formula::spaced(inside).filter(|_| !kept) {
                Some(spaced) => format!("{mark}{spaced}{mark}"),
                None => scalar.to_owned(),
            };
        }
    }
    scalar.to_owned()
}
