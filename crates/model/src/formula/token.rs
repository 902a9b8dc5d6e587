//! Text to tokens.

use super::{Comparison, Place, SyntaxError, slip};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// One of `+ - * / ^ ( ) [ ] , ' .`.
    Mark(char),
    Compare(Comparison),
    /// `..`
    Dots,
    End,
}

impl Token {
    pub fn describe(&self) -> String {
        match self {
            Token::Number(x) => format!("the number {x}"),
            Token::Name(name) => format!("`{name}`"),
            Token::Mark(c) => format!("`{c}`"),
            Token::Compare(comparison) => format!("`{}`", comparison.word()),
            Token::Dots => "`..`".to_owned(),
            Token::End => "the end of the formula".to_owned(),
        }
    }
}

/// A token and its bytes in the text.
pub(super) type Placed = (Token, usize, usize);

/// Whether a name may begin with the character.
fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn tokens(text: &str, place: Place) -> Result<Vec<Placed>, SyntaxError> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        let bytes = text.as_bytes();
        let next = bytes.get(start + 1);
        if c.is_whitespace() {
            continue;
        }
        let (token, end) = if c.is_ascii_digit() || (c == '.' && next.is_some_and(u8::is_ascii_digit)) {
            let end = number_end(bytes, start);
            let value = text[start..end].parse::<f64>().ok().filter(|x| x.is_finite());
            let value = value.ok_or_else(|| SyntaxError {
                span: place.span(start, end),
                message: format!("`{}` is not a number that can be represented", &text[start..end]),
                hint: None,
            })?;
            (Token::Number(value), end)
        } else if begins_name(c) {
            let tail = text[start..].find(|c: char| !(begins_name(c) || c.is_numeric()));
            let end = tail.map_or(text.len(), |length| start + length);
            (Token::Name(text[start..end].to_owned()), end)
        } else if let Some(length) = text[start + c.len_utf8()..].find('`').filter(|length| c == '`' && *length > 0) {
            // A name with blanks or other signs in it, as those of joints may have.
            (Token::Name(text[start + 1..start + 1 + length].to_owned()), start + length + 2)
        } else if c == '.' && next == Some(&b'.') {
            (Token::Dots, start + 2)
        } else if let Some((wrong, hint)) = slip::operator(&text[start..]) {
            return Err(SyntaxError {
                span: place.span(start, start + wrong.len()),
                message: format!("`{wrong}` is not an operator"),
                hint: Some(hint.to_owned()),
            });
        } else if let Some((word, comparison)) =
            Comparison::ALL.iter().find(|(word, _)| text[start..].starts_with(word))
        {
            (Token::Compare(*comparison), start + word.len())
        } else if "+-*/^()[],'".contains(c) || (c == '.' && text[start + 1..].starts_with(begins_name)) {
            (Token::Mark(c), start + 1)
        } else {
            return Err(SyntaxError {
                span: place.span(start, start + c.len_utf8()),
                message: format!("unexpected character `{}`", c.escape_debug()),
                hint: slip::character(c).map(str::to_owned),
            });
        };
        while rest.next_if(|(i, _)| *i < end).is_some() {}
        found.push((token, start, end));
    }
    found.push((Token::End, text.len(), text.len()));
    Ok(found)
}

/// Digits, a point that is not the first of `..`, digits, an exponent.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(start);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}
