//! The files that a newcomer is told to read are short.

use super::links::{resolve, targets};
use super::{File, Finding};

/// The page, and the heading of its list.
const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Reading order";

/// Lines that one sitting takes.
const LONGEST: usize = 400;

/// Files of the reading order that are longer than that, or a reading order without files.
pub fn long(files: &[File]) -> Vec<Finding> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let before = page.text.lines().take_while(|line| *line != HEADING).count();
    let section: Vec<&str> = page.text.lines().skip(before + 1).take_while(|line| !line.starts_with("## ")).collect();
    let section = section.join("\n");
    let listed: Vec<(usize, String)> = targets(&section)
        .into_iter()
        .filter(|(_, target)| target.ends_with(".rs"))
        .filter_map(|(line, target)| Some((before + 1 + line, resolve(PAGE, target)?)))
        .collect();
    if listed.is_empty() {
        return vec![Finding::new(page, before.max(1), format!("there are no files under `{HEADING}`"))];
    }
    let lines = |path: &str| files.iter().find(|file| file.path == path).map_or(0, |file| file.text.lines().count());
    let long = |(line, path): (usize, String)| {
        let count = lines(&path);
        (count > LONGEST).then(|| Finding::new(page, line, format!("{path} has {count} lines, more than {LONGEST}")))
    };
    listed.into_iter().filter_map(long).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn long_files_of_the_reading_order_are_found() {
        let page = |list: &str| file(PAGE, &format!("# A\n\n{HEADING}\n\n{list}\n\n## Next\n\n[long](long.rs)\n"));
        let (long_file, short) = (file("long.rs", &"x\n".repeat(401)), file("short.rs", &"x\n".repeat(400)));
        let findings = long(&[page("1. [a](short.rs)\n2. [b](long.rs)"), long_file, short]);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].line, 6);
        assert_eq!(long(&[page("nothing")]).len(), 1);
        assert!(long(&[]).is_empty());
    }
}
