//! What the campaigns share: the built binary, time limits on child processes, two workers.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
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
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let path = target.join("release/unpick");
    path.canonicalize().with_context(|| path.display().to_string())
}

/// Runs a command; `None` when it outlives the limit and was stopped.
pub fn output_within(command: &mut Command, limit: Duration) -> Result<Option<Output>> {
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
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(if start.elapsed().as_millis() < 100 { 1 } else { 10 }));
    };
    let output = status.map(|status| -> Result<Output> {
        Ok(Output { status, stdout: std::fs::read(&out)?, stderr: std::fs::read(&err)? })
    });
    let _ = std::fs::remove_file(&out);
    let _ = std::fs::remove_file(&err);
    output.transpose()
}

/// Names in the environment how many workers a campaign has; otherwise one for each core.
pub const N_WORKERS: &str = "UNPICK_WORKERS";

fn n_workers() -> usize {
    let given = std::env::var(N_WORKERS).ok().and_then(|n_workers| n_workers.parse().ok());
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Applies `work` to all items on all cores; results in the items' order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..n_workers() {
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
