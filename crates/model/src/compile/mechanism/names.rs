//! Names in a file: of bodies, joints and places, with formulas for indices.
//!
//! ```text
//! name  = words [ "[" formula "]" ]                       link[i-1], outer bearing
//! place = name [ "." point ] | "ground" [ "(" formula { "," formula } ")" ]
//! ```

use std::rc::Rc;

use super::Span;
use super::kinds::Kind;
use super::reader::{Known, Reader};
use crate::document::Entry;
use crate::formula::{self, Expr, Place as Offset};
use crate::nearest::nearest;

/// What a name must not contain.
const MARKS: &str = ".,;:()[]{}`'\"=+*/^<>";

/// A name whose index is a formula.
#[derive(Debug)]
pub(in crate::compile) struct Template {
    pub stem: String,
    index: Option<Rc<Expr>>,
}

/// A place whose numbers are formulas.
#[derive(Debug)]
pub(in crate::compile) enum Place {
    /// The world, at its origin or at a point.
    Ground(Option<Vec<Rc<Expr>>>),
    /// A point or a frame of a body, or its drawing origin.
    On(Template, Option<String>),
}

/// What is wrong with a name: words and a hint.
type Wrong = (Span, String, String);

fn part(place: &Offset, from: usize, length: usize) -> Offset {
    Offset { base: place.base.map(|base| base + from), whole: place.span(from, from + length) }
}

fn formula(text: &str, place: Offset) -> Result<Rc<Expr>, Wrong> {
    match formula::parse(text, place) {
        Ok(formula) if formula.clauses.is_empty() => Ok(formula.body),
        Ok(_) => {
            Err((place.span(0, text.len()), "one formula is expected here, not several".to_owned(), String::new()))
        }
        Err(error) => Err((error.span, error.message, error.hint.unwrap_or_default())),
    }
}

/// Reads a name.
fn template(text: &str, place: Offset) -> Result<Template, Wrong> {
    let (stem, index) = match text.find('[') {
        None => (text, None),
        Some(open) => {
            let inner = text[open + 1..].trim_end().strip_suffix(']').ok_or_else(|| {
                let message = format!("`{text}` has a bracket that is not closed");
                (place.span(0, text.len()), message, "an index is written link[i]".to_owned())
            })?;
            (&text[..open], Some(formula(inner, part(&place, open + 1, inner.len()))?))
        }
    };
    let stem = stem.trim();
    if stem.is_empty() || stem.contains(|letter: char| MARKS.contains(letter) || letter.is_control()) {
        let hint = "use letters, digits, `_` and blanks, and an index as link[i]".to_owned();
        return Err((place.span(0, text.len()), format!("`{text}` cannot be used as a name"), hint));
    }
    Ok(Template { stem: stem.to_owned(), index })
}

/// Reads a place.
pub(in crate::compile) fn place(text: &str, at: Offset) -> Result<Place, Wrong> {
    let word = text.trim();
    if word == "ground" {
        return Ok(Place::Ground(None));
    }
    if let Some(rest) = word.strip_prefix("ground").map(str::trim_start)
        && let Some(inner) = rest.strip_prefix('(')
    {
        let Some(inner) = inner.strip_suffix(')') else {
            let hint = "a point of the ground is written ground(x, y, z)".to_owned();
            return Err((at.span(0, text.len()), format!("`{word}` has a bracket that is not closed"), hint));
        };
        let mut from = text.find('(').map_or(0, |open| open + 1);
        let mut found = Vec::new();
        for one in split(inner) {
            found.push(formula(one, part(&at, from, one.len()))?);
            from += one.len() + 1;
        }
        return Ok(Place::Ground(Some(found)));
    }
    // A point may be given behind an index whose formula has points of its own, as 0.5*i.
    let after = text.rfind(']').unwrap_or(0);
    match text[after..].find('.').map(|dot| after + dot) {
        None => Ok(Place::On(template(text, at)?, None)),
        Some(dot) => Ok(Place::On(template(&text[..dot], at)?, Some(text[dot + 1..].trim().to_owned()))),
    }
}

/// The parts between commas that are in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found
}

impl<'d> Reader<'_, 'd, '_> {
    fn told<T>(&mut self, result: Result<T, Wrong>) -> Option<Rc<T>> {
        result.map_err(|(span, message, hint)| self.wrong(span, message, hint)).ok().map(Rc::new)
    }

    /// A name as it is written.
    fn template(&mut self, entry: &Entry<'d>) -> Option<Rc<Template>> {
        if let Some(known) = self.templates.get(&entry.span) {
            return known.clone();
        }
        let words = self.words(entry);
        let made = words.and_then(|words| {
            let at = self.document.place(&words, entry.span);
            self.told(template(&words, at))
        });
        self.templates.insert(entry.span, made.clone());
        made
    }

    /// A place as it is written.
    pub fn place(&mut self, entry: &Entry<'d>) -> Option<Rc<Place>> {
        if let Some(known) = self.places.get(&entry.span) {
            return known.clone();
        }
        let words = self.words(entry);
        let made = words.and_then(|words| {
            let at = self.document.place(&words, entry.span);
            self.told(place(&words, at))
        });
        self.places.insert(entry.span, made.clone());
        made
    }

    /// The name that a key of `[view]` stands for, and whether its arrow is meant: `hinge.force`.
    pub fn named_entry(&mut self, entry: &Entry<'d>) -> Option<(String, bool)> {
        let (key, arrow) = match entry.key.strip_suffix(".force") {
            Some(key) => (key, true),
            None => (entry.key, false),
        };
        let at = self.document.place(entry.key, entry.key_span);
        let template = match self.templates.get(&entry.key_span) {
            Some(known) => known.clone(),
            None => {
                let made = self.told(template(key, at));
                self.templates.insert(entry.key_span, made.clone());
                made
            }
        }?;
        Some((self.resolved(&template)?, arrow))
    }

    /// Whether there is a body of this name, or one for each of some indices.
    pub fn is_body(&mut self, stem: &str) -> bool {
        if self.stems.is_empty() {
            let names = self.drawing.bodies.iter().map(|body| body.name.split('[').next().unwrap_or_default());
            self.stems = names.map(str::to_owned).collect();
        }
        self.stems.contains(stem)
    }

    /// The body of a name that a key holds; none, without a word, if there is no such body.
    pub fn body_named(&mut self, entry: &Entry<'d>) -> Option<usize> {
        let words = entry.value.as_str()?;
        let template = template(words, self.document.place(words, entry.span)).ok()?;
        if !self.is_body(&template.stem) {
            return None;
        }
        self.body_of(&template, entry.span)
    }

    /// Says that there is no part of a name.
    pub fn unknown_part(&mut self, what: &str, name: &str, span: Span) {
        if self.scope.mistakes.is_full() {
            return;
        }
        let mut names: Vec<&str> = self.known.keys().map(String::as_str).collect();
        names.sort_unstable();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "what is no body needs a place: at, from and to, or a frame".to_owned(),
        };
        self.wrong(span, format!("{what} `{name}`"), hint);
    }

    /// A name without its index.
    pub fn stem(&mut self, entry: &Entry<'d>) -> Option<String> {
        self.template(entry).map(|template| template.stem.clone())
    }

    /// A name with the value of its index.
    pub fn resolved(&mut self, template: &Template) -> Option<String> {
        Some(match &template.index {
            None => template.stem.clone(),
            Some(index) => format!("{}[{}]", template.stem, self.scope.integer(index, &mut self.indices)?),
        })
    }

    /// The name of an entry; says if it has none.
    pub fn name(&mut self, keys: &[Entry<'d>], what: &str) -> Option<(String, Span)> {
        let Some(entry) = super::reader::find(keys, "name") else {
            let at = keys.first().map_or(Span { start: 0, end: 0 }, |first| first.key_span);
            self.wrong(at, format!("a {what} has no name"), "write name = \"…\"");
            return None;
        };
        let template = self.template(&entry)?;
        Some((self.resolved(&template)?, entry.span))
    }

    /// Gives a name its meaning, unless it has one.
    pub fn declare(&mut self, name: &str, span: Span, known: Known) -> bool {
        if name == "ground" {
            self.wrong(span, "`ground` is the world", "choose another name");
            return false;
        }
        let Some(other) = self.known.get(name) else {
            self.known.insert(name.to_owned(), known);
            return true;
        };
        let message = match (other.word(), known.word()) {
            (other, word) if other == word => format!("there are two {} of the name `{name}`", plural(word)),
            (other, word) => format!("there is a {other} and a {word} of the name `{name}`"),
        };
        let hint = match (self.indices.last(), name.contains('[')) {
            (Some((index, _)), false) => format!("in a repetition a name has its index: name = \"{name}[{index}]\""),
            _ => "names tell bodies, joints, drivers and forces apart in formulas and messages".to_owned(),
        };
        self.wrong(span, message, hint);
        false
    }

    /// The body of a name.
    pub fn body_of(&mut self, template: &Template, span: Span) -> Option<usize> {
        let name = self.resolved(template)?;
        match self.known.get(&name) {
            Some(Known::Body(body)) => return Some(*body),
            Some(other) => {
                let message = format!("`{name}` is a {}, not a body", other.word());
                self.wrong(span, message, "");
            }
            None => self.unknown("body", &name, template, span),
        }
        None
    }

    /// A joint by the name that a key holds.
    pub fn joint(&mut self, entry: &Entry<'d>) -> Option<(usize, &'static Kind)> {
        let template = self.template(entry)?;
        self.joint_of(&template, entry.span)
    }

    /// The joint of a name.
    pub fn joint_of(&mut self, template: &Template, span: Span) -> Option<(usize, &'static Kind)> {
        let name = self.resolved(template)?;
        match self.known.get(&name) {
            Some(Known::Joint(joint)) => return *joint,
            Some(other) => {
                let message = format!("`{name}` is a {}, not a joint", other.word());
                self.wrong(span, message, "");
            }
            None => self.unknown("joint", &name, template, span),
        }
        None
    }

    fn unknown(&mut self, what: &str, name: &str, template: &Template, span: Span) {
        if self.lost.contains(&template.stem) || self.scope.mistakes.is_full() {
            return;
        }
        let names = match what {
            "body" => self.drawing.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(),
            _ => self.drawing.joints.iter().map(|joint| joint.name.as_str()).collect(),
        };
        let with_index = |name: &&str| name.strip_prefix(&template.stem).is_some_and(|rest| rest.starts_with('['));
        let mut alike = names.iter().filter(|name| with_index(name));
        let hint = match (alike.next(), alike.next_back()) {
            (Some(first), Some(last)) => format!("there are `{first}` to `{last}`"),
            (Some(only), None) => format!("there is `{only}`"),
            _ => match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => format!("there are no {}", plural(what)),
                None => format!("the {} are {}", plural(what), shortened(&names)),
            },
        };
        self.wrong(span, format!("unknown {what} `{name}`"), hint);
    }
}

/// The first names of a list.
pub(super) fn shortened(names: &[&str]) -> String {
    let more = if names.len() > 12 { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(12)].join(", "))
}

fn plural(word: &str) -> String {
    if word == "body" { "bodies".to_owned() } else { format!("{word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Offset = Offset { base: Some(100), whole: Span { start: 99, end: 200 } };

    #[test]
    fn places_are_bodies_points_and_ground() {
        let words = |text: &str| match place(text, AT) {
            Ok(Place::Ground(None)) => "ground".to_owned(),
            Ok(Place::Ground(Some(list))) => format!("ground of {}", list.len()),
            Ok(Place::On(template, point)) => {
                format!("{}|{}|{}", template.stem, template.index.is_some(), point.unwrap_or_default())
            }
            Err((_, message, _)) => message,
        };
        assert_eq!(words("ground"), "ground");
        assert_eq!(words("ground(b, max(0, 1), 2)"), "ground of 3");
        assert_eq!(words("ground (1, 2"), "`ground (1, 2` has a bracket that is not closed");
        assert_eq!(words("ground floor"), "ground floor|false|");
        assert_eq!(words("outer bearing.left end"), "outer bearing|false|left end");
        assert_eq!(words("link[i-1].right"), "link|true|right");
        assert_eq!(words("link[2.0*i]"), "link|true|");
        assert_eq!(words("link[i"), "`link[i` has a bracket that is not closed");
        assert_eq!(words(""), "`` cannot be used as a name");
        assert_eq!(words(".x"), "`` cannot be used as a name");
    }

    #[test]
    fn formulas_in_names_have_their_places() {
        let Err((span, ..)) = place("ground(1, 2 +, 3)", AT) else { panic!("a mistake") };
        assert_eq!(span.start, 100 + "ground(1, 2 +".len());
        let Err((span, ..)) = place("link[i +].right", AT) else { panic!("a mistake") };
        assert_eq!(span.start, 100 + "link[i +".len());
    }
}
