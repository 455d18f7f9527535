//! Whether standard output was open when the process began.
//!
//! Rust opens `/dev/null` in place of a standard stream that is closed, before `main`, so that no other file takes its number.
//! What is written there is lost without an error. So this looks earlier, when the loader calls constructors.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the process was started without a standard output.
pub fn was_stdout_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

extern "C" fn look() {
    // SAFETY: asks for the flags of a number that may or may not be open.
    let is_open = unsafe { libc::fcntl(1, libc::F_GETFD) } != -1;
    IS_CLOSED.store(!is_open, Ordering::Relaxed);
}

// SAFETY: the loader calls what stands in this section, and the function uses nothing that is set up later.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
