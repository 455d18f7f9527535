//! Memory regions for stores: zeroed, mapped from the operating system, on huge pages where available, within a limit.
//!
//! A search touches its table at random. With pages of 4 KiB nearly every access also misses the address translation
//! cache (TLB); with pages of 2 MiB the table of a hundred million states is a few hundred entries.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

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

/// Zeroed memory that neither moves nor overlaps anything else and can become longer where it is.
pub(crate) struct Reserved {
    start: NonNull<u8>,
    len: AtomicUsize,
    /// Bytes of addresses that are kept for it.
    capacity: AtomicUsize,
}

// SAFETY: as for [`Region`].
unsafe impl Send for Reserved {}
// SAFETY: as for [`Region`].
unsafe impl Sync for Reserved {}

/// Addresses that are kept for memory without a limit.
const MAX_CAPACITY: u64 = 1 << 40;

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

impl Allowance {
    /// Memory within the limit that may grow to it; to be given back likewise.
    pub(crate) fn reserved(&self, len: usize) -> Result<Reserved, StoreFull> {
        self.take(len as u64)?;
        Reserved::new(len, self.limit.min(MAX_CAPACITY) as usize).ok_or_else(|| {
            self.give_back(len as u64);
            self.full()
        })
    }
}

impl Reserved {
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
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
            let start = map(len.checked_add(slack)?, libc::PROT_READ | libc::PROT_WRITE)?;
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
            // SAFETY: the region is a mapping of ours that is no longer used.
            unsafe { unmap(self.start.as_ptr(), self.len) }
        }
    }

    impl Reserved {
        /// Memory that may grow to about `capacity` bytes, if there are as many addresses to spare.
        pub(crate) fn new(len: usize, capacity: usize) -> Option<Self> {
            let capacity = if are_addresses_limited() { len } else { capacity.max(len) };
            let capacity = capacity.checked_next_multiple_of(LARGE_PAGE)?;
            let mapped = capacity.checked_add(LARGE_PAGE)?;
            let Some(start) = map(mapped, libc::PROT_NONE) else {
                // Less will do, down to no room to grow.
                return if capacity / 2 < len { None } else { Self::new(len, capacity / 2) };
            };
            let offset = start.as_ptr().align_offset(LARGE_PAGE);
            // SAFETY: what is unmapped lies within the mapping just made and outside of what is kept, in whole pages.
            let start = unsafe {
                let kept = start.add(offset);
                unmap(start.as_ptr(), offset);
                unmap(kept.as_ptr().add(capacity), mapped - offset - capacity);
                libc::madvise(kept.as_ptr().cast(), capacity, libc::MADV_HUGEPAGE);
                kept
            };
            let reserved = Self { start, len: AtomicUsize::new(0), capacity: AtomicUsize::new(capacity) };
            reserved.extend(len).then_some(reserved)
        }

        /// Makes it longer; false if there is no room for that.
        pub(crate) fn extend(&self, len: usize) -> bool {
            if len > self.capacity.load(Ordering::Relaxed) {
                return false;
            }
            let before = self.len() / PAGE * PAGE;
            let read_write = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: the range belongs to our mapping; what becomes accessible is not in use.
            let result = unsafe { libc::mprotect(self.start().add(before).cast(), len - before, read_write) };
            if result == 0 {
                self.len.store(len, Ordering::Relaxed);
            }
            result == 0
        }

        /// Hands the memory back but keeps the addresses that were in use: a stray reader meets zeros.
        pub(crate) fn discard(&self) {
            let kept = self.len().next_multiple_of(PAGE);
            let capacity = self.capacity.swap(kept, Ordering::Relaxed);
            // SAFETY: the first part reads as zeros afterwards, the second was never accessible.
            unsafe {
                libc::madvise(self.start().cast(), kept, libc::MADV_DONTNEED);
                unmap(self.start().add(kept), capacity.saturating_sub(kept));
            }
        }
    }

    impl Drop for Reserved {
        fn drop(&mut self) {
            // SAFETY: the mapping is ours and no longer used.
            unsafe { unmap(self.start(), *self.capacity.get_mut()) }
        }
    }

    /// Whether the address space is limited (`ulimit -v`).
    fn are_addresses_limited() -> bool {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the structure is there to be written to.
        let result = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
        result != 0 || limit.rlim_cur != libc::RLIM_INFINITY
    }

    const PAGE: usize = 4096;

    fn map(len: usize, access: libc::c_int) -> Option<NonNull<u8>> {
        if len == 0 {
            return None;
        }
        let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping without a file, at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, access, private, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// # Safety
    /// The range is part of a mapping made by [`map`], or empty, and no longer used.
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

    impl Reserved {
        /// Here memory does not grow where it is.
        pub(crate) fn new(len: usize, _capacity: usize) -> Option<Self> {
            let start = Region::new(len)?.into_start();
            Some(Self { start, len: AtomicUsize::new(len), capacity: AtomicUsize::new(len) })
        }

        /// Makes it longer; false if there is no room for that.
        pub(crate) fn extend(&self, len: usize) -> bool {
            len <= self.capacity.load(Ordering::Relaxed)
        }

        /// The memory may be handed back; here it stays until the region is dropped.
        pub(crate) fn discard(&self) {}
    }

    impl Drop for Reserved {
        fn drop(&mut self) {
            // SAFETY: it was a region of this length before it was taken apart.
            drop(unsafe { Region::from_parts(self.start, *self.len.get_mut()) });
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
            // SAFETY: within the region, which no other code knows.
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

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn reserved_memory_grows_where_it_is() {
        let allowance = Allowance::new(Some(64 << 20));
        let reserved = allowance.reserved(64).expect("within the limit");
        // SAFETY: within the memory, which no other code knows.
        unsafe { reserved.start().write(7) };
        for len in [4096, 5000, 3 << 20, 64 << 20] {
            assert!(reserved.extend(len));
            // SAFETY: as above.
            unsafe {
                assert_eq!((reserved.start().read(), reserved.start().add(len - 1).read()), (7, 0));
            }
        }
        assert!(!reserved.extend(65 << 20));
        reserved.discard();
        // SAFETY: as above.
        unsafe { assert_eq!(reserved.start().read(), 0) };
        assert!(!reserved.extend(65 << 20));
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
