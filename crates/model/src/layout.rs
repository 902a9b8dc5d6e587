//! The layout of a model file: its sections in their order, its spaces, its comments where they were.
//!
//! ```text
//! text -> items with their comments (reader) -> sections and keys in order (order) -> lines (lines) -> comments in columns
//! ```
//!
//! Numbers, words and names stay letter by letter, and so do comments. Formulas get the spaces that they have in the models of the
//! project ([`formula::spaced`]). What comes out means what went in: that is looked at before it is handed out.

mod lines;
mod meaning;
mod order;
mod reader;

/// The file in the layout of the models of the project. None if it is not TOML.
///
/// A file with mistakes should not be formatted: look at it with [`Model::parse`](crate::Model::parse) first.
pub fn formatted(text: &str) -> Option<String> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    // Only what is TOML is read on: its brackets are not nested without end.
    toml::de::DeTable::parse(body).ok()?;
    let written = lines::written(order::ordered(reader::read(body)?));
    meaning::is_same(body, &written).then(|| format!("{mark}{written}"))
}

#[cfg(test)]
mod tests {
    use super::formatted;

    /// A file without order, and what becomes of it.
    #[test]
    fn a_file_is_put_in_order() {
        let written = r#"
#:schema model-1.schema.json
# About it.
name="x"
format =   1


[ run ]
rtol=1e-8   # rough
t_end= 1
method= "radau"
stages = 3
# kept = 1

# The unknowns.
[variables]
coordinates=[ "x","y [1..N-1]" ,]
[initial]

x=[1,2,
 3]
# Its rate.
"x'"   = { formula="a-b" }

[equations]
holonomic=[  # two
  # The rod.
  {name="rod  a",formula="x^2+y ^2-1"},# it


  "x -y",
  # The end.
]
kinetic = 'a*b+c'   #   late
"#;
        let expected = r#"#:schema model-1.schema.json
# About it.
format = 1
name = "x"

# The unknowns.
[variables]
coordinates = ["x", "y[1..N-1]"]

[equations]
kinetic = 'a*b + c'  #   late
holonomic = [        # two
    # The rod.
    { name = "rod  a", formula = "x^2 + y^2 - 1" },  # it

    "x - y",
    # The end.
]

[initial]
x = [1, 2, 3]
# Its rate.
"x'" = { formula = "a - b" }

[run]
t_end = 1
method = "radau"
stages = 3
rtol = 1e-8  # rough
# kept = 1
"#;
        let once = formatted(written).expect("TOML");
        assert_eq!(once, expected);
        assert_eq!(formatted(&once).as_deref(), Some(expected));
    }

    #[test]
    fn long_lists_are_wrapped() {
        let numbers = (0..60).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
        let once = formatted(&format!("[parameters]\nm=[{numbers}]\n")).expect("TOML");
        assert!(once.lines().all(|line| line.len() <= 120) && once.lines().count() == 5, "{once}");
        assert!(once.starts_with("[parameters]\nm = [\n    0, 1, 2,") && once.ends_with(", 59,\n]\n"), "{once}");
        assert_eq!(formatted(&once).as_ref(), Some(&once));
        let words = (0..20).map(|i| format!("\"a{i}+b\"")).collect::<Vec<_>>().join(",");
        let once = formatted(&format!("[equations]\nforce=[{words}]")).expect("TOML");
        assert!(once.starts_with("[equations]\nforce = [\n    \"a0 + b\",\n    \"a1 + b\",\n"), "{once}");
        assert_eq!(formatted(&once).as_ref(), Some(&once));
    }

    #[test]
    fn texts_and_line_endings_stay() {
        let text = "description = \"\"\"\r\n a+b  \r\n\"\"\"\r\nname = 'a+b'\r\n";
        assert_eq!(formatted(text).as_deref(), Some("name = 'a+b'\r\ndescription = \"\"\"\r\n a+b  \r\n\"\"\"\r\n"));
        assert_eq!(formatted("a = = 1"), None);
        assert_eq!(formatted(&format!("a = {}", "[".repeat(60_000))), None);
        assert_eq!(formatted("\u{feff}format=1").as_deref(), Some("\u{feff}format = 1\n"));
        let escaped = "[definitions]\na = \"x+\\u0079\"\nb = \"\"\"x+y\"\"\"\nc = '''\n  x+y*\n  z'''\n";
        let kept = "[definitions]\na = \"x+\\u0079\"\nb = \"\"\"x + y\"\"\"\nc = '''\n  x + y*\n  z'''\n";
        assert_eq!(formatted(escaped).as_deref(), Some(kept));
    }

    #[test]
    fn comments_around_a_comma_stay() {
        let text = "[parameters]\nm = [1 # x\n, # y\n2\n# z\n]\n";
        let expected = "[parameters]\nm = [\n    1,  # x\n    # y\n    2,\n    # z\n]\n";
        assert_eq!(formatted(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_belongs_together_stays_together() {
        let text = "[[events]]\nname = \"a\"\n[events.set]\n\"x'\" = \"-x'*e\"\n[[events]]\nname = \"b\"\n[parameters]\nm = 1\n";
        let expected = "[parameters]\nm = 1\n\n[[events]]\nname = \"a\"\n\n[events.set]\n\"x'\" = \"-x'*e\"\n\n[[events]]\nname = \"b\"\n";
        assert_eq!(formatted(text).as_deref(), Some(expected));
        // Keys that somebody has put in groups keep their order.
        let grouped = "[run]\nrtol = 1e-8\n\nt_end = 1\n";
        assert_eq!(formatted(grouped).as_deref(), Some(grouped));
    }
}
