//! Names in one text: those of ten thousand bodies would else be as many pieces of memory, each with more around it than in it.

use std::ops::Index;

/// Names in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each of them ends in the text; it begins where the one before ends.
    ends: Vec<u32>,
}

impl Names {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| &self[at])
    }

    /// One more.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
    }

    /// Gives back room that it will not need.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl Index<usize> for Names {
    type Output = str;

    fn index(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(all: I) -> Self {
        let mut names = Names::default();
        all.into_iter().for_each(|name| names.push(name.as_ref()));
        names.shrink();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_come_back_in_their_order() {
        let names: Names = ["ground", "", "crank"].into_iter().collect();
        assert_eq!(names.len(), 3);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["ground", "", "crank"]);
        assert_eq!([&names[0], &names[1], &names[2]], ["ground", "", "crank"]);
    }
}
