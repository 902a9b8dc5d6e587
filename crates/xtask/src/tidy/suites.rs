//! Tests that no program runs: crates that name their test programs (`autotests = false`) must have every file of tests in one of them.

use super::{File, Finding};

/// Files in `tests` of a crate that neither its manifest nor one of its test programs names.
pub fn forgotten(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in files.iter().filter(|file| file.text.lines().any(|line| line == "autotests = false")) {
        let Some(folder) = manifest.path.strip_suffix("Cargo.toml") else { continue };
        let tests = format!("{folder}tests/");
        let here = |file: &&File| file.path.strip_prefix(&tests).is_some_and(|name| !name.contains('/'));
        let (programs, others): (Vec<&File>, Vec<&File>) = files
            .iter()
            .filter(|file| file.path.ends_with(".rs"))
            .filter(here)
            .partition(|file| manifest.text.contains(&format!("path = \"{}\"", &file.path[folder.len()..])));
        for file in others {
            let name = &file.path[tests.len()..];
            if !programs.iter().any(|program| program.text.contains(&format!("#[path = \"{name}\"]\nmod "))) {
                findings.push(Finding::new(file, 1, format!("no test program runs it: name it in {tests}suite.rs")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn forgotten_tests_are_found() {
        let manifest = "autotests = false\n[[test]]\nname = \"suite\"\npath = \"tests/suite.rs\"\n";
        let mut files = vec![
            file("crates/x/Cargo.toml", manifest),
            file("crates/x/tests/suite.rs", "#[path = \"a.rs\"]\nmod a;\n"),
            file("crates/x/tests/a.rs", ""),
            file("crates/x/tests/common/b.rs", ""),
        ];
        assert_eq!(forgotten(&files), Vec::new());
        files.push(file("crates/x/tests/c.rs", ""));
        let found: Vec<String> = forgotten(&files).iter().map(Finding::to_string).collect();
        assert_eq!(found, ["crates/x/tests/c.rs:1: no test program runs it: name it in crates/x/tests/suite.rs"]);
    }
}
