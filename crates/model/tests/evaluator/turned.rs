//! Rotations in formulas against the same dual numbers: turns about random axes, their products and inverses, applied to random triples.
//!
//! Values are those of the operations as the reference has them, to the last bit: the matrix of a turn is cos + (1 - cos) k k^T + sin k^ with k =
//! axis/|axis|, a product of rotations is one of matrices, the inverse is the transpose.

use alembert::State;
use alembert_model::Model;

use super::dual::{self, At, Dual, components, dot, is_plain_triple, single, value};
use super::tree::{Random, Tree, Triple, text, triple_text};
use super::{POINTS, START, model_of};

/// A rotation.
enum Rotation {
    About(Triple, Tree),
    Product(Box<Rotation>, Box<Rotation>),
    Inverse(Box<Rotation>),
}

fn random(source: &mut Random, depth: usize) -> Rotation {
    match if depth == 0 { 0 } else { source.below(4) } {
        1 => Rotation::Product(Box::new(random(source, depth - 1)), Box::new(random(source, depth - 1))),
        2 => Rotation::Inverse(Box::new(random(source, depth - 1))),
        _ => Rotation::About(source.triple(1), source.tree(1)),
    }
}

fn words(rotation: &Rotation) -> String {
    match rotation {
        Rotation::About(axis, angle) => format!("rotation({}, {})", triple_text(axis, 0), text(angle)),
        Rotation::Product(a, b) => format!("({}*{})", words(a), words(b)),
        Rotation::Inverse(a) => format!("({})^-1", words(a)),
    }
}

type Matrix = [[Dual; 3]; 3];

fn applied(matrix: &Matrix, a: [Dual; 3]) -> [Dual; 3] {
    matrix.map(|row| row[0].mul(a[0]).add(row[1].mul(a[1])).add(row[2].mul(a[2])))
}

fn matrix(rotation: &Rotation, at: At) -> Matrix {
    match rotation {
        Rotation::About(axis, angle) => {
            let (axis, angle) = (components(axis, at), value(angle, at));
            let length = dot(axis, axis).sqrt();
            let k = axis.map(|x| x.div(length));
            let (sin, cos) = (single("sin", angle), single("cos", angle));
            let versine = Dual::number(1.0).sub(cos);
            [0, 1, 2].map(|i| {
                [0, 1, 2].map(|j| {
                    let along = versine.mul(k[i].mul(k[j]));
                    match (j + 3 - i) % 3 {
                        0 => cos.add(along),
                        1 => along.sub(sin.mul(k[3 - i - j])),
                        _ => along.add(sin.mul(k[3 - i - j])),
                    }
                })
            })
        }
        Rotation::Product(a, b) => {
            let (a, b) = (matrix(a, at), matrix(b, at));
            let columns = [0, 1, 2].map(|j| applied(&a, [b[0][j], b[1][j], b[2][j]]));
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i]))
        }
        Rotation::Inverse(a) => {
            let a = matrix(a, at);
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[j][i]))
        }
    }
}

fn plain(rotation: &Rotation) -> bool {
    match rotation {
        Rotation::About(axis, angle) => is_plain_triple(axis) && dual::is_plain(angle),
        Rotation::Product(a, b) => plain(a) && plain(b),
        Rotation::Inverse(a) => plain(a),
    }
}

#[test]
fn turned_triples_are_those_of_matrices() {
    let mut source = Random(17);
    let mut finite = 0;
    for _ in 0..150 {
        let mut cases = Vec::new();
        while cases.len() < 20 {
            let (rotation, triple) = (random(&mut source, 2), source.triple(1));
            let good = applied(&matrix(&rotation, START), components(&triple, START)).iter().all(|x| x.x.is_finite());
            // An axis of zeros is refused when the file is read.
            let written = format!("{}*{}", words(&rotation), triple_text(&triple, 3));
            if good && plain(&rotation) && is_plain_triple(&triple) && !written.contains("[0.0, 0.0, 0.0]") {
                cases.push((rotation, triple, written));
            }
        }
        let formulas: String = cases.iter().enumerate().map(|(k, case)| format!("o{k} = \"{}\"\n", case.2)).collect();
        let file = model_of("", &format!("[outputs]\n{formulas}"));
        let Ok(model) = Model::parse("turned", &file, &[]) else { continue };
        for at in POINTS {
            let (v, none) = (vec![0.0; 2], Vec::new());
            let state = State { t: at[0], q: at[1..].to_vec(), a: v.clone(), v, lambda: none.clone(), psi: none };
            let mut ours = vec![0.0; model.names.outputs.len()];
            model.outputs_into(&state, &mut ours);
            for ((rotation, triple, written), ours) in cases.iter().zip(ours.chunks(3)) {
                let theirs = applied(&matrix(rotation, at), components(triple, at)).map(|x| x.x);
                let same = |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan());
                for i in 0..3 {
                    finite += usize::from(theirs[i].is_finite());
                    assert!(same(ours[i], theirs[i]), "{written} at {at:?}, {i}: {:e} {:e}", ours[i], theirs[i]);
                }
            }
        }
    }
    assert!(finite > 20_000, "{finite} finite");
}
