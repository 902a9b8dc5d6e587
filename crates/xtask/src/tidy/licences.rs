//! Licences of all that is built in: whoever uses alembert may do with it what its own licence says.
//!
//! An expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` is allowed if one of its alternatives names allowed licences only.
//! The list of packages comes from cargo itself, without the network: for the system that this runs on.

use std::path::Path;
use std::process::Command;

use crate::TaskError;

/// Licences that ask for no more than to be named.
const ALLOWED: [&str; 11] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unicode-3.0",
    "BSL-1.0",
    "Unlicense",
];

/// Packages whose licence is not allowed, with it, and how many packages there are.
pub fn refused(root: &Path) -> Result<(Vec<String>, usize), TaskError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["tree", "--offline", "--workspace", "--prefix", "none", "--format", "{p}|{l}"];
    let output = Command::new(cargo).current_dir(root).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("cargo does not list the packages: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    // A package that was listed before has a star instead of its dependencies.
    let mut packages: Vec<&str> =
        text.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    let bad = |line: &&&str| line.split_once('|').is_none_or(|(_, licence)| !is_allowed(licence));
    Ok((packages.iter().filter(bad).map(|line| line.replace('|', ": ")).collect(), packages.len()))
}

/// Whether an expression has an alternative of allowed licences.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = alternatives(&mut words);
    allowed == Some(true) && words.next().is_none()
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

/// Whether what comes next is allowed; none if it is no expression.
fn alternatives(words: &mut Words) -> Option<bool> {
    let mut allowed = all(words)?;
    while words.next_if_eq(&"OR").is_some() {
        allowed |= all(words)?;
    }
    Some(allowed)
}

fn all(words: &mut Words) -> Option<bool> {
    let mut allowed = one(words)?;
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words)?;
    }
    Some(allowed)
}

fn one(words: &mut Words) -> Option<bool> {
    if words.next_if_eq(&"(").is_some() {
        let allowed = alternatives(words)?;
        return words.next_if_eq(&")").map(|_| allowed);
    }
    let allowed = words.next().map(|word| ALLOWED.contains(&word));
    // An exception gives more freedom than the licence alone.
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alternative_is_enough_and_every_part_of_it_counts() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND AGPL-3.0", "MIT OR (", "MIT Apache-2.0"]
        {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
