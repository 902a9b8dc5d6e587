//! What a model looks like: `[view]`, and what is drawn of its own accord, to a scene with formulas for its channels.
//!
//! ```text
//! [view] -> figures with numbers that are nodes of the graph -> constants, and channels for what changes -> Scene, tape
//! ```
//!
//! This comes last, when every name of the file has its meaning: a picture may show whatever an output may contain.

mod bodies;
mod canvas;
mod colors;
mod figures;
mod flat;
mod guessed;
mod joints;
mod loads;
mod look;
mod points;

use alembert::Guess;
use alembert_picture::Scene;

use super::Checked;
use super::mechanism::built::Built;
use super::variables::Variables;
use crate::document::Document;
use crate::graph::Node;
use crate::model::{Names, Said};
use crate::scope::Scope;
use crate::system::Parts;
use canvas::Canvas;

/// A scene, and the nodes of its channels.
pub(crate) struct Draft {
    pub scene: Scene,
    pub channels: Vec<Node>,
}

/// What pictures are made of, besides the section itself.
pub(crate) struct Subject<'a> {
    pub built: Option<&'a mut Built>,
    pub variables: &'a Variables,
    pub parts: Option<&'a Parts>,
    pub names: &'a Names,
    pub guess: &'a Guess,
}

/// Draws a model; none where nobody says what it looks like.
pub(crate) fn read(
    document: &Document,
    mut subject: Subject,
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Option<Draft> {
    let mut canvas = Canvas::new();
    let planar = subject.built.as_ref().map(|built| built.planar);
    canvas.scene.planar = planar.unwrap_or(false);
    let shown = look::read(document, subject.built.as_deref_mut(), &mut canvas, scope, checked);
    if !scope.mistakes.is_empty() {
        return None;
    }
    match (&subject.built, subject.parts) {
        (Some(built), _) => {
            canvas.scene.up = up(built.gravity, built.planar);
            canvas.scene.unit = "m".to_owned();
            bodies::draw(built, &shown, subject.guess, &mut canvas, scope);
        }
        (None, Some(parts)) => {
            if document.section("view").is_empty() {
                guessed::draw(&subject, parts, &mut canvas, scope);
            }
            canvas.scene.planar = flat::is_flat(&canvas, &subject, scope);
            canvas.scene.up = up([0.0; 3], canvas.scene.planar);
            canvas.scene.unit = unit(&subject.names.said);
        }
        (None, None) => {}
    }
    let Canvas { mut scene, channels, .. } = canvas;
    scene.channels = channels.len();
    (!scene.items.is_empty()).then_some(Draft { scene, channels })
}

/// Against gravity; without any, y in the plane and z in space.
fn up(gravity: [f64; 3], planar: bool) -> [f64; 3] {
    let size = gravity.iter().map(|x| x * x).sum::<f64>().sqrt();
    match (size > 0.0 && size.is_finite(), planar) {
        (true, _) => gravity.map(|x| if x == 0.0 { 0.0 } else { -x / size }),
        (false, true) => [0.0, 1.0, 0.0],
        (false, false) => [0.0, 0.0, 1.0],
    }
}

/// Units of lengths.
const LENGTHS: [&str; 9] = ["m", "mm", "cm", "dm", "km", "µm", "um", "in", "ft"];
/// Units that say that lengths are metres.
const METRIC: [&str; 10] = ["N", "kN", "J", "W", "kg", "m/s", "m/s^2", "N m", "N/m", "Nm"];

/// The unit of lengths, from what outputs say of theirs: theirs if they agree on one, metres where forces are newtons; else none.
fn unit(said: &[Said]) -> String {
    let units = || said.iter().filter_map(|said| said.unit.as_deref());
    let mut lengths: Vec<&str> = units().filter(|unit| LENGTHS.contains(unit)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    match lengths[..] {
        [only] => only.to_owned(),
        [] if units().any(|unit| METRIC.contains(&unit)) => "m".to_owned(),
        _ => String::new(),
    }
}
