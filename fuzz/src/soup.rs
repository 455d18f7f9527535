//! Texts made of words picked by bytes, and edits of given texts picked by bytes.

/// Bytes as a stream of decisions; when they run out, every decision is the first one.
pub struct Decisions<'d>(pub &'d [u8]);

impl Decisions<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        let number = usize::from(self.byte()) << 8 | usize::from(self.byte());
        if limit == 0 { 0 } else { number % limit }
    }

    /// Whether there is something left to decide.
    pub fn is_open(&self) -> bool {
        !self.0.is_empty()
    }
}

/// One word after the other, with a line end now and then.
pub fn soup(vocabulary: &[&str], decisions: &[u8]) -> String {
    let mut decisions = Decisions(decisions);
    let mut text = String::new();
    while decisions.is_open() {
        text.push_str(vocabulary[decisions.below(vocabulary.len())]);
        text.push(if text.len() % 97 < 5 { '\n' } else { ' ' });
    }
    text
}

/// A text cut into words, numbers, strings, blanks and single characters.
pub fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let same = |character: char| {
            if is_word(first) { is_word(character) } else { first.is_whitespace() && character.is_whitespace() }
        };
        let end = rest.char_indices().skip(1).find(|(_, character)| !same(*character));
        let len = end.map_or(rest.len(), |(at, _)| at);
        let (piece, tail) = rest.split_at(len);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// A text with pieces removed, doubled, moved, replaced or repeated many times.
pub fn edited(text: &str, vocabulary: &[&str], decisions: &mut Decisions) -> String {
    let mut pieces: Vec<String> = pieces(text).into_iter().map(str::to_string).collect();
    for _ in 0..1 + decisions.below(6) {
        if pieces.is_empty() {
            break;
        }
        let at = decisions.below(pieces.len());
        let other = decisions.below(pieces.len());
        let word = vocabulary[decisions.below(vocabulary.len())];
        match decisions.below(8) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[at].clone()),
            2 => pieces.swap(at, other),
            3 => pieces[at] = word.to_string(),
            4 => pieces.insert(at, format!(" {word} ")),
            5 => drop(pieces.drain(at.min(other)..at.max(other).min(at.min(other) + 40))),
            6 => {
                let copy: Vec<String> = pieces[at.min(other)..at.max(other).min(at.min(other) + 20)].to_vec();
                pieces.splice(at..at, copy);
            }
            _ => pieces[at] = pieces[at].repeat(1 + decisions.below(3000)),
        }
    }
    pieces.concat()
}

/// Thousands of openings around something, with or without what they open being closed.
pub fn nested(pairs: &[(&str, &str)], inside: &str, decisions: &mut Decisions) -> String {
    let n_kinds = 1 + decisions.below(3);
    let kinds: Vec<(&str, &str)> = (0..n_kinds).map(|_| pairs[decisions.below(pairs.len())]).collect();
    let n_open = decisions.below(30_000);
    let n_close = if decisions.byte().is_multiple_of(2) { n_open } else { decisions.below(30_000) };
    let mut text = String::new();
    (0..n_open).for_each(|index| text.push_str(kinds[index % n_kinds].0));
    text.push_str(inside);
    (0..n_close).for_each(|index| text.push_str(kinds[(n_open + n_kinds - 1 - index % n_kinds) % n_kinds].1));
    text
}
