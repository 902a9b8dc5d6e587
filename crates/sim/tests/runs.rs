//! Runs from a program other than the command line: rows, progress, interruption, writers, failures as data.

#[path = "runs/formats.rs"]
mod formats;

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use alembert_model::Model;
use alembert_sim::sheet::{results, steps, write_npz};
use alembert_sim::sweep::{grid, sweep};
use alembert_sim::{Alone, End, Kind, Onlooker, Sheet, check, simulate, summary, verify};

/// A mass that is thrown upwards: y = 5 t - 5 t^2.
fn thrown(run: &str) -> Model {
    let text = format!(
        "format = 1\nname = \"thrown\"\n[parameters]\nm = 1\n[variables]\ncoordinates = [\"y\"]\n[equations]\n\
         mass = [\"m\"]\nforce = [\"-10*m\"]\n[initial]\ny = 0\n\"y'\" = 5\n[run]\n{run}\n"
    );
    Model::parse("thrown.toml", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Wants to stop after some steps, and writes down what it is told.
#[derive(Default)]
struct Impatient {
    patience: usize,
    asked: AtomicUsize,
    told: Mutex<Vec<f64>>,
    begun: Mutex<Vec<String>>,
    finished: AtomicUsize,
}

impl Onlooker for Impatient {
    fn wants_to_stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.patience
    }
    fn begins(&self, what: &str) {
        self.begun.lock().expect("not poisoned").push(what.to_owned());
    }
    fn advanced(&self, done: f64, details: &dyn Fn() -> String) {
        assert!(!details().is_empty());
        self.told.lock().expect("not poisoned").push(done);
    }
    fn finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}

fn patient(patience: usize) -> Impatient {
    Impatient { patience, ..Impatient::default() }
}

#[test]
fn rows_are_where_they_were_asked_for() {
    let model = thrown("t_end = 1\noutput_every = 0.3\nmethod = \"radau\"");
    let run = simulate(&model, &model.run, &Alone).expect("runs");
    assert_eq!(run.end, End::Reached);
    let times: Vec<f64> = run.states.iter().map(|state| state.t).collect();
    assert_eq!(times, [0.0, 0.3, 0.6, 0.3 * 3.0, 1.0]);
    for state in &run.states {
        assert!((state.q[0] - 5.0 * state.t * (1.0 - state.t)).abs() < 1e-9 && state.a == [-10.0]);
    }
    // Rows at the ends of prescribed steps are those steps' own states; others lie between.
    for (h, every) in [(0.1, 0.2), (0.1, 0.25), (0.04, 0.1), (0.3, 0.05)] {
        let model = thrown(&format!("t_end = 1\noutput_every = {every}\nmethod = \"soi2\"\nh = {h}"));
        let run = simulate(&model, &model.run, &Alone).expect("runs");
        let times: Vec<f64> = run.states.iter().map(|state| state.t).collect();
        let mut wanted: Vec<f64> = (0..).map(|k| every * f64::from(k)).take_while(|t| *t < 1.0 - 1e-9).collect();
        wanted.push(1.0);
        assert_eq!(times.len(), wanted.len(), "{h}, {every}: {times:?}");
        assert!(times.iter().zip(&wanted).all(|(t, w)| (t - w).abs() < 1e-12), "{h}, {every}: {times:?}");
        for state in &run.states {
            // The trapezoidal kin are exact on a parabola.
            assert!((state.q[0] - 5.0 * state.t * (1.0 - state.t)).abs() < 1e-9, "{h}, {every} at {}", state.t);
        }
    }
}

#[test]
fn who_wants_to_stop_gets_what_was_computed() {
    let model = thrown("t_end = 1\nmethod = \"soi2\"\nh = 0.1");
    let onlooker = patient(4);
    let run = simulate(&model, &model.run, &onlooker).expect("begins");
    assert_eq!((run.end.clone(), run.steps.len(), run.states.len()), (End::Interrupted, 4, 5));
    assert!(run.end.is_partial() && run.summary.stats.steps == 4);
    let told = onlooker.told.lock().expect("not poisoned").clone();
    assert!(told.len() == 4 && told.windows(2).all(|pair| pair[0] < pair[1]) && told[3] < 0.5, "{told:?}");
    assert_eq!(onlooker.finished.load(Ordering::Relaxed), 1);
    // Before the first step there is only the start.
    let run = simulate(&model, &model.run, &patient(0)).expect("begins");
    assert_eq!((run.end, run.steps.len(), run.states.len()), (End::Interrupted, 0, 1));
    // A run that is at its end when it is interrupted is whole.
    let run = simulate(&model, &model.run, &patient(10)).expect("begins");
    assert_eq!((run.end, run.steps.len()), (End::Reached, 10));
}

#[test]
fn certificates_and_sweeps_stop_too() {
    let model = thrown("t_end = 1\nrtol = 1e-6");
    let failure = verify::certify(&model, &model.run, &patient(3)).map(|_| ()).expect_err("stopped");
    assert_eq!(failure.kind, Kind::Interrupted);
    let onlooker = patient(usize::MAX);
    let found = verify::certify(&model, &model.run, &onlooker).expect("certified");
    assert!(found.is_trusted(), "{}", found.words(&model, &model.run));
    assert!(onlooker.begun.lock().expect("not poisoned").iter().any(|words| words.contains("rtol = 1e-6")));

    let points = grid(&[("m".to_owned(), ["1", "2", "-", "4"].map(str::to_owned).to_vec())]).expect("few");
    let make = |point: &Vec<(String, String)>| match point[0].1.parse::<f64>() {
        Ok(_) => {
            let model = thrown("t_end = 1\nrtol = 1e-6");
            let run = model.run.clone();
            Ok((model, run))
        }
        Err(error) => Err(alembert_sim::Failure::usage(error.to_string()).with_parameter("m")),
    };
    let rows = sweep(&points, 1, make, &patient(usize::MAX));
    assert_eq!(rows.iter().flatten().filter(|row| row.failure.is_none()).count(), 3);
    let failed = rows[2].as_ref().and_then(|row| row.failure.clone()).expect("no number");
    assert_eq!((failed.kind, failed.parameter.as_deref()), (Kind::Usage, Some("m")));
    assert!(sweep(&points, 1, make, &patient(0)).iter().all(Option::is_none));
}

/// Takes so many bytes and no more, as a full disk does.
struct Full {
    left: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.left {
            return Err(io::Error::other("full"));
        }
        self.left -= bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writers_write_all_or_say_so() {
    let model = thrown("t_end = 1\noutput_every = 0.01");
    let run = simulate(&model, &model.run, &Alone).expect("runs");
    let sheet = results(&model, &run.states);
    let mut text = Vec::new();
    sheet.write_csv(&mut text).expect("memory takes it");
    let back = Sheet::parse(std::str::from_utf8(&text).expect("text")).expect("a sheet");
    assert_eq!((&back, back.rows.len()), (&sheet, 101));
    type Writer<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;
    let writers: [Writer; 4] = [
        Box::new(|out| sheet.write_csv(out)),
        Box::new(|out| sheet.write_parquet(out)),
        Box::new(|out| write_npz(&model, &run, &sheet, out)),
        Box::new(|out| steps(&run.steps).write_csv(out)),
    ];
    for write in writers {
        let mut whole = Vec::new();
        write(&mut whole).expect("memory takes it");
        assert!(write(&mut Full { left: whole.len() }).is_ok());
        for left in [0, whole.len() / 2, whole.len() - 1] {
            assert!(write(&mut Full { left }).is_err(), "{left} of {} bytes", whole.len());
        }
    }
}

#[test]
fn failures_are_data() {
    // A pole at t = 1.
    let text = "format = 1\nname = \"pole\"\n[variables]\ncoordinates = [\"y\"]\n[equations]\nmass = [1]\n\
                force = [\"6/(1 - t)^4\"]\n[initial]\ny = 1\n\"y'\" = 2\n[run]\nt_end = 2\n";
    let model = Model::parse("pole.toml", text, &[]).expect("a model");
    let run = simulate(&model, &model.run, &Alone).expect("begins");
    let End::Failed(failure) = &run.end else { panic!("{:?}", run.end) };
    assert!(!failure.message.contains("hint: "), "{}", failure.message);
    assert_eq!(failure.to_string(), format!("{}\nhint: {}", failure.message, failure.hint.clone().expect("a hint")));
    let told = summary::json(&model, &model.run, &run, &results(&model, &run.states));
    assert_eq!(told["failure"]["message"], failure.message.as_str());
    assert_eq!(told["failure"]["hint"], failure.hint.as_deref().expect("a hint"));
    assert_eq!(told["message"], failure.to_string());
    let good = thrown("t_end = 1");
    let run = simulate(&good, &good.run, &Alone).expect("runs");
    assert!(summary::json(&good, &good.run, &run, &results(&good, &run.states)).get("failure").is_none());

    // A start that is refused blames its constraint.
    let text = "format = 1\nname = \"twice\"\n[variables]\ncoordinates = [\"x\", \"y\"]\n[equations]\nmass = [1, 1]\nforce = [0, 0]\n\
                holonomic = [{ name = \"rod\", formula = \"x - 1\" }, { name = \"copy\", formula = \"2*x - 2\" }]\n\
                [initial]\nx = 1\ny = 0\n[run]\nt_end = 1\n";
    let model = Model::parse("twice.toml", text, &[]).expect("a model");
    let failure = simulate(&model, &model.run, &Alone).map(|_| ()).expect_err("refused");
    assert!(failure.parameter.as_deref().is_some_and(|name| name == "rod" || name == "copy"), "{failure:?}");
    assert_eq!(failure.json()["kind"], "work");
    assert!(!check::check(&model).good && check::check(&good).good);
}

/// Where constraints determine every motion no error bounds a step; what lies between two steps is met all the same.
#[test]
fn events_of_driven_motions_are_met() {
    let text = r#"
format = 1
[variables]
coordinates = ["x"]
[equations]
mass = [1]
force = [0]
holonomic = ["x - cos(t)"]
[initial]
x = 1
[[events]]
name = "down"
formula = "x"
direction = "falling"
action = "continue"
[run]
t_end = 40
"#;
    let model = Model::parse("driven.toml", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let run = simulate(&model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure:?}"));
    let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    let turn = std::f64::consts::TAU;
    let expected: Vec<f64> = (0..7).map(|k| 0.25 * turn + turn * f64::from(k)).collect();
    assert_eq!(times.len(), expected.len(), "{times:?}");
    times.iter().zip(&expected).for_each(|(t, known)| assert!((t - known).abs() < 1e-6, "{t} {known}"));
}
