//! Control flow of a process, strung together as SPIN does: sequences of elements, joins, labels, escapes.
//!
//! SPIN's states are statements, and which of them are states of their own follows from how it strings them
//! together: a selection has an entry and a join, a loop a head and an exit, jumps and joins are skipped where
//! they can be. To count the same states, statements are strung together in the same way here;
//! [`build`] then reads transitions off the result.

pub mod build;

use std::sync::Arc;

use unpick_base::{IdVec, Span, define_id};

use crate::syntax::Name;
use unpick_automaton::{Expr, Step};

define_id! {
    /// An element.
    pub struct ElementId("e");
    /// A sequence of elements.
    pub struct SequenceId("s");
    /// A loop, for its `break`s.
    pub struct LoopId("d");
}

/// The braces around a place: the number of each block inside its parent.
pub type Path = Arc<[u32]>;

/// What is wrong with how statements are strung together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misplaced {
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
    /// Whether it is an error.
    pub is_error: bool,
}

/// A statement to be added.
pub enum Node {
    /// One step.
    Step(Step),
    /// A jump.
    Goto(Target),
    /// `if`, with its options.
    If(Vec<SequenceId>),
    /// `do`, with its options.
    Do(Vec<SequenceId>, LoopId),
    /// The main sequence and its escape.
    Unless(SequenceId, SequenceId),
    /// Statements between braces.
    Block(BlockKind, SequenceId),
}

/// Where a jump leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// To the label that is seen from here.
    Label(Name, Path),
    /// Out of a loop.
    Exit(LoopId),
}

/// What braces mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BlockKind {
    Plain,
    Atomic,
    DStep,
}

/// What an element is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ElementKind {
    Step(Step),
    Goto(Target),
    /// Where the options of a selection meet, and the head of a loop.
    Join,
    /// Where a loop is left.
    Exit,
    /// Entry of a selection or a loop: one of the subsequences.
    Choice,
    /// Entry of an escape: the first subsequence, while the second is not possible.
    Unless,
    Block(BlockKind, SequenceId),
}

#[derive(Clone, Debug)]
struct Element {
    kind: ElementKind,
    next: Option<ElementId>,
    subs: Vec<SequenceId>,
    /// Outermost first.
    escapes: Vec<SequenceId>,
    /// In an `atomic` or `d_step`, not at its end.
    is_atomic: bool,
    /// At the end of one.
    is_last_atomic: bool,
    is_in_d_step: bool,
    /// Which `d_step` of the process, to find jumps across its borders.
    d_step: Option<u32>,
    span: Span,
}

#[derive(Clone, Default, Debug)]
struct Sequence {
    first: Option<ElementId>,
    last: Option<ElementId>,
    /// The last element when the sequence was closed.
    extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
struct Label {
    name: Name,
    path: Path,
    element: ElementId,
}

/// The statements of one process so far.
#[derive(Default)]
pub struct Flow {
    elements: IdVec<ElementId, Element>,
    sequences: IdVec<SequenceId, Sequence>,
    open: Vec<SequenceId>,
    labels: Vec<Label>,
    exits: IdVec<LoopId, Option<ElementId>>,
    /// The `d_step` that is being read.
    pub d_step: Option<u32>,
    /// Claims keep their skips.
    pub is_claim: bool,
    /// What was found wrong.
    pub misplaced: Vec<Misplaced>,
}

/// Why a sequence is closed; some may not begin with a label.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Closing {
    Body,
    Escape,
    Main,
    Atomic,
    DStep,
    Block,
    Option,
    Loop,
}

impl Flow {
    /// How many elements there are.
    pub fn n_elements(&self) -> usize {
        self.elements.len()
    }

    /// A new loop.
    pub fn new_loop(&mut self) -> LoopId {
        self.exits.push(None)
    }

    /// Begins a sequence; statements are added to it until it is closed.
    pub fn open(&mut self) {
        let id = self.sequences.push(Sequence::default());
        self.open.push(id);
    }

    /// Ends the sequence that was begun last. `None` if it is empty.
    pub fn close(&mut self, closing: Closing, span: Span) -> Option<SequenceId> {
        let id = self.open.pop().expect("a sequence should be open");
        self.sequences[id].extent = self.sequences[id].last;
        let Some(first) = self.sequences[id].first else {
            self.error(span, "a sequence needs at least one statement");
            return None;
        };
        if let Some(label) = self.labels.iter().find(|label| label.element == first) {
            let (name, at) = (label.name.clone(), self.elements[first].span);
            let message = match closing {
                Closing::Body | Closing::Option => None,
                Closing::Escape => Some("an escape cannot be jumped to"),
                Closing::Main => Some("put braces around what is labelled: `L: { a unless b }`"),
                Closing::Atomic => Some("put the label before `atomic`"),
                Closing::DStep => Some("put the label before `d_step`"),
                Closing::Block | Closing::Loop => Some("put the label before the block"),
            };
            if let Some(message) = message {
                self.error(at, format!("label `{name}` is misplaced: {message}"));
            }
        }
        match closing {
            Closing::Atomic => self.make_atomic(id, false),
            Closing::DStep => self.make_atomic(id, true),
            Closing::Option if !self.is_claim => self.drop_skips(id),
            _ => {}
        }
        Some(id)
    }

    /// Adds a statement with its labels to the open sequence.
    pub fn add(&mut self, node: Node, labels: &[(Name, Path, Span)], span: Span) {
        let element = match node {
            Node::Step(step) => self.element(ElementKind::Step(step), span),
            Node::Goto(target) => self.element(ElementKind::Goto(target), span),
            Node::Block(kind, body) => self.element(ElementKind::Block(kind, body), span),
            Node::If(options) => return self.choice(options, None, labels, span),
            Node::Do(options, id) => return self.choice(options, Some(id), labels, span),
            Node::Unless(main, escape) => return self.unless(main, escape, labels, span),
        };
        self.label(element, labels);
        self.append_here(element);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.misplaced.push(Misplaced { span, message: message.into(), is_error: true });
    }

    fn element(&mut self, kind: ElementKind, span: Span) -> ElementId {
        self.elements.push(Element {
            kind,
            next: None,
            subs: Vec::new(),
            escapes: Vec::new(),
            is_atomic: false,
            is_last_atomic: false,
            is_in_d_step: false,
            d_step: self.d_step,
            span,
        })
    }

    fn label(&mut self, element: ElementId, labels: &[(Name, Path, Span)]) {
        for (name, path, span) in labels.iter().rev() {
            if self.labels.iter().any(|label| label.name == *name && label.path == *path) {
                self.error(*span, format!("label `{name}` is declared twice"));
            }
            self.labels.push(Label { name: name.clone(), path: path.clone(), element });
        }
    }

    fn append_here(&mut self, element: ElementId) {
        let id = *self.open.last().expect("a sequence should be open");
        self.append(element, id);
    }

    fn append(&mut self, element: ElementId, to: SequenceId) {
        if matches!(self.elements[element].kind, ElementKind::Goto(_)) {
            let is_special = |label: &Label| label.element == element && special(&label.name).is_some();
            if self.labels.iter().any(is_special) {
                // A jump is no state, but a label that says something about states needs one.
                let span = self.elements[element].span;
                let skip = self.element(ElementKind::Step(Step::Skip), span);
                let label = self.labels.iter_mut().rev().find(|label| label.element == element);
                label.expect("the jump should have a label").element = skip;
                self.append(skip, to);
            }
        }
        let sequence = &mut self.sequences[to];
        match sequence.last {
            Some(last) => self.elements[last].next = Some(element),
            None => sequence.first = Some(element),
        }
        self.sequences[to].last = Some(element);
    }

    fn first(&self, sequence: SequenceId) -> ElementId {
        self.sequences[sequence].first.expect("a closed sequence should have a statement")
    }

    fn choice(&mut self, mut options: Vec<SequenceId>, id: Option<LoopId>, labels: &[(Name, Path, Span)], span: Span) {
        let entry = self.element(ElementKind::Choice, span);
        let join = self.element(ElementKind::Join, span);
        self.move_else(&mut options);
        for option in &options {
            self.append(join, *option);
        }
        self.elements[entry].subs = options;
        match id {
            None => {
                self.label(entry, labels);
                self.append_here(entry);
                self.append_here(join);
            }
            Some(id) => {
                self.append_here(join);
                let exit = self.element(ElementKind::Exit, span);
                self.exits[id] = Some(exit);
                self.label(entry, labels);
                self.append_here(entry);
                self.append_here(exit);
            }
        }
    }

    /// `else` is looked at last, wherever it stands.
    fn move_else(&mut self, options: &mut Vec<SequenceId>) {
        let is_else = |flow: &Flow, option: SequenceId| {
            matches!(flow.elements[flow.first(option)].kind, ElementKind::Step(Step::Else))
        };
        let n_else = options.iter().filter(|option| is_else(self, **option)).count();
        if n_else > 1 {
            let span = options.last().map_or(Span::NONE, |option| self.elements[self.first(*option)].span);
            self.error(span, "only one option may begin with `else`");
        }
        let mentions_channels = options.iter().any(|option| match &self.elements[self.first(*option)].kind {
            ElementKind::Step(Step::Send { .. } | Step::Receive(_)) => true,
            ElementKind::Step(Step::Condition(expr)) => has_probe(expr),
            _ => false,
        });
        if let Some(at) = options.iter().position(|option| is_else(self, *option)) {
            let option = options.remove(at);
            options.push(option);
            if mentions_channels {
                let span = self.elements[self.first(option)].span;
                let message = "`else` beside options on channels depends on more than this process".to_owned();
                self.misplaced.push(Misplaced { span, message, is_error: false });
            }
        }
    }

    fn unless(&mut self, main: SequenceId, escape: SequenceId, labels: &[(Name, Path, Span)], span: Span) {
        let entry = self.element(ElementKind::Unless, span);
        let join = self.element(ElementKind::Join, span);
        self.elements[entry].subs = vec![main, escape];
        self.append(join, main);
        self.append(join, escape);
        self.escape_sequence(main, escape);
        self.label(entry, labels);
        self.append_here(entry);
        self.append_here(join);
    }

    /// From every statement of the sequence the escape is possible.
    fn escape_sequence(&mut self, sequence: SequenceId, escape: SequenceId) {
        let extent = self.sequences[sequence].extent;
        let mut at = self.sequences[sequence].first;
        while let Some(element) = at {
            self.escape_element(element, escape);
            if at == extent {
                break;
            }
            at = self.elements[element].next;
        }
    }

    fn escape_element(&mut self, element: ElementId, escape: SequenceId) {
        if self.elements[element].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[element].escapes.clone() {
            self.escape_sequence(inner, escape);
        }
        self.elements[element].escapes.insert(0, escape);
        match self.elements[element].kind.clone() {
            ElementKind::Unless => self.escape_sequence(self.elements[element].subs[0], escape),
            ElementKind::Choice => {
                for option in self.elements[element].subs.clone() {
                    self.escape_sequence(option, escape);
                }
            }
            ElementKind::Block(BlockKind::DStep, body) => self.escape_element(self.first(body), escape),
            ElementKind::Block(_, body) => self.escape_sequence(body, escape),
            ElementKind::Step(_) | ElementKind::Goto(_) | ElementKind::Join | ElementKind::Exit => {}
        }
    }

    /// Marks a sequence as indivisible; its last step ends that.
    fn make_atomic(&mut self, sequence: SequenceId, is_d_step: bool) {
        let (first, last) = (self.first(sequence), self.sequences[sequence].last);
        self.mark_atomic(first, last, is_d_step);
        let last = last.expect("a closed sequence should have a statement");
        match self.elements[last].kind.clone() {
            ElementKind::Block(BlockKind::Plain | BlockKind::Atomic, body) => self.make_atomic(body, is_d_step),
            ElementKind::Unless => self.make_atomic(self.elements[last].subs[0], is_d_step),
            _ => {
                self.elements[last].is_atomic = false;
                self.elements[last].is_last_atomic = true;
            }
        }
    }

    fn mark_atomic(&mut self, first: ElementId, last: Option<ElementId>, is_d_step: bool) {
        let mut at = Some(first);
        while let Some(element) = at {
            self.elements[element].is_atomic = true;
            self.elements[element].is_in_d_step |= is_d_step;
            match self.elements[element].kind {
                ElementKind::Block(BlockKind::DStep, _) if !is_d_step => {}
                ElementKind::Block(_, body) => {
                    self.elements[element].kind = ElementKind::Block(BlockKind::Plain, body);
                    let (first, last) = (self.first(body), self.sequences[body].last);
                    self.mark_atomic(first, last, is_d_step);
                }
                ElementKind::Unless if is_d_step => {
                    let span = self.elements[element].span;
                    let message = "`unless` inside `d_step` is ignored".to_owned();
                    self.misplaced.push(Misplaced { span, message, is_error: false });
                }
                _ => {}
            }
            for sub in self.elements[element].subs.clone() {
                let (first, last) = (self.first(sub), self.sequences[sub].last);
                self.mark_atomic(first, last, is_d_step);
            }
            if at == last {
                break;
            }
            at = self.elements[element].next;
        }
    }

    /// Takes away skips without labels that follow a step without effect, inside an option.
    fn drop_skips(&mut self, sequence: SequenceId) {
        let Sequence { first, last, .. } = self.sequences[sequence];
        let (mut before, mut at) = (None, first);
        let mut n_idle = 0;
        while let Some(element) = at {
            let next = self.elements[element].next;
            let is_labelled = self.labels.iter().any(|label| label.element == element);
            let (is_idle, is_print) = match &self.elements[element].kind {
                ElementKind::Step(Step::Printf(..) | Step::Printm(..)) => (true, true),
                ElementKind::Step(Step::Skip) => (true, false),
                _ => (false, false),
            };
            n_idle = if is_idle && !is_labelled { n_idle + 1 } else { 0 };
            if n_idle > 1 && !is_print && at != first && at != last {
                let before: ElementId = before.expect("a statement that is not the first should have one before it");
                self.elements[before].next = next;
            } else {
                before = at;
            }
            if at == last {
                break;
            }
            at = next;
        }
    }
}

/// What a label says about states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    Accept,
    End,
    Progress,
}

fn special(name: &str) -> Option<Special> {
    match name {
        _ if name.starts_with("accept") => Some(Special::Accept),
        _ if name.starts_with("end") => Some(Special::End),
        _ if name.starts_with("progress") => Some(Special::Progress),
        _ => None,
    }
}

/// Whether the expression asks how full a channel is.
fn has_probe(expr: &Expr) -> bool {
    match expr {
        Expr::Probe(..) => true,
        Expr::Unary(_, operand) => has_probe(operand),
        Expr::Binary(_, left, right) => has_probe(left) || has_probe(right),
        _ => false,
    }
}
