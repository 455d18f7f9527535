//! Source snippets: a message beside its source line, with a caret under the position.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::Colour;
use crate::escape::{moved, visible, visible_lines};

/// One place and what is to be seen there.
pub(crate) struct SourcePoint {
    /// File as the user named it.
    pub file: String,
    /// From one.
    pub line: u32,
    /// From one, in bytes of the source line.
    pub column: u32,
    /// The source line, if it is at hand.
    pub source: Option<String>,
    /// Bytes to underline.
    pub len: usize,
    /// Written under the place.
    pub label: String,
    /// Whether the message is about this place, not one that explains it.
    pub is_primary: bool,
}

/// A message with places, notes and advice.
pub(crate) struct Message<'a> {
    pub level: Level<'a>,
    /// Shown in brackets behind the level.
    pub id: Option<String>,
    pub title: String,
    pub points: Vec<SourcePoint>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

impl Message<'_> {
    /// Draws the message; ends with a line end.
    pub(crate) fn render(self, colour: Colour) -> String {
        let mut title = self.level.primary_title(visible_lines(&self.title));
        if let Some(id) = self.id {
            title = title.id(id);
        }
        let mut group = Group::with_title(title);
        for point in merge(self.points) {
            group = match point {
                Drawn::Line(snippet) => group.element(snippet),
                Drawn::Place(origin) => group.element(origin),
            };
        }
        for note in self.notes {
            group = group.element(Level::NOTE.message(visible_lines(&note)));
        }
        if let Some(help) = self.help {
            group = group.element(Level::HELP.message(visible_lines(&help)));
        }
        let renderer = match colour {
            Colour::Always => Renderer::styled(),
            Colour::Never => Renderer::plain(),
        };
        let mut text = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
        text.push('\n');
        text
    }
}

enum Drawn {
    Line(Snippet<'static, Annotation<'static>>),
    Place(Origin<'static>),
}

/// Places on one line share its snippet.
fn merge(points: Vec<SourcePoint>) -> Vec<Drawn> {
    let mut drawn: Vec<(String, u32, Drawn)> = Vec::new();
    for point in points {
        let Some(source) = &point.source else {
            let origin = Origin::path(visible(&point.file).into_owned());
            let origin = origin.line(point.line as usize).char_column(point.column.max(1) as usize);
            drawn.push((point.file, point.line, Drawn::Place(origin)));
            continue;
        };
        let kind = if point.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(underlined(source, point.column, point.len));
        if !point.label.is_empty() {
            annotation = annotation.label(visible_lines(&point.label));
        }
        let same = drawn.iter().position(|(file, line, drawn)| {
            *file == point.file && *line == point.line && matches!(drawn, Drawn::Line(_))
        });
        let snippet = match same.map(|at| drawn.remove(at).2) {
            Some(Drawn::Line(snippet)) => snippet,
            Some(Drawn::Place(_)) | None => Snippet::source(visible(source).into_owned())
                .line_start(point.line as usize)
                .path(visible(&point.file).into_owned()),
        };
        drawn.push((point.file, point.line, Drawn::Line(snippet.annotation(annotation))));
    }
    drawn.into_iter().map(|(_, _, drawn)| drawn).collect()
}

/// The bytes to underline in the line as shown; never outside of it.
fn underlined(source: &str, column: u32, len: usize) -> Range<usize> {
    let start = floor(source, (column.max(1) - 1) as usize);
    let end = floor(source, (start + len.max(1)).min(source.trim_end().len().max(start)));
    moved(source, start)..moved(source, end.max(start))
}

/// The start of the character around a byte.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_line_and_column_is_too_odd(source in any::<String>(), column in 0u32..50, len in 0usize..50) {
            let source = source.replace(['\n', '\r'], " ");
            let point = SourcePoint {
                file: "a.c".to_owned(), line: 3, column, source: Some(source), len, label: String::new(), is_primary: true,
            };
            let message = Message {
                level: Level::ERROR, id: None, title: "x".to_owned(), points: vec![point], notes: Vec::new(), help: None,
            };
            prop_assert!(message.render(Colour::Never).contains("a.c:3"));
        }
    }
}
