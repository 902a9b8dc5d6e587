//! `cargo xtask chain-end`, `balls-end`: the reference of a chain in a file, so that others' errors are measured against it.

use std::path::Path;

use alembert_problems::ball_chain::{self, Design, Posture};
use alembert_problems::long_chain::{self, Loads};

use crate::TaskError;

/// Writes x, y, angle, x', y', angle' of each bar as little-endian numbers of 8 bytes.
pub fn run(bars: &str, t: &str, file: &str) -> Result<(), TaskError> {
    let state = long_chain::new(bars.parse()?, Loads::default()).reference_at(t.parse()?);
    let bars = state.q.chunks_exact(3).zip(state.v.chunks_exact(3));
    let bytes: Vec<u8> = bars.flat_map(|(q, v)| q.iter().chain(v)).flat_map(|x| x.to_le_bytes()).collect();
    Ok(std::fs::write(Path::new(file), bytes)?)
}

/// Writes the centres of the links of a chain on balls, which turns about z, in the same way.
pub fn balls(links: &str, t: &str, file: &str) -> Result<(), TaskError> {
    let state = ball_chain::solution(Design::hanging(links.parse()?), Posture::Straight(1.0), t.parse()?);
    let centres = state.q.chunks_exact(7).flat_map(|q| &q[..3]);
    Ok(std::fs::write(Path::new(file), centres.flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?)
}
