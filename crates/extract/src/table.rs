//! Abstraction tables: rows that map fragments to their meaning in the model, and preferences for the rest.
//!
//! ```text
//! # Everything behind a hash at the start of a line, or behind a tab and a hash, is a comment.
//! A: timer = 60            timer = true          a row: fragment, tab, meaning
//! F: printf(...            hide                  all fragments that begin so
//! x->state = $v            state = $v            a metavariable stands for a subexpression
//! Function sender                                rows from here on concern one function
//! Function *                                     and from here on all of them
//! Substitute BOOL bit                            in what is kept
//! Declare chan to_receiver = [1] of { byte }     in the model, or in the process of the function
//! Predicate timer timer > 0                      what the model's `timer` says of the program's
//! Import limit                                   an object that other units define
//! Include common.map                             another table
//! ```

use unpick_base::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

use crate::code::Class;
use crate::pattern::Pattern;

/// What a fragment means in the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mapping {
    /// Not executed; the model prints the text.
    Print,
    /// Only a comment.
    Comment,
    /// Not there.
    Hide,
    /// The same in the model.
    Keep,
    /// Always possible.
    True,
    /// Never possible.
    False,
    /// This text.
    Text(String),
}

impl Mapping {
    /// Reads a right side.
    pub fn parse(text: &str) -> Mapping {
        match text {
            "print" => Mapping::Print,
            "comment" => Mapping::Comment,
            "hide" => Mapping::Hide,
            "keep" => Mapping::Keep,
            "true" => Mapping::True,
            "false" => Mapping::False,
            text => Mapping::Text(text.to_owned()),
        }
    }

    /// How it is written.
    pub fn text(&self) -> &str {
        match self {
            Mapping::Print => "print",
            Mapping::Comment => "comment",
            Mapping::Hide => "hide",
            Mapping::Keep => "keep",
            Mapping::True => "true",
            Mapping::False => "false",
            Mapping::Text(text) => text,
        }
    }

    /// The order in which restrictions win; `None` for what cannot be one.
    pub fn rank(&self) -> Option<u8> {
        match self {
            Mapping::Print => Some(1),
            Mapping::Comment => Some(2),
            Mapping::Hide => Some(3),
            Mapping::Keep => Some(4),
            Mapping::True | Mapping::False | Mapping::Text(_) => None,
        }
    }

    /// Whether nothing of the fragment is executed.
    pub fn is_suppressed(&self) -> bool {
        matches!(self, Mapping::Print | Mapping::Comment | Mapping::Hide)
    }
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    /// The class that its prefix names.
    pub class: Option<Class>,
    /// The function it concerns.
    pub function: Option<String>,
    /// The left side.
    pub pattern: Pattern,
    /// The left side as written.
    pub text: String,
    /// The right side.
    pub mapping: Mapping,
    /// Where the left side stands.
    pub span: Span,
    /// Where the right side stands.
    pub mapping_span: Span,
}

/// A declaration for the model.
#[derive(Clone, Debug)]
pub struct Declare {
    /// For the process of this function only.
    pub function: Option<String>,
    /// Promela.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole table.
#[derive(Clone, Default, Debug)]
pub struct Table {
    /// Rows in the order in which they are tried: those of named functions, then the others.
    pub rows: Vec<Row>,
    /// Words to be replaced in what is kept, in order.
    pub substitutes: Vec<(String, String)>,
    /// Declarations for the model.
    pub declares: Vec<Declare>,
    /// Names of objects of other units that the model has too.
    pub imports: Vec<(String, Span)>,
    /// What the model holds of objects that it holds in another way: names and expressions.
    pub predicates: Vec<(String, String, Span)>,
}

/// Class defaults and restrictions.
#[derive(Clone, Default, Debug)]
pub struct Preferences {
    /// What becomes of a class.
    pub defaults: Vec<(Class, Mapping)>,
    /// What becomes of fragments that touch an object: the name of a variable or field, `function.name` for a local.
    pub restrictions: Vec<(String, Mapping, Span)>,
}

/// Gives the text of an included file, or says why not.
pub type Loader<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// Reads a table. What is wrong with it is added to the diagnostics.
pub fn parse_table(
    name: &str,
    text: &str,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    load: &mut Loader<'_>,
) -> Table {
    let mut table = Table::default();
    let mut reader = Reader { sources, diagnostics, load, depth: 0, function: None };
    reader.read(name, text, &mut table);
    let (named, general): (Vec<Row>, Vec<Row>) = table.rows.drain(..).partition(|row| row.function.is_some());
    table.rows = named.into_iter().chain(general).collect();
    table
}

struct Reader<'a> {
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    load: &'a mut Loader<'a>,
    depth: u32,
    function: Option<String>,
}

/// A line with continuations joined, and where it begins.
struct Line {
    text: String,
    lo: u32,
}

impl Reader<'_> {
    fn read(&mut self, name: &str, text: &str, table: &mut Table) {
        let Some(index) = self.sources.add(name, text) else {
            self.diagnostics.error(Span::NONE, "the tables are larger than 4 GiB together");
            return;
        };
        let base = self.sources.text(index).base;
        for line in lines(text, base) {
            self.line(&line, name, table);
        }
    }

    fn line(&mut self, line: &Line, file: &str, table: &mut Table) {
        let content = without_comment(&line.text);
        let indent = content.len() - content.trim_start().len();
        let content = content.trim();
        if content.is_empty() {
            return;
        }
        let lo = line.lo + indent as u32;
        let span = Span::new(lo, lo + content.len() as u32);
        let (word, rest) = match content.find(char::is_whitespace) {
            Some(at) => (&content[..at], content[at..].trim()),
            None => (content, ""),
        };
        // A row has a tab; a command only has words.
        match word {
            "Substitute" => self.substitute(rest, span, table),
            "Declare" if !rest.is_empty() => {
                table.declares.push(Declare { function: self.function.clone(), text: rest.to_owned(), span });
            }
            "Predicate" => self.predicate(rest, span, table),
            "Import" if !rest.is_empty() => table.imports.push((rest.to_owned(), span)),
            "Function" if !rest.is_empty() => {
                self.function = (rest != "*").then(|| rest.to_owned());
            }
            "Include" if !rest.is_empty() => self.include(rest, span, file, table),
            "Declare" | "Import" | "Function" | "Include" => {
                self.diagnostics.error(span, format!("`{word}` needs something behind it"));
            }
            _ => self.row(content, lo, table),
        }
    }

    fn substitute(&mut self, rest: &str, span: Span, table: &mut Table) {
        let mut words = rest.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(from), Some(to), None) => table.substitutes.push((from.to_owned(), to.to_owned())),
            _ => self.diagnostics.error(span, "`Substitute` needs two words: what is replaced, and by what"),
        }
    }

    fn predicate(&mut self, rest: &str, span: Span, table: &mut Table) {
        let Some((name, text)) = rest.split_once(char::is_whitespace) else {
            return self.diagnostics.error(span, "`Predicate` needs an object and an expression about it");
        };
        match crate::rows::expression(text) {
            Ok(_) => table.predicates.push((name.to_owned(), text.trim().to_owned(), span)),
            Err(why) => self.diagnostics.error(span, why),
        }
    }

    fn include(&mut self, path: &str, span: Span, file: &str, table: &mut Table) {
        if self.depth >= 16 {
            return self.diagnostics.error(span, "tables include each other more than 16 deep");
        }
        let path = path.trim_matches('"');
        let folder = std::path::Path::new(file).parent().unwrap_or(std::path::Path::new(""));
        let path = folder.join(path).display().to_string();
        match (self.load)(&path) {
            Ok(text) => {
                self.depth += 1;
                let outer = self.function.take();
                self.read(&path, &text, table);
                self.function = outer;
                self.depth -= 1;
            }
            Err(why) => self.diagnostics.error(span, why),
        }
    }

    fn row(&mut self, content: &str, lo: u32, table: &mut Table) {
        let span = Span::new(lo, lo + content.len() as u32);
        let Some((left, right)) = content.split_once('\t') else {
            let item = Diagnostic::new(Severity::Error, span, "a row needs a tab between the fragment and its meaning")
                .help("rows read `FRAGMENT <tab> print|comment|hide|keep|true|false|PROMELA`");
            return self.diagnostics.push(item);
        };
        let mapping = right.trim();
        let mapping_lo = lo + (content.len() - right.trim_start().len()) as u32;
        let mapping_span = Span::new(mapping_lo, mapping_lo + mapping.len() as u32);
        let (class, pattern) = match left.split_once(':') {
            Some((letter, rest)) if Class::of_letter(letter.trim()).is_some() => {
                (Class::of_letter(letter.trim()), rest)
            }
            Some((letter, _)) if letter.trim().len() == 1 && letter.trim().chars().all(char::is_uppercase) => {
                let item = Diagnostic::new(Severity::Error, span, format!("`{}:` is no class", letter.trim()))
                    .help("the classes are D: A: F: C: E:");
                return self.diagnostics.push(item);
            }
            Some(_) | None => (None, left),
        };
        let text = pattern.trim().to_owned();
        let pattern_lo = lo + (left.len() - pattern.trim_start().len()) as u32;
        let span = Span::new(pattern_lo, pattern_lo + text.len() as u32);
        let Some(pattern) = Pattern::parse(&text) else {
            return self.diagnostics.error(span, "the left side of the row is empty");
        };
        if mapping.is_empty() {
            return self.diagnostics.error(mapping_span, "the right side of the row is empty");
        }
        let (function, mapping) = (self.function.clone(), Mapping::parse(mapping));
        table.rows.push(Row { class, function, pattern, text, mapping, span, mapping_span });
    }
}

/// Reads preferences.
pub fn parse_preferences(
    name: &str,
    text: &str,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Preferences {
    let mut preferences = Preferences::default();
    let Some(index) = sources.add(name, text) else { return preferences };
    let base = sources.text(index).base;
    for line in lines(text, base) {
        let content = without_comment(&line.text).trim();
        if content.is_empty() {
            continue;
        }
        let span = Span::new(line.lo, line.lo + line.text.trim_end().len() as u32);
        let words: Vec<&str> = content.split_whitespace().collect();
        let mapping = words.last().map(|word| Mapping::parse(word)).filter(|mapping| mapping.rank().is_some());
        match (words.as_slice(), mapping) {
            (["Default", class, _], Some(mapping)) => match Class::of_letter(class.trim_end_matches(':')) {
                Some(class) => preferences.defaults.push((class, mapping)),
                None => diagnostics.error(span, format!("`{class}` is no class: they are D A F C E")),
            },
            (["Restrict", object, _], Some(mapping)) => {
                preferences.restrictions.push(((*object).to_owned(), mapping, span));
            }
            (["Default" | "Restrict", _, _], None) => {
                diagnostics.error(span, "a preference is one of print, comment, hide, keep");
            }
            _ => {
                let item = Diagnostic::new(Severity::Error, span, "this is no preference")
                    .help("write `Default CLASS TYPE` or `Restrict OBJECT TYPE`");
                diagnostics.push(item);
            }
        }
    }
    preferences
}

/// Lines with those that end in a backslash joined to the next.
fn lines(text: &str, base: u32) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut lo = base;
    let mut is_continued = false;
    for raw in text.split_inclusive('\n') {
        let content = raw.trim_end_matches(['\n', '\r']);
        let goes_on = content.ends_with('\\');
        let content = content.strip_suffix('\\').unwrap_or(content);
        match lines.last_mut().filter(|_| is_continued) {
            Some(last) => last.text.push_str(content),
            None => lines.push(Line { text: content.to_owned(), lo }),
        }
        is_continued = goes_on;
        lo += raw.len() as u32;
    }
    lines
}

fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with(['#']) || line.trim_start().starts_with("//") {
        return "";
    }
    let end = line.match_indices('#').find(|(at, _)| line[..*at].ends_with('\t')).map_or(line.len(), |(at, _)| at);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Table, Diagnostics) {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let table = parse_table("t.map", text, &mut sources, &mut diagnostics, &mut |path| match path {
            "more.map" => Ok("y = 1\thide\n".to_owned()),
            _ => Err(format!("cannot read {path}")),
        });
        (table, diagnostics)
    }

    #[test]
    fn rows_commands_and_comments() {
        let text = "# a comment\nA: x = 1\t\tkeep\t# why\nprintf(...\thide\nSubstitute BOOL bit\n\
                    Function f\nx > 0\ttrue\nInclude more.map\nDeclare byte n\nFunction *\nImport limit\n";
        let (table, diagnostics) = read(text);
        assert_eq!(diagnostics.iter().count(), 0);
        let shown: Vec<(Option<&str>, &str, &str)> =
            table.rows.iter().map(|row| (row.function.as_deref(), &*row.text, row.mapping.text())).collect();
        assert_eq!(
            shown,
            [
                (Some("f"), "x > 0", "true"),
                (None, "x = 1", "keep"),
                (None, "printf(...", "hide"),
                (None, "y = 1", "hide"),
            ]
        );
        assert_eq!(table.substitutes, [("BOOL".to_owned(), "bit".to_owned())]);
        assert_eq!(table.declares[0].function.as_deref(), Some("f"));
        assert_eq!(table.imports[0].0, "limit");
    }

    #[test]
    fn lines_go_on_behind_a_backslash() {
        let (table, diagnostics) = read("f(x)\tif :: a = 1 \\\n:: a = 2 fi\n");
        assert_eq!(diagnostics.n_errors(), 0);
        assert_eq!(table.rows[0].mapping.text(), "if :: a = 1 :: a = 2 fi");
    }

    #[test]
    fn mistakes_have_places() {
        let (_, diagnostics) = read("A: x = 1 keep\nQ: x\thide\nSubstitute one\nInclude none.map\nx\t\n");
        let messages: Vec<&str> = diagnostics.iter().map(|item| item.message.as_str()).collect();
        assert_eq!(messages.len(), 5, "{messages:?}");
        assert!(
            messages[0].contains("tab") && messages[1].contains("`Q:`") && messages[4].contains("right side")
                || messages[4].contains("tab")
        );
    }

    #[test]
    fn preferences_name_classes_and_objects() {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let text = "Default A print\nRestrict timer hide\nRestrict x true\nOther\n";
        let preferences = parse_preferences("p", text, &mut sources, &mut diagnostics);
        assert_eq!(preferences.defaults, [(Class::Assignment, Mapping::Print)]);
        assert_eq!(preferences.restrictions.len(), 1);
        assert_eq!(diagnostics.n_errors(), 2);
    }
}
