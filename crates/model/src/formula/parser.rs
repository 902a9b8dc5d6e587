//! Tokens to a tree, by recursive descent with a bound on the depth.

use std::rc::Rc;

use super::token::{Placed, Token, tokens};
use super::{Clause, DEEPEST, Expr, Formula, Kind, LONGEST, Place, SyntaxError};
use crate::text::Span;

/// `name` or `name[from..to]`.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub name: String,
    pub range: Option<(Expr, Expr)>,
    pub span: Span,
}

/// Parses a formula with its `for` clauses.
pub(crate) fn parse(text: &str, place: Place) -> Result<Formula, SyntaxError> {
    let mut parser = Parser::new(text, place)?;
    if parser.peek() == &Token::End {
        return Err(parser.wrong("the formula is empty", None));
    }
    let body = Rc::new(parser.sum()?);
    let mut clauses = Vec::new();
    while parser.peek() == &Token::Name("for".to_owned()) {
        clauses.push(parser.clause()?);
    }
    parser.end()?;
    Ok(Formula { body, clauses })
}

/// Parses the name of a variable or of a vector of variables.
pub(crate) fn parse_declaration(text: &str, place: Place) -> Result<Declaration, SyntaxError> {
    let mut parser = Parser::new(text, place)?;
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
    Ok(Declaration { name, range, span: place.span(0, text.len()) })
}

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    place: Place,
}

impl Parser {
    fn new(text: &str, place: Place) -> Result<Self, SyntaxError> {
        if text.len() > LONGEST {
            return Err(SyntaxError {
                span: place.whole,
                message: format!("the formula is longer than {LONGEST} characters"),
                hint: Some("split it into definitions".to_owned()),
            });
        }
        Ok(Parser { tokens: tokens(text, place)?, at: 0, depth: 0, place })
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
        Err(self.wrong(format!("expected `{mark}`, found {}", self.peek().describe()), None))
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
            Token::Name(_) | Token::Number(_) | Token::Mark('(') => Err(self.wrong(
                format!("expected an operator, found {}", self.peek().describe()),
                Some("products are written with `*`"),
            )),
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
        let base = self.atom()?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        let kind = Kind::Power(Box::new(base), Box::new(exponent));
        Ok(Expr { kind, span: self.place.span(start, self.past()) })
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
                let inner = self.deeper(Self::sum)?;
                self.expect(')')?;
                return Ok(inner);
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
        let first = self.sum()?;
        if name == "sum" {
            if self.peek() != &Token::Name("for".to_owned()) {
                let message = format!("expected `for`, found {}", self.peek().describe());
                return Err(self.wrong(message, Some("a sum is written: sum(x[i] for i in 1..N)")));
            }
            let clause = self.clause()?;
            self.expect(')')?;
            return Ok(Kind::Repeated { body: Box::new(first), clause: Box::new(clause) });
        }
        let mut arguments = vec![first];
        while self.take(',') {
            arguments.push(self.sum()?);
        }
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
