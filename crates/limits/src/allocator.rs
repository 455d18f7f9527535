//! The global allocator: mimalloc, with an orderly end of the process when the system has no more memory, and large
//! blocks straight from the system.
//!
//! Rust aborts when an allocation fails. Under `ulimit -v`, or in a container, that is a limit like any other and not a
//! crash, so the message prepared for it is printed instead ([`crate::prepare`]) and the process ends with its exit
//! code. Allocations are not counted here: the limit applies to resident memory, which a thread of the command reads
//! every few milliseconds, so an ordinary allocation costs one comparison more.
//!
//! A vector that doubles is copied, and for a moment both copies are resident: hundreds of megabytes that no limit has
//! foreseen. So blocks from [`LARGE`] bytes on are mappings of their own, which the system moves without copying.

use std::alloc::{GlobalAlloc, Layout};

use crate::last_words;

/// mimalloc, until memory ends.
pub struct Allocator;

static INNER: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Blocks of this size and more are mapped.
const LARGE: usize = 16 << 20;

/// Pages may be larger; none is smaller.
const PAGE: usize = 4096;

/// Says the last words if there is no memory. Without any, the caller deals with null, as Rust does: by aborting.
#[inline(always)]
fn checked(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        last_words::out_of_memory();
    }
    pointer
}

/// Whether a block is a mapping of its own; known from what its owner says of it, so that nothing has to be remembered.
#[inline(always)]
fn is_mapped(bytes: usize, align: usize) -> bool {
    bytes >= LARGE && align <= PAGE
}

/// New pages, filled with zeros; null if there are none.
#[cold]
fn map(bytes: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: asks for new pages at an address that the system chooses.
    let pointer = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
    if pointer == libc::MAP_FAILED { std::ptr::null_mut() } else { pointer.cast() }
}

// SAFETY: blocks below `LARGE` are mimalloc's, with the caller's own arguments; the others are mappings that end where
// `dealloc` or `realloc` is told their size, and which of the two a block is follows from its layout alone.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_mapped(layout.size(), layout.align()) {
            return checked(map(layout.size()));
        }
        // SAFETY: as the caller promises.
        checked(unsafe { INNER.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_mapped(layout.size(), layout.align()) {
            return checked(map(layout.size()));
        }
        // SAFETY: as the caller promises.
        checked(unsafe { INNER.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if is_mapped(layout.size(), layout.align()) {
            // SAFETY: the block is a mapping of this size, which nobody uses any more.
            unsafe { libc::munmap(pointer.cast(), layout.size()) };
            return;
        }
        // SAFETY: as the caller promises.
        unsafe { INNER.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let (was, is) = (is_mapped(layout.size(), layout.align()), is_mapped(new_size, layout.align()));
        if !was && !is {
            // SAFETY: as the caller promises.
            return checked(unsafe { INNER.realloc(pointer, layout, new_size) });
        }
        if was && is {
            // SAFETY: the block is a mapping of this size, and the caller gives up its old address.
            let moved = unsafe { libc::mremap(pointer.cast(), layout.size(), new_size, libc::MREMAP_MAYMOVE) };
            return checked(if moved == libc::MAP_FAILED { std::ptr::null_mut() } else { moved.cast() });
        }
        // SAFETY: the caller promises a size that is not zero and does not overflow with this alignment; both blocks
        // have as many bytes as are copied, and are different ones.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(pointer, new, layout.size().min(new_size));
                self.dealloc(pointer, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grows and shrinks a block over the border between both kinds, and looks at what it holds.
    #[test]
    fn blocks_keep_their_bytes_when_they_change_their_kind() {
        let sizes = [1 << 10, LARGE - 1, LARGE, 3 * LARGE + 5, LARGE + 7, 1 << 12, 2 * LARGE, 64];
        let mut layout = Layout::from_size_align(sizes[0], 16).expect("a layout");
        // SAFETY: every block is used within its size, and each is given back once, with its own layout.
        unsafe {
            let mut block = Allocator.alloc_zeroed(layout);
            for (round, size) in sizes.into_iter().enumerate() {
                let known = layout.size().min(size);
                block = Allocator.realloc(block, layout, size);
                layout = Layout::from_size_align(size, 16).expect("a layout");
                if round > 0 {
                    assert_eq!((*block, *block.add(63)), (round as u8, 7), "of {known} bytes");
                }
                *block = round as u8 + 1;
                *block.add(63) = 7;
                *block.add(size - 1) = 7;
            }
            Allocator.dealloc(block, layout);
        }
    }

    #[test]
    fn large_blocks_begin_as_zeros() {
        let layout = Layout::from_size_align(LARGE, PAGE).expect("a layout");
        // SAFETY: the block is looked at within its size and given back with its layout.
        unsafe {
            let block = Allocator.alloc_zeroed(layout);
            assert!((0..LARGE).step_by(PAGE).all(|at| *block.add(at) == 0));
            Allocator.dealloc(block, layout);
        }
    }
}
