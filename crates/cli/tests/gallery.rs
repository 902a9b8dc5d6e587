//! The gallery: a picture for every example model, made by the program, and current.
//!
//! `cargo xtask pictures` draws all of them anew.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use folder::folder;
use program::alembert;

/// The largest picture, in bytes: pages must load.
const LARGEST: usize = 150_000;
/// Models of numbers that have no place in space.
const UNSEEN: [&str; 3] = ["paper1.toml", "paper2.toml", "paper3.toml"];
/// The picture that moves, on the first page.
const MOVING: (&str, &str) = ("mechanisms/four_bar.toml", "four-bar.svg");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every model file with the name of its picture, mechanisms first.
fn models() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (folder, prefix) in [("mechanisms", "mechanism-"), ("", "")] {
        let mut names: Vec<String> = fs::read_dir(root().join("models").join(folder))
            .expect("the models")
            .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".toml"))
            .collect();
        names.sort();
        for name in names {
            let stem = name.trim_end_matches(".toml").replace('_', "-");
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            found.push((path, format!("{prefix}{stem}.svg")));
        }
    }
    found
}

/// The name that a model gives itself.
fn title(model: &str) -> String {
    let text = fs::read_to_string(root().join("models").join(model)).expect("a model");
    let line = text.lines().find_map(|line| line.strip_prefix("name = \""));
    line.map_or_else(|| model.to_owned(), |name| name.trim_end_matches('"').to_owned())
}

fn same(name: &str, made: &str) {
    let path = root().join("docs/gallery").join(name);
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        fs::write(&path, made).expect("a picture that can be written");
        return;
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == made,
        "docs/gallery/{name} is not what the program makes: run `cargo xtask pictures` and look at the difference"
    );
}

fn drawn(model: &str, name: &str, arguments: &[&str]) -> String {
    let folder = folder(&format!("gallery-{name}"));
    fs::create_dir_all(&folder).expect("a folder");
    let picture = folder.join("picture.svg");
    let model = root().join("models").join(model);
    let mut command = vec!["run", model.to_str().expect("a path"), "--quiet"];
    let picture = picture.to_str().expect("a path").to_owned();
    command.extend(arguments);
    command.push(&picture);
    let (_, said, code) = alembert(&command);
    assert_eq!(code, 0, "{name}: {said}");
    fs::read_to_string(&picture).expect("a picture")
}

fn draw_part(part: usize) {
    for (model, name) in models().into_iter().skip(part).step_by(4) {
        if UNSEEN.contains(&model.as_str()) {
            continue;
        }
        let made = drawn(&model, &name, &["--overlay", "--no-arrows", "--width", "480", "--poses"]);
        assert!(made.len() <= LARGEST, "{name} has {} bytes", made.len());
        same(&name, &made);
    }
}

#[test]
fn pictures_of_models_are_current_1() {
    draw_part(0);
}

#[test]
fn pictures_of_models_are_current_2() {
    draw_part(1);
}

#[test]
fn pictures_of_models_are_current_3() {
    draw_part(2);
}

#[test]
fn pictures_of_models_are_current_4() {
    draw_part(3);
}

#[test]
fn the_moving_picture_is_current() {
    let (model, name) = MOVING;
    let made = drawn(model, name, &["--width", "560", "--animate"]);
    assert!(made.contains("<animate"), "it does not move");
    same(&format!("moving-{name}"), &made);
}

#[test]
fn the_page_of_the_gallery_is_current() {
    let mut page = "# Gallery\n\nEvery example model, drawn by `alembert run MODEL --poses FILE --overlay`: the last instant, over paler earlier ones. `alembert run MODEL --report page.html` shows it moving.\n".to_owned();
    let all = models();
    for (heading, mechanisms) in [("Mechanisms", true), ("Equations", false)] {
        write!(page, "\n## {heading}\n\n").expect("text");
        for (model, name) in all.iter().filter(|(model, _)| model.starts_with("mechanisms/") == mechanisms) {
            if UNSEEN.contains(&model.as_str()) {
                continue;
            }
            let title = title(model);
            writeln!(page, "### [{title}](../../models/{model})\n\n![{title}]({name})\n").expect("text");
        }
    }
    same("README.md", &(page.trim_end().to_owned() + "\n"));
}
