//! Random inputs: a saved corpus and mutations of it, thrown at a function that must neither panic nor hang.
//!
//! A test makes a [`Campaign`] from its corpus (files that are checked in: good ones, and every input that ever broke
//! something) and lets it run. Without further words a campaign is short and the same every time; `cargo xtask fuzz --minutes N` sets
//! [`SECONDS`] and a seed of its own. An input that breaks the target is written beside the build, and its path is in the
//! message: it belongs into the corpus.
//!
//! Mutations are those of bytes (flipped, inserted, removed, repeated, copied from elsewhere), of words of a dictionary, of
//! numbers and of lines. Nothing measures coverage: the corpora are small files that reach every branch by themselves.

mod mutation;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutation::Mutator;

/// The variable of the environment with the seconds that each campaign runs.
pub const SECONDS: &str = "ALEMBERT_FUZZ_SECONDS";
/// The variable with the number of inputs of each campaign.
pub const INPUTS: &str = "ALEMBERT_FUZZ_INPUTS";
/// The variable with the seed of the mutations.
pub const SEED: &str = "ALEMBERT_FUZZ_SEED";

/// Longest time that one input may take on a processor; what hangs takes minutes.
const SLOW: Duration = Duration::from_secs(20);
/// Longest input.
const LONGEST: usize = 1 << 16;

/// A target with what to throw at it.
pub struct Campaign<'a> {
    name: &'a str,
    corpus: Vec<Vec<u8>>,
    words: &'a [&'a str],
    inputs: u64,
}

impl<'a> Campaign<'a> {
    /// A campaign of this name; its corpus is all files of a folder, in the order of their names.
    ///
    /// # Panics
    /// If the folder cannot be read, or is empty.
    pub fn new(name: &'a str, folder: &Path) -> Self {
        let read = |path: &Path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.retain(|path| path.is_file());
        paths.sort();
        assert!(!paths.is_empty(), "no corpus in {}", folder.display());
        Campaign { name, corpus: paths.iter().map(|path| read(path)).collect(), words: &[], inputs: 2000 }
    }

    /// Adds an input to the corpus.
    #[must_use]
    pub fn with(mut self, input: Vec<u8>) -> Self {
        self.corpus.push(input);
        self
    }

    /// Words that mutations write.
    #[must_use]
    pub fn with_words(mut self, words: &'a [&'a str]) -> Self {
        self.words = words;
        self
    }

    /// Inputs of a short campaign.
    #[must_use]
    pub fn with_inputs(mut self, inputs: u64) -> Self {
        self.inputs = inputs;
        self
    }

    /// Throws the corpus and its mutations at the target; returns how many inputs that were.
    ///
    /// # Panics
    /// If an input makes the target panic, or takes longer than 20 seconds.
    pub fn run(self, target: impl Fn(&[u8])) -> u64 {
        let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
        let seconds = number(SECONDS);
        let inputs = number(INPUTS).unwrap_or(if seconds.is_some() { u64::MAX } else { self.inputs });
        let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(u64::from(u32::MAX)));
        let mut mutator = Mutator::new(number(SEED).unwrap_or(1), &self.corpus, self.words);
        let mut count = 0;
        for input in &self.corpus {
            self.throw(input, &target);
            count += 1;
        }
        let mut input = Vec::new();
        while count < inputs && Instant::now() < until {
            mutator.next_into(&mut input);
            input.truncate(LONGEST);
            self.throw(&input, &target);
            count += 1;
        }
        if seconds.is_some() {
            println!("{}: {count} inputs", self.name);
        }
        count
    }

    fn throw(&self, input: &[u8], target: &impl Fn(&[u8])) {
        let clock = Clock::start();
        let thrown = catch_unwind(AssertUnwindSafe(|| target(input)));
        if thrown.is_ok() && clock.elapsed() < SLOW {
            return;
        }
        let path = std::env::temp_dir().join(format!("alembert-fuzz-{}-{:016x}", self.name, hash(input)));
        let kept = fs::write(&path, input);
        let what = if thrown.is_err() { "makes it panic" } else { "takes too long" };
        panic!("{}: an input of {} bytes {what}: {} ({kept:?})", self.name, input.len(), path.display());
    }
}

/// The time that this thread has had a processor, where the system tells it; the time on the wall elsewhere. A busy machine makes no
/// input slow.
struct Clock {
    begun: Instant,
    busy: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Clock { begun: Instant::now(), busy: busy() }
    }

    fn elapsed(&self) -> Duration {
        match (self.busy, busy()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.begun.elapsed(),
        }
    }
}

/// The first number of `schedstat`: nanoseconds of this thread on a processor.
fn busy() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Fowler, Noll and Vo's hash, for names of files.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign() -> Campaign<'static> {
        Campaign { name: "test", corpus: vec![b"a = 1".to_vec()], words: &["1e999"], inputs: 5000 }
    }

    #[test]
    fn a_panic_is_found_and_its_input_kept() {
        let found = catch_unwind(|| campaign().run(|input| assert!(!input.windows(5).any(|word| word == b"1e999"))));
        let message = *found.expect_err("a panic").downcast::<String>().expect("words");
        assert!(message.starts_with("test: an input of"), "{message}");
        let path = message.split(": ").nth(2).and_then(|rest| rest.split(" (").next()).expect("a path");
        assert!(fs::read(path).expect("kept").windows(5).any(|word| word == b"1e999"));
        fs::remove_file(path).expect("ours");
    }

    #[test]
    fn waiting_is_not_work() {
        let clock = Clock::start();
        std::thread::sleep(Duration::from_millis(50));
        if clock.busy.is_some() {
            assert!(clock.elapsed() < Duration::from_millis(40), "{:?}", clock.elapsed());
        }
    }

    #[test]
    fn campaigns_are_the_same_every_time() {
        let sum = || {
            let sum = std::cell::Cell::new(0_u64);
            assert_eq!(campaign().run(|input| sum.set(sum.get().wrapping_mul(31).wrapping_add(hash(input)))), 5000);
            sum.get()
        };
        assert_eq!(sum(), sum());
    }
}
