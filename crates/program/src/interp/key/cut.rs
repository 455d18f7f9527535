//! Long keys as few numbers: content-defined chunking (Muthitacharoen, Chen, Mazières: A low-bandwidth network file
//! system, SOSP 2001).
//!
//! What a key says of the memory is a row of segments, one for each object. The row is cut into pieces where its
//! contents say so, and a piece is written as its number. States that differ in few objects have most pieces in
//! common, wherever the objects lie in the row. A cut depends on the four segments before it and on nothing else, so
//! that equal rows are cut alike, whatever was known of them before.
//!
//! Where a row repeats itself there is nothing to cut at: a list of equal nodes would be one long piece. So a piece
//! says "the last one, two or three segments again, so many times", and pieces that are long all the same are cut at a
//! fixed length from their beginning.

use super::{NoRoom, Numbering, number};

/// Segments up to this length are told apart exactly.
const SHORT: usize = 7;
/// A cut behind one of so many segments, where they differ.
const MEAN_SEGMENTS: u64 = 32;
/// Literal segments and repetitions in a piece.
const MAX_TOKENS: u32 = 256;
/// Bytes of a piece before it is cut.
const MAX_BYTES: usize = 4096;

/// A segment in a number, not 0: the segment itself if it is short, else a hash of it.
type Code = u64;

fn code(segment: &[u8]) -> Code {
    if segment.len() <= SHORT {
        return low_word(segment) | (segment.len() as u64) << 56;
    }
    segment.chunks(8).fold(segment.len() as u64, |hash, bytes| mix(hash ^ low_word(bytes))) | 0xff << 56
}

/// At most eight bytes as a number, the first one lowest. Copies of unknown length would be calls.
fn low_word(bytes: &[u8]) -> u64 {
    let half = |bytes: &[u8]| bytes.first_chunk().map(|half| u64::from(u32::from_le_bytes(*half)));
    match (half(bytes), bytes.len().checked_sub(4).map(|from| &bytes[from..])) {
        (Some(low), Some(rest)) => low | half(rest).unwrap_or_default() << (8 * (bytes.len() - 4)),
        (_, _) => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

fn is_exact(code: Code) -> bool {
    code >> 56 <= SHORT as u64
}

fn mix(word: u64) -> u64 {
    let product = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// The last segments since the last cut, the newest first; 0 where there are fewer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Window([Code; 3]);

impl Window {
    /// Whether the row is cut behind a segment that follows. Rows with a period of up to three are not.
    fn is_cut(&self, code: Code) -> bool {
        self.0[2] != 0
            && !self.0.contains(&code)
            && self.0.iter().fold(mix(code), |hash, code| mix(hash ^ code)) >> 16 & (MEAN_SEGMENTS - 1) == 0
    }

    /// Which segments before it one that follows is equal to: bit 0 stands for the last.
    fn periods(&self, code: Code) -> u8 {
        let bit = |at: usize| u8::from(self.0[at] == code) << at;
        if is_exact(code) { bit(0) | bit(1) | bit(2) } else { 0 }
    }

    fn push(&mut self, code: Code) {
        self.0 = [code, self.0[0], self.0[1]];
    }
}

/// Consecutive segments without a cut between them.
pub(super) struct Segments {
    /// What goes before them.
    before: Window,
    /// The last of them.
    last: Window,
    codes: Vec<Code>,
    /// All bytes, and where each segment ends.
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// Bit 0: each is equal to the one before it; bit 1: to the one before that; bit 2.
    periods: u8,
    /// The row is cut behind them.
    pub is_cut: bool,
}

impl Segments {
    /// None yet.
    pub(super) fn behind(before: Window) -> Self {
        let (codes, bytes, ends) = (Vec::new(), Vec::new(), Vec::new());
        Self { before, last: before, codes, bytes, ends, periods: 0b111, is_cut: false }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What went before the first of them.
    pub(super) fn before(&self) -> Window {
        self.before
    }

    /// What goes before the segment that follows them.
    pub(super) fn behind_them(&self) -> Window {
        if self.is_cut { Window::default() } else { self.last }
    }

    /// Adds a segment; whether the row is cut behind it.
    pub(super) fn push(&mut self, segment: &[u8]) -> bool {
        let code = code(segment);
        self.periods &= self.last.periods(code);
        self.is_cut = self.last.is_cut(code);
        self.last.push(code);
        self.codes.push(code);
        self.bytes.extend_from_slice(segment);
        self.ends.push(self.bytes.len() as u32);
        self.is_cut
    }

    fn iter(&self) -> impl Iterator<Item = (Code, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let places = self.codes.iter().zip(starts.zip(&self.ends));
        places.map(|(code, (start, end))| (*code, &self.bytes[start as usize..*end as usize]))
    }
}

/// Writes what lies between two cuts as numbers of pieces.
pub(super) struct Cutter<'n> {
    numbering: &'n dyn Numbering,
    window: Window,
    /// The segment so far before is repeated; 0 for none.
    period: usize,
    n_times: u64,
    bytes: Vec<u8>,
    n_tokens: u32,
    /// Numbers of finished pieces.
    pub pieces: Vec<u32>,
}

impl<'n> Cutter<'n> {
    pub(super) fn new(numbering: &'n dyn Numbering) -> Self {
        let (bytes, pieces) = (Vec::new(), Vec::new());
        Self { numbering, window: Window::default(), period: 0, n_times: 0, bytes, n_tokens: 0, pieces }
    }

    /// A row of segments from the beginning to the end.
    pub(super) fn whole<'s>(&mut self, segments: impl Iterator<Item = &'s [u8]>) -> Result<(), NoRoom> {
        for segment in segments {
            let code = code(segment);
            let is_cut = self.window.is_cut(code);
            self.segment(code, segment)?;
            if is_cut {
                self.cut()?;
            }
        }
        self.cut()
    }

    /// The segments that follow, cut behind them or not.
    pub(super) fn segments(&mut self, segments: &Segments) -> Result<(), NoRoom> {
        if self.period != 0 && segments.periods >> (self.period - 1) & 1 == 1 {
            self.n_times += segments.len() as u64;
            self.window = segments.last;
            return Ok(());
        }
        segments.iter().try_for_each(|(code, bytes)| self.segment(code, bytes))
    }

    fn segment(&mut self, code: Code, bytes: &[u8]) -> Result<(), NoRoom> {
        let periods = self.window.periods(code);
        self.window.push(code);
        if self.period != 0 && periods >> (self.period - 1) & 1 == 1 {
            self.n_times += 1;
            return Ok(());
        }
        self.end_repetition()?;
        if periods != 0 {
            (self.period, self.n_times) = (periods.trailing_zeros() as usize + 1, 1);
            return Ok(());
        }
        self.bytes.push(0);
        self.bytes.extend_from_slice(bytes);
        self.end_token()
    }

    fn end_repetition(&mut self) -> Result<(), NoRoom> {
        if self.period == 0 {
            return Ok(());
        }
        self.bytes.push(self.period as u8);
        number(&mut self.bytes, self.n_times);
        self.period = 0;
        self.end_token()
    }

    fn end_token(&mut self) -> Result<(), NoRoom> {
        self.n_tokens += 1;
        if self.n_tokens == MAX_TOKENS || self.bytes.len() >= MAX_BYTES { self.end_piece() } else { Ok(()) }
    }

    fn end_piece(&mut self) -> Result<(), NoRoom> {
        if !self.bytes.is_empty() {
            self.pieces.push(self.numbering.number(&self.bytes).ok_or(NoRoom)?);
            self.bytes.clear();
        }
        self.n_tokens = 0;
        Ok(())
    }

    /// The row is cut here, or ends.
    pub(super) fn cut(&mut self) -> Result<(), NoRoom> {
        self.end_repetition()?;
        self.end_piece()?;
        self.window = Window::default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::low_word;

    #[test]
    fn words_are_read_like_numbers() {
        for len in 0..=8 {
            let bytes: Vec<u8> = (0..len).map(|at| 0x91 + 7 * at).collect();
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(&bytes);
            assert_eq!(low_word(&bytes), u64::from_le_bytes(word), "{len} bytes");
        }
    }
}
