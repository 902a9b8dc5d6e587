//! What messages call the variables and constraints of a system.

use crate::tape::Layout;

/// What messages call things.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pub coordinates: Vec<String>,
    /// Directions of q: the coordinates themselves, and turns about the axes of bodies.
    pub directions: Vec<String>,
    pub velocities: Vec<String>,
    pub holonomic: Vec<String>,
    pub nonholonomic: Vec<String>,
}

impl Labels {
    /// What a formula calls an argument.
    pub fn input(&self, layout: Layout, input: usize) -> String {
        let of = |names: &[String], first: usize| names.get(input - first).cloned();
        let found = match input {
            Layout::T => Some("t".to_owned()),
            _ if layout.q().contains(&input) => of(&self.coordinates, layout.q().start),
            _ if layout.v().contains(&input) => of(&self.velocities, layout.v().start),
            _ => None,
        };
        found.unwrap_or_else(|| format!("[{input}]"))
    }
}
