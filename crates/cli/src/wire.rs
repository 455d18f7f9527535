//! Messages of editors on a stream: headers, an empty line, a JSON document.

use std::io::{BufRead, Write};

use serde_json::Value;

use crate::failure::{Failure, Outcome};

/// Longer messages are refused: no editor sends them.
const MAX_BYTES: usize = 64 << 20;

/// Why a stream holds no message.
#[derive(Debug)]
pub enum BadMessage {
    /// The stream is broken.
    Stream(std::io::Error),
    /// The headers do not say how long the message is.
    Headers(String),
    /// The document is not JSON; the stream can be read on.
    Document(String),
}

impl std::fmt::Display for BadMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadMessage::Stream(error) => write!(f, "the stream is broken: {error}"),
            BadMessage::Headers(what) => write!(f, "the headers of a message are wrong: {what}"),
            BadMessage::Document(what) => write!(f, "a message is not JSON: {what}"),
        }
    }
}

/// The next message; `None` at the end of the stream.
pub fn read(stream: &mut dyn BufRead) -> Result<Option<Value>, BadMessage> {
    let mut length = None;
    loop {
        let mut line = String::new();
        let n_bytes = stream.read_line(&mut line).map_err(BadMessage::Stream)?;
        if n_bytes == 0 {
            return match length {
                None => Ok(None),
                Some(_) => Err(BadMessage::Headers("the stream ends inside them".to_owned())),
            };
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<usize>().ok().filter(|length| *length <= MAX_BYTES);
        }
    }
    let length = length.ok_or_else(|| BadMessage::Headers("there is no Content-Length".to_owned()))?;
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).map_err(BadMessage::Stream)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| BadMessage::Document(error.to_string()))
}

/// Sends a message.
pub fn write(stream: &mut dyn Write, message: &Value) -> std::io::Result<()> {
    let text = message.to_string();
    let text = unpick_report::escape::json(&text);
    write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    stream.flush()
}

/// Someone who answers messages until the conversation is over.
pub trait Answers {
    /// Whether there is nothing more to say.
    fn is_over(&self) -> bool;
    /// What is sent for a message, in order.
    fn handle(&mut self, message: &Value) -> Vec<Value>;
}

/// Serves a client on standard input and output until either side ends. A document that cannot be read is complained of and
/// left out.
pub fn serve(who: &mut dyn Answers) -> Outcome<()> {
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    while !who.is_over() {
        let message = match read(&mut stdin) {
            Ok(Some(message)) => message,
            Ok(None) => break,
            Err(BadMessage::Document(what)) => {
                tell!("unpick: {}", BadMessage::Document(what));
                continue;
            }
            Err(error) => return Err(Failure::new(error.to_string())),
        };
        for answer in who.handle(&message) {
            // A client that has gone needs no answer.
            if write(&mut stdout, &answer).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_read_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({ "text": "ä\n" })).expect("a vector takes everything");
        write(&mut bytes, &json!([1])).expect("a vector takes everything");
        let mut stream = bytes.as_slice();
        assert_eq!(read(&mut stream).expect("a message"), Some(json!({ "text": "ä\n" })));
        assert_eq!(read(&mut stream).expect("a message"), Some(json!([1])));
        assert_eq!(read(&mut stream).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert!(matches!(read(&mut "Content-Length: 3\r\n\r\n{{{".as_bytes()), Err(BadMessage::Document(_))));
        assert!(matches!(read(&mut "Length: 3\r\n\r\n{}".as_bytes()), Err(BadMessage::Headers(_))));
        assert!(matches!(read(&mut "Content-Length: 9\r\n\r\n{}".as_bytes()), Err(BadMessage::Stream(_))));
        assert!(matches!(read(&mut "Content-Length: 9\r\n".as_bytes()), Err(BadMessage::Headers(_))));
    }
}
