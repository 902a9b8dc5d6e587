//! Values of which many are equal, each of them once: large mechanisms are made of a few parts.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Index;

/// Values in their order.
#[derive(Clone, Debug)]
pub(crate) struct Distinct<T> {
    values: Vec<T>,
    /// Which of them.
    which: Vec<u32>,
}

impl<T> Distinct<T> {
    /// Of values that are equal where their keys are.
    pub fn new<K: Hash + Eq>(all: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Self {
        let all = all.into_iter();
        let (mut values, mut which) = (Vec::new(), Vec::with_capacity(all.size_hint().0));
        let mut known = HashMap::new();
        for value in all {
            let at = *known.entry(key(&value)).or_insert(values.len() as u32);
            if at as usize == values.len() {
                values.push(value);
            }
            which.push(at);
        }
        values.shrink_to_fit();
        Distinct { values, which }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.which.iter().map(|at| &self.values[*at as usize])
    }
}

impl<T> Index<usize> for Distinct<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.values[self.which[at] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Distinct;

    #[test]
    fn equal_values_are_there_once() {
        let all = [3, 5, 3, 3, 7, 5];
        let distinct = Distinct::new(all, |x| *x);
        assert_eq!(distinct.values, [3, 5, 7]);
        assert!(distinct.iter().eq(&all) && distinct[4] == 7);
    }
}
