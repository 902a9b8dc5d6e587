//! Models and pictures of the documentation: every model on a page runs, every picture is what the program draws of it.
//!
//! ````text
//! ```toml
//! a whole model
//! ```
//! <!-- picture: --columns x,y --height 380 | run --scenario fast -->
//! ![what it shows](images/name.svg)
//! ````
//!
//! A picture is `alembert plot` with the arguments before the bar, after the command behind it (`run` if there is none), of the model that is
//! named there, or of the last one above. `cargo xtask pictures` draws all of them anew.
//!
//! `<!-- sketch: … -->` in the same place draws a mechanism from a result (`common/sketch.rs`). `<!-- prints: check --set a=2 -->` above a block of
//! text says what of the program that is, of the last model above, or of the one whose name is behind a bar; a line `…` stands for any number of lines.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;
#[path = "common/sketch.rs"]
mod sketch;

use std::fs;
use std::path::{Path, PathBuf};

use folder::folder;
use program::alembert;

/// The largest picture, in bytes: pages must load.
const LARGEST: usize = 40_000;

/// A picture as a page asks for it.
struct Picture {
    /// What is drawn, by `run` or `sweep` with its arguments; the model among them.
    work: Vec<String>,
    plot: Vec<String>,
    /// How a mechanism is drawn, instead of a plot.
    sketch: Option<String>,
    file: PathBuf,
}

/// What the program prints as a page says.
struct Printed {
    arguments: Vec<String>,
    model: String,
    lines: Vec<String>,
}

/// What is on a page.
#[derive(Default)]
struct Page {
    models: Vec<PathBuf>,
    pictures: Vec<Picture>,
    prints: Vec<Printed>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Words, some of them in quotes.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('"').enumerate();
    parts
        .flat_map(|(k, part)| match k % 2 {
            1 => vec![part.to_owned()],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

/// The models of a page, written to files, its pictures, and what it says is printed.
fn read(name: &str, scratch: &Path) -> Page {
    let path = root().join("docs").join(name);
    let text = fs::read_to_string(&path).expect("the page");
    let mut page = Page::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let order =
            |what: &str| line.strip_prefix(&format!("<!-- {what}: ")).and_then(|line| line.strip_suffix(" -->"));
        let last = || page.models.last().expect("a model above").display().to_string();
        if line == "```toml" {
            let model: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let file = scratch.join(format!("model-{}.toml", page.models.len() + 1));
            fs::write(&file, model.join("\n") + "\n").expect("a file");
            page.models.push(file);
        } else if let Some(arguments) = order("prints") {
            let (arguments, model) = match arguments.split_once(" | ") {
                Some((arguments, title)) => (words(arguments), titled(&page.models, title)),
                None => (words(arguments), last()),
            };
            assert_eq!(lines.next(), Some("```text"), "{name}: no text below `{line}`");
            let lines = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
            page.prints.push(Printed { arguments, model, lines });
        } else if let Some(drawn) = order("picture").or(order("sketch")) {
            let image = lines.next().unwrap_or_default();
            let link = image.split_once("](").and_then(|(_, rest)| rest.split(')').next());
            let file = path.with_file_name(link.unwrap_or_else(|| panic!("{name}: no picture below `{line}`")));
            let (plot, work) = drawn.split_once(" | ").unwrap_or((drawn, "run"));
            let mut work = words(work);
            if !work.iter().any(|word| word.ends_with(".toml")) {
                work.insert(1, last());
            }
            let sketch = order("sketch").map(|_| plot.to_owned());
            page.pictures.push(Picture { work, plot: words(plot), sketch, file });
        }
    }
    page
}

/// The model of a page that has this name.
fn titled(models: &[PathBuf], title: &str) -> String {
    let line = format!("name = \"{title}\"");
    let has = |model: &&PathBuf| fs::read_to_string(model).expect("there").lines().any(|other| other == line);
    models.iter().find(has).unwrap_or_else(|| panic!("no model `{title}` above")).display().to_string()
}

/// Whether a page shows what was printed: its lines one after the other, and anything where it has `…`.
fn shows(shown: &[String], printed: &str) -> Result<(), String> {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let (mut at, mut loose) = (0, false);
    for line in shown {
        if line == "…" {
            loose = true;
            continue;
        }
        let found = printed[at..].iter().position(|other| other == line).filter(|gap| loose || *gap == 0);
        at += found.ok_or_else(|| format!("not printed there: `{line}`"))? + 1;
        loose = false;
    }
    if loose || at == printed.len() { Ok(()) } else { Err(format!("printed as well: `{}`", printed[at])) }
}

/// What can be read in a picture, and how many lines it has: this changes with its meaning, and not with rounding.
fn meaning(svg: &str) -> (Vec<String>, usize) {
    let said = svg.split("<text").skip(1).filter_map(|rest| rest.split_once('>')?.1.split('<').next());
    (
        said.map(|words| words.trim().to_owned()).collect(),
        svg.matches("<polyline").count() + svg.matches("<path").count(),
    )
}

fn check(page: &str, least: [usize; 3]) {
    let scratch = folder(&format!("pages-{}", page.replace('.', "-")));
    fs::create_dir_all(&scratch).expect("a folder");
    let Page { models, pictures, prints } = read(page, &scratch);
    let found = [models.len(), pictures.len(), prints.len()];
    assert!(found.iter().zip(least).all(|(found, least)| *found >= least), "{found:?}");
    for model in models {
        let (_, stderr, code) = alembert(&["run", &model.display().to_string(), "--quiet"]);
        assert_eq!(code, 0, "{page}: {stderr}\n{}", fs::read_to_string(&model).expect("there"));
    }
    for Printed { arguments, model, lines } in &prints {
        let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        words.insert(1, model);
        let (stdout, stderr, _) = alembert(&words);
        let printed = (stdout + &stderr).replace(model.as_str(), "model.toml");
        shows(lines, &printed).unwrap_or_else(|error| panic!("{page}: {arguments:?}: {error}\n{printed}"));
    }
    for (k, picture) in pictures.iter().enumerate() {
        let Picture { work, plot, sketch, file } = picture;
        let out = scratch.join(format!("picture-{}", k + 1));
        let out = out.display().to_string();
        let arguments: Vec<&str> = work.iter().map(String::as_str).chain(["--out", &out, "--quiet"]).collect();
        let (_, stderr, code) = alembert(&arguments);
        assert_eq!(code, 0, "{page}: {work:?} {stderr}");
        let drawn = match sketch {
            Some(order) => {
                let rows = fs::read_to_string(Path::new(&out).join("result.csv")).expect("a result");
                sketch::drawn(&rows, order)
            }
            None => {
                let arguments = ["plot", &out, "--quiet", "--name", "picture"];
                let arguments: Vec<&str> = arguments.into_iter().chain(plot.iter().map(String::as_str)).collect();
                let (_, stderr, code) = alembert(&arguments);
                assert_eq!(code, 0, "{page}: {plot:?} {stderr}");
                fs::read_to_string(Path::new(&out).join("picture.svg")).expect("a picture")
            }
        };
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            fs::write(file, &drawn).expect("a writable folder");
        }
        let kept = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(kept.len() < LARGEST, "{}: {} bytes", file.display(), kept.len());
        assert_eq!(meaning(&kept), meaning(&drawn), "{}: run `cargo xtask pictures`", file.display());
    }
}

#[test]
fn the_page_of_the_format_shows_what_happens() {
    check("model-format.md", [14, 13, 0]);
}

#[test]
fn the_page_of_worked_models_shows_what_happens() {
    check("worked-models.md", [0, 6, 0]);
}

#[test]
fn the_page_of_mechanisms_shows_what_happens() {
    check("mechanisms.md", [13, 12, 7]);
}

/// What is shown must be what is printed, in its order, and all of it where nothing is left out.
#[test]
fn a_page_that_shows_something_else_is_found() {
    let shown = |text: &str| shows(&text.lines().map(str::to_owned).collect::<Vec<_>>(), "a\nb\nc\nd\n");
    for text in ["a\nb\nc\nd", "…\nb\nc\n…", "a\n…\nd", "…"] {
        assert_eq!(shown(text), Ok(()), "{text}");
    }
    for text in ["a\nb\nc", "b\n…", "…\nc\nb\n…", "a\nc\n…", "…\ne\n…", ""] {
        assert!(shown(text).is_err(), "{text}");
    }
}
