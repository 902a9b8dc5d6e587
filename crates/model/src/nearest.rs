//! The name someone probably meant.

/// Longest word that is looked for; nobody slips in a longer one only.
const LONGEST: usize = 64;
/// Most candidates that are compared: the time for one hint stays below a millisecond or two.
const MOST: usize = 2_000;

/// The candidate with the fewest edits from `word`, unless all are too far to be a slip. Long words, and candidates beyond the
/// first 2000 of about its length, are not looked at.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        // Every letter too many or too few is an edit, and more than half of the letters are too many.
        .filter(|candidate| {
            let other = candidate.chars().take(2 * LONGEST + 1).count();
            2 * length.abs_diff(other) <= length.max(other)
        })
        .take(MOST)
        .map(|candidate| (distance(word, candidate), candidate))
        .min_by_key(|&(edits, _)| edits)
        // More than half of the letters wrong is another word, not a slip.
        .filter(|&(edits, candidate)| 2 * edits <= candidate.chars().count().max(word.chars().count()))
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance: insertions, deletions and substitutions, each counted once; one row of the table at a time.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let substituted = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("3/fig1", "3/fig1"), 0);
    }

    #[test]
    fn a_slip_finds_its_name_and_nonsense_none() {
        let names = ["1/fig5.1", "3/fig1", "3/fig2"];
        assert_eq!(nearest("3/fg1", names), Some("3/fig1"));
        assert_eq!(nearest("wheelbarrow", names), None);
    }

    #[test]
    fn long_words_and_long_lists_take_no_time() {
        let word = "x".repeat(1_000_000);
        let words: Vec<String> = (0..1_000).map(|_| word.clone()).collect();
        assert_eq!(nearest(&word, words.iter().map(String::as_str)), None);
        assert_eq!(nearest("xy", words.iter().map(String::as_str).chain(["xz"])), Some("xz"));
    }
}
