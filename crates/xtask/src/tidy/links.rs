//! Checks of what files say about one another.

use super::{File, Finding};

const DECISIONS: &str = "docs/adr/";
const LIST: &str = "docs/adr/README.md";

/// Links of a Markdown file to local files that are not there.
pub fn dead(file: &File, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    if !file.path.ends_with(".md") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (line, target) in targets(&file.text) {
        let path = target.split('#').next().unwrap_or_default();
        let elsewhere = target.contains(':') || path.is_empty();
        if !elsewhere && !resolve(&file.path, path).is_some_and(|path| exists(&path)) {
            findings.push(Finding::new(file, line, format!("the link to `{target}` leads nowhere")));
        }
    }
    findings
}

/// Line and target of each `[text](target)` outside code.
pub(super) fn targets(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
            continue;
        }
        if code {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let inside_code = line[..at].matches('`').count() % 2 == 1;
            let rest = &line[at + 2..];
            if let Some(end) = rest.find(')').filter(|_| !inside_code) {
                found.push((number + 1, rest[..end].split_whitespace().next().unwrap_or_default()));
            }
        }
    }
    found
}

/// The path from the root of a link in `from`; none if it leaves the project.
pub(super) fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Decisions that the list of decisions does not link.
pub fn unlisted_decisions(files: &[File]) -> Vec<Finding> {
    let list = files.iter().find(|file| file.path == LIST).map_or("", |file| &file.text);
    let listed: Vec<&str> = targets(list).into_iter().map(|(_, target)| target).collect();
    let decisions = files.iter().filter(|f| f.path.starts_with(DECISIONS) && f.path.ends_with(".md") && f.path != LIST);
    decisions
        .filter(|file| !listed.contains(&&file.path[DECISIONS.len()..]))
        .map(|file| Finding::new(file, 1, format!("not listed in {LIST}")))
        .collect()
}

/// The README's example must be the one in the library's documentation, which is compiled and run.
pub fn untested_example(files: &[File]) -> Option<Finding> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let (readme, library) = (find("README.md")?, find("crates/alembert/src/lib.rs")?);
    let documentation: String = library
        .text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let (_, tested) = example(&documentation)?;
    let (line, shown) = example(&readme.text)?;
    (shown != tested).then(|| Finding::new(readme, line, format!("the example is not the one in {}", library.path)))
}

/// The first block of Rust code, without hidden lines, and the line where it begins.
fn example(text: &str) -> Option<(usize, Vec<&str>)> {
    let opens = |line: &str| matches!(line, "```" | "```rust" | "```no_run");
    // An unmarked fence may also close a block of something else.
    let mut inside = false;
    let begin = text.lines().position(|line| {
        let fence = line.starts_with("```");
        let found = fence && !inside && opens(line);
        inside ^= fence;
        found
    })?;
    let code = text.lines().skip(begin + 1).take_while(|line| !line.starts_with("```"));
    Some((begin + 1, code.filter(|line| *line != "#" && !line.starts_with("# ")).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn links_are_followed_from_the_file() {
        let exists = |path: &str| path == "docs/methods.md";
        let dead = |from, text| dead(&file(from, text), &exists).len();
        assert_eq!(dead("README.md", "see [m](docs/methods.md#start) and [x](https://example.org)"), 0);
        assert_eq!(dead("docs/adr/1.md", "![m](../methods.md \"title\") [here](#there)"), 0);
        assert_eq!(dead("docs/adr/1.md", "[m](methods.md), [m](../../../methods.md)"), 2);
        assert_eq!(dead("a.rs", "[m](methods.md)"), 0);
    }

    #[test]
    fn code_holds_no_links() {
        let text = "`[a](b)`\n```text\n[a](b)\n```\n[a](c)\n";
        assert_eq!(targets(text), [(5, "c")]);
    }

    #[test]
    fn the_example_is_the_tested_one() {
        let readme = || file("README.md", "```sh\nls\n```\n\n```rust\nlet a = 1;\n```\n");
        let library = |code: &str| file("crates/alembert/src/lib.rs", &format!("//! A.\n//!\n{code}\npub mod a;\n"));
        let same = library("//! ```text\n//! q\n//! ```\n//! ```\n//! let a = 1;\n//! # let hidden = 2;\n//! ```");
        assert_eq!(untested_example(&[readme(), same]), None);
        let other = library("//! ```\n//! let a = 2;\n//! ```");
        assert_eq!(untested_example(&[readme(), other]).map(|finding| finding.line), Some(5));
        assert_eq!(untested_example(&[readme(), library("")]), None);
    }

    #[test]
    fn decisions_must_be_listed() {
        let list = file(LIST, "[one](0001-one.md)\n");
        let (one, two) = (file("docs/adr/0001-one.md", ""), file("docs/adr/0002-two.md", ""));
        let findings = unlisted_decisions(&[one, list, two]);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "docs/adr/0002-two.md");
    }
}
