//! PNG and APNG files.
//!
//! A file is a signature and chunks: length, name, bytes, CRC of name and bytes. Pixels are places in a palette, rows with a byte 0 before each (no
//! filter: neighbours of a drawing are equal or unrelated), deflated. A film has an `acTL` with the number of its frames and before each frame an `fcTL` with
//! the rectangle that changes; the first frame is the picture itself.

use std::collections::HashMap;

use super::Image;
use super::palette::Palette;

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// How hard deflate tries.
const EFFORT: u8 = 8;

/// A picture as a file.
pub fn still(image: &Image, palette: &Palette) -> Vec<u8> {
    let mut file = head(image.width, image.height, palette, None);
    let indices = palette.indices(image, &mut HashMap::new());
    chunk(&mut file, b"IDAT", &packed(&indices, image.width, 0..image.width, 0..image.height));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// A film that takes some seconds as a file.
pub fn film(images: impl Iterator<Item = Image>, count: usize, palette: &Palette, seconds: f64) -> Vec<u8> {
    let mut file = Vec::new();
    let mut known = HashMap::new();
    let mut before: Vec<u8> = Vec::new();
    // Numbers of frames and of their data run together.
    let mut sequence = 0_u32;
    let delay = (1000.0 * seconds / count as f64).round().clamp(1.0, 65_535.0) as u16;
    for image in images {
        let indices = palette.indices(&image, &mut known);
        let (columns, rows) = if before.is_empty() {
            file = head(image.width, image.height, palette, Some(count as u32));
            (0..image.width, 0..image.height)
        } else {
            changed(&before, &indices, image.width)
        };
        let mut control = Vec::new();
        for number in [sequence, columns.len() as u32, rows.len() as u32, columns.start as u32, rows.start as u32] {
            control.extend(number.to_be_bytes());
        }
        control.extend(delay.to_be_bytes());
        control.extend(1000_u16.to_be_bytes());
        // What is there stays, and the rectangle replaces it.
        control.extend([0, 0]);
        chunk(&mut file, b"fcTL", &control);
        sequence += 1;
        let data = packed(&indices, image.width, columns, rows);
        if before.is_empty() {
            chunk(&mut file, b"IDAT", &data);
        } else {
            chunk(&mut file, b"fdAT", &[&sequence.to_be_bytes()[..], &data].concat());
            sequence += 1;
        }
        before = indices;
    }
    chunk(&mut file, b"IEND", &[]);
    file
}

/// Everything before the pixels.
fn head(width: usize, height: usize, palette: &Palette, frames: Option<u32>) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    let mut about = Vec::new();
    about.extend((width as u32).to_be_bytes());
    about.extend((height as u32).to_be_bytes());
    // Eight bits a pixel, a palette, the usual compression and filters, not interlaced.
    about.extend([8, 3, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &about);
    chunk(&mut file, b"tEXt", b"Software\0alembert");
    let colors: Vec<u8> = palette.colors.iter().flat_map(|color| [color.0, color.1, color.2]).collect();
    if let Some(frames) = frames {
        // Again and again.
        chunk(&mut file, b"acTL", &[frames.to_be_bytes(), 0_u32.to_be_bytes()].concat());
    }
    chunk(&mut file, b"PLTE", &colors);
    file
}

/// The rectangle in which two pictures differ; one pixel if they do not.
fn changed(before: &[u8], after: &[u8], width: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let mut found: Option<(std::ops::Range<usize>, std::ops::Range<usize>)> = None;
    for (y, (a, b)) in before.chunks(width).zip(after.chunks(width)).enumerate() {
        let differs = |x: &usize| a[*x] != b[*x];
        if let (Some(first), Some(last)) = ((0..width).find(differs), (0..width).rev().find(differs)) {
            let (columns, rows) = found.unwrap_or((first..last + 1, y..y + 1));
            found = Some((columns.start.min(first)..columns.end.max(last + 1), rows.start..y + 1));
        }
    }
    found.unwrap_or((0..1, 0..1))
}

/// The rows of a rectangle, deflated.
fn packed(indices: &[u8], width: usize, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity((columns.len() + 1) * rows.len());
    for y in rows {
        bytes.push(0);
        bytes.extend(&indices[y * width..][columns.clone()]);
    }
    miniz_oxide::deflate::compress_to_vec_zlib(&bytes, EFFORT)
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], bytes: &[u8]) {
    file.extend((bytes.len() as u32).to_be_bytes());
    let from = file.len();
    file.extend(name);
    file.extend(bytes);
    let sum = crc(&file[from..]);
    file.extend(sum.to_be_bytes());
}

/// The remainder of a division by the polynomial 0xedb88320, as ISO 3309 has it.
pub(super) fn crc(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut k = 0;
        while k < 256 {
            let (mut x, mut bit) = (k as u32, 0);
            while bit < 8 {
                x = if x & 1 == 1 { x >> 1 ^ 0xedb8_8320 } else { x >> 1 };
                bit += 1;
            }
            table[k] = x;
            k += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |sum, byte| TABLE[((sum ^ u32::from(*byte)) & 255) as usize] ^ sum >> 8)
}
