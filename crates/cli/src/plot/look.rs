//! Colours and markers. Each pair differs in both, so that a figure survives a black-and-white printer.

use plotters::style::RGBColor;

use super::pen::Place;

/// Okabe and Ito's palette: distinct to colour-blind readers.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(90, 90, 90),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The grid, fine and coarse.
pub const FAINT: RGBColor = RGBColor(232, 232, 232);
pub const GRID: RGBColor = RGBColor(200, 200, 200);

/// Half the width of a marker, in pixels.
const RADIUS: f64 = 4.5;

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

/// Colour of the n-th look.
pub fn color(look: usize) -> RGBColor {
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
    /// Corners around the origin.
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
            Marker::Circle => corners(24, 0.0, RADIUS),
            Marker::Cross => corners(4, 45.0, 1.3 * RADIUS),
            Marker::Triangle => corners(3, 90.0, 1.3 * RADIUS),
            Marker::Square => corners(4, 45.0, 1.25 * RADIUS),
            Marker::Diamond => corners(4, 0.0, 1.3 * RADIUS),
            Marker::Downward => corners(3, 270.0, 1.3 * RADIUS),
            Marker::Pentagon => corners(5, 90.0, 1.2 * RADIUS),
        }
    }

    /// Whether there is an inside.
    pub fn is_closed(self) -> bool {
        self != Marker::Cross
    }

    /// The lines of the marker with these corners.
    pub fn strokes(self, corners: &[Place]) -> Vec<Vec<Place>> {
        if self == Marker::Cross {
            return vec![vec![corners[0], corners[2]], vec![corners[1], corners[3]]];
        }
        // Twice over the first edge, or the last corner would be left without its joint.
        vec![corners.iter().chain(corners.iter().take(2)).copied().collect()]
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
            }
        }
    }
}
