//! The text of a file as it stands: keys and values letter by letter, with every comment in its place.
//!
//! The text is known to be TOML, so nothing is checked here; a text that is not gives none.

/// A comment, and the column in which it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'t> {
    pub text: &'t str,
    pub column: usize,
}

/// What stands on the lines above something.
#[derive(Clone, Copy, Debug)]
pub(super) enum Above<'t> {
    Blank,
    Comment(Comment<'t>),
}

/// A heading, an entry, or an element of a list.
#[derive(Clone, Debug)]
pub(super) struct Item<'t> {
    pub above: Vec<Above<'t>>,
    /// The parts of its key; elements of lists have none.
    pub key: Vec<&'t str>,
    pub what: What<'t>,
    /// On the same line.
    pub comment: Option<Comment<'t>>,
}

#[derive(Clone, Debug)]
pub(super) enum What<'t> {
    /// `[a.b]`, or `[[a.b]]` if it is repeated.
    Heading {
        repeated: bool,
    },
    Scalar(&'t str),
    List(Group<'t>),
    Table(Group<'t>),
}

/// What stands in brackets.
#[derive(Clone, Debug)]
pub(super) struct Group<'t> {
    /// Behind the bracket that opens.
    pub opening: Option<Comment<'t>>,
    pub items: Vec<Item<'t>>,
    /// Before the bracket that closes.
    pub below: Vec<Above<'t>>,
    /// Whether the first element was written on a line of its own.
    pub broken: bool,
}

/// All lines, and what stands below the last.
pub(super) struct Text<'t> {
    pub items: Vec<Item<'t>>,
    pub below: Vec<Above<'t>>,
    /// How its lines end.
    pub line_break: &'static str,
}

pub(super) fn read(text: &str) -> Option<Text<'_>> {
    let mut reader = Reader { text, at: 0, line_break: None };
    let mut items = Vec::new();
    loop {
        let above = reader.above();
        if reader.rest().is_empty() {
            return Some(Text { items, below: above, line_break: reader.line_break.unwrap_or("\n") });
        }
        let (key, what) = if reader.take("[[") {
            let key = reader.key()?;
            (reader.take("]]")).then_some((key, What::Heading { repeated: true }))?
        } else if reader.take("[") {
            let key = reader.key()?;
            reader.take("]").then_some((key, What::Heading { repeated: false }))?
        } else {
            let key = reader.key()?;
            (reader.take("=")).then_some(())?;
            reader.spaces();
            (key, reader.value()?)
        };
        let comment = reader.comment();
        reader.spaces();
        if !reader.rest().is_empty() && !reader.rest().starts_with(['\n', '\r']) {
            return None;
        }
        items.push(Item { above, key, what, comment });
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// That of the first line which does not end within a value.
    line_break: Option<&'static str>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// The comment that the present line ends with.
    fn comment(&mut self) -> Option<Comment<'t>> {
        self.spaces();
        let rest = self.rest();
        if !rest.starts_with('#') {
            return None;
        }
        let line = self.text[..self.at].rfind('\n').map_or(0, |at| at + 1);
        let column = self.text[line..self.at].chars().count();
        let line = rest.split('\n').next().unwrap_or(rest);
        let line = line.strip_suffix('\r').filter(|line| rest.len() > line.len() + 1).unwrap_or(line);
        self.at += line.len();
        Some(Comment { text: line.trim_end(), column })
    }

    /// Comments and blank lines from here to the next line with something on it.
    fn above(&mut self) -> Vec<Above<'t>> {
        let mut found = Vec::new();
        let mut breaks = 0;
        loop {
            let before = self.at;
            if let Some(comment) = self.comment() {
                found.push(Above::Comment(comment));
                breaks = 0;
            }
            if let Some(line_break) = ["\n", "\r\n"].into_iter().find(|line_break| self.take(line_break)) {
                self.line_break.get_or_insert(line_break);
                breaks += 1;
                let first = before == 0 || matches!(found.last(), Some(Above::Blank));
                if breaks == 2 && !first {
                    found.push(Above::Blank);
                }
            } else if self.at == before {
                return found;
            }
        }
    }

    fn key(&mut self) -> Option<Vec<&'t str>> {
        let mut parts = Vec::new();
        loop {
            self.spaces();
            let rest = self.rest();
            let length = match rest.chars().next()? {
                '"' | '\'' => string_length(rest)?,
                _ => rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?,
            };
            if length == 0 {
                return None;
            }
            parts.push(&rest[..length]);
            self.at += length;
            self.spaces();
            if !self.take(".") {
                return Some(parts);
            }
        }
    }

    fn value(&mut self) -> Option<What<'t>> {
        let rest = self.rest();
        if self.take("[") {
            return self.group("]", false).map(What::List);
        }
        if self.take("{") {
            return self.group("}", true).map(What::Table);
        }
        let length = match rest.chars().next()? {
            '"' | '\'' => string_length(rest)?,
            _ => rest.find(['\n', '\r', ',', ']', '}', '#']).unwrap_or(rest.len()),
        };
        let scalar = rest[..length].trim_end_matches([' ', '\t']);
        self.at += scalar.len();
        (!scalar.is_empty()).then_some(What::Scalar(scalar))
    }

    fn group(&mut self, closing: &str, keyed: bool) -> Option<Group<'t>> {
        let opening = self.comment();
        let mut group = Group { opening, items: Vec::new(), below: Vec::new(), broken: false };
        let mut above = Vec::new();
        loop {
            let from = self.at;
            above.append(&mut self.above());
            if group.items.is_empty() {
                group.broken |= self.text[from..self.at].contains('\n');
            }
            if self.take(closing) {
                group.below = above;
                return Some(group);
            }
            let mut key = Vec::new();
            if keyed {
                key = self.key()?;
                // The reader of TOML allows lines to end around the sign, and comments with them.
                above.append(&mut self.above());
                self.take("=").then_some(())?;
                above.append(&mut self.above());
            }
            let what = self.value()?;
            let mut comment = self.comment();
            // Comments between a value and its comma.
            let mut late = self.above();
            if self.take(",") {
                match (comment, late.is_empty()) {
                    (None, true) => comment = self.comment(),
                    _ => late.extend(self.comment().map(Above::Comment)),
                }
            }
            group.items.push(Item { above: std::mem::replace(&mut above, late), key, what, comment });
        }
    }
}

/// How many bytes the string at the beginning of a text has, with its quotation marks.
fn string_length(text: &str) -> Option<usize> {
    for (mark, escapes) in [("\"\"\"", true), ("'''", false), ("\"", true), ("'", false)] {
        let Some(inside) = text.strip_prefix(mark) else { continue };
        let mut from = 0;
        loop {
            let at = from + inside.get(from..)?.find(mark)?;
            let slashes = inside[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
            if escapes && slashes % 2 == 1 {
                from = at + 1;
                continue;
            }
            let end = mark.len() + at + mark.len();
            // One or two quotation marks may stand before the closing three.
            let quote = mark.as_bytes()[0];
            let more = text.as_bytes()[end..].iter().take(2).take_while(|byte| **byte == quote).count();
            return Some(end + if mark.len() == 3 { more } else { 0 });
        }
    }
    None
}
