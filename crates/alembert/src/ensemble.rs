//! Independent runs at the same time: one integrator for each thread, and the results in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
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
    let mut results = Vec::with_capacity(members.len());
    run_in_order(
        0..members.len(),
        threads,
        |k| run(&members[k]),
        |_, result| {
            results.push(result);
            ControlFlow::Continue(())
        },
    );
    results
}

/// Most threads, whatever is asked for: each has a stack.
const MOST_THREADS: usize = 256;
/// How many members may be begun before the oldest one is over: results wait for it.
const AHEAD: usize = 1024;

/// Where the members are.
struct Place {
    next: usize,
    /// Members whose results were taken.
    taken: usize,
    stopped: bool,
}

/// Tells all others when a run panics, so that nobody waits for its result.
struct Bell<'a>(&'a Mutex<Place>, &'a Condvar);

impl Drop for Bell<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
            self.1.notify_all();
        }
    }
}

/// The same for members by number, with no more results in memory than there are to wait for: each is passed on when all before
/// it were; `Break` ends the work, and members that were not begun are not run.
pub fn run_in_order<R: Send>(
    members: Range<usize>,
    threads: usize,
    run: impl Fn(usize) -> R + Sync,
    mut take: impl FnMut(usize, R) -> ControlFlow<()>,
) {
    let threads = if threads > 0 { threads } else { thread::available_parallelism().map_or(1, usize::from) };
    let place = Mutex::new(Place { next: members.start, taken: members.start, stopped: false });
    let bell = Condvar::new();
    let end = members.end;
    let next = || -> Option<usize> {
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if place.stopped || place.next >= end {
                return None;
            }
            if place.next < place.taken + AHEAD {
                place.next += 1;
                return Some(place.next - 1);
            }
            place = bell.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut working = 0;
        for _ in 0..threads.min(members.len()).min(MOST_THREADS) {
            let (sender, next, run, place, bell) = (sender.clone(), &next, &run, &place, &bell);
            let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                let _bell = Bell(place, bell);
                while let Some(k) = next() {
                    if sender.send((k, run(k))).is_err() {
                        return;
                    }
                }
            });
            // A system that has no more threads to give has given some.
            match spawned {
                Ok(_) => working += 1,
                Err(_) => break,
            }
        }
        drop(sender);
        let mut passed = |k: usize, result: R| {
            let flow = take(k, result);
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            place.taken = k + 1;
            place.stopped |= flow.is_break();
            bell.notify_all();
            place.stopped
        };
        if working == 0 {
            while let Some(k) = next() {
                passed(k, run(k));
            }
        }
        let (mut waiting, mut oldest) = (BTreeMap::new(), members.start);
        for (k, result) in receiver {
            waiting.insert(k, result);
            while let Some(result) = waiting.remove(&oldest) {
                oldest += 1;
                if passed(oldest - 1, result) {
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whoever_is_faster() {
        let members: Vec<u64> = (0..50).collect();
        for threads in [0, 1, 3, 80, 100_000] {
            let squares = run_many(&members, threads, |k| {
                thread::yield_now();
                k * k
            });
            assert_eq!(squares, members.iter().map(|k| k * k).collect::<Vec<_>>());
        }
        assert!(run_many(&[], 0, |k: &u64| *k).is_empty());
    }

    #[test]
    fn no_more_results_wait_than_there_is_room_for() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (begun, mut taken) = (AtomicUsize::new(0), 0);
        let run = |k: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            // The first one is the slowest.
            if k == 10 {
                thread::sleep(std::time::Duration::from_millis(50));
            }
            k
        };
        run_in_order(10..20_000, 3, run, |k, result| {
            assert_eq!((k, result), (10 + taken, k));
            assert!(begun.load(Ordering::Relaxed) <= taken + AHEAD + 4);
            taken += 1;
            if taken == 9_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(taken, 9_000);
        assert!(begun.load(Ordering::Relaxed) < 9_000 + 2 * AHEAD);
    }

    #[test]
    fn a_panic_ends_the_work_and_is_passed_on() {
        let all = std::panic::catch_unwind(|| {
            run_in_order(0..100_000, 2, |k| assert_ne!(k, 3), |_, ()| ControlFlow::Continue(()));
        });
        assert!(all.is_err());
    }
}
