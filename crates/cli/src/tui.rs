//! A trace on the whole screen: step forwards and backwards, look at stacks, values, the heap and watched expressions.
//!
//! What keys do is decided here, without a terminal: a [`Viewer`] takes keys and knows what is to be seen; [`view`] draws
//! it, [`screen`] joins both with the terminal. To stand at a step means that it is about to be done.

mod help;
mod screen;
mod view;

use unpick_witness::walk::{Arrival, Values, Walk};
use unpick_witness::{SavedTrace, Switch};

pub use screen::run;

/// What the keyboard says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Letter(char),
    Forwards,
    Backwards,
    First,
    Last,
    PageDown,
    PageUp,
    Enter,
    Escape,
    Rubout,
    Tab,
    BackTab,
}

/// What is being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Prompt {
    /// The name of a variable whose changes are looked for.
    Search(String),
    /// An expression to watch.
    Watch(String),
    /// Where to go: `12` is a step, `t12` the next step of a thread.
    Go(String),
}

/// A part of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pane {
    Steps,
    Source,
    Threads,
    Values,
    Heap,
    Watched,
}

impl Pane {
    const ALL: [Pane; 6] = [Pane::Steps, Pane::Source, Pane::Threads, Pane::Values, Pane::Heap, Pane::Watched];
}

/// Everything behind the screen.
pub struct Viewer {
    walk: Walk,
    saved: SavedTrace,
    /// What is known where the walk stands.
    values: Values,
    prompt: Option<Prompt>,
    /// What was looked for last.
    searched: String,
    watched: Vec<String>,
    message: String,
    /// The pane that pages up and down.
    focus: Pane,
    /// Lines that each pane is scrolled down.
    scrolled: [u16; Pane::ALL.len()],
    /// Only the pane in focus is shown.
    is_zoomed: bool,
    shows_help: bool,
    /// Only steps that bear on the failure are shown.
    is_brief: bool,
}

const HINT: &str = "space next  k back  n over  o out  0-9 thread  / change  w watch  ? help  q quit";
/// Steps or lines of a page.
const PAGE: u16 = 10;

impl Viewer {
    pub fn new(saved: SavedTrace) -> Viewer {
        let mut walk = Walk::new(saved.trace.clone());
        let is_brief = saved.trace.is_sliced();
        walk.set_brief(is_brief);
        if !walk.is_stop(0) {
            walk.step_in();
        }
        Viewer {
            values: walk.values(),
            walk,
            is_brief,
            saved,
            prompt: None,
            searched: String::new(),
            watched: Vec::new(),
            message: HINT.to_owned(),
            focus: Pane::Steps,
            scrolled: [0; Pane::ALL.len()],
            is_zoomed: false,
            shows_help: false,
        }
    }

    /// Takes a key; `false` to leave.
    pub fn key(&mut self, key: Key) -> bool {
        if self.prompt.is_some() {
            self.type_in(key);
            return true;
        }
        if self.shows_help {
            self.shows_help = false;
            return true;
        }
        match key {
            Key::Letter('q') | Key::Escape => return false,
            Key::Letter('?' | 'h') => self.shows_help = true,
            Key::Letter('/') => self.prompt = Some(Prompt::Search(String::new())),
            Key::Letter('w') => self.prompt = Some(Prompt::Watch(String::new())),
            Key::Letter(':') => self.prompt = Some(Prompt::Go(String::new())),
            Key::Letter('W') => {
                self.watched.pop();
            }
            Key::Letter('f') => self.search(true),
            Key::Letter('F') => self.search(false),
            Key::Letter('z') => self.is_zoomed = !self.is_zoomed,
            Key::Letter('a') => {
                self.is_brief = !self.is_brief && self.saved.trace.is_sliced();
                self.walk.set_brief(self.is_brief);
            }
            Key::Tab => self.focus_next(1),
            Key::BackTab => self.focus_next(Pane::ALL.len() - 1),
            Key::PageDown if self.focus != Pane::Steps => self.scroll(i32::from(PAGE)),
            Key::PageUp if self.focus != Pane::Steps => self.scroll(-i32::from(PAGE)),
            key => {
                if let Some(arrival) = self.go(key) {
                    self.arrive(arrival);
                }
            }
        }
        true
    }

    /// Keys that move through the trace.
    fn go(&mut self, key: Key) -> Option<Arrival> {
        let (thread, at) = (self.walk.thread(), self.walk.at());
        Some(match key {
            Key::Letter(' ' | 'j') | Key::Forwards | Key::Enter => match self.loop_start() {
                Some(start) => {
                    self.walk.go_to(start);
                    self.renew();
                    self.message = format!("from step {} on the execution repeats itself", start + 1);
                    return None;
                }
                None => self.walk.step_in(),
            },
            Key::Letter('k') | Key::Backwards | Key::Rubout => self.walk.back_one(),
            Key::Letter('n') => self.walk.step_over(thread),
            Key::Letter('o') => self.walk.step_out(thread),
            Key::Letter('b') => self.walk.step_back(thread),
            Key::Letter('t') => self.walk.next_step_of(thread),
            Key::Letter('T') => self.walk.last_step_of(thread),
            Key::Letter(']') => self.to_switch(at + 1..self.n_steps()),
            Key::Letter('[') => self.to_switch((0..at).rev()),
            Key::Letter('g') | Key::First => {
                let first = (0..self.n_steps()).find(|at| self.walk.is_stop(*at)).unwrap_or(0);
                self.walk.go_to(first)
            }
            Key::Letter('G') | Key::Last => self.walk.go_to(usize::MAX),
            Key::PageDown => self.walk.go_to(at.saturating_add(usize::from(PAGE))),
            Key::PageUp => self.walk.go_to(at.saturating_sub(usize::from(PAGE))),
            Key::Letter(letter) => self.walk.next_step_of(letter.to_digit(10)?),
            Key::Escape | Key::Tab | Key::BackTab => return None,
        })
    }

    fn n_steps(&self) -> usize {
        self.walk.trace().steps.len()
    }

    /// Where an endless execution goes on, if this is its last step.
    fn loop_start(&self) -> Option<usize> {
        let start = self.walk.trace().loop_start?;
        (self.walk.at() + 1 >= self.n_steps() && start < self.n_steps()).then_some(start)
    }

    fn to_switch(&mut self, mut steps: impl Iterator<Item = usize>) -> Arrival {
        let switches = |at: &usize| self.walk.trace().steps[*at].switch != Switch::None;
        let to = steps.find(switches).unwrap_or(self.walk.at());
        self.walk.go_to(to)
    }

    /// Something has moved.
    fn arrive(&mut self, arrival: Arrival) {
        self.renew();
        self.message = match arrival {
            Arrival::End => format!("{}: {}", self.saved.finding.kind, self.saved.finding.message),
            Arrival::Beginning => format!("the beginning   {HINT}"),
            Arrival::Step | Arrival::Line | Arrival::Variable => HINT.to_owned(),
        };
    }

    fn renew(&mut self) {
        self.values = self.walk.values();
        self.scrolled[Pane::Source as usize] = 0;
    }

    fn focus_next(&mut self, distance: usize) {
        let at = self.focus as usize;
        self.focus = Pane::ALL[(at + distance) % Pane::ALL.len()];
    }

    fn scroll(&mut self, lines: i32) {
        let scrolled = &mut self.scrolled[self.focus as usize];
        let to = (i32::from(*scrolled) + lines).clamp(0, i32::from(u16::MAX));
        *scrolled = u16::try_from(to).unwrap_or(0);
    }

    fn type_in(&mut self, key: Key) {
        let Some(Prompt::Search(text) | Prompt::Watch(text) | Prompt::Go(text)) = &mut self.prompt else { return };
        match key {
            Key::Letter(letter) => text.push(letter),
            Key::Rubout => {
                text.pop();
            }
            Key::Escape => self.prompt = None,
            Key::Enter => self.answer(),
            Key::Forwards
            | Key::Backwards
            | Key::First
            | Key::Last
            | Key::PageDown
            | Key::PageUp
            | Key::Tab
            | Key::BackTab => {}
        }
    }

    /// What was typed is complete.
    fn answer(&mut self) {
        match self.prompt.take() {
            Some(Prompt::Search(text)) => {
                if !text.is_empty() {
                    self.searched = text;
                }
                self.search(true);
            }
            Some(Prompt::Watch(text)) if !text.trim().is_empty() => self.watched.push(text),
            Some(Prompt::Go(text)) => {
                let of_thread = text.strip_prefix('t').and_then(|number| number.parse().ok());
                match (text.parse::<usize>(), of_thread) {
                    (Ok(step), _) => {
                        let arrival = self.walk.go_to(step.saturating_sub(1));
                        self.arrive(arrival);
                    }
                    (Err(_), Some(thread)) => {
                        let arrival = self.walk.next_step_of(thread);
                        self.arrive(arrival);
                    }
                    (Err(_), None) => self.message = "12 goes to step 12, t12 to the next step of thread 12".to_owned(),
                }
            }
            Some(Prompt::Watch(_)) | None => {}
        }
    }

    /// Goes to the next or the previous change of what is looked for.
    fn search(&mut self, is_forwards: bool) {
        let text = self.searched.clone();
        let is_found = match is_forwards {
            _ if text.is_empty() => false,
            true => self.walk.search(&text),
            false => self.walk.search_back(&text),
        };
        self.renew();
        self.message = match (is_found, is_forwards) {
            (true, _) => format!("`{text}` changes here   f next change  F the one before"),
            (false, _) if text.is_empty() => "/ asks for the name of a variable".to_owned(),
            (false, true) => format!("no further change of `{text}`"),
            (false, false) => format!("no earlier change of `{text}`"),
        };
    }

    /// How deep the thread is that is about to move.
    fn depth(&self) -> u32 {
        self.walk.stack(self.walk.thread()).first().map_or(1, |activation| activation.depth)
    }

    /// Watched expressions with their values, or why they have none.
    fn watches(&self) -> Vec<(&str, Result<String, String>)> {
        let (thread, depth) = (self.walk.thread(), self.depth());
        let watched = self.watched.iter().map(String::as_str);
        watched.map(|text| (text, self.values.evaluate(text, thread, depth))).collect()
    }
}

#[cfg(test)]
mod tests;
