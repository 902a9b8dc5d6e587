//! NumPy's archive of arrays: a zip file of `.npy` files, stored without compression.
//!
//! The formats are those of NumPy's NEP 1 (npy, version 1.0) and of PKZIP's application note.

use std::io::{self, Write};

/// Bytes beside the numbers: headers, names, the directory.
const BESIDE: u64 = 1 << 24;

/// Whether an archive can hold numbers of so many bytes: it can name places in its first 4 GB.
pub fn holds(bytes: u64) -> bool {
    bytes + BESIDE <= u64::from(u32::MAX)
}

/// An archive that is being written, one array after the other.
pub struct Npz<'w> {
    out: &'w mut dyn Write,
    /// Bytes written so far.
    written: u32,
    directory: Vec<u8>,
    count: u16,
}

impl<'w> Npz<'w> {
    /// Nothing so far.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Npz { out, written: 0, directory: Vec::new(), count: 0 }
    }

    /// Adds a matrix of numbers, row by row; one column without `width` is a vector.
    pub fn numbers(&mut self, name: &str, values: &[f64], width: Option<usize>) -> io::Result<()> {
        let rows = values.len() / width.unwrap_or(1).max(1);
        let shape = width.map_or_else(|| format!("({rows},)"), |width| format!("({rows}, {width})"));
        let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.file(name, &npy("<f8", &shape, &data))
    }

    /// Adds a list of words.
    pub fn words(&mut self, name: &str, words: &[String]) -> io::Result<()> {
        let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
        let mut data = Vec::new();
        for word in words {
            let letters = word.chars().map(u32::from).chain(std::iter::repeat(0));
            data.extend(letters.take(longest).flat_map(u32::to_le_bytes));
        }
        self.file(name, &npy(&format!("<U{longest}"), &format!("({},)", words.len()), &data))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let too_large = || io::Error::other("an archive of more than 4 GB");
        self.written =
            u32::try_from(bytes.len()).ok().and_then(|n| self.written.checked_add(n)).ok_or_else(too_large)?;
        self.out.write_all(bytes)
    }

    fn file(&mut self, name: &str, contents: &[u8]) -> io::Result<()> {
        let name = format!("{name}.npy");
        let offset = self.written;
        let (size, crc) = (contents.len() as u32, crc32(contents));
        // Version 2.0, no flags, stored, 1 January 1980.
        let mut entry = Vec::new();
        for half in [20_u16, 0, 0, 0, 0x21] {
            entry.extend(half.to_le_bytes());
        }
        for word in [crc, size, size] {
            entry.extend(word.to_le_bytes());
        }
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend(0_u16.to_le_bytes());
        for part in [b"PK\x03\x04", &entry[..], name.as_bytes(), contents] {
            self.put(part)?;
        }
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&entry);
        // No comment, disk 0, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    /// Writes the directory, without which the file is not an archive.
    pub fn finish(mut self) -> io::Result<()> {
        let (offset, size) = (self.written, self.directory.len() as u32);
        let mut end = std::mem::take(&mut self.directory);
        end.extend(b"PK\x05\x06\x00\x00\x00\x00");
        for count in [self.count, self.count] {
            end.extend(count.to_le_bytes());
        }
        for word in [size, offset] {
            end.extend(word.to_le_bytes());
        }
        end.extend(0_u16.to_le_bytes());
        self.put(&end)
    }
}

fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length take ten bytes; the data begin at a multiple of 64.
    let padding = 63 - (10 + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// The checksum of zip files, polynomial 0xEDB88320.
fn crc32(bytes: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (i, entry) in table.iter_mut().enumerate() {
        *entry = (0..8).fold(i as u32, |x, _| if x & 1 == 1 { 0xEDB8_8320 ^ (x >> 1) } else { x >> 1 });
    }
    !bytes.iter().fold(!0, |crc: u32, byte| table[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_usual_nine_digits() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn data_begin_at_a_multiple_of_64() {
        for rows in [0, 1, 12345] {
            assert_eq!(npy("<f8", &format!("({rows},)"), &[]).len() % 64, 0);
        }
    }
}
