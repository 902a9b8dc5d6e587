//! Whether a scene lies in the plane of x and y.
//!
//! Third components that are channels may be zero without looking so, as those of `rotate([0, 0, 1], phi, [l, 0, 0])`: they are evaluated
//! at the start and at some places about it.

use alembert_picture::Scene;
use alembert_picture::scene::{Arrow, Figure, Place, Quantity, Turn};

use super::Subject;
use super::canvas::Canvas;
use crate::graph::Node;
use crate::scope::Scope;
use crate::tape::{Arguments, Tape};

/// How often channels are evaluated.
const PROBES: usize = 4;
/// What counts as zero beside numbers of the size of one.
const ZERO: f64 = 1e-12;

pub(super) fn is_flat(canvas: &Canvas, subject: &Subject, scope: &mut Scope) -> bool {
    let mut zeros = Vec::new();
    if !gathered(&canvas.scene, &mut zeros) {
        return false;
    }
    let mut nodes: Vec<(usize, Node)> = Vec::new();
    for quantity in zeros {
        match quantity {
            Quantity::Fixed(x) if x != 0.0 => return false,
            Quantity::Fixed(_) => {}
            Quantity::Channel { c } => nodes.push((nodes.len(), canvas.channels[c])),
        }
    }
    if nodes.is_empty() {
        return true;
    }
    let tape = Tape::new(&scope.graph, subject.variables.layout, &nodes, &mut scope.marks);
    let guess = subject.guess;
    (0..PROBES).all(|probe| {
        let off = |x: &[f64], seed: f64| -> Vec<f64> {
            let size = 0.4 * probe as f64;
            x.iter().enumerate().map(|(i, x)| x + size * (1.3 * i as f64 + seed + probe as f64).sin()).collect()
        };
        let (q, v, a) = (off(&guess.q, 0.1), off(&guess.v, 0.5), off(&vec![0.0; guess.v.len()], 0.9));
        let (lambda, psi) = (off(&guess.lambda, 1.3), off(&guess.psi, 1.7));
        let t = guess.t + 0.37 * probe as f64;
        let at = Arguments { t, q: &q, v: &v, a: &a, lambda: &lambda, psi: &psi, held: &[] };
        let mut values = vec![0.0; nodes.len()];
        tape.run_once(at, &mut values);
        // What has no value there says nothing.
        values.iter().all(|x| x.is_nan() || x.abs() <= ZERO)
    })
}

/// Third components that must be zero; whether all directions lie in the plane, or across it where they have to.
fn gathered(scene: &Scene, zeros: &mut Vec<Quantity>) -> bool {
    let mut flat = true;
    for frame in &scene.frames {
        zeros.push(frame.origin[2]);
        flat &= !matches!(frame.turn, Turn::Quaternion(_));
    }
    for item in &scene.items {
        let mut at = |places: &[&Place]| zeros.extend(places.iter().map(|place| place.at[2]));
        match &item.figure {
            Figure::Line { points, .. } => at(&points.iter().collect::<Vec<_>>()),
            Figure::Circle { at: centre, axis, .. } => {
                at(&[centre]);
                flat &= axis[0] == 0.0 && axis[1] == 0.0;
            }
            Figure::Box { at: centre, turn, .. } => {
                at(&[centre]);
                flat &= !matches!(turn, Turn::Quaternion(_));
            }
            Figure::Plane { at: place, normal } => {
                at(&[place]);
                flat &= normal[2] == 0.0;
            }
            Figure::Arrow { at: place, vector, of } => {
                at(&[place]);
                match of {
                    // In the plane a torque is across it.
                    Arrow::Torque => zeros.extend(&vector[..2]),
                    _ => zeros.push(vector[2]),
                }
            }
            Figure::Cylinder { from, to, .. } | Figure::Spring { from, to, .. } | Figure::Damper { from, to, .. } => {
                at(&[from, to]);
            }
            Figure::Joint { at: place, .. }
            | Figure::Point { at: place }
            | Figure::Sphere { at: place, .. }
            | Figure::Trace { at: place }
            | Figure::Label { at: place, .. } => at(&[place]),
        }
    }
    flat
}
