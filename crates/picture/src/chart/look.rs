//! Colours, markers and dashes. Any two looks differ in all of them, so that a figure survives a black-and-white printer.

use super::pen::Place;
use crate::color::Color;

/// Okabe and Ito's palette: distinct to colour-blind readers.
const COLORS: [Color; 7] = [
    Color(0, 114, 178),
    Color(213, 94, 0),
    Color(0, 158, 115),
    Color(204, 121, 167),
    Color(90, 90, 90),
    Color(230, 159, 0),
    Color(86, 180, 233),
];

/// The grid, fine and coarse.
pub const FAINT: Color = Color(232, 232, 232);
pub const GRID: Color = Color(200, 200, 200);

/// Half the width of a marker, in pixels.
pub const RADIUS: f64 = 4.5;

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    Circle,
    Cross,
    Triangle,
    Square,
    Diamond,
    Downward,
    Pentagon,
}

/// Dashes of the n-th look, for lines without markers.
pub fn dash(look: usize) -> &'static [f64] {
    const DASHES: [&[f64]; 7] = [
        &[],
        &[9.0, 4.0],
        &[2.5, 3.5],
        &[10.0, 3.5, 2.5, 3.5],
        &[16.0, 4.0],
        &[5.0, 3.0],
        &[10.0, 3.0, 2.5, 3.0, 2.5, 3.0],
    ];
    DASHES[look % DASHES.len()]
}

/// Colour of the n-th look.
pub fn color(look: usize) -> Color {
    COLORS[look % COLORS.len()]
}

/// Marker of the n-th look.
pub fn marker(look: usize) -> Marker {
    const MARKERS: [Marker; 7] = [
        Marker::Circle,
        Marker::Cross,
        Marker::Triangle,
        Marker::Square,
        Marker::Diamond,
        Marker::Downward,
        Marker::Pentagon,
    ];
    MARKERS[look % MARKERS.len()]
}

impl Marker {
    /// Corners around the origin; none for a circle.
    pub fn outline(self) -> Vec<Place> {
        let corners = |count: usize, first: f64, radius: f64| {
            (0..count)
                .map(|k| {
                    let angle = (first + 360.0 * k as f64 / count as f64).to_radians();
                    (radius * angle.cos(), -radius * angle.sin())
                })
                .collect()
        };
        match self {
            Marker::Circle => Vec::new(),
            Marker::Cross => corners(4, 45.0, 1.3 * RADIUS),
            Marker::Triangle => corners(3, 90.0, 1.3 * RADIUS),
            Marker::Square => corners(4, 45.0, 1.25 * RADIUS),
            Marker::Diamond => corners(4, 0.0, 1.3 * RADIUS),
            Marker::Downward => corners(3, 270.0, 1.3 * RADIUS),
            Marker::Pentagon => corners(5, 90.0, 1.2 * RADIUS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_differ_in_colour_and_marker() {
        for i in 0..COLORS.len() {
            for j in 0..i {
                assert_ne!(color(i), color(j));
                assert_ne!(marker(i), marker(j));
                assert_ne!(dash(i), dash(j));
            }
        }
    }
}
