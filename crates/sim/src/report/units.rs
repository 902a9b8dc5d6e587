//! Units of columns: those that a file says, and those that the names of mechanisms have.

use alembert_model::Names;

/// What the last word of a name in a mechanism is measured in.
const WORDS: [(&str, &str); 12] = [
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("displacement", "m"),
    ("length", "m"),
    ("extension", "m"),
    ("angle", "rad"),
    ("force", "N"),
    ("torque", "N m"),
    ("power", "W"),
    ("omega", "rad/s"),
    ("speed", ""),
];

/// The unit of a column; empty if nobody knows.
pub fn unit(names: &Names, column: &str, mechanism: bool) -> String {
    let said = names.said.iter().find(|said| said.column == column).and_then(|said| said.unit.clone());
    match said {
        Some(unit) => unit,
        None if mechanism => of_mechanism(column),
        None => String::new(),
    }
}

fn of_mechanism(column: &str) -> String {
    let stem = column.trim_end_matches('\'');
    let mut parts = stem.rsplit('.');
    let (Some(last), before) = (parts.next(), parts.next()) else { return String::new() };
    if before.is_none() {
        return String::new();
    }
    // Components are measured in what their vector is.
    let vector = before.filter(|before| ["force", "torque", "omega"].contains(before) && "xyz".contains(last));
    let word = vector.unwrap_or(last);
    let base = WORDS.iter().find(|(known, _)| *known == word).map_or("", |(_, unit)| *unit);
    match (base, column.len() - stem.len()) {
        ("", _) => String::new(),
        (base, 0) => base.to_owned(),
        ("rad/s", 1) => "rad/s^2".to_owned(),
        (base, 1) => format!("{base}/s"),
        (base, primes) => format!("{base}/s^{primes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_mechanisms_have_units() {
        for (column, unit) in [
            ("crank.x", "m"),
            ("crank.A.y''", "m/s^2"),
            ("hinge.angle'", "rad/s"),
            ("hinge.force.x", "N"),
            ("hinge.force", "N"),
            ("hinge.torque.z", "N m"),
            ("top.omega.y'", "rad/s^2"),
            ("top.e0", ""),
            ("x", ""),
        ] {
            assert_eq!(super::unit(&Names::default(), column, true), unit, "{column}");
        }
        assert_eq!(super::unit(&Names::default(), "crank.x", false), "");
    }
}
