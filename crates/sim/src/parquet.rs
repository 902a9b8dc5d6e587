//! Apache Parquet: columns of numbers, plain and uncompressed.
//!
//! ```text
//! PAR1  pages of the 1st column  pages of the 2nd column ...  FileMetaData  its length (4 bytes)  PAR1
//! page: PageHeader, then 8 bytes a value
//! ```
//!
//! Headers are Thrift structures in the compact protocol; names and numbers of their fields are those of
//! `parquet.thrift` of the format's specification (apache/parquet-format). All columns are required doubles, so that
//! there are no levels, and one row group holds them all.

use std::io::{self, Write};

/// Values in a page: readers hold one page of each column in memory.
const PAGE: usize = 1 << 17;
/// `Type.DOUBLE`.
const DOUBLE: i64 = 5;
/// `Encoding.PLAIN` and `Encoding.RLE`; the second is that of the levels, which are not there.
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const MAGIC: &[u8] = b"PAR1";

/// Types of the compact protocol.
#[derive(Clone, Copy)]
enum Type {
    I32 = 5,
    I64 = 6,
    Binary = 8,
    List = 9,
    Struct = 12,
}

/// A Thrift structure under construction. Fields must come in the order of their numbers.
#[derive(Default)]
struct Fields {
    bytes: Vec<u8>,
    last: u8,
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Numbers close to zero are short whatever their sign.
fn zigzag(bytes: &mut Vec<u8>, number: i64) {
    varint(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

fn words(bytes: &mut Vec<u8>, words: &str) {
    varint(bytes, words.len() as u64);
    bytes.extend(words.as_bytes());
}

impl Fields {
    fn field(mut self, number: u8, kind: Type) -> Fields {
        self.bytes.push((number - self.last) << 4 | kind as u8);
        self.last = number;
        self
    }

    fn i32(self, number: u8, value: i64) -> Fields {
        let mut fields = self.field(number, Type::I32);
        zigzag(&mut fields.bytes, value);
        fields
    }

    fn i64(self, number: u8, value: usize) -> Fields {
        let mut fields = self.field(number, Type::I64);
        zigzag(&mut fields.bytes, value as i64);
        fields
    }

    fn words(self, number: u8, value: &str) -> Fields {
        let mut fields = self.field(number, Type::Binary);
        words(&mut fields.bytes, value);
        fields
    }

    fn structure(self, number: u8, value: Fields) -> Fields {
        let mut fields = self.field(number, Type::Struct);
        fields.bytes.extend(value.finish());
        fields
    }

    /// A list of entries that are encoded already.
    fn list(self, number: u8, kind: Type, entries: &[Vec<u8>]) -> Fields {
        let mut fields = self.field(number, Type::List);
        match entries.len() {
            few @ 0..15 => fields.bytes.push((few as u8) << 4 | kind as u8),
            many => {
                fields.bytes.push(0xf0 | kind as u8);
                varint(&mut fields.bytes, many as u64);
            }
        }
        fields.bytes.extend(entries.concat());
        fields
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// Writes the whole file of a table that is given row by row.
pub fn write(columns: &[String], rows: &[Vec<f64>], out: &mut dyn Write) -> io::Result<()> {
    let mut written = 0;
    let mut put = |bytes: &[u8]| -> io::Result<usize> {
        out.write_all(bytes)?;
        written += bytes.len();
        Ok(written)
    };
    let mut end = put(MAGIC)?;
    let root = Fields::default().words(4, "schema").i32(5, columns.len() as i64);
    let mut schema = vec![root.finish()];
    let mut chunks = Vec::new();
    for (i, name) in columns.iter().enumerate() {
        let begin = end;
        // A column without values still has one page.
        let mut pages = rows.chunks(PAGE).collect::<Vec<_>>();
        if pages.is_empty() {
            pages.push(&[]);
        }
        for page in pages {
            let size = 8 * page.len() as i64;
            let header = Fields::default().i32(1, page.len() as i64).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
            // Page type 0 is `DATA_PAGE`.
            put(&Fields::default().i32(1, 0).i32(2, size).i32(3, size).structure(5, header).finish())?;
            end = put(&page.iter().flat_map(|row| row[i].to_le_bytes()).collect::<Vec<u8>>())?;
        }
        // Repetition 0 is `REQUIRED`.
        schema.push(Fields::default().i32(1, DOUBLE).i32(3, 0).words(4, name).finish());
        chunks.push(chunk(name, rows.len(), begin, end - begin));
    }
    let size = end - MAGIC.len();
    let group = Fields::default().list(1, Type::Struct, &chunks).i64(2, size).i64(3, rows.len()).finish();
    let meta = Fields::default()
        .i32(1, 1)
        .list(2, Type::Struct, &schema)
        .i64(3, rows.len())
        .list(4, Type::Struct, &[group])
        .words(6, concat!("alembert ", env!("CARGO_PKG_VERSION")))
        .finish();
    put(&meta)?;
    put(&(meta.len() as u32).to_le_bytes())?;
    put(MAGIC)?;
    Ok(())
}

/// `ColumnChunk`: where a column is. Codec 0 is `UNCOMPRESSED`.
fn chunk(name: &str, values: usize, begin: usize, size: usize) -> Vec<u8> {
    let mut encoding = Vec::new();
    zigzag(&mut encoding, PLAIN);
    let mut path = Vec::new();
    words(&mut path, name);
    let meta = Fields::default()
        .i32(1, DOUBLE)
        .list(2, Type::I32, &[encoding])
        .list(3, Type::Binary, &[path])
        .i32(4, 0)
        .i64(5, values)
        .i64(6, size)
        .i64(7, size)
        .i64(9, begin);
    Fields::default().i64(2, begin).structure(3, meta).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_lists_may_be_long() {
        let encoded = |number: i64| {
            let mut bytes = Vec::new();
            zigzag(&mut bytes, number);
            bytes
        };
        assert_eq!([encoded(0), encoded(-1), encoded(1)], [[0], [1], [2]]);
        assert_eq!(encoded(150), [0xac, 0x02]);
        let list = |count: usize| Fields::default().list(1, Type::I32, &vec![vec![0]; count]).finish();
        assert_eq!(list(14)[..2], [0x19, 0xe5]);
        assert_eq!(list(15)[..3], [0x19, 0xf5, 15]);
    }

    /// Byte by byte, as pyarrow 26 reads it back as x = [1.0].
    #[test]
    fn the_smallest_file() {
        let mut bytes = Vec::new();
        write(&["x".to_owned()], &[vec![1.0]], &mut bytes).expect("memory takes it");
        let page = [0x15, 0, 0x15, 16, 0x15, 16, 0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        assert_eq!(bytes[..4], *b"PAR1");
        assert_eq!(bytes[4..21], page);
        assert_eq!(bytes[21..29], 1.0_f64.to_le_bytes());
        assert_eq!(bytes[bytes.len() - 4..], *b"PAR1");
        let length = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().expect("four bytes"));
        assert_eq!(29 + length as usize + 8, bytes.len());
    }
}
