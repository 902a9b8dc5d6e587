//! What the kernel knows about this process: time on a processor, and memory.

use std::sync::OnceLock;
use std::time::Instant;

/// Seconds on a processor; where the kernel does not tell, seconds by the clock. The kernel counts in ticks of a few
/// milliseconds.
pub fn seconds() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let nanoseconds = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    };
    nanoseconds().map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// The most memory that was in use so far, in kB; none where the kernel does not tell.
pub fn peak() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
