//! Forces, put together: what each of them takes hold of.

use std::sync::Arc;

use super::LoadSpec;
use super::build::{Work, fault};
use crate::assembly::Loaded;
use crate::error::{BuildError, Fault};
use crate::load::{Axes, Load, OnCoordinate, OnPlane, OnSphere, Pull, Twist, Written};
use crate::marker::{Marker, Slim};
use crate::primitive::{Distance, HalfSquare};
use crate::row::Row;
use crate::support::Support;

impl Work {
    pub(super) fn load(&mut self, name: String, spec: LoadSpec) -> Result<(), BuildError> {
        let mut support = Support::default();
        let load: Box<dyn Load> = match spec {
            LoadSpec::Coordinate(id, law) => {
                self.others.actuated.push(id);
                let row = if law.uses_positions() {
                    let (own, row) = self.counted(&name, id)?;
                    support = own;
                    row
                } else {
                    let coordinate = self.coordinate(&name, id)?;
                    support = coordinate.support.clone();
                    coordinate.row.clone()
                };
                Box::new(OnCoordinate::new(vec![row], law))
            }
            LoadSpec::Between(markers, law) => {
                let markers = self.pair(&name, markers)?;
                let points = markers.map(|marker| support.point(&marker));
                match law.along_way() {
                    Some(law) => Box::new(OnCoordinate::new(vec![Row::of("length", HalfSquare, &points)], law)),
                    None => {
                        self.others.lines.push((name.into(), markers.map(Slim::from)));
                        Box::new(OnCoordinate::new(vec![Row::of("length", Distance, &points)], law))
                    }
                }
            }
            LoadSpec::Pull(at, laws, given) => {
                let marker = self.marker(&name, at)?;
                support.point(&marker);
                attach_axes(&mut support, &marker, given == Axes::Body);
                Box::new(Pull::new(laws, given))
            }
            LoadSpec::Twist(on, laws, given) => {
                let marker = self.marker(&name, on.origin())?;
                support.turn(&marker);
                attach_axes(&mut support, &marker, given == Axes::Body);
                self.check_particles(&name, &support)?;
                Box::new(Twist::new(laws, given))
            }
            LoadSpec::Bushing(markers, bushing) => {
                let markers = self.pair(&name, markers)?;
                markers.iter().for_each(|marker| _ = support.point(marker));
                markers.iter().for_each(|marker| _ = support.turn(marker));
                markers.iter().for_each(|marker| attach_axes(&mut support, marker, true));
                if bushing.torsion.iter().chain(&bushing.torsion_damping).any(|x| *x != 0.0) {
                    self.check_particles(&name, &support)?;
                }
                Box::new(bushing)
            }
            LoadSpec::OnPlane(markers, radius, contact) => {
                mistaken(&name, contact.mistake(&[radius]))?;
                let [_, plane] = self.bodies_that_touch(&name, markers, &mut support)?;
                support.direction(&plane, plane.axes[2]);
                Box::new(Written(OnPlane { contact, radius }))
            }
            LoadSpec::OnSphere(markers, radii, contact) => {
                mistaken(&name, contact.mistake(&radii))?;
                self.bodies_that_touch(&name, markers, &mut support)?;
                Box::new(Written(OnSphere { contact, radii }))
            }
            LoadSpec::Stops(id, stops) => {
                mistaken(&name, stops.mistake())?;
                let (own, row) = self.counted(&name, id)?;
                support = own;
                Box::new(OnCoordinate::new(vec![row], Arc::new(stops)))
            }
            LoadSpec::Drag(at, drag) => {
                mistaken(&name, drag.mistake())?;
                let marker = self.marker(&name, at)?;
                support.point(&marker);
                Box::new(Written(drag))
            }
            LoadSpec::Tyre(markers, tyre) => {
                mistaken(&name, tyre.mistake())?;
                if self.planar {
                    return Err(fault(&name, Fault::InPlane("tyre")));
                }
                let [wheel, road] = self.bodies_that_touch(&name, markers, &mut support)?;
                support.direction(&road, road.axes[2]);
                support.direction(&wheel, wheel.axes[2]);
                Box::new(Written(tyre))
            }
        };
        self.loads.push(Loaded { support, load, pressed: None });
        Ok(())
    }

    /// Attaches the origin and the turn of two bodies that touch.
    fn bodies_that_touch(
        &self,
        name: &str,
        markers: [Marker; 2],
        support: &mut Support,
    ) -> Result<[Marker; 2], BuildError> {
        let markers = self.pair(name, markers)?;
        for marker in &markers {
            support.point(marker);
            support.turn(marker);
        }
        Ok(markers)
    }
}

/// A parameter out of range.
fn mistaken(name: &str, words: Option<String>) -> Result<(), BuildError> {
    words.map_or(Ok(()), |words| Err(fault(name, Fault::Parameter(words))))
}

/// Attaches the axes of a marker where they are wanted.
fn attach_axes(support: &mut Support, marker: &Marker, wanted: bool) {
    if wanted {
        for axis in marker.axes {
            support.direction(marker, axis);
        }
    }
}
