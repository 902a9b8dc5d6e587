//! A point on a curve: cams, slots, rails. The parameter of the curve is a coordinate of its own, without mass.

use std::sync::Arc;

use super::Joint;
use crate::kit::Kit;
use crate::law::Curve;
use crate::primitive::OnCurve;
use crate::row::Row;

/// The origin of the second marker is on a curve in the axes of the first: three rows and a coordinate, in the plane two.
#[derive(Clone, Debug)]
pub struct PointOnCurve {
    /// c(x), from the origin of the first marker along its axes.
    pub curve: Arc<dyn Curve>,
    /// x at the start, roughly; the point of the curve next to the body is looked for if it is not given.
    pub start: Option<f64>,
}

impl Joint for PointOnCurve {
    fn name(&self) -> &'static str {
        "point on curve"
    }

    fn in_plane(&self) -> bool {
        true
    }

    fn build(&self, kit: &mut Kit) {
        let parameter = kit.number("parameter", self.start);
        let axes = [0, 1, 2].map(|axis| kit.axis(0, axis));
        let vectors = [kit.point(1), kit.point(0), axes[0], axes[1], axes[2], parameter];
        for (i, name) in ["along x", "along y", "along z"].into_iter().enumerate().take(if kit.is_planar() { 2 } else { 3 }) {
            let mut axis = [0.0; 3];
            axis[i] = 1.0;
            kit.row(Row::of(name, OnCurve { axis, curve: self.curve.clone() }, &vectors));
        }
    }

    fn mistake(&self) -> Option<String> {
        self.start.filter(|start| !start.is_finite()).map(|start| format!("its curve starts at {start}"))
    }
}
