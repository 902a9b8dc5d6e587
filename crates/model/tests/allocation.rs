//! Evaluating a model does not allocate.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use alembert::{ErrorControl, Integrator, Tolerance, consistent};
use common::load;

/// Counts allocations by thread: the test harness has threads of its own.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

// The only way to see allocations is to be the allocator, and that interface is unsafe.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_do_not_allocate() {
    for name in ["pendulum", "rolling_disk", "car_axis", "andrews", "governor"] {
        let model = load(name, &[]);
        let start = consistent(&model.system, &model.guess).expect("a start");
        let scheme = model.run.method.scheme(&model.run.steps).expect("a scheme");
        let tolerance = Tolerance::new(1e-6, 1e-6).expect("a tolerance");
        let mut integrator =
            Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("a start");
        let mut steps = |count: usize| {
            for _ in 0..count {
                integrator.step(model.run.t_end).expect("a step");
            }
        };
        steps(8);
        let before = allocations();
        steps(8);
        assert_eq!(allocations() - before, 0, "{name}");
    }
    assert!(allocations() > 0, "the counter counts");
}
