//! The last message of a process that has to end at once: prepared before, written without allocating.

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Written when an allocation fails, the exit code that goes with it, and where to.
static WORDS: AtomicPtr<Words> = AtomicPtr::new(std::ptr::null_mut());
/// The process is being ended.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

type Words = (Vec<u8>, i32, Stream);

/// A standard stream.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    Output = 1,
    Error = 2,
}

/// Prepares what is said when memory ends; the last call counts.
pub fn prepare(words: Vec<u8>, exit_code: i32, stream: Stream) {
    // What was prepared before may be in use, and stays.
    WORDS.store(Box::into_raw(Box::new((words, exit_code, stream))), Ordering::SeqCst);
}

/// Called by the allocator; comes back only if nothing was prepared.
#[cold]
pub(crate) fn out_of_memory() {
    // SAFETY: null, or made from a box that is never freed.
    let words = unsafe { WORDS.load(Ordering::SeqCst).as_ref() };
    if let Some((words, exit_code, stream)) = words {
        end_with(words, *exit_code, *stream);
    }
}

/// Writes to a stream and ends the process at once: no destructor runs, no buffer is flushed. A write that fails
/// ends in exit code 2, unless the reader has gone.
pub fn end_with(words: &[u8], exit_code: i32, stream: Stream) -> ! {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is writing; it ends us all.
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    }
    let (mut rest, mut code) = (words, exit_code);
    while !rest.is_empty() {
        // SAFETY: the pointer and the length are those of a slice.
        let n = unsafe { libc::write(stream as i32, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(n) {
            Ok(n) => rest = &rest[n..],
            Err(_) => match std::io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EPIPE) => break,
                Some(_) | None => {
                    code = 2;
                    break;
                }
            },
        }
    }
    // SAFETY: ends the process; nothing of it is used afterwards.
    unsafe { libc::_exit(code) }
}
