//! Reports and pictures as a user of the program gets them: the numbers on a page, what a folder without a model shows, sweeps, refusals,
//! hostile names.

#[path = "common/folder.rs"]
mod folder;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};

use folder::folder;
use program::alembert;
use serde_json::Value;

/// A new folder, and a path in it as text.
fn room(name: &str) -> (PathBuf, impl Fn(&str) -> String) {
    let place = folder(&format!("reports-{name}"));
    fs::create_dir_all(&place).expect("a folder");
    let beneath = place.clone();
    (place, move |file: &str| beneath.join(file).to_str().expect("a path").to_owned())
}

/// The document of a page.
fn document(page: &Path) -> Value {
    let text = fs::read_to_string(page).expect("a page");
    let (_, rest) = text.split_once("<script type=\"application/json\" id=\"document\">").expect("a document");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

fn done(arguments: &[&str]) {
    let (_, said, code) = alembert(arguments);
    assert_eq!(code, 0, "{arguments:?}: {said}");
}

fn section<'d>(document: &'d Value, id: &str) -> &'d Value {
    let found = document["sections"].as_array().expect("sections").iter().find(|section| section["id"] == id);
    found.unwrap_or_else(|| panic!("no section {id}"))
}

#[test]
fn a_run_is_a_page_that_moves() {
    let (place, path) = room("run");
    done(&["run", "models/mechanisms/four_bar.toml", "--quiet", "--report", &path("page.html")]);
    let page = document(&place.join("page.html"));
    assert_eq!((&page["title"], &page["verdict"]["state"]), (&"four-bar with motor".into(), &"good".into()));
    let rows = &page["tracks"][0];
    assert_eq!((&rows["name"], &rows["n"]), (&"rows".into(), &201.into()));
    let signal = |name: &str| {
        let found = rows["signals"].as_array().expect("signals").iter().find(|signal| signal["name"] == name);
        found.map(|signal| {
            (signal["group"].as_str().expect("a group").to_owned(), signal["unit"].as_str().expect("a unit").to_owned())
        })
    };
    let is = |group: &str, unit: &str| Some((group.to_owned(), unit.to_owned()));
    assert_eq!(signal("crank.x"), is("coordinates", "m"));
    assert_eq!(signal("crank.angle'"), is("velocities", "rad/s"));
    assert_eq!(signal("B.force.x"), is("reactions", "N"));
    assert_eq!(signal("pin_force"), is("outputs", "N"));
    // Rows are few: frames lie between them.
    assert!(page["motion"]["n"].as_u64().expect("frames") >= 400);
    assert_eq!(page["motion"]["channels"], page["scene"]["channels"]);
    let arrows =
        page["scene"]["items"].as_array().expect("items").iter().filter(|item| item["kind"] == "arrow").count();
    assert!(arrows >= 4, "{arrows} arrows");
    for id in ["parameters", "statistics", "residuals", "diagnosis", "model", "citation"] {
        section(&page, id);
    }
    // Nothing else is left behind.
    assert_eq!(fs::read_dir(&place).expect("the folder").count(), 1);
}

#[test]
fn the_report_of_a_folder_is_that_of_its_run() {
    let (place, path) = room("folder");
    done(&["run", "models/bouncing_pendulum.toml", "--quiet", "--out", &path("run"), "--report", &path("first.html")]);
    done(&["report", &path("run"), "--quiet"]);
    let text = |name: &str| fs::read_to_string(place.join(name)).expect("a page");
    assert!(text("first.html") == text("run/report.html"), "they differ");
    let page = document(&place.join("first.html"));
    assert!(!page["events"].as_array().expect("events").is_empty());
    // Two runs beside each other.
    done(&["run", "models/bouncing_pendulum.toml", "--quiet", "--method", "bdf", "--out", &path("other")]);
    done(&["report", &path("run"), &path("other"), "--quiet", "--out", &path("both.html")]);
    let both = document(&place.join("both.html"));
    let runs: Vec<&str> =
        both["tracks"].as_array().expect("tracks").iter().filter_map(|track| track["run"].as_str()).collect();
    assert_eq!(runs, ["run", "run", "other", "other"]);
}

#[test]
fn what_does_not_move_says_why() {
    let (place, path) = room("still");
    done(&[
        "run",
        "models/pendulum.toml",
        "--quiet",
        "--out",
        &path("run"),
        "--columns",
        "x",
        "--report",
        &path("page.html"),
    ]);
    let page = document(&place.join("page.html"));
    assert!(page["scene"].is_null());
    let points = page["verdict"]["points"].as_array().expect("points");
    let told = |words: &str| points.iter().any(|point| point["text"].as_str().is_some_and(|text| text.contains(words)));
    assert!(told("nothing moves") && told("`y` is no column"), "{points:?}");
    let (_, said, code) = alembert(&["run", "models/paper1.toml", "--quiet", "--animate", &path("none.svg")]);
    assert!(code == 1 && said.contains("there is no picture of this motion"), "{code} {said}");
    assert!(!place.join("none.svg").exists());
}

#[test]
fn sweeps_are_curves_maps_and_lines() {
    let (place, path) = room("sweep");
    let sweep = ["sweep", "models/pendulum.toml", "--quiet", "--t-end", "0.5", "--out"];
    done(&[&sweep[..], &[&path("one"), "--set", "g=1:10:4"]].concat());
    done(&["report", &path("one"), "--quiet"]);
    let one = document(&place.join("one/report.html"));
    assert!(one["sections"].as_array().expect("sections").iter().any(|section| section["kind"] == "chart"));
    section(&one, "parallel");
    done(&[&sweep[..], &[&path("two"), "--set", "g=1:10:4", "--set", "m=1:3:3"]].concat());
    done(&["report", &path("two"), "--quiet"]);
    let two = document(&place.join("two/report.html"));
    let heat =
        two["sections"].as_array().expect("sections").iter().find(|section| section["kind"] == "heat").expect("a map");
    let length = |axis: &str| heat[axis]["values"].as_array().expect("values").len();
    assert_eq!((length("x"), length("y"), length("z")), (4, 3, 12));
    assert_eq!(section(&two, "runs")["rows"].as_array().expect("rows").len(), 12);
}

#[test]
fn verify_and_compare_have_pages() {
    let (place, path) = room("verify");
    alembert(&["verify", "models/pendulum.toml", "--quiet", "--report", &path("verified.html")]);
    let page = document(&place.join("verified.html"));
    let series = section(&page, "convergence")["series"].as_array().expect("series").len();
    assert!(series >= 2, "{series}");
    done(&[
        "compare",
        "sleigh",
        "--methods",
        "radau5,bdf",
        "--repeats",
        "1",
        "--quiet",
        "--report",
        &path("compared.html"),
    ]);
    let page = document(&place.join("compared.html"));
    assert_eq!(section(&page, "time-0")["series"].as_array().expect("series").len(), 2);
}

#[test]
fn files_of_others_and_bad_names_are_refused() {
    let (place, path) = room("refused");
    fs::write(place.join("mine.html"), "<html>mine</html>").expect("a file");
    let run = |arguments: &[&str]| alembert(&[&["run", "models/pendulum.toml", "--quiet"], arguments].concat());
    for (arguments, words) in [
        (vec!["--report".to_owned(), path("mine.html")], "alembert did not write the file that is there"),
        (vec!["--report".to_owned(), path("nowhere/page.html")], "its folder does not exist"),
        (vec!["--report".to_owned(), path("")], "it is a folder"),
        (vec!["--animate".to_owned(), path("motion.gif")], "pictures are .svg or .png files, not .gif"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (_, said, code) = run(&arguments);
        assert!(code == 2 && said.contains(words), "{arguments:?}: {code} {said}");
    }
    assert_eq!(fs::read_to_string(place.join("mine.html")).expect("the file"), "<html>mine</html>");
    let (_, _, code) = run(&["--report", &path("mine.html"), "--force"]);
    assert!(code == 0 && document(&place.join("mine.html"))["title"] == "pendulum from the horizontal", "forced");
    // Our own page is replaced.
    assert_eq!(run(&["--report", &path("mine.html")]).2, 0);
    let (_, said, code) = alembert(&["report", &path("nowhere")]);
    assert!(code == 2 && said.contains("no result of a run in"), "{said}");
}

#[test]
fn hostile_names_stay_words() {
    let (place, path) = room("hostile");
    let evil = "</script><img src=x onerror=alert(1)>";
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/pendulum.toml")).expect("a model");
    let named = text
        .lines()
        .map(|line| if line.starts_with("name = ") { format!("name = \"{evil}\"") } else { line.to_owned() });
    fs::write(place.join("evil.toml"), named.collect::<Vec<_>>().join("\n") + "\n").expect("a file");
    done(&["run", &path("evil.toml"), "--quiet", "--report", &path("page.html"), "--poses", &path("poses.svg")]);
    let page = fs::read_to_string(place.join("page.html")).expect("a page");
    assert!(!page.contains("<img src=x"), "a tag on the page");
    assert_eq!(document(&place.join("page.html"))["title"], evil);
    let picture = fs::read_to_string(place.join("poses.svg")).expect("a picture");
    assert!(!picture.contains("<img") && picture.contains("&lt;img"), "{}", &picture[..400]);
}

#[test]
fn pictures_need_no_browser() {
    let (place, path) = room("pictures");
    let poses = ["--poses", &path("poses.png"), "--count", "3", "--width", "300"];
    done(
        &[
            &[
                "run",
                "models/mechanisms/slider_crank_spatial.toml",
                "--quiet",
                "--t-end",
                "0.5",
                "--animate",
                &path("a.svg"),
            ],
            &poses[..],
        ]
        .concat(),
    );
    let svg = fs::read_to_string(place.join("a.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.contains("<animate") && svg.len() < 1_000_000);
    let png = fs::read(place.join("poses.png")).expect("a picture");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    // Twice as many pixels as the width says, for screens that have them.
    assert_eq!(u32::from_be_bytes([png[16], png[17], png[18], png[19]]), 600);
    done(&["run", "models/pendulum.toml", "--quiet", "--t-end", "0.3", "--animate", &path("a.png"), "--width", "120"]);
    let apng = fs::read(place.join("a.png")).expect("a picture");
    assert!(apng.windows(4).any(|part| part == b"acTL"), "it does not move");
    // Our own pictures are replaced.
    let again = ["--animate", &path("a.png"), "--poses", &path("a.svg"), "--width", "120"];
    done(&[&["run", "models/pendulum.toml", "--quiet", "--t-end", "0.3"], &again[..]].concat());
}
