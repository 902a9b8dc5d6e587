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

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

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
    file: PathBuf,
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

/// The models of a page, written to files, and its pictures.
fn read(page: &str, scratch: &Path) -> (Vec<PathBuf>, Vec<Picture>) {
    let path = root().join("docs").join(page);
    let text = fs::read_to_string(&path).expect("the page");
    let (mut models, mut pictures) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "```toml" {
            let model: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let file = scratch.join(format!("model-{}.toml", models.len() + 1));
            fs::write(&file, model.join("\n") + "\n").expect("a file");
            models.push(file);
        } else if let Some(order) = line.strip_prefix("<!-- picture: ").and_then(|line| line.strip_suffix(" -->")) {
            let image = lines.next().unwrap_or_default();
            let link = image.split_once("](").and_then(|(_, rest)| rest.split(')').next());
            let file = path.with_file_name(link.unwrap_or_else(|| panic!("{page}: no picture below `{line}`")));
            let (plot, work) = order.split_once(" | ").unwrap_or((order, "run"));
            let mut work = words(work);
            if !work.iter().any(|word| word.ends_with(".toml")) {
                work.insert(1, models.last().expect("a model above").display().to_string());
            }
            pictures.push(Picture { work, plot: words(plot), file });
        }
    }
    (models, pictures)
}

/// What can be read in a picture, and how many lines it has: this changes with its meaning, and not with rounding.
fn meaning(svg: &str) -> (Vec<String>, usize) {
    let said = svg.split("<text").skip(1).filter_map(|rest| rest.split_once('>')?.1.split('<').next());
    (said.map(|words| words.trim().to_owned()).collect(), svg.matches("<polyline").count())
}

fn check(page: &str, least: [usize; 2]) {
    let scratch = folder(&format!("pages-{}", page.replace('.', "-")));
    fs::create_dir_all(&scratch).expect("a folder");
    let (models, pictures) = read(page, &scratch);
    assert!(models.len() >= least[0] && pictures.len() >= least[1], "{} {}", models.len(), pictures.len());
    for model in models {
        let (_, stderr, code) = alembert(&["run", &model.display().to_string(), "--quiet"]);
        assert_eq!(code, 0, "{page}: {stderr}\n{}", fs::read_to_string(&model).expect("there"));
    }
    for (k, Picture { work, plot, file }) in pictures.iter().enumerate() {
        let out = scratch.join(format!("picture-{}", k + 1));
        let out = out.display().to_string();
        let arguments: Vec<&str> = work.iter().map(String::as_str).chain(["--out", &out, "--quiet"]).collect();
        let (_, stderr, code) = alembert(&arguments);
        assert_eq!(code, 0, "{page}: {work:?} {stderr}");
        let arguments = ["plot", &out, "--quiet", "--name", "picture"];
        let arguments: Vec<&str> = arguments.into_iter().chain(plot.iter().map(String::as_str)).collect();
        let (_, stderr, code) = alembert(&arguments);
        assert_eq!(code, 0, "{page}: {plot:?} {stderr}");
        let drawn = fs::read_to_string(Path::new(&out).join("picture.svg")).expect("a picture");
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
    check("model-format.md", [14, 13]);
}

#[test]
fn the_page_of_worked_models_shows_what_happens() {
    check("worked-models.md", [0, 6]);
}
