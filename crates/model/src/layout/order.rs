//! Sections and keys in the order of the format, each with the comments above it.
//!
//! A comment stands above what it is about. One that follows the last entry of a section without a blank line, and has a blank line
//! below it, belongs to that section. Keys with comments or blank lines between them are groups that somebody has made: they
//! stay in their order, and so do keys that are names of the file.

use super::reader::{Above, Item, Text, What};
use crate::format::{find, owners, sections};

/// Sections that come last, in this order.
const LAST: [&str; 5] = ["events", "outputs", "results", "run", "scenarios"];
/// Keys of `[equations]` that come first: kinematics, what moves, what acts on it.
const FIRST: [&str; 7] = ["velocities", "mass", "kinetic", "potential", "dissipation", "force", "reaction"];

/// A heading with what is below it; at the top of a file there is none.
pub(super) struct Block<'t> {
    pub heading: Option<Item<'t>>,
    pub items: Vec<Item<'t>>,
    /// Comments at its end.
    pub below: Vec<Above<'t>>,
}

/// A file in order.
pub(super) struct Ordered<'t> {
    /// Comments at its beginning.
    pub above: Vec<Above<'t>>,
    pub blocks: Vec<Block<'t>>,
    /// Comments at its end.
    pub below: Vec<Above<'t>>,
    /// How lines end.
    pub line_break: &'static str,
}

pub(super) fn ordered(text: Text<'_>) -> Ordered<'_> {
    let mut blocks = vec![Block { heading: None, items: Vec::new(), below: Vec::new() }];
    let mut above = Vec::new();
    for (i, mut item) in text.items.into_iter().enumerate() {
        if i == 0 {
            above = std::mem::take(&mut item.above);
        }
        let is_heading = matches!(item.what, What::Heading { .. });
        let Some(last) = blocks.last_mut() else { continue };
        if is_heading {
            last.below = tail(&mut item.above);
            blocks.push(Block { heading: Some(item), items: Vec::new(), below: Vec::new() });
        } else {
            // A blank line below a heading parts nothing.
            let parted = last.items.is_empty() && matches!(item.above.first(), Some(Above::Blank));
            item.above.drain(..usize::from(parted));
            last.items.push(item);
        }
    }
    let mut below = text.below;
    if let Some(last) = blocks.last_mut() {
        // A blank line at the end of a file parts nothing.
        while matches!(below.last(), Some(Above::Blank)) {
            below.pop();
        }
        last.below = if below.iter().any(|above| matches!(above, Above::Blank)) {
            tail(&mut below)
        } else if matches!(below.first(), Some(Above::Comment(_))) {
            std::mem::take(&mut below)
        } else {
            Vec::new()
        };
    }
    for block in &mut blocks {
        sort_keys(block);
    }
    blocks.sort_by_key(section_rank);
    Ordered { above, blocks, below, line_break: text.line_break }
}

/// Takes the comments that end a section from those above the next.
fn tail<'t>(above: &mut Vec<Above<'t>>) -> Vec<Above<'t>> {
    match above.iter().position(|above| matches!(above, Above::Blank)) {
        Some(blank) => above.drain(..blank).collect(),
        None => Vec::new(),
    }
}

/// The letters of a key, without quotation marks.
pub(super) fn name(part: &str) -> &str {
    part.strip_prefix('"')
        .and_then(|part| part.strip_suffix('"'))
        .or_else(|| part.strip_prefix('\'').and_then(|part| part.strip_suffix('\'')))
        .unwrap_or(part)
}

fn section_rank(block: &Block) -> usize {
    let Some(heading) = &block.heading else { return 0 };
    let section = heading.key.first().map_or("", |part| name(part));
    let known = sections().len();
    match LAST.iter().position(|last| *last == section) {
        Some(at) => known + at,
        None => sections().iter().position(|known| known.name == section).unwrap_or(known),
    }
}

fn sort_keys(block: &mut Block) {
    let path: Vec<&str> = block.heading.iter().flat_map(|heading| &heading.key).map(|part| name(part)).collect();
    let Some(section) = find(path.first().copied().unwrap_or("")).filter(|section| section.open.is_none()) else {
        return;
    };
    if path.len() > 1 || block.items.iter().any(|item| !item.above.is_empty()) {
        return;
    }
    let place = |key: &str| section.keys.iter().position(|known| known.name == key);
    block.items.sort_by_key(|item| {
        let key = item.key.first().map_or("", |part| name(part));
        let first = FIRST.iter().position(|first| *first == key).filter(|_| section.name == "equations");
        let is_parameter = section.name == "run" && !owners(key).is_empty();
        match (first, place("method").filter(|_| is_parameter)) {
            (Some(first), _) => (0, first, 0),
            // The parameters of a method stand below its name.
            (None, Some(method)) => (1, method, 1 + place(key).unwrap_or(0)),
            (None, None) => (1, place(key).unwrap_or(usize::MAX), 0),
        }
    });
}
