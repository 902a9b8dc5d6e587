//! `for = "i in 1..N"`: an entry for each value of its indices.

use super::reader::{Reader, find};
use crate::document::Entry;
use crate::formula::{self, Formula, Place};
use crate::scope::Indices;

/// What stands before the words of a repetition, so that they are the end of a formula.
const BEFORE: &str = "0 for ";

impl<'d> Reader<'_, 'd, '_> {
    /// Reads every entry of a section for all values of its indices.
    pub fn each(&mut self, section: &'static str, mut one: impl FnMut(&mut Self, &[Entry<'d>])) {
        let document = self.document;
        for keys in document.repeated(section) {
            self.repeat(keys, &mut one);
        }
    }

    /// Reads one entry for all values of its indices.
    pub fn repeat(&mut self, keys: &[Entry<'d>], one: &mut impl FnMut(&mut Self, &[Entry<'d>])) {
        let Some(entry) = find(keys, "for") else {
            self.indices = Vec::new();
            return one(self, keys);
        };
        let Some(all) = self.repetition(&entry) else {
            if let Some(stem) = find(keys, "name").and_then(|name| self.stem(&name)) {
                self.lost.insert(stem);
            }
            return;
        };
        for indices in all {
            if self.scope.mistakes.is_full() {
                break;
            }
            self.indices = indices;
            one(self, keys);
        }
        self.indices = Vec::new();
    }

    /// The values of the indices of an entry; one without any if it is not repeated.
    pub fn all_indices(&mut self, keys: &[Entry<'d>]) -> Option<Vec<Indices>> {
        match find(keys, "for") {
            Some(entry) => self.repetition(&entry),
            None => Some(vec![Vec::new()]),
        }
    }

    fn repetition(&mut self, entry: &Entry<'d>) -> Option<Vec<Indices>> {
        let words = self.words(entry)?;
        let place = self.document.place(&words, entry.span);
        let base = place.base.and_then(|base| base.checked_sub(BEFORE.len()));
        let hint = "write for = \"i in 1..N\"";
        let formula: Formula = match formula::parse(&format!("{BEFORE}{words}"), Place { base, ..place }) {
            Ok(formula) => formula,
            Err(error) => {
                self.wrong(error.span, error.message, hint);
                return None;
            }
        };
        let before = self.scope.mistakes.count();
        let all: Vec<Indices> = self.scope.instances(&formula).into_iter().map(|instance| instance.indices).collect();
        (self.scope.mistakes.count() == before).then_some(all)
    }
}
