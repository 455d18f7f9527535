//! Searches on disk: written now and then, whole or not at all, and taken up again.
//!
//! A file begins with a mark, the version of the format and what the search was about; it ends with a checksum over
//! everything before. A file that is damaged, of another version, or about something else is refused.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use unpick_system::Checkpoint;
use xxhash_rust::xxh3::Xxh3;

use crate::failure::{Failure, Outcome};
use crate::guard;

const MARK: &[u8; 16] = b"unpick search\r\n\x1a";
const VERSION: u32 = 1;
const CHECKSUM_BYTES: u64 = 8;

/// Keeps a search in a file.
pub struct Keeper {
    path: PathBuf,
    every: Duration,
    /// The file that the search goes on from.
    resume: Option<PathBuf>,
    state: Mutex<State>,
}

struct State {
    last: Instant,
    /// What went wrong last.
    failure: Option<io::Error>,
    /// Why the search could not go on from its file.
    refusal: Option<Failure>,
}

impl Keeper {
    /// Keeps a search at these intervals, and lets it go on from a file if one is named.
    pub fn new(path: &Path, every: Duration, resume: Option<&Path>) -> Self {
        let state = Mutex::new(State { last: Instant::now(), failure: None, refusal: None });
        Self { path: path.to_owned(), every, resume: resume.map(Path::to_owned), state }
    }

    /// Why the search could not go on from its file; then there is no verdict.
    pub fn refusal(&self) -> Outcome<()> {
        self.lock().refusal.take().map_or(Ok(()), Err)
    }

    fn write(&self, about: u128, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let _writing = guard::Writing::new();
        let mut file = tempfile::Builder::new().prefix(".unpick").tempfile_in(folder)?;
        let mut out = Hashed { inner: BufWriter::with_capacity(1 << 20, file.as_file_mut()), hash: Xxh3::new() };
        out.write_all(MARK)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&about.to_le_bytes())?;
        write(&mut out)?;
        let hash = out.hash.digest();
        out.inner.write_all(&hash.to_le_bytes())?;
        out.inner.flush()?;
        drop(out);
        // After a crash the file is complete or absent.
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no worker should panic")
    }
}

impl Checkpoint for Keeper {
    fn is_due(&self) -> bool {
        self.lock().last.elapsed() >= self.every
    }

    fn save(&self, about: u128, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let failure = self.write(about, write).err();
        let mut state = self.lock();
        state.failure = failure;
        state.last = Instant::now();
    }

    fn resume(&self, about: u128, read: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<bool> {
        let Some(path) = &self.resume else { return Ok(false) };
        let wrong = |error: io::Error| Failure::new(format!("--resume {}: {error}", path.display()));
        match open(path, about).and_then(|mut input| read(&mut input).map_err(wrong)) {
            Ok(()) => Ok(true),
            Err(failure) => {
                let error = io::Error::other(failure.message.clone());
                self.lock().refusal = Some(failure);
                Err(error)
            }
        }
    }

    fn failure(&self) -> Option<String> {
        let state = self.lock();
        state.failure.as_ref().map(|error| format!("cannot keep the search in {}: {error}", self.path.display()))
    }
}

/// Writes or reads, and hashes what passes.
struct Hashed<T> {
    inner: T,
    hash: Xxh3,
}

impl<T: Write> Write for Hashed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.inner.write(bytes)?;
        self.hash.update(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A search on disk, checked, ready to be read from.
fn open(path: &Path, about: u128) -> Outcome<impl Read> {
    let name = path.display();
    let refuse = |why: &str, help: &str| Failure::new(format!("--resume {name}: {why}")).help(help);
    let unreadable = |error: io::Error| Failure::new(format!("--resume: cannot read {name}: {error}"));
    let damaged = || refuse("the file is damaged", "start again without --resume");
    let file = File::open(path).map_err(unreadable)?;
    let len = file.metadata().map_err(unreadable)?.len();
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut head = [0; MARK.len() + 4 + 16];
    if len < head.len() as u64 + CHECKSUM_BYTES || reader.read_exact(&mut head).is_err() || !head.starts_with(MARK) {
        return Err(refuse("this is no search that unpick kept", "name a file written with --checkpoint"));
    }
    let (version, known_about) = (&head[MARK.len()..][..4], &head[MARK.len() + 4..]);
    if version != VERSION.to_le_bytes() {
        return Err(refuse("another version of unpick wrote the file", "start again without --resume"));
    }
    if known_about != about.to_le_bytes() {
        return Err(refuse(
            "the file is about another model, other properties or another way of searching",
            "give the same model and flags as when it was written",
        ));
    }
    let mut hash = Xxh3::new();
    hash.update(&head);
    let mut left = len - head.len() as u64 - CHECKSUM_BYTES;
    let mut buffer = vec![0; 1 << 20];
    while left > 0 {
        let n = reader.read(&mut buffer[..left.min(1 << 20) as usize]).map_err(unreadable)?;
        if n == 0 {
            return Err(damaged());
        }
        hash.update(&buffer[..n]);
        left -= n as u64;
    }
    let mut checksum = [0; CHECKSUM_BYTES as usize];
    reader.read_exact(&mut checksum).map_err(unreadable)?;
    if checksum != hash.digest().to_le_bytes() {
        return Err(damaged());
    }
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path).map_err(unreadable)?);
    reader.read_exact(&mut head).map_err(unreadable)?;
    Ok(reader.take(len - head.len() as u64 - CHECKSUM_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_damage_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder should be made");
        let path = folder.path().join("search");
        let keeper = Keeper::new(&path, Duration::ZERO, Some(&path));
        assert!(keeper.is_due());
        keeper.save(7, &mut |out| out.write_all(b"some bytes"));
        assert_eq!(keeper.failure(), None);
        let mut text = String::new();
        let read = |input: &mut dyn Read| input.read_to_string(&mut text).map(|_| ());
        assert!(keeper.resume(7, &mut { read }).expect("it should be read"));
        assert_eq!(text, "some bytes");
        assert!(keeper.refusal().is_ok());
        assert!(keeper.resume(8, &mut |_| Ok(())).is_err() && keeper.refusal().is_err());
        let refused = |path: &Path, about| open(path, about).err().map(|failure| failure.message).unwrap_or_default();
        assert!(refused(&path, 8).contains("another model"));
        let whole = std::fs::read(&path).expect("it should be there");
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            std::fs::write(&path, &broken).expect("it should be written");
            assert!(!refused(&path, 7).is_empty(), "byte {at}");
            std::fs::write(&path, &whole[..at]).expect("it should be written");
            assert!(!refused(&path, 7).is_empty(), "cut at {at}");
        }
    }
}
