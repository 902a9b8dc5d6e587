//! `cargo xtask accuracy`: what a tolerance means. Errors over the tolerance asked for, of motions that are smooth and of motions
//! that are not, against references that share nothing with the methods; writes docs/accuracy.md.
//!
//! ```text
//! ratio = max over times and entries of |error| / (tol (1 + size)),     size the largest entry of q, or of v
//! ```

mod cases;
mod run;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::TaskError;
use cases::{Family, families};
use run::{METHODS, Outcome, outcome, references};

const HEAD: &str = "\
# What a tolerance means

Made by `cargo xtask accuracy`. A number is the largest error of q and v at four times of a run, over tol (1 + size), where size is the largest entry of q, or of v: 1 means that the
error is what was asked for. References are closed forms, reduced equations or index-1 systems, integrated by extrapolation; where forces are not smooth, piece by piece between
switches that are located to rounding.

";

/// Runs everything and writes the page.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let mut page = HEAD.to_owned();
    for method in METHODS {
        page += &section(method)?;
    }
    fs::write(root.join("docs").join("accuracy.md"), &page)?;
    print!("{page}");
    Ok(())
}

/// The table of one method.
fn section(method: &'static run::Method) -> Result<String, TaskError> {
    let mut text = format!("## {}\n\n{}\n\n| Motions |", method.title, method.says);
    for digits in method.digits.clone() {
        write!(text, " 1e-{digits} |")?;
    }
    text += " force evaluations |\n|---|";
    text += &"---|".repeat(method.digits.clone().count() + 1);
    text += "\n";
    let (mut failures, mut rough) = (Vec::new(), Vec::new());
    for Family { name, problems, is_smooth } in families() {
        let problems: Vec<_> = problems.into_iter().filter(|problem| (method.suits)(&*problem.system)).collect();
        let exact: Vec<_> = problems.iter().map(references).collect();
        let mut work = 0;
        write!(text, "| {name} |")?;
        for digits in method.digits.clone() {
            let mut ratios = Vec::new();
            for (problem, exact) in problems.iter().zip(&exact) {
                match outcome(problem, exact, method, 10f64.powi(-digits)) {
                    Ok(Outcome { ratio, forces }) => {
                        ratios.push(ratio);
                        work += forces;
                    }
                    Err(error) => {
                        let words = error.to_string();
                        let first = words.lines().next().unwrap_or_default();
                        failures.push(format!("{} at 1e-{digits}: {first}", problem.title));
                    }
                }
            }
            if !is_smooth {
                rough.extend(&ratios);
            }
            write!(text, " {:.1} / {:.0} |", quantile(&mut ratios, 0.5), quantile(&mut ratios, 1.0))?;
        }
        writeln!(text, " {work} |")?;
    }
    let [median, nine, most] = [0.5, 0.9, 1.0].map(|share| quantile(&mut rough, share));
    writeln!(
        text,
        "\nMedian / largest. Of the motions that are not smooth: median {median:.1}, nine of ten at most {nine:.0}, largest {most:.0}.\n"
    )?;
    for failure in failures {
        writeln!(text, "- failed: {failure}")?;
    }
    Ok(text)
}

/// The value below which a share of all lies.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(place).copied().unwrap_or(f64::NAN)
}
