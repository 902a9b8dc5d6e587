//! The table of methods in docs/methods.md is the one that the code makes.

use std::path::Path;

use super::{File, Finding};
use crate::TaskError;

/// The page, and the marks around its table.
const PAGE: &str = "docs/methods.md";
const BEGIN: &str = "<!-- made from crates/alembert/src/catalogue.rs: UPDATE_DOCS=1 cargo xtask tidy -->\n";
const END: &str = "<!-- end -->\n";

/// The page with the table as it is now; none if it has no marks.
fn renewed(text: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}\n{END}{after}", alembert::catalogue::markdown()))
}

/// Whether the table is the one that the code makes.
pub fn stale(file: &File) -> Option<Finding> {
    if file.path != PAGE {
        return None;
    }
    match renewed(&file.text) {
        None => Some(Finding::new(file, 1, "the marks around the table of methods are missing")),
        Some(text) if text != file.text => {
            let line = file.text.split_once(BEGIN).map_or(1, |(before, _)| before.lines().count() + 1);
            Some(Finding::new(
                file,
                line,
                "the table of methods is not that of the code: UPDATE_DOCS=1 cargo xtask tidy",
            ))
        }
        Some(_) => None,
    }
}

/// Writes the table anew.
pub fn renew(root: &Path) -> Result<(), TaskError> {
    let path = root.join(PAGE);
    let text = std::fs::read_to_string(&path)?;
    let text = renewed(&text).ok_or("the marks around the table of methods are missing")?;
    Ok(std::fs::write(path, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_table_is_found() {
        let page =
            |table: &str| File { path: PAGE.into(), text: format!("# Methods\n\n{BEGIN}\n{table}\n{END}rest\n") };
        assert_eq!(stale(&page(&alembert::catalogue::markdown())), None);
        assert!(stale(&page("| `radau` |\n")).is_some());
        assert!(stale(&File { path: PAGE.into(), text: "no table\n".into() }).is_some());
    }
}
