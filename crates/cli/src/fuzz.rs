//! Values of the command line and folders of results, spoilt at random. See `crates/fuzz`.

use std::fs;
use std::path::{Path, PathBuf};

use alembert_fuzz::Campaign;
use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::model::{figures, sweep};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

const WORDS: [&str; 14] = [
    "--set",
    "m=",
    "1:2:",
    "1,2",
    "/",
    "--jobs",
    "99999999999999999999",
    "-1",
    "nan",
    "--rtol",
    "=",
    ":",
    "1e308",
    " ",
];

#[test]
fn any_command_line_is_read_or_refused() {
    Campaign::new("values", &corpus("values")).with_words(&WORDS).with_inputs(20_000).run(|bytes| {
        let line = String::from_utf8_lossy(bytes);
        let words = std::iter::once("alembert").chain(line.split_whitespace());
        let Ok(arguments) = Arguments::try_parse_from(words) else { return };
        if let Command::Sweep(arguments) = &arguments.command {
            let axes: Result<Vec<_>, _> = arguments.settings.iter().map(|set| sweep::axis(set)).collect();
            let _ = arguments.shard.as_deref().map(sweep::shard);
            if let Ok(axes) = axes
                && let Some(count) = axes.iter().try_fold(1, |all: usize, (_, values)| all.checked_mul(values.len()))
                && count < 10_000
            {
                let _ = alembert_sim::sweep::grid(&axes);
            }
        }
    });
}

#[test]
fn any_folder_is_drawn_or_refused() {
    let folder = std::env::temp_dir().join(format!("alembert-fuzz-folder-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder of our own");
    crate::words::be_quiet();
    let words = ["1e308", "-1e308", "1e-320", "nan", ",", "\n", "null", "[]", "\u{1b}", "\u{1e}"];
    Campaign::new("folders", &corpus("folders")).with_words(&words).with_inputs(300).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut parts = text.split('\u{1e}');
        for name in ["summary.json", "result.csv", "steps.csv"] {
            fs::write(folder.join(name), parts.next().unwrap_or_default()).expect("a file of our own");
        }
        for columns in [Vec::new(), vec!["x".to_owned(), "t".to_owned()]] {
            let choice = figures::Choice { columns, height: 600, name: "chosen".to_owned(), ..Default::default() };
            let _ = figures::run(&figures::Arguments { folder: folder.clone(), choice });
        }
    });
    fs::remove_dir_all(&folder).expect("a folder of our own");
}
