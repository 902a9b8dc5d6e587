//! Functions of the file: their bodies stand in the place of calls, once for the same arguments.

use std::rc::Rc;

use super::value::Value;
use super::{Indices, Scope};
use crate::formula::Expr;
use crate::functions;
use crate::text::{Collector, Span};

/// A function of the file.
#[derive(Debug)]
pub(super) struct Own {
    name: String,
    arguments: Vec<String>,
    body: Rc<Expr>,
    used: bool,
}

impl Scope<'_> {
    /// Adds a function; says what is wrong with its name.
    pub fn add_function(&mut self, name: &str, arguments: Vec<String>, body: Rc<Expr>, span: Span) {
        let other = || Some("choose another name".to_owned());
        if functions::is_function(name) {
            self.mistakes.add(span, format!("`{name}` is a function of formulas already"), other());
        } else if self.own_function(name).is_some() {
            self.mistakes.add(span, format!("the function `{name}` is defined twice"), other());
        } else if let Some(twice) = arguments.iter().enumerate().find(|(i, name)| arguments[..*i].contains(name)) {
            self.mistakes.add(span, format!("two arguments of `{name}` are called `{}`", twice.1), other());
            self.break_function(name);
        } else {
            self.own.push(Own { name: name.to_owned(), arguments, body, used: false });
        }
    }

    /// Does something while some names have values of their own.
    pub fn with_local<T>(&mut self, names: Vec<(String, Value)>, work: impl FnOnce(&mut Self) -> T) -> T {
        self.frames.push(names);
        let done = work(self);
        self.frames.pop();
        done
    }

    /// Remembers a function that has a mistake: its calls are none.
    pub fn break_function(&mut self, name: &str) {
        self.broken.insert(name.to_owned());
    }

    pub(super) fn own_function(&self, name: &str) -> Option<usize> {
        self.own.iter().position(|own| own.name == name)
    }

    pub(super) fn own_functions(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|own| own.name.as_str())
    }

    pub(super) fn call_own(
        &mut self,
        span: Span,
        own: usize,
        arguments: &[Expr],
        indices: &mut Indices,
    ) -> Option<Value> {
        self.own[own].used = true;
        let values: Vec<Option<Value>> = arguments.iter().map(|argument| self.value(argument, indices)).collect();
        let Own { name, arguments: names, .. } = &self.own[own];
        if names.len() != arguments.len() {
            let plural = if names.len() == 1 { "" } else { "s" };
            let (takes, list) = (format!("{} argument{plural}", names.len()), names.join(", "));
            let name = name.clone();
            self.wrong_count(span, &name, (&takes, &list), arguments);
            return None;
        }
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        if let Some(at) = self.calling.iter().position(|caller| *caller == own) {
            let round: Vec<&str> = self.calling[at..].iter().map(|own| self.own[*own].name.as_str()).collect();
            let message = format!("the function `{name}` calls itself");
            let hint = match round.len() {
                1 => "functions cannot be recursive: use sum(…), or a vector of definitions".to_owned(),
                _ => format!("the cycle goes through {}", round.join(", ")),
            };
            self.mistakes.add(span, message, Some(hint));
            return None;
        }
        let key = (own, values);
        if let Some(known) = self.calls.get(&key) {
            return *known;
        }
        let value = self.body(own, &key.1);
        self.calls.insert(key, value);
        value
    }

    fn body(&mut self, own: usize, values: &[Value]) -> Option<Value> {
        let Own { arguments, body, .. } = &self.own[own];
        let (frame, body) = (arguments.iter().cloned().zip(values.iter().copied()).collect(), body.clone());
        self.calling.push(own);
        self.frames.push(frame);
        let value = self.value(&body, &mut Vec::new());
        self.frames.pop();
        self.calling.pop();
        value
    }

    /// Looks into functions that nobody calls: what they are called with is not known, but names have to be.
    pub fn check_unused_functions(&mut self) {
        for own in 0..self.own.len() {
            if self.own[own].used {
                continue;
            }
            let number = Value::Number(self.graph.input(0));
            let values = vec![number; self.own[own].arguments.len()];
            let before = std::mem::take(self.mistakes);
            self.body(own, &values);
            let found = std::mem::replace(self.mistakes, before);
            self.keep_unknown(found);
        }
    }

    fn keep_unknown(&mut self, found: Collector) {
        for mistake in found.into_list() {
            if ["unknown ", "the function "].iter().any(|start| mistake.message.starts_with(start)) {
                self.mistakes.add(mistake.span, mistake.message, mistake.hint);
            }
        }
    }
}
