//! A few colours that stand for all of a picture: median cut.
//!
//! All colours are in one box. The box with the most pixels that has more than one colour is cut at the median of its widest channel, until there are
//! as many boxes as there may be colours. A box stands for its most frequent colour: what fills areas keeps its exact colour.

use std::collections::HashMap;

use super::Image;
use crate::color::Color;

/// Colours of a palette.
const MOST: usize = 256;

pub struct Palette {
    pub colors: Vec<Color>,
}

type Counted = (Color, u64);

impl Palette {
    /// The palette of some pictures.
    pub fn of(images: &[&Image]) -> Self {
        let mut counts: HashMap<Color, u64> = HashMap::new();
        for image in images {
            // Most pixels are as the one before them.
            for run in image.pixels.chunk_by(|a, b| a == b) {
                *counts.entry(run[0]).or_default() += run.len() as u64;
            }
        }
        let mut all: Vec<Counted> = counts.into_iter().collect();
        // A map has no order, but files have to be the same each time.
        all.sort_unstable();
        let mut boxes = vec![all];
        while boxes.len() < MOST {
            let weight = |group: &Vec<Counted>| group.iter().map(|(_, count)| count).sum::<u64>();
            let wide = boxes.iter().enumerate().filter(|(_, group)| group.len() > 1);
            let Some((k, _)) = wide.max_by_key(|(_, group)| weight(group)) else { break };
            let (low, high) = cut(boxes.swap_remove(k));
            boxes.extend([low, high]);
        }
        let frequent = |group: &Vec<Counted>| group.iter().max_by_key(|(_, count)| *count).map(|(color, _)| *color);
        let mut colors: Vec<Color> = boxes.iter().filter_map(frequent).collect();
        colors.sort_unstable();
        Palette { colors }
    }

    /// The pixels of a picture as places in the palette. What was looked up is kept for the next picture.
    pub fn indices(&self, image: &Image, known: &mut HashMap<Color, u8>) -> Vec<u8> {
        let mut indices = Vec::with_capacity(image.pixels.len());
        for run in image.pixels.chunk_by(|a, b| a == b) {
            let index = *known.entry(run[0]).or_insert_with(|| self.nearest(run[0]));
            indices.resize(indices.len() + run.len(), index);
        }
        indices
    }

    fn nearest(&self, color: Color) -> u8 {
        let away = |other: &Color| {
            let part = |a: u8, b: u8| (i32::from(a) - i32::from(b)).pow(2);
            // The eye sees green best and blue least.
            3 * part(color.0, other.0) + 6 * part(color.1, other.1) + part(color.2, other.2)
        };
        let nearest = self.colors.iter().enumerate().min_by_key(|(_, other)| away(other));
        nearest.map_or(0, |(k, _)| k as u8)
    }
}

/// Cuts a box at the median of its widest channel; both parts have colours.
fn cut(mut group: Vec<Counted>) -> (Vec<Counted>, Vec<Counted>) {
    let channel = |color: Color, k: usize| [color.0, color.1, color.2][k];
    let width = |k: usize| {
        let parts = || group.iter().map(|(color, _)| channel(*color, k));
        parts().max().unwrap_or_default() - parts().min().unwrap_or_default()
    };
    let widest = (0..3).max_by_key(|k| width(*k)).unwrap_or_default();
    group.sort_by_key(|(color, _)| (channel(*color, widest), *color));
    let total: u64 = group.iter().map(|(_, count)| count).sum();
    let mut sum = 0;
    let middle = group.iter().position(|(_, count)| {
        sum += count;
        2 * sum >= total
    });
    let at = middle.unwrap_or_default().clamp(1, group.len() - 1);
    let high = group.split_off(at);
    (group, high)
}
