//! The table of methods as text: for a terminal, and for the documentation.

use super::{Entry, METHODS};

/// Letters in a line, and before each line but the first of a method.
const WIDTH: usize = 124;
const MARGIN: usize = 8;

/// The table for a terminal.
pub fn help() -> String {
    METHODS.iter().map(told).collect()
}

fn told(entry: &Entry) -> String {
    let mut text = wrapped(&format!("{:<MARGIN$}", entry.name), entry.says);
    text += &wrapped(&" ".repeat(MARGIN), &parameters(entry));
    text
}

/// The parameters of a method, in a few words.
fn parameters(entry: &Entry) -> String {
    entry.parameters.iter().map(|parameter| parameter.brief).collect::<Vec<_>>().join(", ")
}

/// Words in lines.
fn wrapped(head: &str, words: &str) -> String {
    let (mut text, mut line) = (String::new(), head.to_owned());
    let mut is_fresh = true;
    for word in words.split_whitespace() {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text += &line;
            text.push('\n');
            line = " ".repeat(MARGIN);
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line += word;
        is_fresh = false;
    }
    text + &line + "\n"
}

/// The table for docs/methods.md.
pub fn markdown() -> String {
    let rows = METHODS.iter().map(|entry| format!("| `{}` | {} | {} |\n", entry.name, entry.says, parameters(entry)));
    format!(
        "| `method` in files | What it is, and when to use it | Parameters |\n|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_nothing_is_lost() {
        let help = help();
        assert!(help.lines().all(|line| line.chars().count() <= WIDTH), "{help}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let all: String = METHODS.iter().map(|e| format!("{} {} {} ", e.name, e.says, parameters(e))).collect();
        assert_eq!(words(&help), words(&all));
        for entry in METHODS {
            assert!(help.lines().any(|line| line.starts_with(entry.name)), "{}", entry.name);
        }
    }
}
