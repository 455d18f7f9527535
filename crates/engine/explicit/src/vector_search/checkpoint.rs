//! Checkpoints of a search: its state besides the store as bytes, and the pause in which they are written.
//!
//! A search can be written down when no worker holds a chunk: then every state is in the store, every unexpanded state
//! is in the pool, and the predecessors are in the logs. Workers come to the pause after the chunk
//! at hand. Numbers are little-endian; the owner of the bytes adds what tells one search from another and a checksum.

use std::io::{self, Read, Write};
use std::sync::{Condvar, Mutex};

use super::frontier::Chunk;
use super::predecessor_log::PredecessorLog;

/// Where a search is kept; called by one worker while the others wait.
pub trait Checkpoint: Sync {
    /// Whether it is time.
    fn is_due(&self) -> bool;
    /// Keeps what `write` writes, whole or not at all.
    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);
}

/// A search that was put aside.
#[derive(Default)]
pub struct Saved {
    pub(super) n_states: u64,
    pub(super) n_transitions: u64,
    pub(super) depth: u64,
    pub(super) logs: Vec<PredecessorLog>,
    pub(super) chunks: Vec<Chunk>,
}

impl Saved {
    /// Reads what a search wrote.
    pub fn read(input: &mut dyn Read) -> io::Result<Self> {
        let mut saved = Self {
            n_states: read_u64(input)?,
            n_transitions: read_u64(input)?,
            depth: read_u64(input)?,
            ..Self::default()
        };
        for _ in 0..read_u64(input)?.min(1 << 16) {
            saved.logs.push(PredecessorLog::read(input)?);
        }
        for _ in 0..read_u64(input)? {
            saved.chunks.push(Chunk::read(input)?);
        }
        Ok(saved)
    }

    /// How many states had been found.
    pub fn n_states(&self) -> u64 {
        self.n_states
    }
}

/// Writes a search down; `logs` in the order of workers.
pub(super) fn write(
    out: &mut dyn Write,
    counts: [u64; 3],
    logs: &[&PredecessorLog],
    chunks: &mut dyn Iterator<Item = &Chunk>,
    n_chunks: usize,
) -> io::Result<()> {
    for count in counts {
        write_u64(out, count)?;
    }
    write_u64(out, logs.len() as u64)?;
    for log in logs {
        log.write(out)?;
    }
    write_u64(out, n_chunks as u64)?;
    for chunk in chunks {
        chunk.write(out)?;
    }
    Ok(())
}

pub(super) fn write_u64(out: &mut dyn Write, value: u64) -> io::Result<()> {
    out.write_all(&value.to_le_bytes())
}

pub(super) fn read_u64(input: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// So many bytes; a number that is wrong must not make us ask for more memory than there is to read.
pub(super) fn read_bytes(input: &mut dyn Read, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(len).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

/// Where workers wait while one writes.
#[derive(Default)]
pub(super) struct Pause {
    state: Mutex<PauseState>,
    changed: Condvar,
}

#[derive(Default)]
struct PauseState {
    is_wanted: bool,
    n_waiting: usize,
}

impl Pause {
    /// Whether workers should come to [`Pause::wait`].
    pub(super) fn is_wanted(&self) -> bool {
        self.lock().is_wanted
    }

    /// Asks the others to wait. Those without work wait elsewhere: `n_idle` counts them.
    pub(super) fn begin(&self, n_others: usize, n_idle: impl Fn() -> usize) {
        let mut state = self.lock();
        state.is_wanted = true;
        while state.n_waiting + n_idle() < n_others {
            let patience = std::time::Duration::from_millis(1);
            state = self.changed.wait_timeout(state, patience).expect("no worker should panic").0;
        }
    }

    /// Lets the others go on.
    pub(super) fn end(&self) {
        self.lock().is_wanted = false;
        self.changed.notify_all();
    }

    /// Waits until the pause ends.
    pub(super) fn wait(&self) {
        let mut state = self.lock();
        state.n_waiting += 1;
        self.changed.notify_all();
        while state.is_wanted {
            state = self.changed.wait(state).expect("no worker should panic");
        }
        state.n_waiting -= 1;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PauseState> {
        self.state.lock().expect("no worker should panic")
    }
}
