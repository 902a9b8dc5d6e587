//! Columns of numbers from comma-separated text.
//!
//! ```text
//! # lines like this one and empty lines are skipped
//! s, z                                     names of the columns, in quotes or without
//! 0.0, 0.001                               numbers with decimal points
//! ```
//!
//! A byte order mark and line ends of other systems are no matter. Only the columns asked for are read as numbers.

/// What is wrong with a file, with what to try.
pub(crate) struct BadFile {
    pub message: String,
    pub hint: Option<String>,
}

fn bad<T>(message: String, hint: &str) -> Result<T, BadFile> {
    Err(BadFile { message, hint: Some(hint.to_owned()) })
}

/// The cells of a line, without blanks and quotes around them.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|cell| {
        let cell = cell.trim();
        cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).map_or(cell, str::trim)
    })
}

/// Lines with their numbers, without comments and empty ones.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // An old line end is a carriage return alone.
    let ends: &[char] = if text.contains('\n') { &['\n'] } else { &['\r'] };
    let numbered = text.split(ends).enumerate().map(|(i, line)| (i + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
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
    let known: Vec<&str> = cells(head).collect();
    if known.len() == 1 {
        for (separator, what) in [(';', "semicolons"), ('\t', "tabs")] {
            if head.contains(separator) {
                let hint = "write commas between columns and points in numbers, as 0.5,1.25";
                return bad(format!("the columns of `{file}` are separated by {what}"), hint);
            }
        }
    }
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
        let found: Vec<&str> = cells(line).collect();
        if found.len() != known.len() {
            let hint = if found.len() == 2 * known.len() {
                "a comma separates columns; write points in numbers, as 0.5"
            } else {
                "every line has one number for each column"
            };
            let message = format!("line {number} of `{file}` has {} columns, not {}", found.len(), known.len());
            return bad(message, hint);
        }
        for (column, k) in columns.iter_mut().zip(&wanted) {
            let cell = found[*k];
            match cell.parse::<f64>() {
                Ok(value) if value.is_finite() => column.push(value),
                _ => {
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
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, words) in [
            ("", "is empty"),
            ("s;z\n0;1", "separated by semicolons"),
            ("s\tz\n0\t1", "separated by tabs"),
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
