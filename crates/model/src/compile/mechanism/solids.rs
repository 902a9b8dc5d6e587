//! Mass, centre and inertia of bodies: given, or of solids of uniform density.

use alembert_mechanism::{Body, Shape, Solid};
use toml::de::DeValue;

use super::reader::{Reader, elements, find};
use super::{Span, Vector};
use crate::document::Entry;
use crate::format::{BALL, ROUND, SOLID};

/// A matrix by rows.
type Matrix = [Vector; 3];

/// What a body weighs.
#[derive(Clone, Copy, Debug)]
pub(in crate::compile) struct Weight {
    pub mass: f64,
    /// The centre of mass in the drawing.
    pub centre: Vector,
    /// About the centre.
    pub moments: Matrix,
}

impl Weight {
    /// What stands for a body whose weight is a mistake.
    pub const ANY: Weight =
        Weight { mass: 1.0, centre: [0.0; 3], moments: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    pub fn body(&self) -> Body {
        let zero = self.moments.as_flattened().iter().all(|x| *x == 0.0);
        let body = if zero { Body::particle(self.mass) } else { Body::with_moments(self.mass, self.moments) };
        body.centred(self.centre)
    }

    /// That of several solids with their centres.
    fn of(solids: &[(Solid, Vector)]) -> Weight {
        let mass: f64 = solids.iter().map(|(solid, _)| solid.mass()).sum();
        let mut centre = [0.0; 3];
        for (solid, at) in solids {
            (0..3).for_each(|i| centre[i] += solid.mass() / mass * at[i]);
        }
        let mut moments = [[0.0; 3]; 3];
        for (solid, at) in solids {
            let arm = [0, 1, 2].map(|i| at[i] - centre[i]);
            let square: f64 = arm.iter().map(|x| x * x).sum();
            let own = solid.moments();
            for i in 0..3 {
                for j in 0..3 {
                    let around = if i == j { square } else { 0.0 } - arm[i] * arm[j];
                    moments[i][j] += own[i][j] + solid.mass() * around;
                }
            }
        }
        Weight { mass, centre, moments }
    }

    fn scaled(self, mass: f64) -> Weight {
        let ratio = mass / self.mass;
        Weight { mass, moments: self.moments.map(|row| row.map(|x| x * ratio)), ..self }
    }
}

/// Whether no motion has a negative energy: principal minors beside rounding.
fn is_inertia(m: &Matrix) -> bool {
    let largest = m.iter().flatten().fold(0.0_f64, |max, x| max.max(x.abs()));
    let slack = 1e-12 * largest * largest;
    let minor = |i: usize, j: usize| m[i][i] * m[j][j] - m[i][j] * m[j][i];
    let whole = m[0][0] * minor(1, 2) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    (0..3).all(|i| m[i][i] >= 0.0 && minor(i, (i + 1) % 3) >= -slack) && whole >= -slack * largest
}

impl<'d> Reader<'_, 'd, '_> {
    /// What a body weighs.
    pub fn weight(&mut self, keys: &[Entry<'d>], name: &str, at: Span) -> Option<Weight> {
        self.shapes.clear();
        let given = find(keys, "mass").map(|entry| self.not_negative(&entry));
        let inertia = find(keys, "inertia").map(|entry| self.inertia(&entry));
        let centre = find(keys, "centre").map(|entry| self.vector(&entry));
        let Some(solid) = find(keys, "solid") else {
            let hint = "write it, or give a solid = { … }";
            for (key, found) in [("mass", given.is_some()), ("inertia", inertia.is_some())] {
                if !found {
                    self.wrong(at, format!("the body `{name}` has no `{key}`"), hint);
                }
            }
            return Some(Weight { mass: given??, moments: inertia??, centre: centre.unwrap_or(Some([0.0; 3]))? });
        };
        if let Some(entry) = find(keys, "centre")
            && (given.is_none() || inertia.is_none())
        {
            self.wrong(
                entry.key_span,
                "both `solid` and `centre` are given",
                "solids have their centre; place them by `at`, or give `mass` and `inertia` as well",
            );
        }
        let list = match solid.value {
            DeValue::Array(_) => elements(&solid)?,
            _ => vec![solid],
        };
        if list.is_empty() {
            self.wrong(solid.span, "`solid` is empty", "write solid = { sphere = 0.1, density = 1000 }");
            return None;
        }
        let solids: Vec<Option<(Solid, Shape, Vector)>> =
            list.iter().map(|entry| self.solid(entry, given.is_some())).collect();
        let solids: Vec<(Solid, Shape, Vector)> = solids.into_iter().collect::<Option<_>>()?;
        self.shapes.extend(solids.iter().map(|(_, shape, at)| (*shape, *at)));
        let solids: Vec<(Solid, Vector)> = solids.into_iter().map(|(solid, _, at)| (solid, at)).collect();
        let mut weight = Weight::of(&solids);
        if weight.mass.is_nan() || weight.mass <= 0.0 {
            self.wrong(solid.span, format!("the solids of `{name}` have the mass {}", weight.mass), "");
            return None;
        }
        if let Some(mass) = given {
            weight = weight.scaled(mass?);
        }
        if let Some(moments) = inertia {
            weight.moments = moments?;
        }
        if let Some(centre) = centre {
            weight.centre = centre?;
        }
        Some(weight)
    }

    /// One, three or six numbers.
    fn inertia(&mut self, entry: &Entry<'d>) -> Option<Matrix> {
        let list = self.numbers(entry)?;
        let moments = match (self.planar, &list[..]) {
            (true, [c]) => [[0.0; 3], [0.0; 3], [0.0, 0.0, *c]],
            (false, [a]) => [[*a, 0.0, 0.0], [0.0, *a, 0.0], [0.0, 0.0, *a]],
            (false, [a, b, c]) => [[*a, 0.0, 0.0], [0.0, *b, 0.0], [0.0, 0.0, *c]],
            (false, [xx, yy, zz, xy, xz, yz]) => [[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]],
            (planar, list) => {
                let must = if planar { "one in the plane" } else { "one, three or six" };
                let hint = if planar { "" } else { "six are xx, yy, zz, xy, xz, yz" };
                self.wrong(entry.span, format!("`inertia` has {} numbers, and must have {must}", list.len()), hint);
                return None;
            }
        };
        if !is_inertia(&moments) {
            let hint = "principal inertias are not negative; xy, xz and yz are entries of the matrix, minus the products of inertia";
            self.wrong(entry.span, "no body has this inertia: some turn would have a negative energy", hint);
            return None;
        }
        Some(moments)
    }

    /// One solid with its shape and where its centre is. Without mass and density it is scaled by the mass of the body.
    fn solid(&mut self, entry: &Entry<'d>, scaled: bool) -> Option<(Solid, Shape, Vector)> {
        let keys = self.table(entry, SOLID)?;
        let shapes = ["box", "sphere", "cylinder", "capsule", "bar"];
        let Some(shape_entry) = self.one_of(&keys, &shapes) else {
            self.wrong(entry.span, "the solid has no shape", format!("it may be {}", shapes.join(", ")));
            return None;
        };
        let bar = shape_entry.key == "bar";
        let shape = self.shape(&shape_entry);
        let at = find(&keys, "at").map_or(Some([0.0; 3]), |entry| self.vector(&entry));
        let (density, mass) = (find(&keys, "density"), find(&keys, "mass"));
        self.one_of(&keys, &["density", "mass"]);
        let made = match (density, mass) {
            (Some(entry), _) if bar => {
                self.wrong(entry.key_span, "a bar has no volume", "give its `mass`");
                return None;
            }
            (Some(entry), _) => self.positive(&entry).zip(shape).map(|(density, shape)| shape.with_density(density)),
            (None, Some(entry)) => self.positive(&entry).zip(shape).map(|(mass, shape)| shape.with_mass(mass)),
            (None, None) if scaled => shape.map(|shape| match bar {
                true => shape.with_mass(1.0),
                false => shape.with_density(1.0),
            }),
            (None, None) => {
                self.wrong(entry.span, "the solid has neither `density` nor `mass`", "give one of the two");
                return None;
            }
        };
        Some((made?, shape?, at?))
    }

    fn shape(&mut self, entry: &Entry<'d>) -> Option<Shape> {
        match entry.key {
            "box" => {
                let edges = self.numbers(entry)?;
                if edges.iter().any(|edge| *edge <= 0.0) {
                    self.wrong(entry.span, "edges of a box must be positive", "");
                    return None;
                }
                let [a, b, c] = edges[..] else {
                    self.wrong(
                        entry.span,
                        format!("a box has three edges, not {}", edges.len()),
                        "write box = [a, b, c]",
                    );
                    return None;
                };
                Some(Shape::Cuboid([a, b, c]))
            }
            "sphere" => {
                let radius = match entry.value {
                    DeValue::Table(_) => {
                        let keys = self.table(entry, BALL)?;
                        self.needed(&keys, "radius", "the sphere", entry.span, "write sphere = { radius = 0.1 }")?
                    }
                    _ => *entry,
                };
                self.positive(&radius).map(Shape::Sphere)
            }
            word => {
                let keys = self.table(entry, ROUND)?;
                let bar = word == "bar";
                let radius = match bar {
                    true => {
                        self.only(&keys, &["length", "axis"], "a bar");
                        Some(0.0)
                    }
                    false => {
                        let hint = format!("write {word} = {{ radius = 0.1, length = 1, axis = \"z\" }}");
                        let found = self.needed(&keys, "radius", &format!("the {word}"), entry.span, &hint);
                        found.and_then(|entry| self.positive(&entry))
                    }
                };
                let length = self.needed(&keys, "length", &format!("the {word}"), entry.span, "");
                let length = length.and_then(|entry| self.positive(&entry));
                let usual = if bar { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
                let axis = find(&keys, "axis").map_or(Some(usual), |entry| self.axis(&entry))?;
                let size = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
                let (radius, length, axis) = (radius?, length?, axis.map(|x| x / size));
                Some(if word == "capsule" {
                    Shape::Capsule(radius, length, axis)
                } else {
                    Shape::Cylinder(radius, length, axis)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two point-like balls on a rod: the reduced mass times the square of the distance.
    #[test]
    fn solids_apart_have_a_common_centre_and_inertia() {
        let tiny = |mass: f64| Shape::Sphere(1e-9).with_mass(mass);
        let weight = Weight::of(&[(tiny(1.0), [0.0; 3]), (tiny(3.0), [0.0, 0.0, 2.0])]);
        assert_eq!((weight.mass, weight.centre), (4.0, [0.0, 0.0, 1.5]));
        let expected = 1.0 * 3.0 / 4.0 * 4.0;
        assert!((weight.moments[0][0] - expected).abs() < 1e-12 && weight.moments[2][2].abs() < 1e-12);
        let oblique = Weight::of(&[(tiny(1.0), [1.0, 1.0, 0.0]), (tiny(1.0), [-1.0, -1.0, 0.0])]);
        assert!((oblique.moments[0][1] + 2.0).abs() < 1e-12, "{:?}", oblique.moments);
    }

    #[test]
    fn inertia_must_be_one() {
        assert!(is_inertia(&Weight::ANY.moments));
        assert!(is_inertia(&[[0.0; 3]; 3]));
        assert!(!is_inertia(&[[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
        assert!(!is_inertia(&[[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
        // All minors of two are positive, the whole determinant is not.
        let thirds = [[1.0, -0.6, -0.6], [-0.6, 1.0, -0.6], [-0.6, -0.6, 1.0]];
        assert!(!is_inertia(&thirds));
    }
}
