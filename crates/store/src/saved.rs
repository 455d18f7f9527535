//! The file format of stores: little-endian words and bytes behind a head, with a checksum at the end.

use std::fmt;
use std::io::{self, Read, Write};

use xxhash_rust::xxh3::Xxh3Default;

use crate::StoreFull;

const MAGIC: &[u8; 8] = b"unpkset\x01";

/// Why a saved store could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The input could not be read.
    Read(io::Error),
    /// What was read is no saved store, or one of another version.
    Foreign,
    /// It is a store of another kind.
    Kind {
        /// The kind that was saved.
        found: String,
    },
    /// It ends too early, or is not what was saved.
    Damaged,
    /// The limit is too low for it.
    Full(StoreFull),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Read(error) => write!(f, "the saved states cannot be read: {error}"),
            LoadError::Foreign => f.write_str("these are no saved states, or they are of another version"),
            LoadError::Kind { found } => write!(f, "the states were saved from a store of kind `{found}`"),
            LoadError::Damaged => f.write_str("the saved states are damaged"),
            LoadError::Full(full) => write!(f, "the saved states do not fit: {full}"),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Read(error) => Some(error),
            LoadError::Foreign | LoadError::Kind { .. } | LoadError::Damaged | LoadError::Full(_) => None,
        }
    }
}

impl From<StoreFull> for LoadError {
    fn from(full: StoreFull) -> Self {
        LoadError::Full(full)
    }
}

/// Writes a store.
pub(crate) struct Saver<'a> {
    out: &'a mut dyn Write,
    checksum: Xxh3Default,
}

/// Reads one.
pub(crate) struct Loader<'a> {
    input: &'a mut dyn Read,
    checksum: Xxh3Default,
}

impl<'a> Saver<'a> {
    /// `kind` has at most eight bytes.
    pub(crate) fn new(out: &'a mut dyn Write, kind: &str) -> io::Result<Self> {
        let mut saver = Self { out, checksum: Xxh3Default::new() };
        let mut name = [b' '; 8];
        name[..kind.len()].copy_from_slice(kind.as_bytes());
        saver.bytes(MAGIC)?;
        saver.bytes(&name)?;
        Ok(saver)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.out.write_all(bytes)
    }

    pub(crate) fn number(&mut self, number: u64) -> io::Result<()> {
        self.bytes(&number.to_le_bytes())
    }

    /// Many numbers, in pieces that are worth a call.
    pub(crate) fn numbers(&mut self, numbers: impl Iterator<Item = u64>) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(PIECE);
        for number in numbers {
            buffer.extend_from_slice(&number.to_le_bytes());
            if buffer.len() == PIECE {
                self.bytes(&buffer)?;
                buffer.clear();
            }
        }
        self.bytes(&buffer)
    }

    pub(crate) fn end(self) -> io::Result<()> {
        self.out.write_all(&self.checksum.digest().to_le_bytes())
    }
}

/// Bytes that are read or written at a time; a multiple of eight.
const PIECE: usize = 1 << 16;

impl<'a> Loader<'a> {
    pub(crate) fn new(input: &'a mut dyn Read, kind: &str) -> Result<Self, LoadError> {
        let mut loader = Self { input, checksum: Xxh3Default::new() };
        let (mut magic, mut name) = ([0; 8], [0; 8]);
        let is_read = loader.bytes(&mut magic).and_then(|()| loader.bytes(&mut name));
        match is_read {
            Err(LoadError::Damaged) => return Err(LoadError::Foreign),
            other => other?,
        }
        if &magic != MAGIC {
            return Err(LoadError::Foreign);
        }
        let found = String::from_utf8_lossy(&name).trim_end().to_owned();
        if found == kind { Ok(loader) } else { Err(LoadError::Kind { found }) }
    }

    pub(crate) fn bytes(&mut self, into: &mut [u8]) -> Result<(), LoadError> {
        self.input.read_exact(into).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => LoadError::Damaged,
            _ => LoadError::Read(error),
        })?;
        self.checksum.update(into);
        Ok(())
    }

    pub(crate) fn number(&mut self) -> Result<u64, LoadError> {
        let mut bytes = [0; 8];
        self.bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number that is at most this.
    pub(crate) fn number_to(&mut self, most: u64) -> Result<u64, LoadError> {
        let number = self.number()?;
        if number <= most { Ok(number) } else { Err(LoadError::Damaged) }
    }

    /// So many numbers, one after the other.
    pub(crate) fn numbers(
        &mut self,
        n: u64,
        mut each: impl FnMut(u64) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let mut buffer = vec![0; PIECE];
        let mut left = n;
        while left > 0 {
            let now = left.min(PIECE as u64 / 8);
            let bytes = &mut buffer[..now as usize * 8];
            self.bytes(bytes)?;
            for word in bytes.as_chunks::<8>().0 {
                each(u64::from_le_bytes(*word))?;
            }
            left -= now;
        }
        Ok(())
    }

    /// Compares the checksum.
    pub(crate) fn end(mut self) -> Result<(), LoadError> {
        let expected = self.checksum.digest();
        if self.number()? == expected { Ok(()) } else { Err(LoadError::Damaged) }
    }
}
