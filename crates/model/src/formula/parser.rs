//! Tokens to a tree, by recursive descent with a bound on the depth.

use std::rc::Rc;

use super::token::{Placed, Token, tokens};
use super::{AXES, Clause, DEEPEST, Expr, Formula, Kind, LONGEST, Place, SyntaxError, slip};
use crate::functions::is_function;
use crate::text::Span;

/// `name` or `name[from..to]`, and `: rotation` behind it.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub name: String,
    pub range: Option<(Expr, Expr)>,
    /// The word behind a colon, with its place.
    pub kind: Option<(String, Span)>,
    pub span: Span,
}

/// Parses a formula with its `for` clauses.
pub(crate) fn parse(text: &str, place: Place) -> Result<Formula, SyntaxError> {
    let mut parser = Parser::new(text, place)?;
    if parser.peek() == &Token::End {
        return Err(parser.wrong("the formula is empty", None));
    }
    let body = Rc::new(parser.either()?);
    let mut clauses = Vec::new();
    while parser.peek() == &Token::Name("for".to_owned()) {
        clauses.push(parser.clause()?);
    }
    parser.end()?;
    Ok(Formula { body, clauses })
}

/// Parses `name(x, y)`: a function and the names of its arguments.
pub(crate) fn parse_signature(text: &str, place: Place) -> Result<(String, Vec<String>), SyntaxError> {
    let mut parser = Parser::new(text, place)?;
    let name = parser.name("the name of a function")?;
    parser.expect('(')?;
    let mut arguments = vec![parser.name("the name of an argument")?];
    while parser.take(',') {
        arguments.push(parser.name("the name of an argument")?);
    }
    parser.expect(')')?;
    parser.end()?;
    Ok((name, arguments))
}

/// Parses the name of a variable or of a vector of variables, and of what kind it is.
pub(crate) fn parse_declaration(text: &str, place: Place) -> Result<Declaration, SyntaxError> {
    let (whole, kind) = match text.split_once(':') {
        Some((name, kind)) => {
            let start = name.len() + 1 + kind.len() - kind.trim_start().len();
            let word = kind.trim().to_owned();
            let span = place.span(start, start + word.len());
            (name, Some((word, span)))
        }
        None => (text, None),
    };
    let mut parser = Parser::new(whole, place)?;
    let name = parser.name("a name")?;
    let mut range = None;
    if parser.take('[') {
        let from = parser.sum()?;
        parser.dots()?;
        let to = parser.sum()?;
        parser.expect(']')?;
        range = Some((from, to));
    }
    parser.end()?;
    Ok(Declaration { name, range, kind, span: place.span(0, text.len()) })
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    place: Place,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, place: Place) -> Result<Self, SyntaxError> {
        if text.len() > LONGEST {
            return Err(SyntaxError {
                span: place.whole,
                message: format!("the formula is longer than {LONGEST} characters"),
                hint: Some("split it into definitions".to_owned()),
            });
        }
        Ok(Parser { text, tokens: tokens(text, place)?, at: 0, depth: 0, place })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn start(&self) -> usize {
        self.tokens[self.at].1
    }

    /// Where the token before the present one ends.
    fn past(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].2)
    }

    /// The last token is `End`, which is never passed.
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn take(&mut self, mark: char) -> bool {
        let found = self.peek() == &Token::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn wrong(&self, message: impl Into<String>, hint: Option<&str>) -> SyntaxError {
        let (_, start, end) = self.tokens[self.at];
        SyntaxError { span: self.place.span(start, end), message: message.into(), hint: hint.map(str::to_owned) }
    }

    fn expect(&mut self, mark: char) -> Result<(), SyntaxError> {
        if self.take(mark) {
            return Ok(());
        }
        let hint = self.missing_operator().or_else(|| self.decimal_comma());
        Err(self.wrong(format!("expected `{mark}`, found {}", self.peek().describe()), hint.as_deref()))
    }

    /// What may be meant where an operand follows another; none if it does not.
    fn missing_operator(&self) -> Option<String> {
        let token = |back: usize| self.at.checked_sub(back).map(|at| &self.tokens[at].0);
        if !matches!(self.peek(), Token::Name(_) | Token::Number(_) | Token::Mark('(' | '[')) {
            return None;
        }
        // sin x, and sin^2(x)
        if let Some(Token::Name(name)) = token(1)
            && is_function(name)
        {
            return Some(format!("the arguments of a function stand in brackets: {name}(…)"));
        }
        if let (Some(Token::Name(name)), Some(Token::Mark('^')), Some(Token::Number(power))) =
            (token(3), token(2), token(1))
            && is_function(name)
        {
            return Some(format!("write {name}(…)^{power}"));
        }
        Some("products are written with `*`".to_owned())
    }

    /// 9,81 at the comma.
    fn decimal_comma(&self) -> Option<String> {
        let around = self.at.checked_sub(1).and_then(|before| self.tokens.get(before..before + 3))?;
        match around {
            [(Token::Number(_), start, end), (Token::Mark(','), comma, next), (Token::Number(_), from, to)]
                if end == comma && next == from =>
            {
                let (whole, rest) = (&self.text[*start..*end], &self.text[*from..*to]);
                Some(format!("numbers have a decimal point: {whole}.{rest}"))
            }
            _ => None,
        }
    }

    fn dots(&mut self) -> Result<(), SyntaxError> {
        if self.peek() != &Token::Dots {
            let message = format!("expected `..`, found {}", self.peek().describe());
            return Err(self.wrong(message, Some("a range is written 1..N, both ends included")));
        }
        self.advance();
        Ok(())
    }

    fn name(&mut self, what: &str) -> Result<String, SyntaxError> {
        let Token::Name(name) = self.peek() else {
            return Err(self.wrong(format!("expected {what}, found {}", self.peek().describe()), None));
        };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    fn end(&self) -> Result<(), SyntaxError> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Name(_) | Token::Number(_) | Token::Mark('(' | '[') => {
                let hint = self.missing_operator();
                Err(self.wrong(format!("expected an operator, found {}", self.peek().describe()), hint.as_deref()))
            }
            Token::Mark('\'') => {
                let hint = "the rate of an expression is written der(…)";
                Err(self.wrong("a prime belongs to a name", Some(hint)))
            }
            Token::Mark(',') => {
                let hint = self.decimal_comma();
                Err(self.wrong("unexpected `,`", hint.as_deref()))
            }
            other => Err(self.wrong(format!("unexpected {}", other.describe()), None)),
        }
    }

    fn clause(&mut self) -> Result<Clause, SyntaxError> {
        let start = self.start();
        self.advance();
        let variable = self.name("the name of an index")?;
        if self.peek() != &Token::Name("in".to_owned()) {
            let message = format!("expected `in`, found {}", self.peek().describe());
            return Err(self.wrong(message, Some("repetition is written: for i in 1..N")));
        }
        self.advance();
        let from = self.sum()?;
        self.dots()?;
        let to = self.sum()?;
        Ok(Clause { variable, from, to, span: self.place.span(start, self.past()) })
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
        if self.depth >= DEEPEST {
            return Err(self
                .wrong(format!("the formula is nested more than {DEEPEST} deep"), Some("split it into definitions")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Parts joined by one of two operators, of which the second is the inverse.
    fn chain(
        &mut self,
        [plain, inverse]: [char; 2],
        part: fn(&mut Self) -> Result<Expr, SyntaxError>,
        join: fn(Vec<(bool, Expr)>) -> Kind,
    ) -> Result<Expr, SyntaxError> {
        let start = self.start();
        let first = part(self)?;
        let mut parts = vec![(false, first)];
        loop {
            let inverted = self.peek() == &Token::Mark(inverse);
            if !inverted && self.peek() != &Token::Mark(plain) {
                break;
            }
            self.advance();
            let next = part(self)?;
            parts.push((inverted, next));
        }
        if parts.len() == 1
            && let Some((_, only)) = parts.pop()
        {
            return Ok(only);
        }
        Ok(Expr { kind: join(parts), span: self.place.span(start, self.past()) })
    }

    /// Conditions joined by a word; one is itself.
    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Expr, SyntaxError>,
        join: fn(Vec<Expr>) -> Kind,
    ) -> Result<Expr, SyntaxError> {
        let start = self.start();
        let first = part(self)?;
        if !matches!(self.peek(), Token::Name(name) if name == word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while matches!(self.peek(), Token::Name(name) if name == word) {
            self.advance();
            parts.push(part(self)?);
        }
        Ok(Expr { kind: join(parts), span: self.place.span(start, self.past()) })
    }

    fn either(&mut self) -> Result<Expr, SyntaxError> {
        self.joined("or", Self::both, Kind::Any)
    }

    fn both(&mut self) -> Result<Expr, SyntaxError> {
        self.joined("and", Self::negation, Kind::All)
    }

    fn negation(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.start();
        let operand = self.tokens.get(self.at + 1).is_some_and(|(next, _, _)| match next {
            Token::Name(word) => !["and", "or", "for", "in"].contains(&word.as_str()),
            next => matches!(next, Token::Number(_) | Token::Mark('(')),
        });
        if operand && matches!(self.peek(), Token::Name(word) if word == "not") {
            self.advance();
            let inner = self.deeper(Self::negation)?;
            return Ok(Expr { kind: Kind::Not(Box::new(inner)), span: self.place.span(start, self.past()) });
        }
        let first = self.sum()?;
        let Token::Compare(comparison) = *self.peek() else { return Ok(first) };
        self.advance();
        let second = self.sum()?;
        if matches!(self.peek(), Token::Compare(_)) {
            let hint = "join two comparisons: 0 < x and x < 1";
            return Err(self.wrong("a comparison has two sides", Some(hint)));
        }
        let kind = Kind::Compare(comparison, Box::new([first, second]));
        Ok(Expr { kind, span: self.place.span(start, self.past()) })
    }

    fn sum(&mut self) -> Result<Expr, SyntaxError> {
        self.chain(['+', '-'], Self::term, Kind::Sum)
    }

    fn term(&mut self) -> Result<Expr, SyntaxError> {
        self.chain(['*', '/'], Self::unary, Kind::Product)
    }

    fn unary(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.start();
        if self.take('-') {
            let inner = self.deeper(Self::unary)?;
            return Ok(Expr { kind: Kind::Negative(Box::new(inner)), span: self.place.span(start, self.past()) });
        }
        if self.take('+') {
            return self.deeper(Self::unary);
        }
        let base = self.part()?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        let kind = Kind::Power(Box::new(base), Box::new(exponent));
        Ok(Expr { kind, span: self.place.span(start, self.past()) })
    }

    /// An atom, or a component of it.
    fn part(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.start();
        let mut whole = self.atom()?;
        while self.take('.') {
            let Token::Name(name) = self.peek().clone() else { return Err(self.wrong("expected a component", None)) };
            let prefix = matches!(&whole.kind, Kind::Name { name, .. } if slip::is_prefix(name));
            let axis = AXES.iter().position(|axis| *axis == name);
            if axis.is_none() && (is_function(&name) || prefix) {
                let hint = format!("write {name}(…) alone");
                return Err(self.wrong(format!("`{name}` has no prefix"), Some(&hint)));
            }
            let at = self.place.span(self.start(), self.start() + name.len());
            self.advance();
            let mut primes = 0;
            while self.take('\'') {
                primes += 1;
            }
            let of = Box::new(whole);
            let kind = match axis {
                Some(axis) => Kind::Component { of, axis, primes },
                None => Kind::Field { of, field: name, at, primes },
            };
            whole = Expr { kind, span: self.place.span(start, self.past()) };
        }
        Ok(whole)
    }

    /// `[a, b, c]`
    fn triple(&mut self) -> Result<Kind, SyntaxError> {
        let start = self.start();
        let mut parts = self.arguments()?;
        self.expect(']')?;
        let count = parts.len();
        match (parts.pop(), parts.pop(), parts.pop()) {
            (Some(z), Some(y), Some(x)) if count == 3 => Ok(Kind::Triple(Box::new([x, y, z]))),
            _ => Err(SyntaxError {
                span: self.place.span(start, self.past()),
                message: format!("a triple has three numbers, not {count}"),
                hint: Some(if count == 4 { "numbers have a decimal point" } else { "write [a, b, c]" }.to_owned()),
            }),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, SyntaxError> {
        let mut arguments = vec![self.either()?];
        while self.take(',') {
            arguments.push(self.either()?);
        }
        Ok(arguments)
    }

    fn atom(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.start();
        let token = self.peek().clone();
        let kind = match token {
            Token::Number(x) => {
                self.advance();
                Kind::Number(x)
            }
            Token::Mark('(') => {
                self.advance();
                let inner = self.deeper(Self::either)?;
                self.expect(')')?;
                return Ok(inner);
            }
            Token::Mark('[') => {
                self.advance();
                self.deeper(Self::triple)?
            }
            Token::Name(name) => {
                self.advance();
                self.named(name)?
            }
            Token::End => return Err(self.wrong("the formula ends where a number or a name should be", None)),
            other => return Err(self.wrong(format!("expected a number or a name, found {}", other.describe()), None)),
        };
        Ok(Expr { kind, span: self.place.span(start, self.past()) })
    }

    fn named(&mut self, name: String) -> Result<Kind, SyntaxError> {
        if self.take('(') {
            return self.deeper(|parser| parser.call(name));
        }
        let mut index = None;
        if self.take('[') {
            index = Some(Box::new(self.deeper(Self::sum)?));
            self.expect(']')?;
        }
        let mut primes = 0;
        while self.take('\'') {
            primes += 1;
        }
        Ok(Kind::Name { name, index, primes })
    }

    fn call(&mut self, name: String) -> Result<Kind, SyntaxError> {
        if self.peek() == &Token::Mark(')') {
            return Err(self.wrong(format!("`{name}` has no arguments"), Some("write them in the brackets")));
        }
        if name == "sum" {
            let body = self.either()?;
            if self.peek() != &Token::Name("for".to_owned()) {
                let message = format!("expected `for`, found {}", self.peek().describe());
                return Err(self.wrong(message, Some("a sum is written: sum(x[i] for i in 1..N)")));
            }
            let clause = self.clause()?;
            self.expect(')')?;
            return Ok(Kind::Repeated { body: Box::new(body), clause: Box::new(clause) });
        }
        let arguments = self.arguments()?;
        self.expect(')')?;
        Ok(Kind::Call { name, arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { base: Some(0), whole: Span { start: 0, end: 0 } }
    }

    #[test]
    fn ranges_are_not_decimal_points() {
        let formula = parse("x[i] for i in 1..10", place()).expect("a formula");
        assert_eq!(formula.clauses.len(), 1);
        assert!(matches!(formula.clauses[0].to.kind, Kind::Number(10.0)));
    }

    #[test]
    fn depth_is_bounded_but_length_is_not() {
        let deep = format!("{}x{}", "(".repeat(100), ")".repeat(100));
        assert!(parse(&deep, place()).expect_err("too deep").message.contains("nested"));
        assert!(parse(&"-".repeat(50_000), place()).is_err());
        assert!(parse(&vec!["x"; 40_000].join("+"), place()).is_ok());
    }

    #[test]
    fn mistakes_say_where() {
        let error = parse("2 x", place()).expect_err("no operator");
        assert_eq!((error.span.start, error.span.end), (2, 3));
        for bad in ["", "(", "1 +", "sum(x)", "a..b", "f(", "x[", "x^", "x $ y", "2**3", "1e999", "for", "sin()"] {
            assert!(parse(bad, place()).is_err() || bad == "for", "{bad}");
        }
    }
}
