//! States in the words of the model: variables and channels with their values, and what steps print.

use super::Machine;
use super::work::Work;
use crate::automaton::{ChannelTypeId, Frame, FrameInit, LocationId, Place, ProctypeId, Step, Transition};

/// A variable, or what a channel holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The process it belongs to, if not to all.
    pub process: Option<u8>,
    /// Its name.
    pub name: String,
    /// Its value; messages of a channel in order, the oldest first.
    pub value: String,
}

impl Machine<'_> {
    /// Type and location of each process.
    pub fn positions(&self, state: &[u8]) -> Vec<(ProctypeId, LocationId)> {
        let work = Work::new(self.model, state);
        (0..work.processes.len()).map(|process| work.position(process)).collect()
    }

    /// Everything in a state, in the order of declaration; channels under the names of their variables.
    pub fn values(&self, state: &[u8]) -> Vec<Shown> {
        let work = Work::new(self.model, state);
        let mut shown = Vec::new();
        self.show_frame(&work, None, &self.model.globals, 0, &mut shown);
        let mut first = self.model.globals.channels.len();
        for process in 0..work.processes.len() {
            let frame = &self.model.proctypes[work.position(process).0].frame;
            self.show_frame(&work, Some(process as u8), frame, first, &mut shown);
            first += frame.channels.len();
        }
        shown
    }

    fn show_frame(&self, work: &Work, process: Option<u8>, frame: &Frame, first: usize, shown: &mut Vec<Shown>) {
        let made = frame.init.iter().filter_map(|init| match init {
            FrameInit::Channel(place, position) => Some((place, *position as usize)),
            FrameInit::Value(..) => None,
        });
        let made: Vec<(&Place, usize)> = made.collect();
        for var in &frame.vars {
            let channel = made.iter().find(|(place, _)| **place == var.place);
            let value = match channel {
                Some((_, position)) => self.messages(work, first + position),
                None => match self.load(&mut work.clone(), process.unwrap_or(0), &var.place) {
                    Ok(value) => self.name_of(value, var.mtype),
                    Err(_) => continue,
                },
            };
            shown.push(Shown { process, name: var.name.to_string(), value });
        }
    }

    /// A value, by its name if it belongs to a set of `mtype`.
    pub fn name_of(&self, value: i32, mtype: Option<usize>) -> String {
        let names = mtype.and_then(|set| self.model.mtypes.get(set)).map(|(_, names)| names);
        let name = names.and_then(|names| names.get(usize::try_from(value).ok()?.checked_sub(1)?));
        name.map_or_else(|| value.to_string(), ToString::to_string)
    }

    fn messages(&self, work: &Work, channel: usize) -> String {
        let (at, ty): (usize, ChannelTypeId) = work.channels[channel];
        let len = if self.model.channel_types[ty].capacity == 0 { 0 } else { work.bytes[at] as usize };
        let messages = (0..len).map(|slot| {
            let values: Vec<String> = self.message(work, channel, slot).iter().map(i32::to_string).collect();
            format!("<{}>", values.join(","))
        });
        format!("[{}]", messages.collect::<Vec<_>>().join(" "))
    }

    /// What a transition prints when a process takes it in this state; empty for all that do not print.
    pub fn output(&self, state: &[u8], process: u8, transition: &Transition) -> String {
        let mut work = Work::new(self.model, state);
        match &transition.step {
            Step::Printf(format, args) => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(&mut work, process, arg).unwrap_or(0));
                }
                self.printed(format, &values)
            }
            Step::Printm(expr, set) => {
                let value = self.eval(&mut work, process, expr).unwrap_or(0);
                self.name_of(value, *set)
            }
            _ => String::new(),
        }
    }

    /// A format, with its quotes, filled in.
    fn printed(&self, format: &str, values: &[i32]) -> String {
        let mut text = String::new();
        let mut values = values.iter().copied();
        let mut letters = format.trim_matches('"').chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(other) => text.push(other),
                    None => {}
                },
                '%' => {
                    let kind = letters.next();
                    let value = if kind == Some('%') { 0 } else { values.next().unwrap_or(0) };
                    match kind {
                        Some('c') => text.push(char::from(value as u8)),
                        Some('e') => text += &self.name_of(value, Some(0)),
                        Some('x') => text += &format!("{value:x}"),
                        Some('o') => text += &format!("{value:o}"),
                        Some('u') => text += &(value as u32).to_string(),
                        Some('%') => text.push('%'),
                        _ => text += &value.to_string(),
                    }
                }
                other => text.push(other),
            }
        }
        text
    }
}
