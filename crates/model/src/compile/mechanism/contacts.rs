//! Forces of touch: contacts of spheres, tyres, and the drag of air or water.

use alembert_mechanism::{Contact, Drag, Marker, Tyre};

use super::markers::End;
use super::reader::{Reader, find};
use super::{Sight, Span, Vector};
use crate::document::Entry;

/// A marker whose z is an axis, unless it is a frame that has one.
fn pointed(end: &End, axis: Vector) -> Marker {
    if end.z.is_some() { end.marker } else { end.marker.axis(axis) }
}

impl<'d> Reader<'_, 'd, '_> {
    /// A number that a force may leave out.
    fn usual(&mut self, keys: &[Entry<'d>], key: &str, usual: f64) -> Option<f64> {
        find(keys, key).map_or(Some(usual), |entry| self.not_negative(&entry))
    }

    /// A positive number that a force must have.
    fn must(&mut self, keys: &[Entry<'d>], key: &str, what: &str, at: Span) -> Option<f64> {
        self.needed(keys, key, what, at, "").and_then(|entry| self.positive(&entry))
    }

    /// Says that a frame needs no axis.
    fn has_own_axis(&mut self, entry: &Entry<'d>) -> bool {
        let message = "an end is a frame, which has an axis of its own";
        self.wrong(entry.key_span, message, "leave out `axis`, or name a point instead of the frame");
        true
    }

    pub fn contact(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        let allowed = ["of", "radius", "radii", "axis", "stiffness", "damping", "friction", "speed"];
        self.only(keys, &allowed, "a contact");
        let what = format!("the contact `{name}`");
        let of = self.needed(keys, "of", &what, span, "write of = [\"ball\", \"ground\"]");
        let ends = of.and_then(|of| self.ends(&of));
        let stiffness = self.must(keys, "stiffness", &what, span);
        let [damping, friction] = ["damping", "friction"].map(|key| self.usual(keys, key, 0.0));
        let speed = find(keys, "speed").map_or(Some(1e-3), |entry| self.positive(&entry));
        let size = self.one_of(keys, &["radius", "radii"]);
        let Some(size) = size else {
            let hint = "write radius = 0.1 of a sphere on a plane, or radii = [0.1, 0.2] of two spheres";
            self.wrong(span, format!("{what} has neither `radius` nor `radii`"), hint);
            return None;
        };
        let radii = self.numbers(&size);
        if let Some(radii) = &radii
            && (radii.len() != if size.key == "radius" { 1 } else { 2 } || radii.iter().any(|radius| *radius <= 0.0))
        {
            let hint = "a sphere on a plane has one, two spheres have two";
            self.wrong(size.span, format!("`{}` must be positive numbers, one for each sphere", size.key), hint);
            return None;
        }
        // The plane on which things stand is across the usual gravity.
        let usual = if self.planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let normal = match find(keys, "axis") {
            Some(entry) if size.key == "radii" => {
                self.wrong(entry.key_span, "two spheres have no `axis`", "it is the normal of a plane");
                return None;
            }
            Some(entry) => self.axis(&entry),
            None => Some(usual),
        };
        let ([first, second], radii, normal) = (ends?, radii?, normal?);
        if second.z.is_some() && find(keys, "axis").is_some_and(|entry| self.has_own_axis(&entry)) {
            return None;
        }
        let contact = Contact { stiffness: stiffness?, damping: damping?, friction: friction?, speed: speed? };
        match radii[..] {
            [radius] => {
                let plane = match second.z {
                    // A frame in the plane has z across it, and its floor is across y.
                    Some(_) if self.planar => second.marker.axis(second.marker.y()),
                    _ => pointed(&second, normal),
                };
                self.sight(name, Sight::Ball { at: first.marker, radius });
                self.sight(name, Sight::Plane { at: plane });
                self.drawing.builder.sphere_on_plane(name, first.marker, radius, plane, contact);
            }
            [one, other] => {
                let spheres = ((first.marker, one), (second.marker, other));
                self.sight(name, Sight::Ball { at: first.marker, radius: one });
                self.sight(name, Sight::Ball { at: second.marker, radius: other });
                self.drawing.builder.sphere_on_sphere(name, spheres.0, spheres.1, contact);
            }
            _ => return None,
        }
        self.named(name, span);
        Some(())
    }

    pub fn drag(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        self.only(keys, &["at", "coefficient", "wind"], "drag");
        let what = format!("the drag `{name}`");
        let at = self.needed(keys, "at", &what, span, "write at = \"body\", or a point of it");
        let end = at.and_then(|at| self.end(&at));
        let hint = "it is half the density times the area times the drag coefficient";
        let coefficient = self.needed(keys, "coefficient", &what, span, hint);
        let coefficient = coefficient.and_then(|entry| self.not_negative(&entry));
        let wind = find(keys, "wind").map_or(Some([0.0; 3]), |entry| self.vector(&entry));
        let (end, drag) = (end?, Drag::new(coefficient?).wind(wind?));
        if end.body.is_none() {
            self.wrong(end.span, "drag on the ground moves nothing", "name a point of a body");
            return None;
        }
        self.drawing.builder.drag(name, end.marker, drag);
        self.named(name, span);
        Some(())
    }

    pub fn tyre(&mut self, keys: &[Entry<'d>], name: &str, span: Span) -> Option<()> {
        let numbers = ["radius", "stiffness", "damping", "friction", "slip_stiffness", "cornering_stiffness", "speed"];
        let mut allowed = vec!["of", "axis"];
        allowed.extend(numbers);
        self.only(keys, &allowed, "a tyre");
        if self.planar {
            self.wrong(span, "a tyre has no meaning in the plane", "take a rolling joint, or dimension = 3");
            return None;
        }
        let what = format!("the tyre `{name}`");
        let of = self.needed(keys, "of", &what, span, "write of = [\"wheel\", \"ground\"]");
        let ends = of.and_then(|of| self.ends(&of));
        let [radius, stiffness, friction, slip_stiffness, cornering_stiffness] =
            ["radius", "stiffness", "friction", "slip_stiffness", "cornering_stiffness"]
                .map(|key| self.must(keys, key, &what, span));
        let damping = self.usual(keys, "damping", 0.0);
        let speed = find(keys, "speed").map_or(Some(0.1), |entry| self.positive(&entry));
        let [wheel, road] = ends?;
        let axes = match find(keys, "axis") {
            Some(entry) => {
                let (axes, two) = self.axes(&entry)?;
                if (wheel.z.is_some() || two && road.z.is_some()) && self.has_own_axis(&entry) {
                    return None;
                }
                [axes[0], if two { axes[1] } else { [0.0, 0.0, 1.0] }]
            }
            None if wheel.z.is_some() => [[0.0, 0.0, 1.0]; 2],
            None => {
                let hint = "write axis = \"y\": the axle in the axes of the wheel; axis = [\"y\", \"z\"] has the normal of the road, too";
                self.wrong(span, format!("{what} has no `axis`"), hint);
                return None;
            }
        };
        let tyre = Tyre {
            radius: radius?,
            stiffness: stiffness?,
            damping: damping?,
            friction: friction?,
            slip_stiffness: slip_stiffness?,
            cornering_stiffness: cornering_stiffness?,
            speed: speed?,
        };
        let (wheel, road) = (pointed(&wheel, axes[0]), pointed(&road, axes[1]));
        self.sight(name, Sight::Wheel { at: wheel, radius: tyre.radius });
        self.sight(name, Sight::Plane { at: road });
        self.drawing.builder.tyre(name, wheel, road, tyre);
        self.named(name, span);
        Some(())
    }
}
