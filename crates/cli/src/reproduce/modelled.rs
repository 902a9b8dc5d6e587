//! Problems of the papers whose equations come from the model files in `models`; starts and references stay those of the
//! library of problems. So the papers' numbers are checked for the files, and with them for the whole path from text to tapes.

use alembert_model::Model;
use alembert_problems as problems;
use alembert_problems::Problem;

/// A problem with the equations of a file.
fn with_file(problem: Problem, text: &str) -> Problem {
    match Model::parse(problem.name, text, &[]) {
        Ok(model) => Problem { system: Box::new(model.system), ..problem },
        // The files are part of the program, and tested.
        Err(mistakes) => panic!("{mistakes}"),
    }
}

/// Paper 1, section 5.1.
pub fn paper1() -> Problem {
    with_file(problems::paper1::new(), include_str!("models/paper1.toml"))
}

/// Paper 1, section 5.2.
pub fn spring_pendulum() -> Problem {
    with_file(problems::spring_pendulum::new(), include_str!("models/spring_pendulum.toml"))
}

/// Paper 2, (7.1).
pub fn paper2() -> Problem {
    with_file(problems::paper2::new(), include_str!("models/paper2.toml"))
}

/// Paper 2, (7.2), from its Lagrangian.
pub fn rolling_disk() -> Problem {
    with_file(problems::rolling_disk::new(), include_str!("models/rolling_disk.toml"))
}

/// Paper 3, section 8.
pub fn paper3() -> Problem {
    with_file(problems::paper3::new(), include_str!("models/paper3.toml"))
}

/// Paper 4's pendulum, with the force of its tables.
pub fn pendulum() -> Problem {
    with_file(problems::pendulum::normalised(), include_str!("models/pendulum_paper4.toml"))
}

/// Andrews' mechanism, for paper 4.
pub fn andrews() -> Problem {
    with_file(problems::andrews::new(), include_str!("models/andrews.toml"))
}

/// Paper 5, problem 5.1.
pub fn circle() -> Problem {
    with_file(problems::paper5::circle(), include_str!("models/paper5_circle.toml"))
}

/// Paper 5, problem 5.2.
pub fn sphere() -> Problem {
    with_file(problems::paper5::sphere(), include_str!("models/paper5_sphere.toml"))
}
