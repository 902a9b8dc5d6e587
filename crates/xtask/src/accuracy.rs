//! `cargo xtask accuracy`: what a tolerance means. Errors over the tolerance asked for, of motions that are smooth and of motions
//! that are not, against references that share nothing with the methods; writes docs/accuracy.md.
//!
//! ```text
//! ratio = max over times and entries of |error| / (tol (1 + size)),     size the largest entry of q, of v, of a, of the multipliers
//! ```

mod cases;
mod estimates;
mod peer;
mod run;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use alembert_problems::Problem;

use crate::TaskError;
use cases::{Family, Kind, families};
use run::{Contender, METHODS, Outcome, QUANTITIES, Truth, outcome};

const HEAD: &str = "\
# What a tolerance means

Made by `cargo xtask accuracy`. You write `rtol = 1e-8`: what do you get? A number below is the largest error at four times of a run over tol (1 + size), where size is the largest entry of the
quantity: 1 means that the error is what was asked for. Steps are chosen with `rtol` alone, so that absolute tolerances follow from the sizes of the motion. References are closed forms, reduced equations or index-1 systems,
integrated by extrapolation; where forces are not smooth, piece by piece between switches that are located to rounding.

";

const MEANING: &str = "
q and v are what a tolerance promises; accelerations and multipliers follow from them, and where springs are stiff they magnify their errors. Cells are median / largest over the motions of a family. Motions that are \
tiny or huge are measured relative to their own size. A tolerance is no bound: errors grow with the length of a motion, and where a kink is hidden beside large smooth forces no estimate sees it.
";

/// A family with the truth about it.
struct Study {
    family: Family,
    truths: Vec<Truth>,
}

/// Everything that one method made of one family.
#[derive(Default)]
struct Results {
    /// For each tolerance the outcomes.
    by_tolerance: Vec<Vec<Outcome>>,
}

/// Runs everything and writes the page; with `only_estimates` it prints those of the estimates that are off instead.
pub fn run(root: &Path, only_estimates: bool) -> Result<(), TaskError> {
    let studies: Vec<Study> = families()
        .into_iter()
        .map(|family| Study { truths: family.problems.iter().map(Truth::new).collect(), family })
        .collect();
    let (mut overview, mut sections) = (OVERVIEW.to_owned(), String::new());
    let mut all = Vec::new();
    for method in METHODS {
        let mut failures = Vec::new();
        let results: Vec<Results> = studies.iter().map(|study| results(study, method, &mut failures)).collect();
        writeln!(overview, "{}", summary(method, &studies, &results))?;
        sections += &section(method, &studies, &results, &failures)?;
        if only_estimates {
            estimates::print_misses(method, &studies, &results);
        }
        all.push(results);
        eprintln!("{}: done", method.title);
    }
    let estimates = estimates::section(&studies, &all)?;
    if only_estimates {
        print!("{estimates}");
        return Ok(());
    }
    for line in peer::overview(root)? {
        writeln!(overview, "{line}")?;
    }
    let page = format!("{HEAD}{overview}{MEANING}\n{estimates}{sections}");
    let page = format!("{}\n", page.trim_end());
    fs::write(root.join("docs").join("accuracy.md"), &page)?;
    print!("{page}");
    Ok(())
}

const OVERVIEW: &str = "\
| Errors of q and v over the tolerance | tolerances | smooth motions: median, nine of ten, largest | with declared switches | not smooth |
|---|---|---|---|---|
";

fn results(study: &Study, method: &Contender, failures: &mut Vec<String>) -> Results {
    let Family { problems, floor, .. } = &study.family;
    let mut results = Results::default();
    for digits in method.digits.clone() {
        let mut outcomes = Vec::new();
        let suited = problems.iter().zip(&study.truths).enumerate().filter(|(_, (problem, _))| method.suits(problem));
        for (i, (problem, truth)) in suited {
            match outcome(problem, truth, method, 10f64.powi(-digits), *floor) {
                Ok(outcome) => outcomes.push(Outcome { title: format!("{} {i}", problem.title), ..outcome }),
                Err(error) => failures.push(failure(problem, digits, &*error)),
            }
        }
        results.by_tolerance.push(outcomes);
    }
    results
}

fn failure(problem: &Problem, digits: i32, error: &dyn std::error::Error) -> String {
    let words = error.to_string();
    format!("{} at 1e-{digits}: {}", problem.title, words.lines().next().unwrap_or_default())
}

/// The line of a method in the overview.
fn summary(method: &Contender, studies: &[Study], results: &[Results]) -> String {
    let all = |kind: Kind| -> Vec<f64> {
        let of_kind = studies.iter().zip(results).filter(|(study, _)| study.family.kind == kind);
        let outcomes = of_kind.flat_map(|(_, results)| results.by_tolerance.iter().flatten());
        outcomes.map(|outcome| outcome.ratios[0].max(outcome.ratios[1])).collect()
    };
    let (least, most) = (method.digits.start(), method.digits.end());
    let [smooth, declared, rough] = [Kind::Smooth, Kind::Declared, Kind::Rough].map(|kind| quantiles(all(kind)));
    format!("| {} | 1e-{least} to 1e-{most} | {smooth} | {declared} | {rough} |", method.title)
}

/// Median, nine of ten, largest.
fn quantiles(mut values: Vec<f64>) -> String {
    let [median, nine, most] = [0.5, 0.9, 1.0].map(|share| short(quantile(&mut values, share)));
    format!("{median}, {nine}, {most}")
}

/// The table of one method.
fn section(
    method: &Contender,
    studies: &[Study],
    results: &[Results],
    failures: &[String],
) -> Result<String, TaskError> {
    let mut text = format!("## {}\n\n{}\n\n| Motions | |", method.title, method.says);
    for digits in method.digits.clone() {
        write!(text, " 1e-{digits} |")?;
    }
    text += "\n|---|---|";
    text += &"---|".repeat(method.digits.clone().count());
    text += "\n";
    for (study, results) in studies.iter().zip(results) {
        if results.by_tolerance.iter().all(Vec::is_empty) {
            continue;
        }
        for (i, quantity) in QUANTITIES.iter().enumerate() {
            write!(text, "| {} | {quantity} |", if i == 0 { study.family.name } else { "" })?;
            for outcomes in &results.by_tolerance {
                let mut ratios: Vec<f64> = outcomes.iter().map(|outcome| outcome.ratios[i]).collect();
                let [median, most] = [0.5, 1.0].map(|share| short(quantile(&mut ratios, share)));
                write!(text, " {median} / {most} |")?;
            }
            text += "\n";
        }
        text += "| | steps, forces |";
        for outcomes in &results.by_tolerance {
            let steps: u64 = outcomes.iter().map(|outcome| outcome.steps).sum();
            let forces: u64 = outcomes.iter().map(|outcome| outcome.forces).sum();
            write!(text, " {steps}, {forces} |")?;
        }
        text += "\n";
    }
    text += "\n";
    for failure in failures {
        writeln!(text, "- failed: {failure}")?;
    }
    text += if failures.is_empty() { "" } else { "\n" };
    Ok(text)
}

/// Two digits or whole numbers.
fn short(x: f64) -> String {
    if x.is_nan() {
        "-".into()
    } else if x < 0.095 {
        format!("{x:.2}")
    } else if x < 9.5 {
        format!("{x:.1}")
    } else if x < 1e5 {
        format!("{x:.0}")
    } else {
        format!("{x:.0e}")
    }
}

/// The value below which a share of all lies.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(place).copied().unwrap_or(f64::NAN)
}
