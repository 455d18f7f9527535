//! A per-worker value behind a spin lock that is uncontended unless two threads use one worker number.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A value on cache lines of its own, behind a lock that is contended only by mistake.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Exclusive<T> {
    is_taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only reached through a guard, of which there is one at a time.
unsafe impl<T: Send> Sync for Exclusive<T> {}

/// Exclusive access to the value.
pub(crate) struct Guard<'a, T>(&'a Exclusive<T>);

impl<T> Exclusive<T> {
    #[inline(always)]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        while self.is_taken.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        Guard(self)
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.is_taken.store(false, Ordering::Release);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one, and borrowed mutably.
        unsafe { &mut *self.0.value.get() }
    }
}
