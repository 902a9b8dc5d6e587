//! The spaces of a formula: as the models of the project have them.
//!
//! ```text
//! a*b + c   x^2   -x   sin(x)   atan2(y, x)   a < b and not c   x[i-1]   sum(x[i] for i in 1..N-1)
//! ```
//!
//! Tokens keep their order and their letters; only what stands between them changes. Line breaks stay.

use super::token::{Placed, Token, tokens};
use super::{Place, Span};

/// What brackets a token stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// None, or round ones, or those of a triple.
    Loose,
    /// Those of an index, or a range: sums without spaces.
    Tight,
}

/// How a token takes part in its formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Operand,
    /// A word that joins: `and`, `or`, `for`, `in`; and `not`.
    Word,
    /// `+`, `-` and comparisons between two operands.
    Joint(Within),
    /// A sign, `*`, `/`, `^`, `..`, what belongs to the name before it.
    Close,
    Opening,
    Closing,
    Comma,
}

/// The formula with its spaces in order; none if it is not one.
pub(crate) fn spaced(text: &str) -> Option<String> {
    let found = read(text)?;
    let written = written(text, &found);
    // Spaces have no meaning; should they ever get one, the formula stays as it is.
    same(&found, &read(&written)?).then_some(written)
}

/// Whether two texts are the same formula, spaces apart.
pub(crate) fn same_formula(one: &str, other: &str) -> bool {
    matches!((read(one), read(other)), (Some(one), Some(other)) if same(&one, &other))
}

fn read(text: &str) -> Option<Vec<Placed>> {
    tokens(text, Place { base: None, whole: Span { start: 0, end: 0 } }).ok()
}

fn same(one: &[Placed], other: &[Placed]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.0 == other.0)
}

fn written(text: &str, found: &[Placed]) -> String {
    let roles = roles(found);
    let mut written = String::with_capacity(text.len() + 8);
    for (i, (token, start, end)) in found.iter().enumerate().filter(|(_, (token, ..))| *token != Token::End) {
        let Some(((_, from, before), earlier)) = i.checked_sub(1).map(|i| (&found[i], roles[i])) else {
            let lead = &text[..*start];
            written += if lead.contains('\n') { lead } else { "" };
            written += &text[*start..*end];
            continue;
        };
        let gap = &text[*before..*start];
        match gap.find('\n') {
            Some(at) => written += &gap[at..],
            None => {
                // A point is one of a component only before a letter.
                let letter = if *token == Token::Mark('.') { "x" } else { "" };
                let joined = [&text[*from..*before], &text[*start..*end], letter].concat();
                let apart = read(&joined).is_none_or(|both| both.len() != 3 + letter.len() || both[1].0 != *token);
                if apart || has_space(earlier, roles[i]) {
                    written.push(' ');
                }
            }
        }
        written += &text[*start..*end];
    }
    let rest = found.iter().rev().nth(1).map_or(text, |(_, _, end)| &text[*end..]);
    written += rest.find('\n').map_or("", |at| &rest[at..]);
    written
}

fn has_space(before: Role, after: Role) -> bool {
    match (before, after) {
        (Role::Opening, _) | (_, Role::Closing | Role::Comma) => false,
        (Role::Word | Role::Comma, _) | (_, Role::Word) => true,
        (Role::Joint(within), _) | (_, Role::Joint(within)) => within == Within::Loose,
        _ => false,
    }
}

fn roles(found: &[Placed]) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::with_capacity(found.len());
    // Brackets from the outermost on; what is outside of all is loose.
    let mut brackets = vec![Within::Loose];
    // Whether an operand is complete, so that an operator comes next.
    let mut complete = false;
    for (i, (token, ..)) in found.iter().enumerate() {
        let next = found.get(i + 1).map(|(token, ..)| token);
        let within = brackets.last().copied().unwrap_or(Within::Loose);
        let role = match token {
            Token::Number(_) => Role::Operand,
            Token::Name(word) if complete => {
                if let Some(range) = brackets.last_mut() {
                    *range = if word == "in" { Within::Tight } else { Within::Loose };
                }
                Role::Word
            }
            Token::Name(word) if word == "not" && matches!(next, Some(Token::Name(_) | Token::Number(_))) => Role::Word,
            Token::Name(word) if word == "not" && next == Some(&Token::Mark('(')) => Role::Word,
            Token::Name(_) => Role::Operand,
            Token::Compare(_) => Role::Joint(within),
            Token::Mark('+' | '-') if complete => Role::Joint(within),
            Token::Mark(',') => Role::Comma,
            Token::Mark('(') => {
                brackets.push(Within::Loose);
                Role::Opening
            }
            Token::Mark('[') => {
                brackets.push(if complete { Within::Tight } else { Within::Loose });
                Role::Opening
            }
            Token::Mark(')' | ']') => {
                brackets.pop();
                Role::Closing
            }
            Token::Mark(_) | Token::Dots | Token::End => Role::Close,
        };
        complete = matches!((role, token), (Role::Operand | Role::Closing, _) | (_, Token::Mark('\'')));
        roles.push(role);
    }
    roles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_spaced_as_in_the_models() {
        for (written, expected) in [
            ("a * b+c", "a*b + c"),
            (" - x ^ 2/( 3 )", "-x^2/(3)"),
            ("m/2*( x ' ^2+ y'^ 2 )", "m/2*(x'^2 + y'^2)"),
            ("atan2( x,-y )", "atan2(x, -y)"),
            (
                "right[ i - 1 ] -( x[i]-cos ( theta[i])/2) for i in 1 .. N - 1",
                "right[i-1] - (x[i] - cos(theta[i])/2) for i in 1..N-1",
            ),
            ("g*sum(y[ i ] for  i in 1..N)+1", "g*sum(y[i] for i in 1..N) + 1"),
            ("if(x<0 and not(y>=1)or a , -1,+ 2)", "if(x < 0 and not (y >= 1) or a, -1, +2)"),
            ("[a,b+1,- c] .x", "[a, b + 1, -c].x"),
            ("x<1 and[1,2+a,3].x>0", "x < 1 and [1, 2 + a, 3].x > 0"),
            ("2 ^ -1*-x- -y", "2^-1*-x - -y"),
            ("x[1 .. N]", "x[1..N]"),
            ("1. ..2", "1. ..2"),
            ("1e3-2E-4", "1e3 - 2E-4"),
            ("a+\n    b", "a +\n    b"),
            ("", ""),
        ] {
            let once = spaced(written).unwrap_or_else(|| panic!("{written}"));
            assert_eq!(once, expected);
            assert_eq!(spaced(&once).as_deref(), Some(expected));
        }
        assert_eq!(spaced("a ** b"), None);
    }
}
