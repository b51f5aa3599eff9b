//! A global allocator that counts what the current thread allocates.
//!
//! The counters are plain cells of the thread: an engine that allocates much pays nothing for being
//! counted.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counted.
pub struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

fn count(calls: u64, grown: usize, shrunk: usize) {
    let bytes = i64::try_from(grown).unwrap_or(0) - i64::try_from(shrunk).unwrap_or(0);
    // A thread that is ending has no cells any more, and is not counted.
    let _ = CALLS.try_with(|cell| cell.set(cell.get() + calls));
    let _ = LIVE.try_with(|cell| cell.set(cell.get() + bytes));
}

// SAFETY: every call is passed on to `System` unchanged; counting touches no memory of the caller,
// and the cells are initialised in place and have no destructor, so that counting never allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, 0, layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size, layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The number of allocations that the work makes.
pub fn made_by(work: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    work();
    CALLS.get() - before
}

/// What the work gives, and by how many bytes the heap has grown when it is done.
pub fn held_by<T>(work: impl FnOnce() -> T) -> (T, i64) {
    let before = LIVE.get();
    let made = work();
    (made, LIVE.get() - before)
}
