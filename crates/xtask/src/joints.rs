//! Draws the types of joints for docs/mechanisms.md: one small picture each, in docs/images/joints.

mod couplings;
mod pen;
mod space;

use std::fs;
use std::path::Path;

use crate::TaskError;
use pen::Pen;

type Draw = fn() -> Pen;

/// A type of joint as files write it, and its picture.
#[rustfmt::skip]
const DRAWINGS: &[(&str, Draw)] = &[
    ("revolute", space::revolute),
    ("spherical", space::spherical),
    ("prismatic", space::prismatic),
    ("cylindrical", space::cylindrical),
    ("universal", space::universal),
    ("planar", space::planar),
    ("fixed", space::fixed),
    ("constant velocity", space::constant_velocity),
    ("point on line", space::point_on_line),
    ("point on plane", space::point_on_plane),
    ("point on curve", space::point_on_curve),
    ("distance", space::distance),
    ("revolute-spherical", space::revolute_spherical),
    ("parallel", space::parallel),
    ("perpendicular", space::perpendicular),
    ("orientation", space::orientation),
    ("rolling disk", space::rolling_disk),
    ("rolling sphere", space::rolling_sphere),
    ("knife edge", space::knife_edge),
    ("gear", couplings::gears),
    ("belt", couplings::belt),
    ("rack", couplings::rack),
    ("screw", couplings::screw),
    ("differential", couplings::differential),
    ("coupling", couplings::coupling),
];

/// Where the picture of a joint is, from the root.
fn path(name: &str) -> String {
    format!("docs/images/joints/{}.svg", name.replace(' ', "-"))
}

/// Draws all of them.
pub fn run(root: &Path) -> Result<(), TaskError> {
    for (name, draw) in DRAWINGS {
        let file = root.join(path(name));
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, draw().svg())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alembert_model::format::{Holds, sections};

    /// The types of joints that files may have.
    fn types() -> &'static [&'static str] {
        let section = sections().iter().find(|section| section.name == "joints").expect("a section");
        let key = section.keys.iter().find(|key| key.name == "type").expect("a key");
        match key.holds {
            Holds::Choice(types) => types,
            other => panic!("{other:?}"),
        }
    }

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
    }

    #[test]
    fn every_type_is_drawn_and_shown() {
        let drawn: Vec<&str> = DRAWINGS.iter().map(|(name, _)| *name).collect();
        assert_eq!(drawn, types());
        let page = fs::read_to_string(root().join("docs/mechanisms.md")).expect("the page");
        for name in types() {
            let link = path(name).replace("docs/", "");
            assert!(page.contains(&format!("({link})")), "{name} is not on the page");
            assert!(page.contains(&format!("| `{name}` |")), "{name} is not in the table");
        }
    }

    #[test]
    fn pictures_are_current() {
        for (name, draw) in DRAWINGS {
            let file = root().join(path(name));
            let kept = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert!(kept == draw().svg(), "{}: run `cargo xtask pictures`", file.display());
        }
    }
}
