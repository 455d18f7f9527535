//! The pipeline of extraction: from a program and a table to decisions and a model.

use std::collections::{HashMap, HashSet};

use unpick_base::{Diagnostic, Diagnostics, Interner, Severity, SourceMap, Span};
use unpick_front_c::ast::Unit;

use crate::code::Code;
use crate::context::Context;
use crate::effect::ObjectId;
use crate::entry::{Entry, entries};
use crate::harness::{Data, Harness};
use crate::pattern::{canonical_words, words};
use crate::plan::Plan;
use crate::rows::{self, Rows};
use crate::rules::{self, Decisions, Origin};
use crate::shape::Shape;
use crate::table::{Loader, Preferences, Row, Table, parse_preferences, parse_table};
use crate::write::{Surroundings, Written, write};
use crate::{effect, library, normal, text};

/// A program with its table, before anything is decided.
pub struct Program {
    /// The program.
    pub code: Code,
    /// The user's table.
    pub table: Table,
    /// The built-in table.
    pub library: Table,
    /// The user's preferences.
    pub preferences: Preferences,
    /// What surrounds it.
    pub harness: Harness,
}

/// The files beside the program: names and texts.
#[derive(Default)]
pub struct Inputs {
    /// The table.
    pub table: Option<(String, String)>,
    /// The preferences.
    pub preferences: Option<(String, String)>,
    /// What surrounds the program.
    pub harness: Harness,
}

impl Program {
    /// Reads the tables and takes the units apart. Mistakes in tables are among the diagnostics.
    pub fn new(
        units: Vec<Unit>,
        inputs: Inputs,
        interner: &mut Interner,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
        load: &mut Loader<'_>,
    ) -> Program {
        let table = match &inputs.table {
            Some((name, text)) => parse_table(name, text, sources, diagnostics, load),
            None => Table::default(),
        };
        let preferences = match &inputs.preferences {
            Some((name, text)) => parse_preferences(name, text, sources, diagnostics),
            None => Preferences::default(),
        };
        let library = library::table(sources, diagnostics);
        let mut units = units;
        crate::link::records(&mut units);
        let mut code = normal::normalise(units, interner, sources);
        text::fill(&mut code, interner, sources);
        effect::analyse(&mut code, interner, sources);
        Program { code, table, library, preferences, harness: inputs.harness }
    }

    /// Decides on everything; `None` if the table or the harness is wrong, with diagnostics.
    pub fn decide<'a>(
        &'a self,
        interner: &'a Interner,
        sources: &'a SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Option<Decided<'a>> {
        let n_errors = diagnostics.n_errors();
        let decided = self.decide_loosely(interner, sources, diagnostics)?;
        decided.complain(diagnostics);
        crate::audit::check(&decided, diagnostics);
        (diagnostics.n_errors() == n_errors).then_some(decided)
    }

    /// The same, for tables that may not fit the program any more.
    pub fn decide_loosely<'a>(
        &'a self,
        interner: &'a Interner,
        sources: &'a SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Option<Decided<'a>> {
        let n_errors = diagnostics.n_errors();
        let function_specs = match self.harness.function_specs() {
            Ok(function_specs) => function_specs,
            Err(why) => {
                diagnostics.error(Span::NONE, why);
                return None;
            }
        };
        let plan = match Plan::new(&self.code, &function_specs) {
            Ok(plan) => plan,
            Err(missing) => {
                for name in missing {
                    diagnostics.error(
                        Span::NONE,
                        format!("the harness names `{name}`, but no function with a body has this name"),
                    );
                }
                return None;
            }
        };
        let restated = self.restated(&plan, interner, sources);
        let (context, decisions) = self.judged(&plan, &restated, interner, sources);
        let used = library::definitions(&self.library, &decisions, !self.harness.no_spurious);
        let prelude = self.prelude(&used);
        let rows = rows::parse(&context, &decisions, &self.table, &self.library, &prelude, diagnostics);
        let decided = Decided { program: self, context, plan, decisions, rows, library: used, restated };
        (diagnostics.n_errors() == n_errors).then_some(decided)
    }

    /// Decides with some rows of the table as if they were not there.
    fn judged<'a>(
        &'a self,
        plan: &Plan,
        ignored: &HashSet<usize>,
        interner: &'a Interner,
        sources: &'a SourceMap,
    ) -> (Context<'a>, Decisions) {
        let mentioned = (self.harness.data == Data::C).then(|| self.mentioned(ignored));
        let around = self.around(ignored);
        let outside = crate::pattern::words(&around).into_iter().collect();
        let single = crate::single_instance::single_locals(&self.code, plan, interner, &outside);
        let library_shapes = self.library_shapes(interner, sources);
        let mut context = Context::new(&self.code, interner, sources, library_shapes, mentioned, &single);
        context.malloc_fails = self.harness.malloc_fails;
        let any_value = &self.harness.any_value;
        let decisions =
            rules::decide(&context, &self.table, ignored, &self.library, &self.preferences, plan, &around, any_value);
        (context, decisions)
    }

    /// Rows that say of an entry what is decided without them, as all rows of a table that `unpick table` wrote do: they
    /// change nothing. A built-in row with all that follows from it is more than its text, and what a default suppresses
    /// takes all with it that depends on it, which a row does not. Other rows change what is decided by default, so a row
    /// has to say the same with all rows in force that do not.
    fn restated(&self, plan: &Plan, interner: &Interner, sources: &SourceMap) -> HashSet<usize> {
        let mut restated: HashSet<usize> = (0..self.table.rows.len()).collect();
        let mut n_before = usize::MAX;
        while !restated.is_empty() && restated.len() < n_before {
            n_before = restated.len();
            let (context, decisions) = self.judged(plan, &restated, interner, sources);
            self.keep_restated(&mut restated, &entries(&context, &decisions));
        }
        restated
    }

    /// Takes out the rows that say something else than what is decided without them.
    fn keep_restated(&self, restated: &mut HashSet<usize>, entries: &[Entry]) {
        let mut known: HashMap<String, Vec<&Entry>> = HashMap::new();
        for entry in entries {
            known.entry(canonical_words(&entry.text).join(" ")).or_default().push(entry);
        }
        let meant = |row: &Row| -> Vec<&Entry> {
            let entries = row.pattern.exact().filter(|_| row.function.is_none()).and_then(|text| known.get(&text));
            let is_meant = |entry: &&Entry| row.class.is_none_or(|class| class == entry.class);
            entries.into_iter().flatten().copied().filter(is_meant).collect()
        };
        let is_same =
            |row: &Row, entry: &&Entry| !entry.is_mixed && words(&entry.decision.shown()) == words(row.mapping.text());
        restated.retain(|at| {
            let row = &self.table.rows[*at];
            let entries = meant(row);
            !entries.is_empty() && entries.iter().all(|entry| is_same(row, entry))
        });
        // Other rows may speak of what this one leaves alone: then it says that nothing happens here.
        let others = self.table.rows.iter().enumerate().filter(|(at, _)| !restated.contains(at));
        let spoken: HashSet<String> = others.flat_map(|(_, row)| words(row.mapping.text())).collect();
        restated.retain(|at| {
            let row = &self.table.rows[*at];
            let fragments = meant(row).into_iter().flat_map(|entry| &entry.fragments);
            let mut touched = fragments.flat_map(|id| {
                let effects = &self.code.fragments[*id].effects;
                effects.defs.iter().chain(&effects.havoc)
            });
            !row.mapping.is_suppressed() || !touched.any(|object| spoken.contains(&self.code.objects.get(*object).name))
        });
    }

    /// Objects whose shape the library or the table knows.
    fn library_shapes(&self, interner: &Interner, sources: &SourceMap) -> HashMap<ObjectId, Shape> {
        let mut library_shapes = library::library_shapes(&self.code, interner, sources);
        for fragment in self.code.fragments.iter() {
            if fragment.class != crate::code::Class::Declaration {
                continue;
            }
            let first = fragment.text.split_whitespace().next().unwrap_or_default();
            let substitute = self.table.substitutes.iter().find(|(from, _)| from == first);
            let shape = substitute.and_then(|(_, to)| crate::shape::promela_type(to));
            if let (Some(shape), Some(object)) = (shape, fragment.effects.defs.first()) {
                library_shapes.insert(*object, shape);
            }
        }
        library_shapes
    }

    /// All text of the model besides the built-in rows.
    fn around(&self, ignored: &HashSet<usize>) -> String {
        let harness = &self.harness;
        let environment = harness.environment.iter().map(|(_, text)| text.as_str());
        let declared = self.table.declares.iter().map(|declare| declare.text.as_str());
        let rows = self.right_sides(ignored);
        let imports = self.table.imports.iter().map(|(name, _)| name.as_str());
        let texts = environment.chain(declared).chain(rows).chain(imports);
        let texts = texts.chain(harness.declare.iter().map(String::as_str));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Names in texts of Promela written by the user: what they mean has to be Promela.
    fn mentioned(&self, ignored: &HashSet<usize>) -> HashSet<String> {
        let (table, harness) = (&self.table, &self.harness);
        let rows = self.right_sides(ignored);
        let declares = table.declares.iter().map(|declare| declare.text.as_str());
        let claims = harness.ltl.iter().chain(&harness.invariants).chain(&harness.spoken).chain(&harness.environment);
        let claims = claims.map(|(_, text)| text.as_str()).chain(harness.declare.iter().map(String::as_str));
        rows.chain(declares).chain(claims).flat_map(|text| crate::pattern::words(&without_code(text))).collect()
    }

    fn right_sides<'a>(&'a self, ignored: &'a HashSet<usize>) -> impl Iterator<Item = &'a str> {
        let rows = self.table.rows.iter().enumerate().filter(|(at, _)| !ignored.contains(at));
        rows.map(|(_, row)| row.mapping.text())
    }

    /// What right sides may mention besides the program's objects.
    fn prelude(&self, library: &str) -> String {
        let mut prelude = library.to_owned();
        for text in self.harness.environment.iter().map(|(_, text)| text).chain(&self.harness.declare) {
            prelude.push_str(text);
            prelude.push('\n');
        }
        prelude
    }
}

/// A text without the C that is embedded in it.
fn without_code(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = ["c_code", "c_expr", "c_decl"].iter().filter_map(|word| rest.find(word)).min() {
        result.push_str(&rest[..at]);
        let mut depth = 0;
        let end = rest[at..].char_indices().find(|(_, letter)| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            *letter == '}' && depth <= 0
        });
        rest = end.map_or("", |(end, _)| &rest[at + end + 1..]);
    }
    result + rest
}

/// A program about which everything is decided.
pub struct Decided<'a> {
    /// The program.
    pub program: &'a Program,
    /// What is known of its data.
    pub context: Context<'a>,
    /// What becomes of its functions.
    pub plan: Plan,
    /// What becomes of its fragments.
    pub decisions: Decisions,
    /// Rows of the table that say what is decided without them.
    pub restated: HashSet<usize>,
    rows: Rows,
    library: String,
}

impl Decided<'_> {
    /// Whether hand-written processes use channels of messages.
    pub(crate) fn has_channels_outside(&self) -> bool {
        crate::pattern::words(&self.program.around(&self.restated)).iter().any(|word| word == "message")
    }

    /// The right sides of rows.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The model.
    pub fn model(&self, title: &str, simplifies: bool) -> Written {
        let harness = &self.program.harness;
        let declares = self.program.table.declares.iter().filter(|declare| declare.function.is_none());
        let surroundings = Surroundings {
            environment: harness.environment.clone(),
            library: self.library.clone(),
            declarations: declares.map(|declare| declare.text.clone()).chain(harness.declare.iter().cloned()).collect(),
            ltl: harness.ltl.clone(),
            invariants: harness.invariants.clone(),
            spoken: harness.spoken.clone(),
            imports: self.program.table.imports.iter().map(|(name, _)| name.clone()).collect(),
            has_large_steps: harness.has_large_steps,
            title: title.to_owned(),
        };
        write(&self.context, &self.decisions, &self.plan, &self.rows, &surroundings, simplifies)
    }

    /// The model, if what the user wrote into it fits.
    pub fn checked_model(&self, title: &str, simplifies: bool, diagnostics: &mut Diagnostics) -> Option<Written> {
        let n_errors = diagnostics.n_errors();
        let written = self.model(title, simplifies);
        crate::validate::validate(self, &written, diagnostics);
        (diagnostics.n_errors() == n_errors).then_some(written)
    }

    /// Commands about objects that are not there.
    fn complain_of_objects(&self, diagnostics: &mut Diagnostics) {
        let code = self.context.code;
        let is_object = |name: &str| code.objects.iter().any(|(_, object)| object.name == name);
        for (name, span) in &self.program.table.imports {
            let is_declared = |(unit, decl): &(usize, unpick_front_c::ast::DeclId)| {
                self.context.interner.name(code.units[*unit].decls[*decl].name) == name
            };
            if !code.undefined.iter().any(is_declared) && !is_object(name) {
                let item = Diagnostic::new(Severity::Error, *span, format!("no object `{name}` is declared"));
                diagnostics.push(item.help("`Import` is for objects that the source declares and other units define"));
            }
        }
        for (name, _, span) in &self.program.table.predicates {
            if !is_object(name) {
                diagnostics.error(*span, format!("the program has no object `{name}`"));
            }
        }
        for (name, _, span) in &self.program.preferences.restrictions {
            if !is_object(name.rsplit('.').next().unwrap_or(name)) {
                diagnostics.push(Diagnostic::new(
                    Severity::Warning,
                    *span,
                    format!("the program has no object `{name}`"),
                ));
            }
        }
    }

    /// Says what is wrong with the table.
    fn complain(&self, diagnostics: &mut Diagnostics) {
        self.complain_of_objects(diagnostics);
        let mut is_used = self.used_rows();
        for decision in self.decisions.plain.iter().chain(self.decisions.negated.values()) {
            if let Origin::Row(row) = decision.origin {
                is_used[row] = true;
            }
        }
        for (row, is_used) in self.program.table.rows.iter().zip(is_used) {
            if is_used {
                continue;
            }
            let message = match &row.function {
                Some(function) if self.context.code.function_named(function).is_none() => {
                    format!("the row concerns `{function}`, but no function with a body has this name")
                }
                Some(function) => format!("no entry of `{function}` is `{}`", row.text),
                None => format!("no entry is `{}`", row.text),
            };
            let mut item = Diagnostic::new(Severity::Error, row.span, message);
            item.help = self.nearest(&row.text).map(|text| format!("did you mean `{text}`?"));
            if item.help.is_none() {
                item.help = Some("`unpick table FILE` lists all entries; `--refresh` marks rows without one".into());
            }
            diagnostics.push(item);
        }
    }

    /// For each row whether it is known to concern an entry, because it says what is decided without it.
    pub(crate) fn used_rows(&self) -> Vec<bool> {
        (0..self.program.table.rows.len()).map(|at| self.restated.contains(&at)).collect()
    }

    /// Whether a row says what is decided about an entry without it.
    pub(crate) fn is_restated(&self, entry: &Entry) -> bool {
        let text = canonical_words(&entry.text).join(" ");
        self.restated.iter().any(|at| {
            let row = &self.program.table.rows[*at];
            row.class.is_none_or(|class| class == entry.class) && row.pattern.exact().is_some_and(|exact| exact == text)
        })
    }

    /// The entry most like a text.
    fn nearest(&self, text: &str) -> Option<&str> {
        let words = crate::pattern::canonical_words(text);
        let score = |other: &str| {
            let other = crate::pattern::canonical_words(other);
            let n_common = words.iter().filter(|word| other.contains(word)).count();
            2 * n_common * 100 / (words.len() + other.len()).max(1)
        };
        let fragments = self.context.code.fragments.iter();
        let texts = fragments.flat_map(|fragment| [fragment.text.as_str(), fragment.negated.as_str()]);
        let best = texts.filter(|text| !text.is_empty()).max_by_key(|text| score(text))?;
        (score(best) >= 60).then_some(best)
    }
}
