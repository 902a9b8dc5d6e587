//! Independent runs at the same time: one integrator for each thread, and the results in order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs every member on `threads` threads, or on all processors if that is zero, and returns the results in the order of
/// the members. A run that fails is a result like any other and stops none of them.
///
/// ```
/// use alembert::run_many;
///
/// let lengths = [1.0, 2.0, -1.0];
/// let periods = run_many(&lengths, 0, |length: &f64| {
///     if *length > 0.0 { Ok((length / 9.81).sqrt()) } else { Err("no such pendulum") }
/// });
/// assert!(periods[0].is_ok() && periods[1].is_ok() && periods[2].is_err());
/// ```
pub fn run_many<M: Sync, R: Send>(members: &[M], threads: usize, run: impl Fn(&M) -> R + Sync) -> Vec<R> {
    let threads = if threads > 0 { threads } else { thread::available_parallelism().map_or(1, usize::from) };
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(members.len()));
    thread::scope(|scope| {
        for _ in 0..threads.min(members.len()) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(member) = members.get(k) else { return };
                    let result = run(member);
                    // A poisoned lock means that another run panicked, which the scope passes on.
                    if let Ok(mut results) = results.lock() {
                        results.push((k, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_unstable_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whoever_is_faster() {
        let members: Vec<u64> = (0..50).collect();
        for threads in [0, 1, 3, 80] {
            let squares = run_many(&members, threads, |k| {
                thread::yield_now();
                k * k
            });
            assert_eq!(squares, members.iter().map(|k| k * k).collect::<Vec<_>>());
        }
        assert!(run_many(&[], 0, |k: &u64| *k).is_empty());
    }
}
