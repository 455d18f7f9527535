//! A C program as a tree of lines, so that parts can be taken out and the rest is still a program.

/// A statement, or statements between an opening and a closing line.
#[derive(Clone)]
pub enum Item {
    Line(String),
    Block { open: Vec<String>, body: Vec<Item>, close: Vec<String> },
}

/// A function; `open` is its first line without the brace.
#[derive(Clone)]
pub struct Function {
    pub open: String,
    pub body: Vec<Item>,
}

#[derive(Clone)]
pub struct Program {
    /// Include lines and declarations that every program has.
    pub prologue: &'static str,
    pub globals: Vec<String>,
    pub functions: Vec<Function>,
    /// Names that other lines mention, for taking all of these out at once.
    pub names: Vec<String>,
}

impl Item {
    pub fn line(text: impl Into<String>) -> Item {
        Item::Line(text.into())
    }

    pub fn block(open: &[&str], body: Vec<Item>, close: &[&str]) -> Item {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Item::Block { open: owned(open), body, close: owned(close) }
    }

    fn mentions(&self, name: &str) -> bool {
        match self {
            Item::Line(line) => mentions(line, name),
            Item::Block { open, close, .. } => open.iter().chain(close).any(|line| mentions(line, name)),
        }
    }

    fn size(&self) -> usize {
        match self {
            Item::Line(_) => 1,
            Item::Block { body, .. } => 1 + body.iter().map(Item::size).sum::<usize>(),
        }
    }
}

impl Program {
    pub fn text(&self) -> String {
        let mut text = self.prologue.to_owned();
        for line in &self.globals {
            text += line;
            text.push('\n');
        }
        for function in &self.functions {
            text += &function.open;
            text += " {\n";
            write_items(&mut text, &function.body, 1);
            text += "}\n";
        }
        text
    }

    /// Programs with one part less, those that lost most first.
    pub fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for name in &self.names {
            let mut program = self.clone();
            program.globals.retain(|line| !mentions(line, name));
            program.functions.retain(|function| !mentions(&function.open, name));
            for function in &mut program.functions {
                remove_mentions(&mut function.body, name);
            }
            program.names.retain(|other| other != name);
            all.push(program);
        }
        for (at, function) in self.functions.iter().enumerate() {
            for body in shorter(&function.body) {
                let mut program = self.clone();
                program.functions[at].body = body;
                all.push(program);
            }
        }
        for at in 0..self.globals.len() {
            let mut program = self.clone();
            program.globals.remove(at);
            all.push(program);
        }
        all.retain(|program| program.size() < self.size());
        all.sort_by_key(Program::size);
        all
    }

    fn size(&self) -> usize {
        let bodies = self.functions.iter().flat_map(|function| &function.body);
        self.globals.len() + self.functions.len() + bodies.map(Item::size).sum::<usize>()
    }
}

fn write_items(text: &mut String, items: &[Item], depth: usize) {
    let write = |text: &mut String, line: &str| {
        *text += &"    ".repeat(depth);
        *text += line;
        text.push('\n');
    };
    for item in items {
        match item {
            Item::Line(line) => write(text, line),
            Item::Block { open, body, close } => {
                open.iter().for_each(|line| write(text, line));
                write_items(text, body, depth + 1);
                close.iter().for_each(|line| write(text, line));
            }
        }
    }
}

fn remove_mentions(items: &mut Vec<Item>, name: &str) {
    let old = std::mem::take(items);
    for mut item in old {
        if let Item::Block { body, .. } = &mut item {
            remove_mentions(body, name);
        }
        if !item.mentions(name) {
            items.push(item);
        }
    }
}

/// The bodies with one item less, or with a block replaced by what is in it.
fn shorter(items: &[Item]) -> Vec<Vec<Item>> {
    let mut all = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let with = |middle: Vec<Item>| -> Vec<Item> {
            items[..at].iter().cloned().chain(middle).chain(items[at + 1..].iter().cloned()).collect()
        };
        all.push(with(Vec::new()));
        if let Item::Block { open, body, close } = item {
            all.push(with(body.clone()));
            for body in shorter(body) {
                all.push(with(vec![Item::Block { open: open.clone(), body, close: close.clone() }]));
            }
        }
    }
    all
}

/// Whether a line holds a name as a whole word.
fn mentions(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let is_word = |character: Option<char>| character.is_some_and(|one| one.is_alphanumeric() || one == '_');
        !is_word(line[..at].chars().next_back()) && !is_word(line[at + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_smaller_program_lost_something_and_is_still_a_tree() {
        let body = vec![
            Item::line("int u;"),
            Item::block(&["lock(&m);"], vec![Item::line("u = x;"), Item::line("x = 1;")], &["unlock(&m);"]),
        ];
        let function = Function { open: "void f(void)".to_owned(), body };
        let names = vec!["x".to_owned(), "m".to_owned()];
        let globals = vec!["int x;".to_owned(), "lock_t m;".to_owned()];
        let program = Program { prologue: "", globals, functions: vec![function], names };
        let texts: Vec<String> = program.smaller().iter().map(Program::text).collect();
        assert!(texts.iter().all(|text| text.matches('{').count() == text.matches('}').count()));
        assert!(texts.iter().all(|text| text.contains("unlock") == text.contains(" lock(")));
        assert!(texts.iter().any(|text| text.contains("u = x;") && !text.contains("lock(")));
        assert!(texts.iter().any(|text| !text.contains('x')));
        assert!(texts.iter().all(|text| text.len() < program.text().len()));
    }

    #[test]
    fn names_are_whole_words() {
        assert!(mentions("x = t1;", "t1") && mentions("&t1", "t1"));
        assert!(!mentions("x = t12;", "t1") && !mentions("at1", "t1"));
    }
}
