//! NumPy's archive of arrays: a zip file of `.npy` files, stored without compression.
//!
//! The formats are those of NumPy's NEP 1 (npy, version 1.0) and of PKZIP's application note.

use std::io::{self, Write};

/// Sizes and places from here on need the longer fields of zip64.
const LONG: u64 = u32::MAX as u64;

/// An archive that is being written, one array after the other.
pub struct Npz<'w> {
    out: &'w mut dyn Write,
    /// Bytes written so far.
    written: u64,
    directory: Vec<u8>,
    count: u16,
    /// From where on fields are long; less in tests.
    long: u64,
}

/// Rows that can be looked at more than once.
pub type Rows<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&[f64]) -> io::Result<()>) -> io::Result<()>;

impl<'w> Npz<'w> {
    /// Nothing so far.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Npz { out, written: 0, directory: Vec::new(), count: 0, long: LONG }
    }

    /// Adds a matrix of so many rows, which are looked at twice, since a checksum stands before them; one column without `width`
    /// is a vector.
    pub fn matrix(&mut self, name: &str, count: u64, width: Option<usize>, rows: Rows) -> io::Result<()> {
        let shape = width.map_or_else(|| format!("({count},)"), |width| format!("({count}, {width})"));
        let header = npy("<f8", &shape);
        let mut crc = Crc::default();
        crc.add(&header);
        let mut seen = 0;
        rows(&mut |row| {
            row.iter().for_each(|x| crc.add(&x.to_le_bytes()));
            seen += 8 * row.len() as u64;
            Ok(())
        })?;
        if seen != 8 * count * width.unwrap_or(1) as u64 {
            return Err(io::Error::other(format!("{name} has {seen} bytes of numbers, not those of {count} rows")));
        }
        self.entry(name, header.len() as u64 + seen, crc.sum())?;
        self.put(&header)?;
        rows(&mut |row| row.iter().try_for_each(|x| self.put(&x.to_le_bytes())))
    }

    /// Adds a list of words.
    pub fn words(&mut self, name: &str, words: &[String]) -> io::Result<()> {
        let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
        let mut data = npy(&format!("<U{longest}"), &format!("({},)", words.len()));
        for word in words {
            let letters = word.chars().map(u32::from).chain(std::iter::repeat(0));
            data.extend(letters.take(longest).flat_map(u32::to_le_bytes));
        }
        let mut crc = Crc::default();
        crc.add(&data);
        self.entry(name, data.len() as u64, crc.sum())?;
        self.put(&data)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// A number in a field of four bytes, or the mark that it is among the long ones.
    fn short(&self, number: u64, long: &mut Vec<u8>) -> [u8; 4] {
        if number >= self.long {
            long.extend(number.to_le_bytes());
            return u32::MAX.to_le_bytes();
        }
        (number as u32).to_le_bytes()
    }

    /// The header of a file in the archive, and its entry of the directory.
    fn entry(&mut self, name: &str, size: u64, crc: u32) -> io::Result<()> {
        let (name, offset) = (format!("{name}.npy"), self.written);
        let mut long = Vec::new();
        let field = self.short(size, &mut long);
        self.short(size, &mut long);
        let in_file = long.len();
        let place = self.short(offset, &mut long);
        let version: u16 = if long.is_empty() { 20 } else { 45 };
        let entry = |long: &[u8]| {
            // No flags, stored, 1 January 1980.
            let mut entry: Vec<u8> = [version, 0, 0, 0, 0x21].iter().flat_map(|half| half.to_le_bytes()).collect();
            entry.extend(crc.to_le_bytes());
            entry.extend(field);
            entry.extend(field);
            entry.extend((name.len() as u16).to_le_bytes());
            entry.extend((if long.is_empty() { 0 } else { long.len() as u16 + 4 }).to_le_bytes());
            entry
        };
        let extra = |long: &[u8]| {
            let head = [1_u16, long.len() as u16].iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<u8>>();
            if long.is_empty() { Vec::new() } else { [&head[..], long].concat() }
        };
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(version.to_le_bytes());
        self.directory.extend(entry(&long));
        // No comment, disk 0, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(place);
        self.directory.extend(name.as_bytes());
        self.directory.extend(extra(&long));
        self.count += 1;
        let here = &long[..in_file];
        self.put(&[b"PK\x03\x04", &entry(here)[..], name.as_bytes(), &extra(here)[..]].concat())
    }

    /// Writes the directory, without which the file is not an archive.
    pub fn finish(mut self) -> io::Result<()> {
        let (offset, size) = (self.written, self.directory.len() as u64);
        let mut end = std::mem::take(&mut self.directory);
        let mut long = Vec::new();
        let place = self.short(offset, &mut long);
        if !long.is_empty() {
            // The directory's end in long fields, and where that is.
            end.extend(b"PK\x06\x06");
            end.extend(44_u64.to_le_bytes());
            end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for number in [u64::from(self.count), u64::from(self.count), size, offset] {
                end.extend(number.to_le_bytes());
            }
            end.extend(b"PK\x06\x07\x00\x00\x00\x00");
            end.extend((offset + size).to_le_bytes());
            end.extend(1_u32.to_le_bytes());
        }
        end.extend(b"PK\x05\x06\x00\x00\x00\x00");
        for count in [self.count, self.count] {
            end.extend(count.to_le_bytes());
        }
        end.extend((size as u32).to_le_bytes());
        end.extend(place);
        end.extend(0_u16.to_le_bytes());
        self.put(&end)
    }
}

/// What stands before the data of an array.
fn npy(kind: &str, shape: &str) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length take ten bytes; the data begin at a multiple of 64.
    let padding = 63 - (10 + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

/// The checksum of zip files, polynomial 0xEDB88320.
struct Crc {
    table: [u32; 256],
    rest: u32,
}

impl Default for Crc {
    fn default() -> Crc {
        let mut table = [0_u32; 256];
        for (i, entry) in table.iter_mut().enumerate() {
            *entry = (0..8).fold(i as u32, |x, _| if x & 1 == 1 { 0xEDB8_8320 ^ (x >> 1) } else { x >> 1 });
        }
        Crc { table, rest: !0 }
    }
}

impl Crc {
    fn add(&mut self, bytes: &[u8]) {
        let next = |crc: u32, byte: &u8| self.table[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8);
        self.rest = bytes.iter().fold(self.rest, next);
    }

    fn sum(&self) -> u32 {
        !self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_usual_nine_digits() {
        let mut crc = Crc::default();
        crc.add(b"1234");
        crc.add(b"56789");
        assert_eq!(crc.sum(), 0xCBF4_3926);
    }

    #[test]
    fn data_begin_at_a_multiple_of_64() {
        for rows in [0, 1, 12345] {
            assert_eq!(npy("<f8", &format!("({rows},)")).len() % 64, 0);
        }
    }

    /// The fields of large archives, as they stand in PKZIP's application note, in a small one.
    #[test]
    fn large_archives_have_long_fields() {
        let mut bytes = Vec::new();
        let mut npz = Npz { long: 100, ..Npz::new(&mut bytes) };
        for name in ["a", "b"] {
            npz.matrix(name, 2, None, &mut |look| look(&[1.0]).and_then(|()| look(&[2.0]))).expect("memory takes it");
        }
        npz.finish().expect("memory takes it");
        // Header, name, extra field of 4 + 16 bytes, array of 128 + 16 bytes.
        assert_eq!(bytes[4], 45);
        assert_eq!(bytes[18..26], [0xff; 8]);
        assert_eq!(bytes[28..30], [20, 0]);
        assert_eq!(bytes[35..43], [1, 0, 16, 0, 144, 0, 0, 0]);
        let second = 30 + 5 + 20 + 144;
        assert_eq!(bytes[second..second + 4], *b"PK\x03\x04");
        let directory = 2 * second;
        // Only the second entry lies beyond the short fields: its extra field has a place too.
        let entry = directory + 46 + 5 + 20;
        assert_eq!(bytes[directory..directory + 4], *b"PK\x01\x02");
        assert_eq!(bytes[entry + 42..entry + 46], [0xff; 4]);
        assert_eq!(bytes[entry + 46 + 5 + 20..][..8], (second as u64).to_le_bytes());
        let end = bytes.len() - 22 - 20 - 56;
        assert_eq!(bytes[end..end + 4], *b"PK\x06\x06");
        assert_eq!(bytes[end + 48..end + 56], (directory as u64).to_le_bytes());
        assert_eq!(bytes[end + 56..end + 60], *b"PK\x06\x07");
        assert_eq!(bytes[end + 64..end + 72], (end as u64).to_le_bytes());
    }
}
