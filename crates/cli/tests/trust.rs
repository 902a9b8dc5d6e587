//! `alembert verify` against the truth: motions known in closed form, or from an independent integration in other
//! coordinates, that `verify` is not told.
//!
//! ```text
//! an error bar holds      |row - truth| <= bar, at all rows of `alembert run`, for q and for v
//! certified               exit code 0
//! a false alarm           not certified, although errors of q and v, and of a where v is smooth, are within a tenth of what
//!                         is certified; fixed steps across jumps of a force have no order, and doubting them is right
//! ```
//!
//! Rows within a millionth of the span of an impact are left out: there v jumps. `cargo xtask trust` runs all cases and
//! writes docs/trust.md.

#[path = "trust/cases.rs"]
mod cases;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

use cases::{MOTIONS, Motion};
use program::alembert;
use serde_json::Value;

/// How a motion is run.
#[derive(Clone, Copy)]
struct Setting {
    method: &'static str,
    /// A tolerance, or a fixed step in units of the motion's own.
    tolerance: Option<f64>,
    part: f64,
    /// Whether it is one of the few that every test run does.
    is_quick: bool,
}

const fn tolerance(method: &'static str, tolerance: f64, is_quick: bool) -> Setting {
    Setting { method, tolerance: Some(tolerance), part: 0.0, is_quick }
}

const fn steps(method: &'static str, part: f64) -> Setting {
    Setting { method, tolerance: None, part, is_quick: false }
}

const SETTINGS: &[Setting] = &[
    tolerance("radau", 1e-4, false),
    tolerance("radau", 1e-6, true),
    tolerance("radau", 1e-9, false),
    tolerance("radau", 1e-12, false),
    tolerance("bdf", 1e-6, true),
    tolerance("soi2", 1e-5, false),
    tolerance("hht", 1e-5, false),
    steps("radau", 1.0),
    steps("bdf", 0.5),
    steps("soi2", 1.0),
    steps("hht", 0.5),
];

/// What became of a case.
struct Outcome {
    kind: &'static str,
    name: String,
    certified: bool,
    /// Errors of q and v with their bars, and what one tolerance is; with fixed steps a hundredth of what is certified.
    errors: [f64; 2],
    bars: [f64; 2],
    tolerances: [f64; 2],
    /// The error of a in tolerances, where v is smooth.
    acceleration: f64,
    /// Fixed steps across jumps.
    is_rough: bool,
    doubts: String,
}

impl Outcome {
    fn holds(&self) -> bool {
        // Closed forms have rounding, too.
        (0..2).all(|i| self.errors[i] <= self.bars[i] + 1e-14)
    }

    /// The largest error in tolerances.
    fn size(&self) -> f64 {
        (0..2).map(|i| self.errors[i] / self.tolerances[i]).fold(0.0, f64::max)
    }

    fn is_false_alarm(&self) -> bool {
        !self.certified && !self.is_rough && self.size() < 10.0 && self.acceleration < 10.0
    }
}

fn text(motion: &Motion, setting: &Setting) -> String {
    let steps = match setting.tolerance {
        Some(tolerance) => format!("rtol = {tolerance:e}"),
        None => format!("h = {}", motion.h * setting.part),
    };
    // The [run] section comes first: a file may end with events.
    format!(
        "format = 1\nname = '{}'\n[run]\nt_end = {}\nmethod = '{}'\n{steps}\noutput_every = {}\n{}",
        motion.name,
        motion.t_end,
        setting.method,
        motion.t_end / 50.0,
        motion.text
    )
}

/// Runs and verifies a case; none if the run itself fails, which is an honest answer.
fn outcome(motion: &Motion, setting: &Setting) -> Option<Outcome> {
    let steps = match setting.tolerance {
        Some(tolerance) => format!("rtol {tolerance:e}"),
        None => format!("h {}", motion.h * setting.part),
    };
    let name = format!("{}, {} {steps}", motion.name, setting.method);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trust");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{}.toml", name.replace([' ', ','], "-")));
    fs::write(&file, text(motion, setting)).expect("a file");
    let file = file.display().to_string();
    let (csv, _, code) = alembert(&["run", &file, "--quiet"]);
    if code != 0 {
        return None;
    }
    let (stdout, stderr, code) = alembert(&["verify", &file, "--json", "--quiet"]);
    let told: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{name}: no JSON: {stderr}"));
    assert_eq!(told["trusted"].as_bool(), Some(code == 0), "{name}");
    let (errors, sizes, acceleration) = errors(motion, &csv);
    let acceleration = acceleration / setting.tolerance.unwrap_or(0.001);
    let bars = ["q", "v"].map(|quantity| told["error_bars"][quantity].as_f64().unwrap_or(f64::NAN));
    let tolerances = sizes.map(|size| setting.tolerance.map_or(0.001, |tolerance| tolerance) * (1.0 + size));
    let doubts = told["doubts"].as_array().expect("doubts").iter().filter_map(Value::as_str);
    let doubts = doubts.collect::<Vec<_>>().join("; ");
    let is_rough = setting.tolerance.is_none() && ["kinked", "pulses"].contains(&motion.kind);
    Some(Outcome {
        kind: motion.kind,
        name,
        certified: code == 0,
        errors,
        bars,
        tolerances,
        acceleration,
        is_rough,
        doubts,
    })
}

/// The largest errors of q and v in a result and their sizes, and the relative error of a where v is smooth.
fn errors(motion: &Motion, csv: &str) -> ([f64; 2], [f64; 2], f64) {
    let (mut errors, mut sizes) = ([0.0_f64; 2], [0.0_f64; 2]);
    let (mut error, mut size) = (0.0_f64, 0.0_f64);
    let rows: Vec<Vec<f64>> =
        csv.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    // Rows of one time are the two sides of an impact.
    let jumps: Vec<f64> =
        rows.windows(2).filter(|pair| pair[1][0] - pair[0][0] < 1e-9).map(|pair| pair[0][0]).collect();
    for row in &rows {
        if jumps.iter().any(|t| (t - row[0]).abs() < 1e-6 * motion.t_end) {
            continue;
        }
        let (q, v) = (motion.truth)(row[0]);
        for (i, truth) in [&q, &v].into_iter().enumerate() {
            for (x, y) in row[1 + i * q.len()..].iter().zip(truth) {
                errors[i] = errors[i].max((x - y).abs());
                sizes[i] = sizes[i].max(y.abs());
            }
        }
        if ["smooth", "stiff"].contains(&motion.kind) {
            let (before, after) = ((motion.truth)(row[0] - 1e-4).1, (motion.truth)(row[0] + 1e-4).1);
            for (x, (y, z)) in row[1 + 2 * q.len()..].iter().zip(before.iter().zip(&after)) {
                let a = (z - y) / 2e-4;
                (error, size) = (error.max((x - a).abs()), size.max(a.abs()));
            }
        }
    }
    (errors, sizes, error / (1.0 + size))
}

/// All cases, or the quick ones.
fn study(all: bool) -> (Vec<Outcome>, usize) {
    let (mut outcomes, mut failed) = (Vec::new(), 0);
    for motion in MOTIONS {
        for setting in SETTINGS.iter().filter(|setting| all || setting.is_quick) {
            if setting.method == "hht" && !motion.is_holonomic {
                continue;
            }
            match outcome(motion, setting) {
                Some(outcome) => outcomes.push(outcome),
                None => failed += 1,
            }
        }
    }
    (outcomes, failed)
}

fn share(count: usize, of: usize) -> f64 {
    100.0 * count as f64 / of.max(1) as f64
}

/// One line a kind, and one for all.
fn table(outcomes: &[Outcome], failed: usize) -> String {
    let kinds = ["smooth", "kinked", "impacts", "pulses", "chaotic", "stiff", "all"];
    let mut text = "| Kind | Cases | Bars that hold | Certified | Worst of them, in tolerances | False alarms |\n|---|---|---|---|---|---|\n".to_owned();
    for kind in kinds {
        let of: Vec<&Outcome> = outcomes.iter().filter(|o| kind == "all" || o.kind == kind).collect();
        let certified: Vec<&&Outcome> = of.iter().filter(|o| o.certified).collect();
        text += &format!(
            "| {kind} | {} | {} ({:.1} %) | {} | {:.2} | {} |\n",
            of.len(),
            of.iter().filter(|o| o.holds()).count(),
            share(of.iter().filter(|o| o.holds()).count(), of.len()),
            certified.len(),
            certified.iter().map(|o| o.size()).fold(0.0, f64::max),
            of.iter().filter(|o| o.is_false_alarm()).count()
        );
    }
    text + &format!("\n{failed} further runs failed with a message of their own.\n")
}

fn judge(outcomes: &[Outcome], failed: usize) {
    let told = outcomes.iter().map(|o| {
        format!(
            "{} {} {}: errors {:.1e} {:.1e}, bars {:.1e} {:.1e}, {:.2} tolerances {}\n",
            if o.certified { "certified" } else { "doubted  " },
            if o.holds() { "holds" } else { "BROKEN" },
            o.name,
            o.errors[0],
            o.errors[1],
            o.bars[0],
            o.bars[1],
            o.size(),
            if o.is_false_alarm() { format!("FALSE ALARM {}", o.doubts) } else { o.doubts.clone() }
        )
    });
    let told: String = told.collect::<String>() + &table(outcomes, failed);
    println!("{told}");
    let holds = outcomes.iter().filter(|outcome| outcome.holds()).count();
    assert!(share(holds, outcomes.len()) >= 95.0, "{told}");
    // Within the certified errors of fixed steps a tolerance is a thousandth of the size.
    assert!(outcomes.iter().all(|outcome| !outcome.certified || outcome.size() <= 100.0), "{told}");
    let alarms = outcomes.iter().filter(|outcome| outcome.is_false_alarm()).count();
    assert!(share(alarms, outcomes.len()) <= 5.0, "{told}");
}

/// The quick cases; all of them, with their table written to a file, where `cargo xtask trust` asks for it.
#[test]
fn error_bars_hold_on_motions_that_are_known() {
    let file = std::env::var_os("TRUST_TABLE");
    let (outcomes, failed) = study(file.is_some());
    assert!(outcomes.len() >= if file.is_some() { 100 } else { 30 }, "{} cases", outcomes.len());
    if let Some(file) = file {
        fs::write(file, table(&outcomes, failed)).expect("the table");
    }
    judge(&outcomes, failed);
}
