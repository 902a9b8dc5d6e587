//! Columns of numbers from comma-separated text.
//!
//! ```text
//! # lines like this one and empty lines are skipped
//! s, "z, mm"                               names of the columns, in quotes or without
//! 0.0, 0.001                               numbers with decimal points
//! ```
//!
//! Semicolons and tabs may stand for the commas, and numbers then have decimal commas, as spreadsheets write them where the comma is
//! the decimal sign. A byte order mark and line ends of other systems are no matter. Only the columns asked for are read as numbers.

/// What is wrong with a file, with what to try.
pub(crate) struct BadFile {
    pub message: String,
    pub hint: Option<String>,
}

fn bad<T>(message: String, hint: &str) -> Result<T, BadFile> {
    Err(BadFile { message, hint: Some(hint.to_owned()) })
}

/// What may stand between columns.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// The cells of a line, without blanks and quotes around them; between quotes a separator is a letter like others.
fn cells(line: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let parts = line.split(move |letter| {
        quoted ^= letter == '"';
        letter == separator && !quoted
    });
    parts.map(|cell| {
        let cell = cell.trim();
        cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).map_or(cell, str::trim)
    })
}

/// A finite number; with a decimal comma where commas separate nothing.
fn finite(cell: &str, separator: char) -> Option<f64> {
    let value = match cell.parse::<f64>() {
        Err(_) if separator != ',' && cell.matches(',').count() == 1 => cell.replace(',', ".").parse().ok(),
        parsed => parsed.ok(),
    };
    value.filter(|value| value.is_finite())
}

/// Lines with their numbers, without comments and empty ones.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // An old line end is a carriage return alone.
    let ends: &[char] = if text.contains('\n') { &['\n'] } else { &['\r'] };
    let numbered = text.split(ends).enumerate().map(|(i, line)| (i + 1, line.trim_matches([' ', '\r'])));
    // A tab at an end is a cell that is empty.
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// The columns of some names, all of one length.
pub(crate) fn columns(file: &str, bytes: &[u8], names: &[&str]) -> Result<Vec<Vec<f64>>, BadFile> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return bad(format!("`{file}` is not text in UTF-8"), "save it as comma-separated text");
    };
    let mut rows = lines(text);
    let Some((_, head)) = rows.next() else {
        return bad(format!("`{file}` is empty"), "its first line has the names of the columns");
    };
    // The separator by which the names are there, else the one that finds most columns.
    let has_all = |separator: &char| names.iter().all(|name| cells(head, *separator).any(|known| known == *name));
    let count = |separator: &char| cells(head, *separator).count();
    let found = SEPARATORS.into_iter().find(has_all);
    let separator = found.or_else(|| SEPARATORS.into_iter().rev().max_by_key(count)).unwrap_or(',');
    let known: Vec<&str> = cells(head, separator).collect();
    if known.iter().all(|name| name.parse::<f64>().is_ok()) {
        let hint = "write the names of the columns into the first line, as s,z";
        return bad(format!("`{file}` does not name its columns"), hint);
    }
    let mut wanted = Vec::new();
    for name in names {
        let mut found = known.iter().enumerate().filter(|(_, known)| *known == name).map(|(k, _)| k);
        match (found.next(), found.next()) {
            (Some(k), None) => wanted.push(k),
            (Some(_), Some(_)) => {
                return bad(format!("`{file}` has two columns `{name}`"), "give them different names");
            }
            (None, _) => {
                let near = crate::nearest::nearest(name, known.iter().copied());
                let meant = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                let hint = format!("{meant}its columns are {}", known.join(", "));
                return bad(format!("`{file}` has no column `{name}`"), &hint);
            }
        }
    }
    let mut columns = vec![Vec::new(); names.len()];
    for (number, line) in rows {
        let found: Vec<&str> = cells(line, separator).collect();
        if found.len() != known.len() {
            let hint = if separator == ',' && found.len() == 2 * known.len() {
                "a comma separates columns; write points in numbers, as 0.5, or semicolons between columns"
            } else {
                "every line has one number for each column"
            };
            let message = format!("line {number} of `{file}` has {} columns, not {}", found.len(), known.len());
            return bad(message, hint);
        }
        for (column, k) in columns.iter_mut().zip(&wanted) {
            let cell = found[*k];
            match finite(cell, separator) {
                Some(value) => column.push(value),
                None => {
                    let what = if cell.is_empty() { "empty".to_owned() } else { format!("`{}`", cell.escape_debug()) };
                    let place = format!("line {number}, column {} (`{}`) of `{file}`", k + 1, known[*k]);
                    let hint = "a table is made of finite numbers with decimal points, as -1.25e-3";
                    return bad(format!("{place} is {what}, which is not a finite number"), hint);
                }
            }
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Vec<f64>>, String> {
        columns("f.csv", text.as_bytes(), &["s", "z"])
            .map_err(|bad| format!("{}; {}", bad.message, bad.hint.unwrap_or_default()))
    }

    #[test]
    fn files_of_all_systems_are_read() {
        let expected = Ok(vec![vec![0.0, 1.0], vec![2.5, -3e-2]]);
        for text in [
            "s,z\n0,2.5\n1,-3e-2\n",
            "\u{feff}s,z\r\n0,2.5\r\n1,-3e-2",
            "# measured\n\n\"s\", \"z\" ,note\n 0 , 2.5,first\n\n1,-0.03,last\n",
            "s,z\r0,2.5\r1,-3e-2\r",
            "z,other,s\n2.5,9,0\n-3e-2,9,1",
            "s;z\n0;2,5\n1;-3e-2\n",
            "\"note; all\"\ts\tz\n;\t0\t2.5\n\t1\t-0,03\n",
            "\"a, b\",s,\"z\"\n\"x, y\",0,\"2.5\"\n,1,-3e-2\n",
            "s;\"a, b\";z\n0;1,1;2,5\n1;1,1;-0,03\n",
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, words) in [
            ("", "is empty"),
            ("s;z\n0;1,0,0", "line 2, column 2 (`z`) of `f.csv` is `1,0,0`"),
            ("s;Z\n0;1", "no column `z`; its columns are s, Z"),
            ("s;z\n0,1\n", "line 2 of `f.csv` has 1 columns"),
            ("s,z\n0,1\n0,5,1,5\n", "line 3 of `f.csv` has 4 columns, not 2; a comma separates columns"),
            ("s,z\n0,1\n1\n", "line 3 of `f.csv` has 1 columns"),
            ("s,z\n# c\n0,abc\n", "line 3, column 2 (`z`) of `f.csv` is `abc`"),
            ("s,z\n0,\n", "line 2, column 2 (`z`) of `f.csv` is empty"),
            ("s,z\n0,nan\n", "is `nan`"),
            ("s,z\n0,inf\n", "is `inf`"),
            ("0,1\n1,2\n", "does not name its columns"),
            ("s,Z\n0,1\n", "no column `z`; its columns are s, Z"),
            ("s,z,z\n0,1,2\n", "two columns `z`"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(words), "{message}");
        }
        assert!(columns("f", b"s,z\n\xff,1", &["s"]).is_err_and(|bad| bad.message.contains("UTF-8")));
    }
}
