//! `cargo xtask surface`: builds the documentation of the libraries, and looks whether it names types of other crates.
//!
//! A user of the library must not depend on what it depends on. Rustdoc links a type of another crate only if it finds a folder
//! with the documentation of that crate; so one, empty, is made for every crate in `Cargo.lock`, and whatever is linked there
//! is a part of the public interface: an argument, a result, a bound, a re-export or an implementation. Only what other crates
//! implement for all types, which rustdoc lists on every page, is left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::TaskError;

/// The libraries, and the crates of others whose types they may show.
const LIBRARIES: [(&str, &[&str]); 5] = [
    ("alembert", &[]),
    ("alembert_problems", &[]),
    ("alembert_mechanism", &[]),
    ("alembert_model", &[]),
    ("alembert_sim", &["serde_json"]),
];

/// Builds the pages and reads them.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let pages = target(root)?.join("doc");
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    let foreign = foreign(&lock);
    for name in &foreign {
        std::fs::create_dir_all(pages.join(name))?;
    }
    for (library, _) in LIBRARIES {
        // Pages from before the folders were there have no links.
        let old = pages.join(library);
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    // The program and the library share a name, so their pages would overwrite one another: libraries only.
    let status =
        cargo(root).args(["doc", "--workspace", "--no-deps", "--lib"]).env("RUSTDOCFLAGS", "-D warnings").status()?;
    if !status.success() {
        return Err("`cargo doc` failed".into());
    }
    let (mut read, mut findings) = (0, Vec::new());
    for (library, allowed) in LIBRARIES {
        for path in html(&pages.join(library))? {
            read += 1;
            let text = std::fs::read_to_string(&path)?;
            let shown = shown(&text, &foreign);
            let page = path.strip_prefix(&pages).unwrap_or(&path).display().to_string();
            findings
                .extend(shown.into_iter().filter(|name| !allowed.contains(&&**name)).map(|name| (page.clone(), name)));
        }
    }
    for (page, name) in &findings {
        println!("{page}: the public interface names `{name}`");
    }
    match findings.len() {
        0 if read > 0 => {
            println!("{read} pages name no crate that they should not");
            Ok(())
        }
        0 => Err("there are no pages".into()),
        count => Err(format!("{count} findings in {read} pages").into()),
    }
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Where cargo builds.
fn target(root: &Path) -> Result<PathBuf, TaskError> {
    let output = cargo(root).args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let (_, rest) = text.split_once("\"target_directory\":\"").ok_or("`cargo metadata` names no target directory")?;
    let (path, _) = rest.split_once('"').ok_or("`cargo metadata` names no target directory")?;
    Ok(PathBuf::from(path.replace("\\\\", "\\")))
}

/// Crates of others in a lock file, by the names they have in Rust.
fn foreign(lock: &str) -> Vec<String> {
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let ours = |name: &str| name == "xtask" || name.starts_with("alembert");
    names.filter(|name| !ours(name)).map(|name| name.replace('-', "_")).collect()
}

/// All pages below a folder.
fn html(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let mut pages = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// The crates that a page links, each once.
fn shown(page: &str, foreign: &[String]) -> Vec<String> {
    let own = page.split("id=\"blanket-implementations\"").next().unwrap_or_default();
    let mut found: Vec<String> = own
        .split("href=\"../")
        .skip(1)
        .filter_map(|link| link.trim_start_matches("../").split('/').next())
        .filter(|name| foreign.iter().any(|known| known == name))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_other_crates_are_found() {
        let foreign = foreign(
            "name = \"faer\"\nversion = \"1\"\nname = \"num-complex\"\nname = \"alembert-sim\"\nname = \"xtask\"\n",
        );
        assert_eq!(foreign, ["faer", "num_complex"]);
        let link = |target: &str| format!("<a href=\"{target}\">x</a>");
        let shown = |page: &str| shown(page, &foreign);
        assert_eq!(shown(&link("../../faer/struct.Mat.html")), ["faer"]);
        assert_eq!(
            shown(&(link("../num_complex/struct.Complex.html") + &link("../faer/mat/index.html"))),
            ["faer", "num_complex"]
        );
        assert!(shown(&(link("../system/struct.Dims.html") + &link("../../alembert_sim/index.html"))).is_empty());
        let blanket = "<h2 id=\"blanket-implementations\">".to_owned() + &link("../faer/trait.ByRef.html");
        assert!(shown(&blanket).is_empty());
    }
}
