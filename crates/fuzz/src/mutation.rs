//! Mutations of bytes, words, numbers and lines.

use std::ops::Range;

/// Numbers that break things.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "18446744073709551616",
    "-9223372036854775808",
    "0.5",
    "1e9",
    "99999999",
    "00",
    "1.",
    "1e",
    "2147483648",
];

/// Makes inputs from a corpus.
pub(crate) struct Mutator<'a> {
    state: u64,
    corpus: &'a [Vec<u8>],
    words: &'a [&'a str],
}

impl<'a> Mutator<'a> {
    pub fn new(seed: u64, corpus: &'a [Vec<u8>], words: &'a [&'a str]) -> Self {
        Mutator { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, corpus, words }
    }

    /// A number below n (0 if n is 0), by Marsaglia's xorshift.
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 11) as usize) % n.max(1)
    }

    /// The next input.
    pub fn next_into(&mut self, input: &mut Vec<u8>) {
        let corpus = self.corpus;
        input.clear();
        input.extend_from_slice(&corpus[self.below(corpus.len())]);
        for _ in 0..=self.below(4) {
            self.mutate(input);
        }
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let length = 1 + self.below(16);
        let end = (at + length).min(input.len());
        match self.below(14) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.below(256) as u8,
            2 => drop(input.drain(at..end)),
            3 => {
                let again = input[at..end].repeat(1 + self.below(40));
                input.splice(at..at, again);
            }
            4 => {
                let corpus = self.corpus;
                let other = &corpus[self.below(corpus.len())];
                let from = self.below(other.len() + 1);
                let piece = other[from..(from + 1 + self.below(200)).min(other.len())].to_vec();
                input.splice(at..end, piece);
            }
            5 => input.truncate(at),
            6 | 7 if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())];
                input.splice(at..if self.below(2) == 0 { at } else { end }, word.bytes());
            }
            8 | 9 => self.another_number(input),
            10..=12 => self.another_line(input),
            _ => {
                let byte = self.below(256) as u8;
                input.insert(at, byte);
            }
        }
    }

    /// Removes a line, repeats it, or puts one of the corpus in its place: texts that are right line by line get further than others.
    fn another_line(&mut self, input: &mut Vec<u8>) {
        let mine = self.line_of(input);
        match self.below(4) {
            0 => drop(input.drain(mine)),
            1 => {
                let again = input[mine.clone()].to_vec();
                input.splice(mine.start..mine.start, again);
            }
            _ => {
                let corpus = self.corpus;
                let other = &corpus[self.below(corpus.len())];
                let theirs = self.line_of(other);
                let end = if self.below(2) == 0 { mine.start } else { mine.end };
                input.splice(mine.start..end, other[theirs].iter().copied());
            }
        }
    }

    /// One of the lines of a text, with its end.
    fn line_of(&mut self, text: &[u8]) -> Range<usize> {
        let at = self.below(text.len());
        let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end + 1);
        start..end
    }

    /// Replaces one of the numbers of a text.
    fn another_number(&mut self, input: &mut Vec<u8>) {
        let starts: Vec<usize> = (0..input.len())
            .filter(|&i| {
                input[i].is_ascii_digit() && (i == 0 || !(input[i - 1].is_ascii_alphanumeric() || input[i - 1] == b'.'))
            })
            .collect();
        if starts.is_empty() {
            return;
        }
        let start = starts[self.below(starts.len())];
        let is_digit = |byte: &u8| byte.is_ascii_digit() || b".e".contains(byte);
        let length = input[start..].iter().take_while(|byte| is_digit(byte)).count();
        let number = NUMBERS[self.below(NUMBERS.len())];
        input.splice(start..start + length, number.bytes());
    }
}
