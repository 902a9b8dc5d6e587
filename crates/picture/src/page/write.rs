//! From a document to a file.
//!
//! Names in a document are a user's, and may be anything. In JSON `<` stands in strings only, where `\u003c` means the same: neither
//! `</script` nor `<!--` can occur. The title stands in HTML, where `&` and `<` are written as entities.

use std::io::{self, Write};

use super::{Blocks, Document};

/// The viewer, with places for the title and for the data.
const VIEWER: &str = include_str!("../page.html");
const TITLE: &str = "<!--TITLE-->";
const DATA: &str = "<!--DATA-->";

/// Writes a page.
pub fn write_page(document: &Document, blocks: &Blocks, out: &mut impl Write) -> io::Result<()> {
    let (head, rest) = VIEWER.split_once(TITLE).unwrap_or((VIEWER, ""));
    let (middle, tail) = rest.split_once(DATA).unwrap_or((rest, ""));
    out.write_all(head.as_bytes())?;
    out.write_all(plain(&document.title).as_bytes())?;
    out.write_all(middle.as_bytes())?;
    let json = serde_json::to_string(document).map_err(io::Error::other)?;
    write!(out, "<script type=\"application/json\" id=\"document\">{}</script>", json.replace('<', "\\u003c"))?;
    for (k, text) in blocks.texts.iter().enumerate() {
        write!(out, "\n<script type=\"text/plain\" id=\"block-{k}\">{text}</script>")?;
    }
    out.write_all(tail.as_bytes())
}

/// Words between tags.
fn plain(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::unpacked;
    use super::super::*;
    use super::*;

    const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!-- &amp; \u{2028} <!--DATA--> \"'";

    fn verdict() -> Verdict {
        Verdict {
            state: State::Good,
            headline: HOSTILE.to_owned(),
            points: vec![Point { level: Level::Note, text: HOSTILE.to_owned() }],
        }
    }

    fn written(document: &Document, blocks: &Blocks) -> String {
        let mut page = Vec::new();
        write_page(document, blocks, &mut page).expect("writing to memory");
        String::from_utf8(page).expect("text")
    }

    /// What stands between a script's tags.
    fn script<'p>(page: &'p str, id: &str) -> &'p str {
        let open = format!("id=\"{id}\">");
        let from = page.find(&open).expect("the script") + open.len();
        let to = from + page[from..].find("</script").expect("its end");
        &page[from..to]
    }

    #[test]
    fn the_viewer_has_its_places_once() {
        assert_eq!((VIEWER.matches(TITLE).count(), VIEWER.matches(DATA).count()), (1, 1));
        assert!(VIEWER.find(TITLE) < VIEWER.find(DATA));
    }

    #[test]
    fn hostile_words_are_words() {
        let mut document = Document::new(HOSTILE, "alembert", verdict());
        document.events.push(Event { t: f64::NAN, name: HOSTILE.to_owned(), kind: EventKind::Impact });
        document.sections.push(Section::Text {
            id: "a".to_owned(),
            title: HOSTILE.to_owned(),
            text: HOSTILE.repeat(10_000),
            mono: true,
        });
        let empty = written(
            &Document::new("", "", Verdict { state: State::Good, headline: String::new(), points: vec![] }),
            &Blocks::new(),
        );
        let page = written(&document, &Blocks::new());
        assert_eq!(page.matches("</script").count(), empty.matches("</script").count());
        assert_eq!(page.matches("<!--").count(), empty.matches("<!--").count());
        assert_eq!(page.matches("<img").count(), empty.matches("<img").count());
        let said: serde_json::Value = serde_json::from_str(script(&page, "document")).expect("JSON");
        assert_eq!(said["title"], HOSTILE);
        assert_eq!(said["verdict"]["points"][0]["text"], HOSTILE);
        // A number that is none is null: JSON knows nothing else.
        assert!(said["events"][0]["t"].is_null());
    }

    #[test]
    fn a_page_has_its_tables() {
        let mut document = Document::new("t", "p", verdict());
        let (t, x) = ([0.0, 0.5, 1.0], [1.0, -2.0, f64::NAN]);
        let mut blocks = Blocks::new();
        let column = Column::new(&x);
        let block = blocks.push(&t, &[column]);
        let signal = Signal {
            name: "x".into(),
            label: String::new(),
            unit: "m".into(),
            group: "coordinates".into(),
            offset: column.offset,
        };
        let (run, name, title) = (String::new(), "rows".into(), "Result".into());
        document.tracks.push(Track { run, name, title, n: 3, t_unit: "s".into(), signals: vec![signal], block });
        document.motion = Some(MotionBlock { n: 3, channels: 1, block, offsets: vec![0.0] });
        let page = written(&document, &blocks);
        let (times, values) = unpacked(script(&page, "block-0"), 3);
        assert_eq!((times, &values[0][..2]), (t.to_vec(), &[1.0, -2.0][..]));
        let said: serde_json::Value = serde_json::from_str(script(&page, "document")).expect("JSON");
        assert_eq!(said["tracks"][0]["signals"][0]["unit"], "m");
        assert_eq!(
            (&said["format"], &said["motion"]["n"], &said["scene"]),
            (&1.into(), &3.into(), &serde_json::Value::Null)
        );
    }

    #[test]
    fn sections_have_the_form_that_the_viewer_reads() {
        let head = |name: &str| ColumnHead { name: name.into(), unit: String::new() };
        let table = Section::Table {
            id: "s".into(),
            title: "S".into(),
            note: String::new(),
            columns: vec![head("a"), head("b"), head("c")],
            rows: vec![vec!["x".into(), 1.5.into(), Cell::Nothing], vec![Cell::Number(f64::INFINITY)]],
        };
        let said = serde_json::to_value(&table).expect("JSON");
        assert_eq!(said["kind"], "table");
        assert_eq!(said["rows"], serde_json::json!([["x", 1.5, null], [null]]));
        let curve = Curve { name: "e".into(), x: vec![1.0], y: vec![2.0], style: CurveStyle::LinePoints };
        assert_eq!(serde_json::to_value(&curve).expect("JSON")["style"], "line-points");
        assert_eq!(serde_json::to_value(EventKind::Passage).expect("JSON"), "passage");
    }
}
