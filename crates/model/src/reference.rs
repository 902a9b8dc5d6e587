//! The reference of the format as Markdown, made from the table of keys; docs/model-format.md contains it.

use crate::format::{Holds, Key, Section, TABLE, sections};
use crate::functions::FUNCTIONS;

/// Tables of all sections, keys and functions.
pub fn reference() -> String {
    let mut text = String::new();
    for section in sections() {
        text += &format!("### {}\n\n{}\n\n", heading(section), section.says);
        if let Some(holds) = section.open {
            let keys = if holds == Holds::Function { "names with arguments" } else { "names" };
            let words = match holds {
                Holds::KeysOrList(_) => "a table with the keys below, or a list of such tables".to_owned(),
                holds => words(holds),
            };
            text += &format!("Keys are {keys} that you choose; each holds {words}.\n\n");
        }
        let keys = match section.open {
            Some(Holds::Table) => TABLE,
            Some(Holds::KeysOrList(keys)) => keys,
            _ => section.keys,
        };
        if !keys.is_empty() {
            text += "| Key | Holds | Meaning |\n|---|---|---|\n";
            for key in keys {
                text += &format!("| `{}` | {} | {} |\n", key.name, words(key.holds), key.says);
            }
            text.push('\n');
        }
    }
    text += "### Functions\n\n| Function | Value |\n|---|---|\n";
    for entry in FUNCTIONS {
        text += &format!("| `{}({})` | {} |\n", entry.name, entry.arguments, entry.says);
    }
    text + "| `sum(x[i] for i in 1..N)` | a sum, of numbers or of triples |\n\n`t` is the time, `pi` is known, `deg` is pi/180: 30*deg.\n"
}

fn heading(section: &Section) -> String {
    match (section.name, section.repeated) {
        ("", _) => "Top level".to_owned(),
        (name, true) => format!("`[[{name}]]`"),
        (name, false) => format!("`[{name}]`"),
    }
}

/// What a point of a picture may be.
const POINT: &str = "two or three formulas, a formula that is a triple, or a place on a body";

/// The names of keys, and of the keys of tables behind them.
fn listed(keys: &[Key]) -> String {
    let inner = |key: &Key| match key.holds {
        Holds::Keys(keys)
        | Holds::NumberOrKeys(keys)
        | Holds::PointOrKeys(keys)
        | Holds::FormulaOrKeys(keys)
        | Holds::FormulasOrKeys(keys)
        | Holds::WordsOrKeys(keys)
        | Holds::AxisOrKeys(keys) => format!(" = {{ {} }}", listed(keys).replace('`', "")),
        _ => String::new(),
    };
    keys.iter().map(|key| format!("`{}{}`", key.name, inner(key))).collect::<Vec<_>>().join(", ")
}

fn words(holds: Holds) -> String {
    match holds {
        Holds::FormatNumber => "1".to_owned(),
        Holds::Words => "a string".to_owned(),
        Holds::WordsOrList => "a string or a list of strings".to_owned(),
        Holds::Parameter => "a formula or a list of them, or a table with `normal` or `uniform`".to_owned(),
        Holds::Scenario => "a table with keys of `[run]`, and with tables `parameters`, `initial` and `start`".to_owned(),
        Holds::Number => "a number or constant formula".to_owned(),
        Holds::NumberOrAuto => "a number or \"auto\"".to_owned(),
        Holds::Choice(choices) => choices.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "),
        Holds::Flag => "true or false".to_owned(),
        Holds::Names | Holds::ListOfWords => "a list of names".to_owned(),
        Holds::Formula => "a formula".to_owned(),
        Holds::Formulas => "a list of formulas".to_owned(),
        Holds::NamedFormulas => "a list of formulas or `{ name, formula }`".to_owned(),
        Holds::Matrix => "a list of rows, or of diagonal entries".to_owned(),
        Holds::FormulaOrList => "a formula or a list of them".to_owned(),
        Holds::Numbers => "a list of numbers or constant formulas".to_owned(),
        Holds::Function => "a formula or `{ of, formula }`".to_owned(),
        Holds::Table => "a table with the keys below".to_owned(),
        Holds::Points => "a list of numbers (of rows for `z`), or with `file` the name of a column".to_owned(),
        Holds::NumberOrNumbers => "a number or constant formula, or a list of them".to_owned(),
        Holds::NumberOrByVariable => "a number or constant formula, or a table of them by variable".to_owned(),
        Holds::Assignments => "a table of formulas".to_owned(),
        Holds::Output => {
            "a formula, `{ formula, unit, label }`, or `{ reaction, at, unit, label }`: the force of the constraint of this name (or of \
             the list of names) at the coordinates `at`. With several coordinates `F` is its magnitude, and `F_x`, `F_y`, … are its components"
                .to_owned()
        }
        Holds::Dimension => "2 or 3".to_owned(),
        Holds::Keys(keys) => format!("a table with {}", listed(keys)),
        Holds::KeysOrList(keys) => format!("a table with {}, or a list of them", listed(keys)),
        Holds::KeysByName(keys) => format!("tables by name, each with {}", listed(keys)),
        Holds::NumberOrKeys(keys) => format!("a number or constant formula, or a table with {}", listed(keys)),
        Holds::Point => POINT.to_owned(),
        Holds::PointOrFlag => format!("{POINT}; or true"),
        Holds::Trace => format!("{POINT}; true; or names of points of the body"),
        Holds::PointList => "a list of points; a formula in it may end with `for i in 1..N`".to_owned(),
        Holds::PointOrKeys(keys) => format!("two or three formulas, a formula that is a triple, or a table with {}", listed(keys)),
        Holds::FormulasOrKeys(keys) => format!("a list of formulas, or a table with {}", listed(keys)),
        Holds::FormulaOrKeys(keys) => format!("a formula, or a table with {}", listed(keys)),
        Holds::WordsOrKeys(keys) => format!("a string, or a table with {}", listed(keys)),
        Holds::AxisOrKeys(keys) => format!("\"x\", \"-y\", … or a list of numbers, or a table with {}", listed(keys)),
        Holds::NumbersByName => "lists of numbers or constant formulas by name".to_owned(),
        Holds::Axis => "\"x\", \"-y\", … or a list of numbers".to_owned(),
        Holds::AxisOrTwo => "\"x\", \"-y\", … or a list of numbers, or a list of two such".to_owned(),
        Holds::Markers => "a list of two strings".to_owned(),
        Holds::Measure => {
            "a table with one of `max`, `min`, `mean`, `rms`, `integral` (of a formula, between `from` and `to` if these are given), `value` (of a \
             formula, `at` a time, at an `event`, or at the end; `which` is \"first\", \"last\" or a number) and `count` (of an event), \
             with `unit` and `label`"
                .to_owned()
        }
    }
}
