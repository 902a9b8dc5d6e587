//! `cargo xtask fuzz`: the fuzz tests for longer than the test command does, with another seed each time.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::TaskError;

/// The tests, each a campaign of `crates/fuzz`: package and name.
const CAMPAIGNS: [(&str, &str); 6] = [
    ("alembert-model", "any_text_is_a_model_or_has_mistakes"),
    ("alembert-model", "any_mechanism_is_one_or_has_mistakes"),
    ("alembert-model", "any_setting_is_taken_or_refused"),
    ("alembert-sim", "any_table_is_read_or_refused"),
    ("alembert-cli", "any_command_line_is_read_or_refused"),
    ("alembert-cli", "any_folder_is_drawn_or_refused"),
];

/// Runs every campaign for so many minutes, or for so many inputs.
pub fn run(root: &Path, minutes: u64, inputs: Option<u64>) -> Result<(), TaskError> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    println!("seed {seed}");
    for (package, test) in CAMPAIGNS {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root).args(["test", "--release", "--quiet", "-p", package, test, "--", "--nocapture"]);
        command.env("ALEMBERT_FUZZ_SECONDS", (60 * minutes).to_string());
        command.env("ALEMBERT_FUZZ_SEED", seed.to_string());
        if let Some(inputs) = inputs {
            command.env("ALEMBERT_FUZZ_INPUTS", inputs.to_string());
        }
        if !command.status()?.success() {
            return Err(format!("{test} found something: its input belongs into the corpus").into());
        }
    }
    Ok(())
}
