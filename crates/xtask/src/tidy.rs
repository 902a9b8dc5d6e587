//! `cargo xtask tidy`: what compilers do not check. Looks at every file that is, or could be, under version control.

mod licences;
mod links;
mod methods;
mod packages;
mod reading;
mod rules;
mod suites;

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::TaskError;

/// A file as the checks see it.
pub struct File {
    /// Path from the root, with slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Something that must not be.
#[derive(Debug, PartialEq)]
pub struct Finding {
    path: String,
    /// Counted from 1.
    line: usize,
    message: String,
}

impl Finding {
    fn new(file: &File, line: usize, message: impl Into<String>) -> Self {
        Finding { path: file.path.clone(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Runs every check and prints what it finds.
pub fn run(root: &Path) -> Result<(), TaskError> {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        methods::renew(root)?;
    }
    let files = files(root)?;
    let findings = check(&files, &|path| root.join(path).exists());
    for finding in &findings {
        println!("{finding}");
    }
    let (refused, packages) = licences::refused(root)?;
    for package in &refused {
        println!("a licence that is not allowed: {package}");
    }
    match findings.len() + refused.len() {
        0 => {
            println!("{} files are tidy, {packages} packages have licences that allow all uses", files.len());
            Ok(())
        }
        count => Err(format!("{count} findings in {} files", files.len()).into()),
    }
}

fn check(files: &[File], exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        findings.extend(rules::length(file));
        findings.extend(rules::unfinished(file));
        findings.extend(rules::machine_paths(file));
        findings.extend(rules::opening(file));
        findings.extend(rules::blanks(file));
        findings.extend(rules::unsafe_code(file));
        findings.extend(links::dead(file, exists));
        findings.extend(methods::stale(file));
        findings.extend(packages::other_versions(file));
        findings.extend(packages::outside(file));
    }
    findings.extend(links::unlisted_decisions(files));
    findings.extend(links::untested_example(files));
    findings.extend(packages::incomplete(files));
    findings.extend(reading::long(files));
    findings.extend(suites::forgotten(files));
    findings
}

/// Text files that git tracks, or would if they were added.
fn files(root: &Path) -> Result<Vec<File>, TaskError> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").current_dir(root).args(arguments).output();
    let output = output.map_err(|error| format!("tidy asks git for the files, and git does not run: {error}"))?;
    if !output.status.success() {
        return Err("tidy asks git for the files, and this is no git repository".into());
    }
    let mut files = Vec::new();
    for path in String::from_utf8(output.stdout)?.split_terminator('\0') {
        // A file deleted but still in the index is not there to be read.
        let Ok(bytes) = std::fs::read(root.join(path)) else { continue };
        if bytes.contains(&0) {
            continue;
        }
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(File { path: path.to_string(), text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_say_where() {
        let file = File { path: "crates/x/src/a.rs".into(), text: "fn a() {} \n".into() };
        let findings: Vec<String> = check(&[file], &|_| true).iter().map(Finding::to_string).collect();
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].starts_with("crates/x/src/a.rs:1: "), "{findings:?}");
    }

    #[test]
    fn this_checker_is_tidy() {
        for (name, text) in [
            ("tidy.rs", include_str!("tidy.rs")),
            ("tidy/rules.rs", include_str!("tidy/rules.rs")),
            ("tidy/links.rs", include_str!("tidy/links.rs")),
            ("tidy/packages.rs", include_str!("tidy/packages.rs")),
            ("tidy/reading.rs", include_str!("tidy/reading.rs")),
        ] {
            let file = File { path: format!("crates/xtask/src/{name}"), text: text.into() };
            assert_eq!(check(&[file], &|_| true), Vec::new());
        }
    }
}
