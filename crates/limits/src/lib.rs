//! System calls about this process and its children: memory, resource limits, signals to process groups.
//!
//! The calls need `unsafe`, so they live in a crate of their own, behind safe functions.

mod allocator;
mod child;
mod last_words;
mod streams;

pub use allocator::Allocator;
pub use child::{confine, kill_group};
pub use last_words::{Stream, end_with, prepare};
pub use streams::was_stdout_closed;

/// Processor time that this process has had so far, in all its threads.
pub fn processor_time() -> std::time::Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the system writes into a time that lives until the call is over.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    std::time::Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The limit of this process's address space, if there is one (`ulimit -v`).
pub fn address_space_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the system writes into a limit that lives until the call is over.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    (is_known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Memory of this process that is resident now.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    // SAFETY: asks for a constant of the system.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page_bytes).unwrap_or(4096))
}
