//! What a crate needs to be published, as far as its files show it; `cargo publish --workspace --dry-run` shows the rest.

use super::{File, Finding};

/// What the manifest of a published crate must say.
const NEEDED: [&str; 10] = [
    "description = ",
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "readme = ",
    "keywords = ",
    "categories = ",
    "include = ",
    "authors.workspace = true",
];

/// What stands beside it.
const BESIDE: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Manifests of crates that say too little, and crates without readme or licence.
pub fn incomplete(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in files.iter().filter(|file| folder(file).is_some()) {
        if manifest.text.lines().any(|line| line == "publish = false") {
            continue;
        }
        for needed in NEEDED {
            if !manifest.text.lines().any(|line| line.starts_with(needed)) {
                findings.push(Finding::new(manifest, 1, format!("`{}` is missing", needed.trim_end_matches(" = "))));
            }
        }
        let folder = folder(manifest).unwrap_or_default();
        for name in BESIDE {
            if !files.iter().any(|file| file.path == format!("{folder}{name}")) {
                findings.push(Finding::new(manifest, 1, format!("there is no {name} beside it")));
            }
        }
    }
    findings
}

/// `crates/x/` of a manifest of a crate.
fn folder(file: &File) -> Option<&str> {
    let folder = file.path.strip_suffix("Cargo.toml")?;
    folder.starts_with("crates/").then_some(folder)
}

/// Versions of our own crates in the manifest of the workspace that are not its version.
pub fn other_versions(file: &File) -> Vec<Finding> {
    if file.path != "Cargo.toml" {
        return Vec::new();
    }
    let version = file.text.lines().find_map(|line| line.strip_prefix("version = "));
    let Some(version) = version else { return vec![Finding::new(file, 1, "the workspace has no version")] };
    // Dependencies of published crates need a version; what is for tests alone has none.
    let is_published = |line: &str| line.starts_with("alembert") && !line.starts_with("alembert-fuzz ");
    let ours = file.text.lines().enumerate().filter(|(_, line)| is_published(line));
    ours.filter(|(_, line)| !line.contains(&format!("version = {version}")))
        .map(|(number, _)| {
            Finding::new(file, number + 1, format!("its version is not {version}, that of the workspace"))
        })
        .collect()
}

/// Files that a source of a crate includes from outside the crate: they are not in the package.
pub fn outside(file: &File) -> Vec<Finding> {
    let mut parts = file.path.split('/');
    let of_a_crate = parts.next() == Some("crates") && parts.nth(1) == Some("src") && file.path.ends_with(".rs");
    if !of_a_crate {
        return Vec::new();
    }
    // From `crates/x/src/a/b.rs` two steps up is `crates/x`, and a third one leaves the crate.
    let inside = file.path.split('/').count() - 3;
    let mut findings = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for opening in [concat!("include_", "str!(\""), concat!("include_", "bytes!(\"")] {
            let leaves = |(at, _): (usize, &str)| {
                let path = &line[at + opening.len()..];
                path.split('/').take_while(|part| *part == "..").count() > inside
            };
            if line.match_indices(opening).any(leaves) {
                findings.push(Finding::new(
                    file,
                    number + 1,
                    "includes a file that is not in the package of the crate",
                ));
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
    fn what_a_published_crate_lacks_is_named() {
        let whole: String = NEEDED.iter().map(|line| format!("{line}\n")).collect();
        let beside = || BESIDE.map(|name| file(&format!("crates/a/{name}"), "x\n"));
        let with = |manifest: &str| {
            let mut files = Vec::from(beside());
            files.push(file("crates/a/Cargo.toml", manifest));
            incomplete(&files).len()
        };
        assert_eq!(with(&whole), 0);
        assert_eq!(with(&whole.replace("keywords", "words")), 1);
        assert_eq!(with("publish = false\n"), 0);
        assert_eq!(incomplete(&[file("crates/a/Cargo.toml", &whole)]).len(), 3);
    }

    #[test]
    fn another_version_is_found() {
        let manifest = |own: &str| {
            let text =
                format!("[workspace.package]\nversion = \"0.2.0\"\nalembert = {{ path = \"a\", version = {own} }}\n");
            other_versions(&file("Cargo.toml", &text)).len()
        };
        assert_eq!((manifest("\"0.2.0\""), manifest("\"0.1.0\"")), (0, 1));
    }

    #[test]
    fn files_outside_of_the_package_are_found() {
        let text = |path: &str| format!("const A: &str = {}{path}\");\n", concat!("include_", "str!(\""));
        let found = |path: &str| outside(&file("crates/a/src/b/c.rs", &text(path))).len();
        assert_eq!((found("models/x.toml"), found("../../tests/x.toml"), found("../../../x.toml")), (0, 0, 1));
        assert!(outside(&file("crates/a/tests/b.rs", &text("../../../x.toml"))).is_empty());
    }
}
