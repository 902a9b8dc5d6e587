//! Files that fail: every operation of a small run in turn, and a disk that is full at every byte. What is there afterwards never
//! looks whole, nothing of others is touched, and the next run, or its continuation, works.

#[path = "../../alembert/tests/common/counting.rs"]
mod counting;
#[path = "faults/memory.rs"]
mod memory;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use alembert_model::Model;
use alembert_sim::disk::{Disk, Faults};
use alembert_sim::folder::Folder;
use alembert_sim::limits::Limits;
use alembert_sim::record::{Format, Order, Pauses, job_of, record, resume};
use alembert_sim::{Alone, Failure, Kind};
use serde_json::{Value, json};

/// A ball that bounces: events, one of them at times and not always, energies, an output, results, several steps.
const TEXT: &str = "format = 1\nname = \"ball\"\n[parameters]\nm = 1\n[variables]\ncoordinates = [\"y\"]\n[equations]\n\
    kinetic = \"m*y'^2/2\"\npotential = \"m*9.81*y\"\n[initial]\ny = 1\n[outputs]\nheight = \"y\"\n\
    [results]\ntop = { max = \"y\", from = 0.5 }\npath = { integral = \"abs(y')\" }\nhits = { count = \"floor\" }\n\
    [[events]]\nname = \"tick\"\nevery = 0.4\ntimes = 2\naction = \"continue\"\n\
    [[events]]\nname = \"floor\"\nformula = \"y\"\ndirection = \"falling\"\naction = \"bounce\"\nrestitution = 0.8\n\
    [run]\nt_end = 1.5\nrtol = 1e-6\noutput_every = 0.1\n";

const FORMATS: [Format; 3] = [Format::Csv, Format::Npz, Format::Parquet];

/// A disk that fails at nothing, and waits for nothing.
fn sound() -> Disk {
    Disk::failing(Faults::default())
}

fn model(settings: &[(&str, &str)]) -> Model {
    let settings: Vec<(String, String)> = settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    Model::parse("ball.toml", TEXT, &settings).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn order(model: &Model) -> Order<'_> {
    Order {
        model,
        text: TEXT,
        run: &model.run,
        formats: &FORMATS,
        every_step: true,
        draws: true,
        limits: Limits::default(),
        pauses: Pauses::Steps(5),
        words: json!({}),
    }
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// Runs into a folder on a disk; figures are some text.
fn go(path: &Path, disk: &Disk) -> Result<(), Failure> {
    let model = model(&[]);
    let folder = Folder::open(path, "run", disk)?;
    let draw = |_: &_, curves: &alembert_sim::curves::Curves, _: &_| {
        Ok(vec![("energy.svg".to_owned(), format!("<svg>{}</svg>", curves.columns().len()))])
    };
    record(&order(&model), &folder, false, &Alone, Some(&draw)).map(|_| ())
}

/// Continues it.
fn go_on(path: &Path, disk: &Disk) -> Result<(), Failure> {
    let model = model(&[]);
    let folder = Folder::open(path, "run", disk)?;
    if job_of(&folder)?.is_none() {
        return Ok(());
    }
    let draw = |_: &_, curves: &alembert_sim::curves::Curves, _: &_| {
        Ok(vec![("energy.svg".to_owned(), format!("<svg>{}</svg>", curves.columns().len()))])
    };
    resume(&order(&model), &folder, &Alone, Some(&draw)).map(|_| ())
}

/// All files but the manifest, by name; of summaries all but the time that it took.
fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a name");
        let mut bytes = fs::read(entry.path()).expect("a file");
        if name == "summary.json" {
            let mut told: Value = serde_json::from_slice(&bytes).expect("JSON");
            told["wall_seconds"] = Value::Null;
            bytes = told.to_string().into_bytes();
        }
        if name != ".alembert-run.json" {
            found.insert(name, bytes);
        }
    }
    found
}

/// What must hold after something failed: nothing looks whole that is not.
fn nothing_looks_whole(path: &Path, whole: &BTreeMap<String, Vec<u8>>, at: &str) {
    if !path.exists() {
        return;
    }
    let found = contents(path);
    assert!(!found.keys().any(|name| name.ends_with(".lock")), "{at}: {:?}", found.keys());
    for (name, bytes) in &found {
        let is_marked = name.contains(".partial.") || name == "run.checkpoint" || name == "mine.txt";
        assert!(is_marked || whole.get(name) == Some(bytes), "{at}: {name} is not whole");
    }
    // Temporary files may be left where they could not be removed; here they could.
    assert!(!found.keys().any(|name| name.ends_with(".tmp")), "{at}: {:?}", found.keys());
}

#[test]
fn every_operation_fails_once() {
    let path = folder("faults-operations");
    let counted = sound();
    go(&path, &counted).expect("runs");
    let whole = contents(&path);
    for name in ["result.csv", "result.npz", "result.parquet", "steps.csv", "events.csv", "energy.svg", "summary.json"]
    {
        assert!(whole.contains_key(name), "{name}: {:?}", whole.keys());
    }
    assert_eq!(whole.len(), 7, "{:?}", whole.keys());
    let operations = counted.operations();
    assert!(operations > 60, "{operations}");
    for n in 1..=operations {
        // In a folder of its own, then over the result of an earlier run, then in the continuation.
        let fresh = folder("faults-operation");
        fs::create_dir_all(&fresh).expect("a folder");
        fs::write(fresh.join("mine.txt"), "mine").expect("a file");
        let failing = Disk::failing(Faults { operation: Some(n), ..Faults::default() });
        let failure = go(&fresh, &failing).expect_err("it was made to fail");
        let at = format!("operation {n} of {operations}: {}", failure.message);
        assert!(failure.message.contains(&fresh.display().to_string()), "{at}");
        assert!(!failure.message.contains(".tmp"), "{at}");
        nothing_looks_whole(&fresh, &whole, &at);
        let again = Disk::failing(Faults { operation: Some(n), ..Faults::default() });
        if fresh.join("run.checkpoint").exists() {
            if go_on(&fresh, &again).is_err() {
                nothing_looks_whole(&fresh, &whole, &at);
                go_on(&fresh, &sound()).unwrap_or_else(|failure| panic!("{at}, then {failure}"));
            }
        } else {
            go(&fresh, &sound()).unwrap_or_else(|failure| panic!("{at}, then {failure}"));
        }
        let mut found = contents(&fresh);
        assert_eq!(found.remove("mine.txt").as_deref(), Some(&b"mine"[..]), "{at}");
        assert!(found == whole, "{at}: {:?} instead of {:?}", found.keys(), whole.keys());
        // The same over a whole result: it is that, or nothing looks like one.
        let failing = Disk::failing(Faults { operation: Some(n), ..Faults::default() });
        if go(&fresh, &failing).is_err() {
            nothing_looks_whole(&fresh, &whole, &at);
        }
        go(&fresh, &sound()).unwrap_or_else(|failure| panic!("{at}, then {failure}"));
        found = contents(&fresh);
        found.remove("mine.txt");
        assert!(found == whole, "{at}");
    }
}

#[test]
fn the_disk_is_full_at_every_byte() {
    let path = folder("faults-bytes");
    let counted = sound();
    go(&path, &counted).expect("runs");
    let (whole, all) = (contents(&path), counted.bytes());
    let full = folder("faults-full");
    // Every byte at both ends and some between; `FULL=1` asks for every byte, `FULL=7` for every seventh.
    let apart = std::env::var("FULL").ok().and_then(|apart| apart.parse().ok());
    let ends = if apart.is_some() { 0 } else { 400 };
    let between = (ends..all.saturating_sub(ends)).step_by(apart.unwrap_or(211));
    let (mut places, mut continued) = (0, 0);
    for room in (0..ends).chain(between).chain(all.saturating_sub(ends)..all) {
        places += 1;
        let failing = Disk::failing(Faults { room: Some(room), ..Faults::default() });
        let Err(failure) = go(&full, &failing) else {
            // Only the digits of the time that it took differ.
            assert!(room + 100 > all && contents(&full) == whole, "room for {room} of {all} bytes is enough");
            continue;
        };
        let at = format!("room for {room} of {all} bytes: {}", failure.message);
        assert!(failure.message.contains("no storage space"), "{at}");
        nothing_looks_whole(&full, &whole, &at);
        if room % 5 == 0 && full.join("run.checkpoint").exists() {
            continued += 1;
            go_on(&full, &sound()).unwrap_or_else(|failure| panic!("{at}, then {failure}"));
            assert!(contents(&full) == whole, "{at}");
        }
    }
    go(&full, &sound()).expect("runs");
    assert!(contents(&full) == whole);
    println!("{places} of {all} places, {continued} continued");
}

#[test]
fn files_of_others_stay() {
    let path = folder("faults-foreign");
    fs::create_dir_all(&path).expect("a folder");
    for name in ["energy.svg", "result.npz", "result.partial.csv", "summary.json", "run.checkpoint"] {
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        fs::write(path.join(name), "mine").expect("a file");
        let failure = go(&path, &sound()).expect_err("refused");
        assert_eq!(failure.kind, Kind::Usage);
        assert!(failure.message.contains(name) && failure.hint.is_some(), "{failure}");
        assert_eq!(fs::read(path.join(name)).expect("still there"), b"mine");
    }
    // A file of one's own that somebody has changed is his.
    let _ = fs::remove_dir_all(&path);
    go(&path, &sound()).expect("runs");
    let mut text = fs::read_to_string(path.join("result.csv")).expect("a result");
    text.push_str("# a note\n");
    fs::write(path.join("result.csv"), &text).expect("a file");
    assert!(go(&path, &sound()).expect_err("refused").message.contains("result.csv"));
    assert_eq!(fs::read_to_string(path.join("result.csv")).expect("still there"), text);
    assert!(path.join("result.npz").exists(), "removed before the run could begin");
    // By force it is replaced.
    let model = model(&[]);
    let opened = Folder::open(&path, "run", &sound()).expect("a folder");
    record(&order(&model), &opened, true, &Alone, None).expect("runs");
    assert!(!fs::read_to_string(path.join("result.csv")).expect("a result").contains("note"));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let path = folder("faults-links");
    fs::create_dir_all(&path).expect("a folder");
    let target = path.join("precious.txt");
    for name in ["result.partial.csv", "result.csv", "summary.json", "run.checkpoint", ".alembert-run.lock"] {
        fs::write(&target, "precious").expect("a file");
        symlink(&target, path.join(name)).expect("a link");
        assert!(go(&path, &sound()).is_err(), "{name}");
        assert_eq!(fs::read(&target).expect("still there"), b"precious");
        fs::remove_file(path.join(name)).expect("still there");
    }
    // A manifest that is a link is none.
    symlink(&target, path.join(".alembert-run.json")).expect("a link");
    go(&path, &sound()).expect("runs");
    assert_eq!(fs::read(&target).expect("still there"), b"precious");
}

#[test]
fn what_a_killed_run_leaves_is_cleaned_up() {
    let path = folder("faults-litter");
    fs::create_dir_all(&path).expect("a folder");
    let token = "0123456789abcdef0123456789abcdef";
    fs::write(path.join(".alembert-run.lock"), format!("{token} 12345\n")).expect("a file");
    let (litter, other) = (format!(".alembert-{token}-summary.json.tmp"), ".alembert-xyz-summary.json.tmp");
    fs::write(path.join(&litter), "half").expect("a file");
    fs::write(path.join(other), "of another").expect("a file");
    go(&path, &sound()).expect("a lock that nobody holds is none");
    assert!(!path.join(&litter).exists() && path.join(other).exists() && !path.join(".alembert-run.lock").exists());
    let first = Folder::open(&path, "run", &sound()).expect("a folder");
    let failure = go(&path, &sound()).expect_err("locked");
    assert!(failure.message.contains("another run is writing to folder"), "{failure}");
    assert!(failure.message.contains(&std::process::id().to_string()), "{failure}");
    drop(first);
    go(&path, &sound()).expect("free again");
}

#[test]
fn a_checkpoint_of_another_run_is_refused_by_name() {
    let path = folder("faults-other");
    let limited = |model: &Model, path: &Path| {
        let opened = Folder::open(path, "run", &sound()).expect("a folder");
        let short = Order { limits: Limits { steps: 7, ..Limits::default() }, ..order(model) };
        record(&short, &opened, false, &Alone, None).expect("begins")
    };
    let one = model(&[]);
    let account = limited(&one, &path);
    assert!(account.end.is_partial());
    let opened = Folder::open(&path, "run", &sound()).expect("a folder");
    let other = model(&[("m", "2")]);
    let failure = resume(&order(&other), &opened, &Alone, None).map(|_| ()).expect_err("another parameter");
    assert_eq!(failure.parameter.as_deref(), Some("m"));
    assert!(failure.message.contains("its parameter m is 1, here it is 2"), "{failure}");
    let mut run = one.run.clone();
    run.t_end = 2.0;
    let longer = Order { run: &run, ..order(&one) };
    let failure = resume(&longer, &opened, &Alone, None).map(|_| ()).expect_err("another end");
    assert!(failure.message.contains("end time is 1.5, here it is 2"), "{failure}");
    let text = Order { text: "another", ..order(&one) };
    assert!(resume(&text, &opened, &Alone, None).map(|_| ()).expect_err("a text").message.contains("model text"));
    let bdf = Model::parse("ball.toml", &TEXT.replace("rtol", "method = \"bdf\"\nrtol"), &[]).expect("a model");
    let failure = resume(&order(&bdf), &opened, &Alone, None).map(|_| ()).expect_err("another method");
    assert!(failure.message.contains("its method is radau"), "{failure}");
    // Refusals leave everything as it is: the run itself still goes on.
    resume(&order(&one), &opened, &Alone, None).expect("goes on");
    assert!(path.join("result.csv").exists());
}

/// Bytes of a checkpoint changed anywhere, with the checksum made right again: an answer, never a panic.
#[test]
fn spoilt_checkpoints_are_refused_or_read() {
    let path = folder("faults-spoilt");
    let one = model(&[]);
    let opened = Folder::open(&path, "run", &sound()).expect("a folder");
    let short = Order { limits: Limits { steps: 7, ..Limits::default() }, ..order(&one) };
    record(&short, &opened, false, &Alone, None).expect("begins");
    let name = path.join("run.checkpoint");
    let good = fs::read(&name).expect("a checkpoint");
    let whole: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.ends_with(".alembert-run.lock"))
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .collect();
    let mut bits = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |most: usize| {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        (bits % most as u64) as usize
    };
    let sum = |bytes: &[u8]| -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let mut refused = 0;
    for _ in 0..2000 {
        let mut bytes = good[..good.len() - 8].to_vec();
        for _ in 0..1 + random(3) {
            let place = random(bytes.len());
            bytes[place] = [0, 0xff, 0x7f, bytes[place] ^ 1 << random(8)][random(4)];
        }
        if random(10) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        bytes.extend(sum(&bytes).to_le_bytes());
        whole.iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("a file"));
        fs::write(&name, &bytes).expect("a file");
        // No further step: what is read is what is tested.
        let stopped = Order { limits: Limits { steps: 0, ..Limits::default() }, ..order(&one) };
        refused += usize::from(resume_only(&stopped, &opened).is_err());
    }
    assert!(refused > 500, "{refused}");
}

/// Wants to stop at once.
struct Still;

impl alembert_sim::Onlooker for Still {
    fn wants_to_stop(&self) -> bool {
        true
    }
}

fn resume_only(order: &Order, folder: &Folder) -> Result<(), Failure> {
    resume(order, folder, &Still, None).map(|_| ())
}
