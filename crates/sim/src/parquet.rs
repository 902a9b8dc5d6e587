//! Apache Parquet: columns of numbers, plain and uncompressed.
//!
//! ```text
//! PAR1  1st group of rows: page of the 1st column, page of the 2nd ...   2nd group ...   FileMetaData  its length (4 bytes)  PAR1
//! page: PageHeader, then 8 bytes a value
//! ```
//!
//! Headers are Thrift structures in the compact protocol; names and numbers of their fields are those of
//! `parquet.thrift` of the format's specification (apache/parquet-format). All columns are required doubles, so that
//! there are no levels. All groups but the last have the same number of rows, so that where everything is follows from how many
//! rows there are.

use std::io::{self, Write};

use crate::disk::{Borrowed, Channel};
use crate::sink::{Head, Mark, Sink};

/// Numbers in a group of rows.
const GROUP: usize = 1 << 17;
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

/// Writes a table as row groups of equal size, each when it is full.
pub struct Parquet<C> {
    out: C,
    head: Head,
    /// Rows of the group under way, one after the other.
    tail: Vec<f64>,
    /// Whole groups in the file.
    groups: u64,
    bytes: u64,
}

impl<C: Channel> Parquet<C> {
    /// To an empty file.
    pub fn new(out: C) -> Parquet<C> {
        Parquet { out, head: Head::default(), tail: Vec::new(), groups: 0, bytes: 0 }
    }

    fn width(&self) -> usize {
        self.head.columns.len().max(1)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes the rows that are there as a group.
    fn write_group(&mut self) -> io::Result<()> {
        let width = self.width();
        let rows = self.tail.len() / width;
        let header = page(rows);
        let mut bytes = Vec::with_capacity(width * (header.len() + 8 * rows));
        for column in 0..width {
            bytes.extend(&header);
            bytes.extend(self.tail.chunks_exact(width).flat_map(|row| row[column].to_le_bytes()));
        }
        self.tail.clear();
        self.put(&bytes)
    }

    /// The last part of the file: what is where.
    fn footer(&self, rest: usize) -> Vec<u8> {
        let Head { columns, facts, .. } = &self.head;
        let root = Fields::default().words(4, "schema").i32(5, columns.len() as i64);
        let mut schema = vec![root.finish()];
        // Repetition 0 is `REQUIRED`.
        schema.extend(columns.iter().map(|name| Fields::default().i32(1, DOUBLE).i32(3, 0).words(4, name).finish()));
        let (full, mut begin) = (group_rows(columns.len()), MAGIC.len());
        let last = (rest > 0 || self.groups == 0).then_some(rest);
        let groups = std::iter::repeat_n(full, self.groups as usize).chain(last).map(|rows| {
            let size = page(rows).len() + 8 * rows;
            let chunks: Vec<Vec<u8>> = columns
                .iter()
                .map(|name| {
                    begin += size;
                    chunk(name, rows, begin - size, size)
                })
                .collect();
            Fields::default().list(1, Type::Struct, &chunks).i64(2, columns.len() * size).i64(3, rows).finish()
        });
        let groups: Vec<Vec<u8>> = groups.collect();
        let facts: Vec<Vec<u8>> =
            facts.iter().map(|(key, value)| Fields::default().words(1, key).words(2, value).finish()).collect();
        let mut meta = Fields::default().i32(1, 1).list(2, Type::Struct, &schema);
        meta = meta.i64(3, self.groups as usize * full + rest).list(4, Type::Struct, &groups);
        if !facts.is_empty() {
            meta = meta.list(5, Type::Struct, &facts);
        }
        let meta = meta.words(6, concat!("alembert ", env!("CARGO_PKG_VERSION"))).finish();
        let length = (meta.len() as u32).to_le_bytes();
        [&meta[..], &length, MAGIC].concat()
    }
}

/// Rows in a group: readers hold one group in memory, and so does the writer.
fn group_rows(columns: usize) -> usize {
    (GROUP / columns.max(1)).max(1)
}

/// Whether a mark is one of a table of groups.
pub fn fits(head: &Head, mark: &Mark) -> bool {
    let (columns, full) = (head.columns.len().max(1), group_rows(head.columns.len()));
    let rest = mark.tail.len() / columns;
    let groups = mark.rows / full as u64;
    mark.tail.len().is_multiple_of(columns)
        && mark.rows == groups * full as u64 + rest as u64
        && mark.bytes == MAGIC.len() as u64 + groups * (columns * (page(full).len() + 8 * full)) as u64
}

/// `PageHeader`: type 0 is `DATA_PAGE`.
fn page(rows: usize) -> Vec<u8> {
    let size = 8 * rows as i64;
    let header = Fields::default().i32(1, rows as i64).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    Fields::default().i32(1, 0).i32(2, size).i32(3, size).structure(5, header).finish()
}

impl<C: Channel> Sink for Parquet<C> {
    fn begin(&mut self, head: &Head) -> io::Result<()> {
        self.head = head.clone();
        self.put(MAGIC)
    }

    fn row(&mut self, row: &[f64]) -> io::Result<()> {
        self.tail.extend(&row[..self.head.columns.len()]);
        if self.tail.len() >= group_rows(self.head.columns.len()) * self.width() {
            self.write_group()?;
            self.groups += 1;
        }
        Ok(())
    }

    fn mark(&mut self) -> io::Result<Mark> {
        self.out.flush()?;
        self.out.sync()?;
        let rest = (self.tail.len() / self.width()) as u64;
        let rows = self.groups * group_rows(self.head.columns.len()) as u64 + rest;
        Ok(Mark { rows, bytes: self.bytes, tail: self.tail.clone() })
    }

    fn resume(&mut self, head: &Head, mark: &Mark) {
        self.head = head.clone();
        (self.tail, self.bytes) = (mark.tail.clone(), mark.bytes);
        self.groups = mark.rows / group_rows(head.columns.len()) as u64;
    }

    fn end(&mut self) -> io::Result<()> {
        let rest = self.tail.len() / self.width();
        let footer = self.footer(rest);
        // A file without rows still has one page a column.
        if rest > 0 || self.groups == 0 {
            self.write_group()?;
        }
        self.put(&footer)?;
        self.out.flush()?;
        self.out.sync()
    }
}

/// Writes the whole file of a table that is in memory.
pub fn write(columns: &[String], rows: &[Vec<f64>], out: &mut dyn Write) -> io::Result<()> {
    let mut table = Parquet::new(Borrowed(out));
    table.begin(&Head { columns: columns.to_vec(), ..Head::default() })?;
    rows.iter().try_for_each(|row| table.row(row))?;
    table.end()
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
