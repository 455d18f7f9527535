//! Memory by the megabyte: zeroed regions straight from the system, on large pages where it has them, within a limit.
//!
//! A search touches its table at random. With pages of 4 KiB nearly every access also misses the processor's address
//! cache; with pages of 2 MiB the table of a hundred million states is a few hundred entries.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::StoreFull;

/// How much a store may allocate and how much it has.
pub(crate) struct Allowance {
    limit: u64,
    used: AtomicU64,
}

/// Zeroed memory that neither moves nor overlaps anything else, given back when dropped.
///
/// It starts at a multiple of 64, of 2 MiB if it is that long.
pub(crate) struct Region {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a region owns its memory as a box does; all access goes through pointers whose users answer for it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Allowance {
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit: limit.unwrap_or(u64::MAX), used: AtomicU64::new(0) }
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub(crate) fn full(&self) -> StoreFull {
        StoreFull { bytes: self.used() }
    }

    /// Books memory, unless it exceeds the limit.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), StoreFull> {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        if before.checked_add(bytes).is_none_or(|after| after > self.limit) {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(StoreFull { bytes: before });
        }
        Ok(())
    }

    /// Books memory that is there in any case.
    pub(crate) fn take_anyway(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// A region within the limit; to be given back with [`Self::give_back`] when it is dropped or discarded.
    pub(crate) fn region(&self, len: usize) -> Result<Region, StoreFull> {
        self.take(len as u64)?;
        Region::new(len).ok_or_else(|| {
            self.give_back(len as u64);
            self.full()
        })
    }
}

impl Region {
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Gives the memory away; [`Self::from_parts`] takes it back.
    pub(crate) fn into_start(self) -> NonNull<u8> {
        std::mem::ManuallyDrop::new(self).start
    }

    /// # Safety
    /// `start` comes from [`Self::into_start`] of a region of this length and is given here once.
    pub(crate) unsafe fn from_parts(start: NonNull<u8>, len: usize) -> Self {
        Self { start, len }
    }
}

/// Asks the processor to load the cache line of this address; any address will do.
#[inline(always)]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults, and every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// The same for an address that is to be written.
#[inline(always)]
pub(crate) fn prefetch_to_write(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults; processors without this one take it for no operation.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_ET0 }>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use super::*;

    const LARGE_PAGE: usize = 2 << 20;

    impl Region {
        /// Null-length regions and those the system refuses are `None`.
        pub(crate) fn new(len: usize) -> Option<Self> {
            // Room to cut the region so that it starts at a large page.
            let slack = if len >= LARGE_PAGE { LARGE_PAGE } else { 0 };
            let start = map(len.checked_add(slack)?)?;
            let offset = start.as_ptr().align_offset(LARGE_PAGE);
            if slack == 0 || offset > slack {
                return Some(Self { start, len });
            }
            let tail = (len + slack).next_multiple_of(PAGE) - (offset + len.next_multiple_of(PAGE));
            // SAFETY: both parts lie within the mapping just made and outside the region; they are whole pages,
            // because mappings and large pages start at pages. `madvise` changes no content here.
            unsafe {
                let region = start.add(offset);
                unmap(start.as_ptr(), offset);
                unmap(region.as_ptr().add(len.next_multiple_of(PAGE)), tail);
                libc::madvise(region.as_ptr().cast(), len, libc::MADV_HUGEPAGE);
                Some(Self { start: region, len })
            }
        }

        /// Hands the memory back but keeps the addresses: a stray reader meets zeros.
        pub(crate) fn discard(&self) {
            // SAFETY: the range is a mapping of ours without a file behind it, so it reads as zeros afterwards.
            unsafe { libc::madvise(self.start.as_ptr().cast(), self.len, libc::MADV_DONTNEED) };
        }
    }

    impl Drop for Region {
        fn drop(&mut self) {
            // SAFETY: the region is a mapping of ours that nobody uses any more.
            unsafe { unmap(self.start.as_ptr(), self.len) }
        }
    }

    const PAGE: usize = 4096;

    fn map(len: usize) -> Option<NonNull<u8>> {
        if len == 0 {
            return None;
        }
        let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping without a file, at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, read_write, private, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// # Safety
    /// The range is part of a mapping made by [`map`], or empty, and nobody uses it any more.
    unsafe fn unmap(start: *mut u8, len: usize) {
        if len > 0 {
            // SAFETY: what the caller promises.
            unsafe { libc::munmap(start.cast(), len) };
        }
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::*;

    impl Region {
        /// Null-length regions and those the system refuses are `None`.
        pub(crate) fn new(len: usize) -> Option<Self> {
            if len == 0 {
                return None;
            }
            // SAFETY: the layout has a size.
            let start = NonNull::new(unsafe { alloc_zeroed(layout(len)?) })?;
            Some(Self { start, len })
        }

        /// The memory may be handed back; here it stays until the region is dropped.
        pub(crate) fn discard(&self) {}
    }

    impl Drop for Region {
        fn drop(&mut self) {
            let layout = layout(self.len).expect("the layout of an allocation should be valid");
            // SAFETY: allocated with the same layout.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len, 64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_zeroed_aligned_and_booked() {
        let allowance = Allowance::new(Some(10 << 20));
        for len in [1, 4096, 5000, 2 << 20, (2 << 20) + 1, 5 << 20] {
            let region = allowance.region(len).expect("within the limit");
            assert_eq!(allowance.used(), len as u64);
            assert!(region.start().addr().is_multiple_of(64));
            // SAFETY: within the region, which nobody else knows.
            unsafe {
                assert_eq!(region.start().add(len - 1).read(), 0);
                region.start().add(len - 1).write(7);
                region.start().write(7);
            }
            region.discard();
            drop(region);
            allowance.give_back(len as u64);
        }
        assert_eq!(allowance.region(11 << 20).err(), Some(StoreFull { bytes: 0 }));
        assert_eq!(allowance.used(), 0);
    }

    #[cfg(not(miri))]
    #[test]
    fn what_the_system_refuses_is_no_panic() {
        let allowance = Allowance::new(None);
        assert!(allowance.region(1 << 60).is_err());
        assert!(allowance.region(usize::MAX).is_err());
        assert_eq!(allowance.used(), 0);
    }
}
