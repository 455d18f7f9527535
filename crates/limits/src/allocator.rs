//! The global allocator: mimalloc, with an orderly end of the process when the system has no more memory.
//!
//! Rust aborts when an allocation fails. Under `ulimit -v`, or in a container, that is a limit like any other and not a
//! crash, so the message prepared for it is printed instead ([`crate::prepare`]) and the process ends with its exit
//! code. Allocations are not counted here: the limit applies to resident memory, which a thread of the command reads
//! every few milliseconds, so an ordinary allocation costs one comparison more.

use std::alloc::{GlobalAlloc, Layout};

use crate::last_words;

/// mimalloc, until memory ends.
pub struct Allocator;

static INNER: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Says the last words if there is no memory. Without any, the caller deals with null, as Rust does: by aborting.
#[inline(always)]
fn checked(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        last_words::out_of_memory();
    }
    pointer
}

// SAFETY: every call is handed on to mimalloc with its own arguments.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(unsafe { INNER.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(unsafe { INNER.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { INNER.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(unsafe { INNER.realloc(pointer, layout, new_size) })
    }
}
