//! A run that is in memory, as a folder: the same files that a [recorded](crate::record) one has, so that whatever reads those reads
//! these.

use serde_json::Value;

use crate::failure::Failure;
use crate::folder::Folder;
use crate::record::partial;
use crate::sheet::Sheet;

/// Writes rows, steps and the summary, which says under `asked` what the run was asked for and under `partial` whether it is one.
///
/// # Errors
/// If a file cannot be written, or there is one that is not one's own and shall not be replaced.
pub fn save(rows: &Sheet, steps: &Sheet, summary: &Value, folder: &Folder, force: bool) -> Result<(), Failure> {
    let is_partial = summary["partial"].as_bool().unwrap_or(false);
    let called = |name: &str| if is_partial { partial(name) } else { name.to_owned() };
    let names = ["result.csv", "steps.csv"].map(called);
    let planned = [names[0].as_str(), &names[1], "summary.json"];
    if !force {
        folder.require_free(planned)?;
    }
    let foreign: Vec<String> = planned.into_iter().filter(|name| folder.is_foreign(name)).map(str::to_owned).collect();
    folder.clear(|_| false, &foreign)?;
    for (name, sheet) in names.iter().zip([rows, steps]) {
        folder.write_with(name, |out| sheet.write_csv(out))?;
    }
    // The summary comes last: where it is, everything is.
    folder.write("summary.json", &format!("{summary:#}\n"))?;
    folder.close()
}
