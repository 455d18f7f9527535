//! Source map of a model: comments at its end that map its lines to lines of the source.
//!
//! Line numbers beside the statements would change with every edit of the source, and with them every line of the
//! model; at the end they change by themselves.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::write::Written;

/// How such a comment begins.
const HEAD: &str = "/* Lines of ";

/// Lines of a model and the lines of the source that they come from.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Origins {
    lines: BTreeMap<u32, (String, u32)>,
}

impl Origins {
    /// From what was written.
    pub fn new(written: &Written, context: &Context<'_>) -> Origins {
        let mut origins = Origins::default();
        for (at, fragment) in written.lines.iter().enumerate() {
            let place = fragment.and_then(|id| context.sources.place(context.code.fragments[id].span.lo));
            if let Some(place) = place {
                origins.lines.insert(at as u32 + 1, (place.file.to_string(), place.line));
            }
        }
        origins
    }

    /// Where a line of the model comes from.
    pub fn get(&self, line: u32) -> Option<(&str, u32)> {
        self.lines.get(&line).map(|(file, line)| (file.as_str(), *line))
    }

    /// The comments, one for each file.
    pub fn comments(&self) -> String {
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (line, (file, origin)) in &self.lines {
            // A name that would end the comment is not worth the trouble.
            if !file.contains("*/") && !file.contains('\n') {
                files.entry(file).or_default().push(format!("{line}={origin}"));
            }
        }
        let mut text = String::new();
        for (file, pairs) in files {
            text.push_str(&format!("\n{HEAD}{file}:"));
            let mut width = 100;
            for pair in pairs {
                if width + pair.len() + 1 > 100 {
                    text.push_str("\n  ");
                    width = 2;
                }
                text.push_str(&format!(" {pair}"));
                width += pair.len() + 1;
            }
            text.push_str(" */\n");
        }
        text
    }

    /// From the text of a model; nothing if it was not extracted.
    pub fn read(model: &str) -> Origins {
        let mut origins = Origins::default();
        for comment in model.split(HEAD).skip(1) {
            let Some((content, _)) = comment.split_once("*/") else { continue };
            let Some((file, pairs)) = content.split_once(":\n") else { continue };
            for pair in pairs.split_whitespace() {
                if let Some((line, origin)) = pair.split_once('=')
                    && let (Ok(line), Ok(origin)) = (line.parse(), origin.parse())
                {
                    origins.lines.insert(line, (file.to_owned(), origin));
                }
            }
        }
        origins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_read_back() {
        let lines = (1..200).map(|line| (line, (format!("{}.c", line % 2), line * 3)));
        let origins = Origins { lines: lines.collect() };
        let text = format!("byte x;\n{}", origins.comments());
        assert!(text.lines().all(|line| line.len() <= 110));
        assert_eq!(Origins::read(&text), origins);
        assert_eq!(Origins::read("byte x; /* Lines of nothing */"), Origins::default());
    }
}
