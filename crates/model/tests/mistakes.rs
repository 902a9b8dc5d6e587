//! Bad model files and what is said about them: each file in `bad/` and `bad_mechanisms/` has its messages beside it.
//!
//! `UPDATE_MESSAGES=1 cargo test -p alembert-model --test suite mistakes` writes them anew; read the difference before you keep it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use alembert_model::Model;

fn bad_files() -> Vec<PathBuf> {
    let folder = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
        fs::read_dir(path).expect("a folder of bad files").map(|file| file.expect("a file").path())
    };
    let mut files: Vec<PathBuf> = folder("bad")
        .chain(folder("bad_mechanisms"))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

fn messages(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a file");
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match Model::parse(&name, &text, &[]) {
        Ok(_) => panic!("{name} is not bad"),
        Err(mistakes) => format!("{mistakes}\n"),
    }
}

#[test]
fn every_bad_file_has_its_messages() {
    let files = bad_files();
    assert!(files.len() >= 170, "{}", files.len());
    let mut different = Vec::new();
    for path in files {
        let (found, beside) = (messages(&path), path.with_extension("txt"));
        if env::var_os("UPDATE_MESSAGES").is_some() {
            fs::write(&beside, &found).expect("a writable folder");
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if expected != found {
            different.push(format!("{}\nexpected:\n{expected}\nfound:\n{found}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}

const GOOD: &str = include_str!("../../../models/pendulum.toml");

#[test]
fn settings_are_checked_too() {
    let bad = [("lenght".to_owned(), "2".to_owned()), ("m".to_owned(), "two".to_owned())];
    let mistakes = Model::parse("pendulum.toml", GOOD, &bad).expect_err("bad settings");
    let words = mistakes.to_string();
    assert!(words.contains("there is no parameter `lenght` to set"), "{words}");
    assert!(words.contains("did you mean `length`?"), "{words}");
    assert!(words.contains("cannot set m to `two`"), "{words}");
    let good = [("length".to_owned(), "2*pi".to_owned())];
    let model = Model::parse("pendulum.toml", GOOD, &good).expect("good settings");
    assert_eq!(model.guess.q[0], 2.0 * std::f64::consts::PI);
}

#[test]
fn the_schema_in_the_repository_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/schema/model-1.schema.json");
    if env::var_os("UPDATE_MESSAGES").is_some() {
        fs::write(&path, alembert_model::schema()).expect("a writable folder");
    }
    let kept = fs::read_to_string(&path).expect("the schema");
    assert_eq!(kept, alembert_model::schema(), "run `alembert schema > models/schema/model-1.schema.json`");
}

#[test]
fn the_reference_page_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model-format.md");
    let page = fs::read_to_string(&path).expect("the page");
    let mark = "<!-- generated: cargo test -p alembert-model mistakes with UPDATE_MESSAGES=1 -->\n";
    let (hand, _) = page.split_once(mark).expect("the mark");
    let expected = format!("{hand}{mark}\n{}", alembert_model::reference());
    if env::var_os("UPDATE_MESSAGES").is_some() {
        fs::write(&path, &expected).expect("a writable file");
    } else {
        assert_eq!(page, expected);
    }
}

/// Examples in the documentation are models.
#[test]
fn examples_in_the_documentation_are_good() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for page in ["README.md", "docs/model-format.md"] {
        let text = fs::read_to_string(root.join(page)).expect("the page");
        let blocks: Vec<&str> = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!blocks.is_empty(), "{page}");
        for block in blocks {
            Model::parse(page, block, &[]).unwrap_or_else(|mistakes| panic!("{page}: {mistakes}"));
        }
    }
}
