//! An allocator that counts, for tests that nothing is allocated; and that fails, for tests of what is left then.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts allocations by thread: the test harness has threads of its own.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LAST: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

/// From now on this thread gets so many allocations and no more.
#[allow(dead_code, reason = "not every test that counts lets them fail")]
pub fn fail_after(count: u64) {
    LAST.with(|last| last.set(allocations() + count));
}

// The only way to see allocations is to be the allocator, and that interface is unsafe.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its counter is gone.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        if ALLOCATIONS.try_with(Cell::get).unwrap_or(0) > LAST.try_with(Cell::get).unwrap_or(u64::MAX) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
