//! Checks of one file at a time. Words that are not allowed are written here in two halves.

use super::{File, Finding};

/// Past this a file lacks a noun.
const LONGEST: usize = 500;

/// Whole words, or beginnings of attributes and macros, that mark unfinished work.
const UNFINISHED: [&str; 6] = [
    concat!("to", "do!"),
    concat!("unimpl", "emented!"),
    concat!("db", "g!"),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("#[ig", "nore"),
];

/// Directories that exist on one machine only.
const MACHINE: [&str; 4] = [concat!("/t", "mp/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/")];

/// What other programs write.
const GENERATED: [&str; 3] = ["lock", "svg", "csv"];

fn extension(file: &File) -> &str {
    file.path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_source(file: &File) -> bool {
    matches!(extension(file), "rs" | "py" | "ts" | "js")
}

/// Source files are at most 500 lines long.
pub fn length(file: &File) -> Option<Finding> {
    let lines = file.text.lines().count();
    (is_source(file) && lines > LONGEST)
        .then(|| Finding::new(file, lines, format!("{lines} lines, more than {LONGEST}: split the file")))
}

/// No unfinished work, debugging output or tests left out.
pub fn unfinished(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for word in UNFINISHED.iter().filter(|word| contains_word(line, word)) {
            findings.push(Finding::new(file, number + 1, format!("`{word}` marks unfinished work")));
        }
    }
    findings
}

/// `word` in `line`, not as a part of a longer word.
fn contains_word(line: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let ends_in_letter = word.ends_with(char::is_alphanumeric);
        !(part(before.chars().next_back()) || ends_in_letter && part(after.chars().next()))
    })
}

/// No paths of one machine. Such a name inside a longer path or address is something else.
pub fn machine_paths(file: &File) -> Vec<Finding> {
    let inside = |c: char| c.is_alphanumeric() || "._-}*".contains(c);
    let mut findings = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for path in MACHINE {
            if line.match_indices(path).any(|(at, _)| !line[..at].ends_with(inside)) {
                findings.push(Finding::new(file, number + 1, format!("`{path}` exists on one machine only")));
            }
        }
    }
    findings
}

/// A source file of a crate begins by saying what it is.
pub fn opening(file: &File) -> Option<Finding> {
    let mut parts = file.path.split('/');
    let of_a_crate = parts.next() == Some("crates") && parts.nth(1) == Some("src") && extension(file) == "rs";
    let says = file.text.lines().next().and_then(|line| line.strip_prefix("//!")).is_some_and(|s| !s.trim().is_empty());
    (of_a_crate && !says)
        .then(|| Finding::new(file, 1, "the file does not begin with a `//!` line that says what it is"))
}

/// No tabs, no blanks at the end of a line, one line feed at the end of a file.
pub fn blanks(file: &File) -> Vec<Finding> {
    // Inputs of fuzz tests are what they are.
    if GENERATED.contains(&extension(file)) || (file.path.contains("/fuzz/") && extension(file) != "rs") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in file.text.split('\n').enumerate() {
        if line.contains('\t') {
            findings.push(Finding::new(file, number + 1, "tab"));
        }
        if line.ends_with(char::is_whitespace) {
            findings.push(Finding::new(file, number + 1, "blank at the end of the line"));
        }
    }
    if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
        findings.push(Finding::new(file, file.text.lines().count(), "the file does not end in one line feed"));
    }
    findings
}

/// Where unsafe code is asked for: by the interface of the allocator that counts, in tests, and by compiled functions that Python hands over
/// by their addresses.
const UNSAFE: [&str; 2] = ["crates/alembert/tests/common/counting.rs", "crates/python/src/functions.rs"];

/// The workspace denies unsafe code; only these files may allow it again.
pub fn unsafe_code(file: &File) -> Vec<Finding> {
    let again = concat!("allow(", "unsafe_code");
    let lines = file.text.lines().enumerate();
    let found =
        lines.filter(|(_, line)| file.path.ends_with(".rs") && !UNSAFE.contains(&&*file.path) && line.contains(again));
    found
        .map(|(i, _)| {
            Finding::new(
                file,
                i + 1,
                "unsafe code belongs into the allocator of tests and to functions by address alone",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn long_sources_are_found_and_long_texts_are_not() {
        let (fits, long) = ("x\n".repeat(500), "x\n".repeat(501));
        assert_eq!(length(&file("a.rs", &fits)), None);
        assert!(length(&file("a.rs", &long)).is_some());
        assert_eq!(length(&file("a.md", &long)), None);
    }

    #[test]
    fn unfinished_work_is_found() {
        for word in UNFINISHED {
            let text = format!("one\n    {word}(x)\n");
            let findings = unfinished(&file("a.rs", &text));
            assert_eq!(findings.len(), 1, "{word}");
            assert_eq!(findings[0].line, 2);
        }
    }

    #[test]
    fn other_words_are_left_alone() {
        for text in [concat!("MASTO", "DON"), concat!("my_db", "g!()"), concat!("METO", "DO_"), "ignore", "finished"] {
            assert_eq!(unfinished(&file("a.rs", text)), Vec::new(), "{text}");
        }
    }

    #[test]
    fn machine_paths_are_found() {
        for path in MACHINE {
            assert_eq!(machine_paths(&file("a.md", &format!("see `{path}x`\n"))).len(), 1);
            assert_eq!(machine_paths(&file("a.md", &format!("see example.org{path}x\n"))).len(), 0);
        }
    }

    #[test]
    fn sources_of_crates_open_with_their_purpose() {
        let opens = |path, text| opening(&file(path, text)).is_none();
        assert!(opens("crates/a/src/b/c.rs", "//! What it is.\n"));
        assert!(!opens("crates/a/src/b/c.rs", "// What it is.\n"));
        assert!(!opens("crates/a/src/lib.rs", "//!\n"));
        assert!(!opens("crates/a/src/lib.rs", ""));
        assert!(opens("crates/a/tests/b.rs", "fn f() {}\n"));
        assert!(opens("crates/a/src/data.csv", "1\n"));
    }

    #[test]
    fn blanks_are_found() {
        let count = |text| blanks(&file("a.md", text)).len();
        assert_eq!(count("a\n\nb\n"), 0);
        assert_eq!(count("a \n"), 1);
        assert_eq!(count("\ta\n"), 1);
        assert_eq!(count("a\r\n"), 1);
        assert_eq!(count("a"), 1);
        assert_eq!(count("a\n\n"), 1);
        assert_eq!(count(""), 0);
        assert_eq!(blanks(&file("a.svg", "\t ")).len(), 0);
    }
}
