//! What the campaigns share: the built binary, time limits on child processes and what these cost, all cores.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Builds the optimised binary and returns its path; `$UNPICK_BINARY` names another one instead.
pub fn unpick() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("UNPICK_BINARY").map(PathBuf::from) {
        return path.canonicalize().with_context(|| path.display().to_string());
    }
    let status = Command::new("cargo").args(["build", "--release", "--quiet", "--package", "unpick"]).status()?;
    if !status.success() {
        bail!("unpick does not build");
    }
    built()
}

/// The optimised binary that cargo has built last.
pub fn built() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let path = target.join("release/unpick");
    path.canonicalize().with_context(|| path.display().to_string())
}

/// This program, as a command: the file that runs, even if cargo has built another one in its place meanwhile, after which
/// the path that it was started from leads elsewhere or nowhere.
pub fn own() -> Command {
    Command::new("/proc/self/exe")
}

/// Runs a command; `None` when it outlives the limit and was stopped.
pub fn output_within(command: &mut Command, limit: Duration) -> Result<Option<Output>> {
    Ok(measured(command, limit)?.map(|(output, _)| output))
}

/// What a child process needed; times in seconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cost {
    pub wall: f64,
    /// User and system time, of its own finished children too; hardly depends on what else the machine does.
    pub cpu: f64,
    /// The part of it in user mode.
    pub user: f64,
    /// The most resident memory.
    pub peak_bytes: f64,
}

/// Runs a command and says what it needed; `None` when it outlives the limit and was stopped.
pub fn measured(command: &mut Command, limit: Duration) -> Result<Option<(Output, Cost)>> {
    let folder = std::env::temp_dir();
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = |name: &str| folder.join(format!("unpick-{}-{number}.{name}", std::process::id()));
    let (out, err) = (path("out"), path("err"));
    // Files instead of pipes: a full pipe would stop a talkative child for good.
    let mut child = command
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out)?)
        .stderr(std::fs::File::create(&err)?)
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let start = Instant::now();
    let ended = loop {
        if let Some((status, usage)) = reap(&child)? {
            break Some((status, Cost { wall: start.elapsed().as_secs_f64(), ..usage }));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(if start.elapsed().as_millis() < 100 { 1 } else { 10 }));
    };
    let found = ended.map(|(status, cost)| -> Result<(Output, Cost)> {
        Ok((Output { status, stdout: std::fs::read(&out)?, stderr: std::fs::read(&err)? }, cost))
    });
    let _ = std::fs::remove_file(&out);
    let _ = std::fs::remove_file(&err);
    found.transpose()
}

/// The end of a child and its resources, if it has ended; `Child::try_wait` would throw the latter away.
fn reap(child: &Child) -> Result<Option<(ExitStatus, Cost)>> {
    let pid = libc::pid_t::try_from(child.id()).context("a process id should fit")?;
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live values of the types that the call writes.
    match unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) } {
        0 => Ok(None),
        -1 => Err(std::io::Error::last_os_error()).context("wait4"),
        _pid => {
            let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
            let user = seconds(usage.ru_utime);
            let cpu = user + seconds(usage.ru_stime);
            let peak_bytes = usage.ru_maxrss as f64 * 1024.0;
            Ok(Some((ExitStatus::from_raw(status), Cost { wall: 0.0, cpu, user, peak_bytes })))
        }
    }
}

/// Names in the environment how many workers a campaign has; otherwise one for each core.
pub const N_WORKERS: &str = "UNPICK_WORKERS";

pub fn n_workers() -> usize {
    let given = std::env::var(N_WORKERS).ok().and_then(|n_workers| n_workers.parse().ok());
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Applies `work` to all items on all cores; results in the items' order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parallel_with(n_workers(), items, work)
}

/// The same with so many at a time.
pub fn in_parallel_with<T: Sync, R: Send>(n_workers: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().expect("no worker should panic").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker should panic");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A folder for a campaign's scratch files, removed by the caller when all went well.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("unpick-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// The C compiler to compare with.
pub fn cc() -> Command {
    Command::new(std::env::var("CC").unwrap_or("cc".into()))
}

/// A compiler that is quick itself, for programs that run for a moment.
pub fn quick_cc() -> Option<Command> {
    static HAS_TCC: LazyLock<bool> = LazyLock::new(|| Command::new("tcc").arg("-v").output().is_ok());
    HAS_TCC.then(|| Command::new("tcc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_program_outlives_its_file() {
        const COPY: &str = "UNPICK_COPY_OF_TESTS";
        let name = "campaign::tests::the_running_program_outlives_its_file";
        if let Some(copy) = std::env::var_os(COPY) {
            std::fs::remove_file(copy).expect("the copy should be there");
            let output = own().arg("--list").output().expect("the program should start");
            assert!(String::from_utf8_lossy(&output.stdout).contains(name));
            return;
        }
        let folder = scratch("own").expect("a folder");
        let copy = folder.join("tests");
        let original = std::env::current_exe().expect("the tests should know where they are");
        std::fs::copy(original, &copy).expect("a copy");
        let status = Command::new(&copy).args([name, "--exact"]).env(COPY, &copy).status();
        assert!(status.expect("the copy should start").success());
        std::fs::remove_dir_all(folder).expect("the folder should be there");
    }

    #[test]
    fn a_child_is_measured_or_stopped() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo $i; exit 3";
        let (output, cost) = measured(&mut shell(busy), Duration::from_secs(60)).expect("sh").expect("an end");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b"20000\n"[..]));
        assert!(cost.cpu > 0.0 && cost.wall > 0.0 && cost.peak_bytes > 1e5, "{cost:?}");
        assert!(measured(&mut shell("sleep 60"), Duration::from_millis(50)).expect("sh").is_none());
    }
}
