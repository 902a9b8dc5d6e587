//! Room that is taken for a while and put back: what is never needed at the same time is there once.
//!
//! A matrix is needed until its factors have proved good, a right-hand side until it is solved for. With ten thousand bodies each of these
//! is half a kilobyte a body, and every matrix of a method has its own.

use std::sync::{Mutex, PoisonError};

use super::Entry;

/// Vectors that nobody needs at present.
#[derive(Debug)]
pub struct Shelf<S>(Mutex<Vec<Vec<S>>>);

impl<S> Default for Shelf<S> {
    fn default() -> Self {
        Shelf(Mutex::new(Vec::new()))
    }
}

/// A copy is for others, and has vectors of its own.
impl<S> Clone for Shelf<S> {
    fn clone(&self) -> Self {
        Shelf::default()
    }
}

impl<S: Entry> Shelf<S> {
    /// A vector of this length with any numbers in it: the smallest one with enough room, or a new one.
    pub fn take(&self, length: usize) -> Vec<S> {
        let mut vectors = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = vectors.iter().enumerate().filter(|(_, vector)| vector.capacity() >= length);
        let found = fitting.min_by_key(|(_, vector)| vector.capacity()).map(|(at, _)| at);
        let Some(mut vector) = found.map(|at| vectors.swap_remove(at)) else { return vec![S::default(); length] };
        vector.resize(length, S::default());
        vector
    }

    /// Puts a vector back.
    pub fn put(&self, vector: Vec<S>) {
        if vector.capacity() > 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_vector_that_fits_is_taken() {
        let shelf = Shelf::<f64>::default();
        let places = [20, 5, 10].map(|length| {
            let vector = shelf.take(length);
            (vector.as_ptr(), vector)
        });
        let [large, small, middle] = places.map(|(place, vector)| {
            shelf.put(vector);
            place
        });
        let [a, b, c] = [7, 3, 7].map(|length| shelf.take(length));
        assert_eq!([a.as_ptr(), b.as_ptr(), c.as_ptr()], [middle, small, large]);
        assert_eq!([a.len(), b.len(), c.len(), shelf.clone().take(4).len()], [7, 3, 7, 4]);
    }
}
