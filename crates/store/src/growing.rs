//! A table that is replaced by a larger one while other threads may still read it.
//!
//! Replaced tables keep their addresses, not their memory, until the store is dropped. So a thread that breaks the
//! rules of the barrier reads zeros instead of foreign memory; there is one replaced table for each doubling.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The current table, its successor while that is being filled, and the replaced ones.
pub(crate) struct Growing<T> {
    current: AtomicPtr<T>,
    next: AtomicPtr<T>,
    /// Pieces of the current table whose content is being moved, or has been moved, to the next.
    n_taken: AtomicUsize,
    all: Mutex<Vec<Owned<T>>>,
}

/// A box that may move while others read what is in it: moving a [`Box`] asserts that no other reference exists.
struct Owned<T>(NonNull<T>);

// SAFETY: it owns its table alone, as a box does.
unsafe impl<T: Send> Send for Owned<T> {}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made of a box, and dropped once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl<T> Growing<T> {
    pub(crate) fn new(first: T) -> Self {
        let growing = Self {
            current: AtomicPtr::default(),
            next: AtomicPtr::default(),
            n_taken: AtomicUsize::new(0),
            all: Mutex::default(),
        };
        growing.begin(first);
        growing.end();
        growing
    }

    /// The current table.
    #[inline(always)]
    pub(crate) fn get(&self) -> &T {
        // SAFETY: never null after `new`; tables are owned by `all`, which only grows.
        unsafe { &*self.current.load(Ordering::Acquire) }
    }

    /// Makes this the next table, to be filled by the callers of [`Self::take`].
    pub(crate) fn begin(&self, next: T) {
        let next = NonNull::from(Box::leak(Box::new(next)));
        self.all.lock().expect("no holder of the tables should panic").push(Owned(next));
        self.n_taken.store(0, Ordering::Relaxed);
        self.next.store(next.as_ptr(), Ordering::Release);
    }

    /// The table that is being filled, if any.
    pub(crate) fn next(&self) -> Option<&T> {
        // SAFETY: null, or owned by `all`.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }

    /// Up to `n` of `all` pieces, none of which was taken before.
    pub(crate) fn take(&self, n: usize, all: usize) -> Option<Range<usize>> {
        let from = self.n_taken.fetch_add(n, Ordering::Relaxed);
        (from < all).then(|| from..all.min(from + n))
    }

    /// Makes the next table, if there is one, the current one, and returns the replaced table.
    pub(crate) fn end(&self) -> Option<&T> {
        let next = self.next.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if next.is_null() {
            return None;
        }
        // SAFETY: null at first, then owned by `all`.
        unsafe { self.current.swap(next, Ordering::AcqRel).as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_table_becomes_the_current_one() {
        let growing = Growing::new(1);
        assert_eq!((*growing.get(), growing.next(), growing.end()), (1, None, None));
        growing.begin(2);
        let old = growing.get();
        assert_eq!((*old, growing.next()), (1, Some(&2)));
        assert_eq!(growing.take(3, 5), Some(0..3));
        assert_eq!(growing.take(3, 5), Some(3..5));
        assert_eq!(growing.take(3, 5), None);
        assert_eq!(growing.end(), Some(&1));
        assert_eq!((*growing.get(), *old), (2, 1));
    }
}
