//! JSON lines: one object for each row.

use super::{Cell, Format, Table, Value};

impl Table {
    /// The rows as objects that open with what they are about, as `"experiment":"1/fig5.1"`; columns of one group share
    /// an object.
    ///
    /// Every column is in every line, null where there is no (finite) value: a reader need not look for keys.
    pub fn json_lines(&self, kind: &str, name: &str) -> String {
        let about = format!("{}:{}", quoted(kind), quoted(name));
        self.rows.iter().map(|row| self.line(&about, row)).collect()
    }

    fn line(&self, about: &str, row: &[Cell]) -> String {
        let mut members = vec![about.to_owned()];
        let mut told = Vec::new();
        for (column, cell) in self.columns.iter().zip(row) {
            match column.group {
                None => members.push(format!("{}:{}", quoted(column.name), value(column.format, cell))),
                Some(group) if !told.contains(&group) => {
                    told.push(group);
                    members.push(format!("{}:{{{}}}", quoted(group), self.group(group, row)));
                }
                Some(_) => {}
            }
        }
        format!("{{{}}}\n", members.join(","))
    }

    fn group(&self, group: &str, row: &[Cell]) -> String {
        let of_group = self.columns.iter().zip(row).filter(|(column, _)| column.group == Some(group));
        let members: Vec<String> =
            of_group.map(|(column, cell)| format!("{}:{}", quoted(column.name), value(column.format, cell))).collect();
        members.join(",")
    }
}

/// Numbers as the shortest decimal that gives them back; JSON has no NaN and no infinity.
fn value(format: Format, cell: &Cell) -> String {
    match (cell.as_ref().filter(|value| value.is_finite()), format) {
        (None, _) => "null".to_owned(),
        (Some(Value::Number(value)), Format::Count) => format!("{value:.0}"),
        (Some(Value::Number(value)), _) => format!("{value:?}"),
        (Some(Value::Flag(flag)), _) => flag.to_string(),
        (Some(Value::Words(words)), _) => quoted(words),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control < ' ' => quoted += &format!("\\u{:04x}", u32::from(control)),
            plain => quoted.push(plain),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_objects_and_no_value_is_null() {
        assert_eq!(
            crate::table::example().json_lines("experiment", "x"),
            concat!(
                r#"{"experiment":"x","h":0.1,"steps":10,"error":{"q":0.3333333333333333,"psi":null},"order":{"q":null,"psi":null}}"#,
                "\n",
                r#"{"experiment":"x","h":0.05,"steps":20,"error":{"q":1e-20,"psi":null},"order":{"q":null,"psi":null}}"#,
                "\n",
            )
        );
    }

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        assert_eq!(quoted("a\"b\\c\n"), r#""a\"b\\c\u000a""#);
    }
}
