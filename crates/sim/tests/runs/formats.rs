//! Parquet and NPZ files, read back by readers that share nothing with the writers: Thrift's compact protocol and zip archives by
//! their specifications.

use std::collections::BTreeMap;

use alembert_sim::disk::Channel;
use alembert_sim::sink::{Csv, Head, Kind, Parquet, Sink, Spool, read_spool};

/// A value of Thrift's compact protocol.
#[derive(Clone, Debug)]
enum Thrift {
    Int(i64),
    Bytes(Vec<u8>),
    List(Vec<Thrift>),
    Struct(BTreeMap<i64, Thrift>),
}

impl Thrift {
    fn at(&self, field: i64) -> &Thrift {
        match self {
            Thrift::Struct(fields) => fields.get(&field).unwrap_or_else(|| panic!("no field {field} in {self:?}")),
            other => panic!("{other:?}"),
        }
    }
    fn int(&self) -> i64 {
        match self {
            Thrift::Int(value) => *value,
            other => panic!("{other:?}"),
        }
    }
    fn list(&self) -> &[Thrift] {
        match self {
            Thrift::List(list) => list,
            other => panic!("{other:?}"),
        }
    }
    fn text(&self) -> String {
        match self {
            Thrift::Bytes(bytes) => String::from_utf8(bytes.clone()).expect("text"),
            other => panic!("{other:?}"),
        }
    }
}

struct Compact<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl Compact<'_> {
    fn byte(&mut self) -> u8 {
        self.place += 1;
        self.bytes[self.place - 1]
    }
    fn varint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    fn zigzag(&mut self) -> i64 {
        let raw = self.varint();
        (raw >> 1) as i64 ^ -((raw & 1) as i64)
    }
    fn value(&mut self, kind: u8) -> Thrift {
        match kind {
            4..=6 => Thrift::Int(self.zigzag()),
            8 => {
                let length = self.varint() as usize;
                self.place += length;
                Thrift::Bytes(self.bytes[self.place - length..self.place].to_vec())
            }
            9 => {
                let head = self.byte();
                let count = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                Thrift::List((0..count).map(|_| self.value(head & 15)).collect())
            }
            12 => {
                let (mut fields, mut last) = (BTreeMap::new(), 0);
                loop {
                    let head = self.byte();
                    if head == 0 {
                        return Thrift::Struct(fields);
                    }
                    last = if head >> 4 == 0 { self.zigzag() } else { last + i64::from(head >> 4) };
                    let value = self.value(head & 15);
                    fields.insert(last, value);
                }
            }
            other => panic!("type {other}"),
        }
    }
}

/// Columns by name, rows of each group, and the metadata.
type Read = (BTreeMap<String, Vec<f64>>, Vec<i64>, BTreeMap<String, String>);

fn read_parquet(bytes: &[u8]) -> Read {
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes")) as usize;
    let mut footer = Compact { bytes, place: end - length };
    let meta = footer.value(12);
    assert_eq!(footer.place, end, "the footer is as long as it says");
    let schema = meta.at(2).list();
    let names: Vec<String> = schema[1..].iter().map(|column| column.at(4).text()).collect();
    assert_eq!(schema[0].at(5).int() as usize, names.len());
    let (mut columns, mut sizes) = (BTreeMap::<String, Vec<f64>>::new(), Vec::new());
    let mut expected = 4;
    for group in meta.at(4).list() {
        let rows = group.at(3).int();
        sizes.push(rows);
        for (chunk, name) in group.at(1).list().iter().zip(&names) {
            let known = chunk.at(3);
            assert_eq!((known.at(3).list()[0].text(), known.at(5).int()), (name.clone(), rows));
            let begin = known.at(9).int() as usize;
            assert_eq!(begin, expected, "chunks follow each other");
            let mut page = Compact { bytes, place: begin };
            let header = page.value(12);
            assert_eq!((header.at(1).int(), header.at(2).int(), header.at(5).at(1).int()), (0, 8 * rows, rows));
            let data = &bytes[page.place..page.place + 8 * rows as usize];
            expected = page.place + data.len();
            assert_eq!(known.at(7).int() as usize, expected - begin);
            let values = data.chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().expect("eight bytes")));
            columns.entry(name.clone()).or_default().extend(values);
        }
    }
    assert_eq!(expected, end - length, "nothing between the groups and the footer");
    assert_eq!(meta.at(3).int(), sizes.iter().sum::<i64>());
    let Thrift::Struct(fields) = &meta else { panic!("{meta:?}") };
    let facts = fields.get(&5).map(|facts| facts.list().to_vec()).unwrap_or_default();
    (columns, sizes, facts.iter().map(|fact| (fact.at(1).text(), fact.at(2).text())).collect())
}

fn head(columns: usize) -> Head {
    Head {
        columns: (0..columns).map(|k| format!("c{k}")).collect(),
        beside: vec!["energy".to_owned()],
        facts: vec![("alembert.model".to_owned(), "a model, \"named\"".to_owned())],
    }
}

fn value(row: usize, column: usize) -> f64 {
    (row as f64 * 0.37 + column as f64).sin() * 10_f64.powi(column as i32 % 7)
}

#[test]
fn parquet_has_groups_of_rows_and_reads_back() {
    for (columns, rows) in
        [(1, 0), (1, 1), (3, 43_690), (3, 43_691), (3, 100_000), (20, 6553), (20, 6554), (20, 30_000)]
    {
        let mut bytes = Vec::new();
        let mut table = Parquet::new(Lent(&mut bytes));
        table.begin(&head(columns)).expect("memory takes it");
        for row in 0..rows {
            let values: Vec<f64> = (0..=columns).map(|column| value(row, column)).collect();
            table.row(&values).expect("memory takes it");
        }
        table.end().expect("memory takes it");
        drop(table);
        let (found, groups, facts) = read_parquet(&bytes);
        assert_eq!(
            (found.len(), groups.len()),
            (columns, rows.div_ceil((1 << 17) / columns).max(1)),
            "{columns}, {rows}"
        );
        for (column, values) in (0..columns).map(|column| (column, &found[&format!("c{column}")])) {
            assert!(values.len() == rows && values.iter().enumerate().all(|(row, v)| *v == value(row, column)));
        }
        assert_eq!(facts["alembert.model"], "a model, \"named\"");
    }
}

/// Memory that outlives its sink.
struct Lent<'v>(&'v mut Vec<u8>);

impl std::io::Write for Lent<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Channel for Lent<'_> {
    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Cut to any mark and continued, a file is what it would have been.
#[test]
fn sinks_continue_from_their_marks() {
    let head = head(7);
    let row = |k: usize| -> Vec<f64> { (0..8).map(|column| value(k, column)).collect() };
    type Maker = for<'v> fn(&'v mut Vec<u8>) -> Box<dyn Sink + 'v>;
    let makers: [(Kind, Maker); 3] = [
        (Kind::Text, |out| Box::new(Csv::new(Lent(out)))),
        (Kind::Groups, |out| Box::new(Parquet::new(Lent(out)))),
        (Kind::Numbers, |out| Box::new(Spool::new(Lent(out)))),
    ];
    for (kind, make) in makers {
        let mut whole = Vec::new();
        let mut sink = make(&mut whole);
        sink.begin(&head).expect("memory takes it");
        (0..50_000).for_each(|k| sink.row(&row(k)).expect("memory takes it"));
        sink.end().expect("memory takes it");
        drop(sink);
        for marked in [0, 1, 18_723, 18_724, 18_725, 40_000, 50_000] {
            let mut bytes = Vec::new();
            let mut sink = make(&mut bytes);
            sink.begin(&head).expect("memory takes it");
            (0..marked).for_each(|k| sink.row(&row(k)).expect("memory takes it"));
            let mark = sink.mark().expect("memory takes it");
            (marked..marked + 777).for_each(|k| sink.row(&row(k)).expect("memory takes it"));
            // A run that ends partial ends its streams too.
            sink.end().expect("memory takes it");
            drop(sink);
            assert!(mark.fits(kind, &head) && mark.rows == marked as u64);
            assert!(
                kind == Kind::Text
                    || !alembert_sim::sink::Mark { rows: mark.rows + 1, ..mark.clone() }.fits(kind, &head)
            );
            bytes.truncate(mark.bytes as usize);
            let mut sink = make(&mut bytes);
            sink.resume(&head, &mark);
            (marked..50_000).for_each(|k| sink.row(&row(k)).expect("memory takes it"));
            sink.end().expect("memory takes it");
            drop(sink);
            assert!(bytes == whole, "{kind:?} after {marked} rows");
        }
        if kind == Kind::Numbers {
            let mut k = 0;
            // What is cut off within a row is left out.
            read_spool(&whole[..whole.len() - 3], 8, |found| {
                assert_eq!(found, row(k));
                k += 1;
                Ok(())
            })
            .expect("readable");
            assert_eq!(k, 49_999);
        }
    }
}
