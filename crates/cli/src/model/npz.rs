//! NumPy's archive of arrays: a zip file of `.npy` files, stored without compression.
//!
//! The formats are those of NumPy's NEP 1 (npy, version 1.0) and of PKZIP's application note.

/// An archive under construction.
#[derive(Default)]
pub struct Npz {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Npz {
    /// Adds a matrix of numbers, row by row; one column without `width` is a vector.
    pub fn numbers(&mut self, name: &str, values: &[f64], width: Option<usize>) {
        let rows = values.len() / width.unwrap_or(1).max(1);
        let shape = width.map_or_else(|| format!("({rows},)"), |width| format!("({rows}, {width})"));
        let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.file(name, &npy("<f8", &shape, &data));
    }

    /// Adds a list of words.
    pub fn words(&mut self, name: &str, words: &[String]) {
        let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
        let mut data = Vec::new();
        for word in words {
            let letters = word.chars().map(u32::from).chain(std::iter::repeat(0));
            data.extend(letters.take(longest).flat_map(u32::to_le_bytes));
        }
        self.file(name, &npy(&format!("<U{longest}"), &format!("({},)", words.len()), &data));
    }

    fn file(&mut self, name: &str, contents: &[u8]) {
        let name = format!("{name}.npy");
        let offset = self.bytes.len() as u32;
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
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&entry);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(contents);
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&entry);
        // No comment, disk 0, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
    }

    /// The whole file; none if it is longer than the 4 GB whose places such an archive can name.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        let (offset, size) = (u32::try_from(self.bytes.len()).ok()?, self.directory.len() as u32);
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
        for count in [self.count, self.count] {
            self.bytes.extend(count.to_le_bytes());
        }
        for word in [size, offset] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(0_u16.to_le_bytes());
        Some(self.bytes)
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
