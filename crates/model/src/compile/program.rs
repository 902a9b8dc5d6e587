//! What a file leaves to a program: some of its equations, under `program` of `[equations]`. Their formulas then stand for their number
//! and their names only.

use std::sync::Arc;

use alembert::{ConstrainedSystem, Dims};

use crate::document::{Document, Entry};
use crate::model::Program;
use crate::scope::Scope;
use crate::tape::Layout;

/// A mistake that was told.
pub(super) struct Told;

/// The equations of the program, where the file has none.
pub(super) fn system(
    document: &Document,
    program: &Program,
    layout: Layout,
    scope: &mut Scope,
) -> Result<Option<Arc<dyn ConstrainedSystem>>, Told> {
    let entry = document.find("equations", "program");
    let (entry, system) = match (entry, &program.system) {
        (None, _) => return Ok(None),
        (Some(entry), None) => {
            missing(document, &entry, "the equations", scope);
            return Err(Told);
        }
        (Some(entry), Some(system)) => (entry, system),
    };
    let (found, said) = (system.dims(), Dims { q: layout.q, v: layout.v, lambda: layout.lambda, psi: layout.psi });
    if found != said {
        let message = format!("the equations of the program have {}, those of the file {}", size(found), size(said));
        scope.mistakes.add(entry.span, message, None);
        return Err(Told);
    }
    Ok(Some(Arc::clone(system)))
}

/// Says that something is in a program, and that this is not it.
pub(super) fn missing(document: &Document, entry: &Entry, what: &str, scope: &mut Scope) {
    let Some(name) = document.words(entry, scope.mistakes) else { return };
    let message = format!("{what} of this model are in a program ({name}), not in the file");
    scope.mistakes.add(entry.span, message, Some("run it from there".to_owned()));
}

fn size(Dims { q, v, lambda, psi }: Dims) -> String {
    format!("{q} coordinates, {v} velocities, {lambda} holonomic and {psi} nonholonomic constraints")
}
