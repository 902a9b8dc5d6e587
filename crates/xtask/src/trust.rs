//! `alembert verify` against the truth on all cases of `crates/cli/tests/trust.rs`; its table becomes docs/trust.md.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::TaskError;

/// What stands above the table.
const HEAD: &str = "\
# How far `verify` can be trusted

`cargo xtask trust` runs `alembert run` and `alembert verify` on motions that are known in closed form, or from an independent integration in other
coordinates, and compares what `verify` says with the truth, which it is not told. The cases are in
[crates/cli/tests/trust/cases.rs](../crates/cli/tests/trust/cases.rs): 18 motions with Radau, BDF, SOI2 and HHT at several tolerances and fixed steps. The task made this
table:

";

/// What stands below it.
const FOOT: &str = "
- A bar holds if the errors of q and v of all rows of the result are within the error bars that `verify` gives, certified or not.
- Certified means exit code 0. The worst certified error is in units of rtol (1 + size); with fixed steps, of a thousandth of 1 + size.
- A false alarm is a result that is not certified although its errors of q and v are below ten of these units. Two sorts are not counted: fixed steps across jumps of a
  force, where errors do not shrink in order and `verify` says so; and smooth motions whose a is off by ten units or more.
- The limits of `verify` were chosen with these cases in sight: the 1e-12 (1 + size) of the bars, and the errors that Newton's method may leave at fixed steps. The
  definition of a false alarm was, too. Only q and v are compared with the truth, not the bars of a, lambda and psi.
- Pulses of 0.1 ms within steps of 0.1 s are missed by all runs. `verify` finds them where they are wider than about a 100 000th of the span.
- A part of these cases runs with every test (`crates/cli/tests/trust.rs`), with the same limits: 95 % of the bars hold, nothing is certified beyond
  100 tolerances.
";

/// Runs the study and writes its page.
pub fn run(root: &Path) -> Result<(), TaskError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let table = root.join("target").join("trust-table.md");
    let study = ["test", "--quiet", "--package", "alembert-cli", "--test", "suite", "--", "trust::", "--nocapture"];
    let status = Command::new(cargo).current_dir(root).args(study).env("TRUST_TABLE", &table).status()?;
    if !status.success() {
        return Err("the study failed".into());
    }
    fs::write(root.join("docs").join("trust.md"), format!("{HEAD}{}{FOOT}", fs::read_to_string(&table)?))?;
    Ok(())
}
