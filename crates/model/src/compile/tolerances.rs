//! Tolerances and typical sizes by variable: `atol = { x = 1e-9, "x'" = 1e-6 }` and `scale = { x = 1e-6 }` of `[run]`.

use alembert::GivenSizes;
use toml::de::DeValue;

use super::run::number;
use super::start::{Named, inputs};
use super::variables::Variables;
use crate::document::{Document, entries};
use crate::scope::Scope;

/// The numbers of a table by variable; empty if the key holds no table.
pub(crate) fn by_variable(document: &Document, variables: &Variables, key: &str, scope: &mut Scope) -> GivenSizes {
    let mut found = GivenSizes::default();
    let Some(entry) = document.find("run", key) else { return found };
    let DeValue::Table(table) = entry.value else {
        if key == "scale" {
            let hint = "write scale = { x = 1e-6 }".to_owned();
            scope.mistakes.add(entry.span, "`scale` must be a table".to_owned(), Some(hint));
        }
        return found;
    };
    if let Some(h) = document.find("run", "h") {
        let hint = Some("keep one of the two".to_owned());
        scope.mistakes.add(h.key_span, format!("both a step size and `{key}` are given"), hint);
    }
    for entry in entries(table) {
        let Some(value) = number(document, scope, &entry) else { continue };
        if value <= 0.0 {
            let hint = "leave it out: its typical size is then found".to_owned();
            let message = format!("`{key}` of `{}` must be positive, not {value}", entry.key);
            scope.mistakes.add(entry.span, message, Some(hint));
            continue;
        }
        for named in inputs(document, &entry, variables, scope) {
            match named {
                Named::Coordinate(column) => found.q.push((column, value)),
                Named::Velocity(column) => found.v.push((column, value)),
                Named::Other(input) => {
                    let message = format!("`{}` has no tolerance of its own", variables.name(input));
                    scope.mistakes.add(entry.key_span, message, Some("coordinates and velocities have".to_owned()));
                }
            }
        }
    }
    found
}

/// A variable has a tolerance of its own or a size of its own: one follows from the other.
pub(crate) fn refuse_both(
    document: &Document,
    variables: &Variables,
    (atols, scales): (&GivenSizes, &GivenSizes),
    scope: &mut Scope,
) {
    let layout = variables.layout;
    let both = |one: &[(usize, f64)], other: &[(usize, f64)]| -> Option<usize> {
        one.iter().map(|(i, _)| *i).find(|i| other.iter().any(|(j, _)| i == j))
    };
    let q = both(&atols.q, &scales.q).map(|column| variables.direction(column));
    let found = q.or_else(|| both(&atols.v, &scales.v).map(|i| variables.name(layout.v().start + i)));
    if let (Some(name), Some(entry)) = (found, document.find("run", "scale")) {
        let message = format!("`{name}` has both `atol` and `scale`");
        let hint = "keep one of the two: the tolerance is `rtol` times the size".to_owned();
        scope.mistakes.add(entry.span, message, Some(hint));
    }
}
