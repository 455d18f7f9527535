//! Resource limits of a child process, and killing it together with its own children.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Puts the command into a process group of its own, which is what [`kill_group`] ends; lets it have at most so many bytes
/// of address space, and lets it die with the thread that starts it. It leaves no core dump.
pub fn confine(command: &mut Command, memory_bytes: u64) {
    command.process_group(0);
    let set = move |resource, bytes: u64| {
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
        // SAFETY: the limit lives until the call is over.
        match unsafe { libc::setrlimit(resource, &limit) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    let limits = move || {
        // A limit that is lower already stays; raising it would not be allowed.
        let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the system writes into a limit that lives until the call is over.
        let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut now) } == 0;
        if !is_known || now.rlim_cur > memory_bytes {
            set(libc::RLIMIT_AS, memory_bytes)?;
        }
        set(libc::RLIMIT_CORE, 0)?;
        // SAFETY: sets an attribute of the calling process.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        Ok(())
    };
    // SAFETY: between fork and exec only system calls are made, and nothing is allocated.
    unsafe { command.pre_exec(limits) };
}

/// Kills a process and its whole group.
pub fn kill_group(leader: u32) {
    if let Ok(leader) = i32::try_from(leader)
        && leader > 1
    {
        // SAFETY: sends a signal; the group is one that `confine` made.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
    }
}
