//! Memory that is not there: the program ends at once, as the language has it, in the middle of whatever it does. What is on the disk
//! then is marked as partial, and can be continued or begun anew.

use std::process::Command;

use super::counting::{allocations, fail_after};
use super::{contents, folder, go, go_on, nothing_looks_whole, sound};

/// Set for the process that runs out of memory: after how many allocations, and whether it continues an earlier run.
const CHILD: &str = "ALEMBERT_TEST_ALLOCATIONS";
/// Moments that are tried, spread over the run.
const MOMENTS: u64 = 60;

#[test]
fn memory_runs_out_at_many_moments() {
    let path = std::env::temp_dir().join(format!("alembert-memory-{}", std::process::id()));
    if let Ok(words) = std::env::var(CHILD) {
        let (count, place) = words.split_once(' ').expect("two words");
        let (count, place) = (count.parse().expect("a number"), std::path::Path::new(place));
        fail_after(count);
        let ended = if place.join("run.checkpoint").exists() { go_on(place, &sound()) } else { go(place, &sound()) };
        // Only a process that got all the memory it wanted comes here.
        ended.expect("runs");
        return;
    }
    let whole = folder("faults-memory-whole");
    let before = allocations();
    go(&whole, &sound()).expect("runs");
    let (all, whole) = (allocations() - before, contents(&whole));
    assert!(all > 10 * MOMENTS, "{all} allocations");
    let starve = |count: u64| {
        let program = std::env::current_exe().expect("this program");
        let child = Command::new(program)
            .args(["--exact", "memory::memory_runs_out_at_many_moments"])
            .env(CHILD, format!("{count} {}", path.display()))
            .output();
        !child.expect("starts").status.success()
    };
    let (mut ended, mut continued) = (0, 0);
    for k in 0..MOMENTS {
        let _ = std::fs::remove_dir_all(&path);
        let count = all * k / MOMENTS;
        assert!(starve(count), "{count} of {all} allocations are enough");
        ended += 1;
        let at = format!("after {count} of {all} allocations");
        // A killed process leaves its lock and temporary files to the next; these are the only ones that are not marked.
        if path.exists() {
            for name in contents(&path).keys().filter(|name| name.ends_with(".tmp") || name.ends_with(".lock")) {
                assert!(name.starts_with(".alembert-"), "{at}: {name}");
            }
        }
        if path.join("run.checkpoint").exists() {
            // Again, in the continuation.
            starve(count / 2);
            continued += 1;
            go_on(&path, &sound()).unwrap_or_else(|failure| panic!("{at}: {failure}"));
        }
        if contents_or_none(&path) != Some(whole.clone()) {
            go(&path, &sound()).unwrap_or_else(|failure| panic!("{at}: {failure}"));
        }
        nothing_looks_whole(&path, &whole, &at);
        assert_eq!(contents(&path), whole, "{at}");
    }
    let _ = std::fs::remove_dir_all(&path);
    assert!(ended == MOMENTS && continued > MOMENTS / 4, "{ended} ended, {continued} continued");
}

fn contents_or_none(path: &std::path::Path) -> Option<std::collections::BTreeMap<String, Vec<u8>>> {
    path.exists().then(|| contents(path))
}
