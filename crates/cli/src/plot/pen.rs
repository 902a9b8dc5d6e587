//! Drawing on the sheet, in points of a fine grid.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::look::Marker;
use crate::words::is_printable;

/// Grid points a pixel: plotters rounds to whole grid points, which would show in smooth curves.
const FINE: f64 = 8.0;

/// A place on the sheet, in pixels from the upper left corner.
pub type Place = (f64, f64);

/// What drawing may end in.
pub type Drawn = Result<(), Box<dyn Error>>;

/// A sheet and the means to draw on it.
pub struct Pen<'a> {
    sheet: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Where the text stands relative to its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Left,
    Center,
    Right,
}

/// Draws a sheet of `width` by `height` pixels and returns it as SVG.
pub fn sheet(width: u32, height: u32, draw: impl FnOnce(&Pen) -> Drawn) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    let (wide, high) = (width * FINE as u32, height * FINE as u32);
    {
        let sheet = SVGBackend::with_string(&mut svg, (wide, high)).into_drawing_area();
        sheet.fill(&WHITE).map_err(owned)?;
        let pen = Pen { sheet };
        draw(&pen)?;
        pen.sheet.present().map_err(owned)?;
    }
    // The viewBox keeps the fine grid; the size is the one that was asked for.
    Ok(svg.replacen(
        &format!("width=\"{wide}\" height=\"{high}\""),
        &format!("width=\"{width}\" height=\"{height}\""),
        1,
    ))
}

/// Plotters' errors carry a borrowed backend's type; the words are what counts.
fn owned(error: impl Error) -> Box<dyn Error> {
    error.to_string().into()
}

/// Words as a sheet can hold them: what is no letter in XML, or would rule over those behind it, is left out.
fn printable(words: &str) -> String {
    words.chars().filter(|letter| is_printable(*letter)).collect()
}

fn fine((x, y): Place) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32)
}

impl Pen<'_> {
    /// A line through the places.
    pub fn line(&self, places: &[Place], color: RGBColor, width: f64) -> Drawn {
        let style = color.stroke_width((width * FINE).round() as u32);
        let points: Vec<(i32, i32)> = places.iter().copied().map(fine).collect();
        self.sheet.draw(&PathElement::new(points, style)).map_err(owned)
    }

    /// The inside of a polygon.
    pub fn area(&self, corners: &[Place], color: RGBColor) -> Drawn {
        let points: Vec<(i32, i32)> = corners.iter().copied().map(fine).collect();
        self.sheet.draw(&Polygon::new(points, color.filled())).map_err(owned)
    }

    /// A full circle.
    pub fn dot(&self, at: Place, radius: f64, color: RGBColor) -> Drawn {
        self.sheet.draw(&Circle::new(fine(at), (radius * FINE).round() as u32, color.filled())).map_err(owned)
    }

    /// A marker: white inside, so that two on one place can both be seen.
    pub fn marker(&self, (x, y): Place, marker: Marker, color: RGBColor) -> Drawn {
        let outline: Vec<Place> = marker.outline().iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        if marker.is_closed() {
            self.area(&outline, WHITE)?;
        }
        for stroke in marker.strokes(&outline) {
            self.line(&stroke, color, 1.6)?;
        }
        Ok(())
    }

    /// Words of a size in pixels, centred on the height of their place.
    pub fn text(&self, words: &str, at: Place, size: f64, bold: bool, anchor: Anchor) -> Drawn {
        let across = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Center => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::SansSerif, size * FINE, style);
        let style = font.color(&BLACK).pos(Pos::new(across, VPos::Center));
        self.sheet.draw(&Text::new(printable(words), fine(at), style)).map_err(owned)
    }

    /// Words that run upwards, centred on their place.
    pub fn upward_text(&self, words: &str, at: Place, size: f64) -> Drawn {
        let font = FontDesc::new(FontFamily::SansSerif, size * FINE, FontStyle::Normal);
        let style = font.transform(FontTransform::Rotate270).color(&BLACK).pos(Pos::new(HPos::Center, VPos::Center));
        self.sheet.draw(&Text::new(printable(words), fine(at), style)).map_err(owned)
    }
}
