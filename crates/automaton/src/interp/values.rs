//! States in terms of the model: variables and channels with their values, and the output of steps.

use super::Machine;
use super::work::Work;
use crate::{ChannelTypeId, Frame, FrameInit, LocationId, Place, ProctypeId, Step, Transition};

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

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The variable it was made with; with the number of its process if it is one's own.
    pub name: String,
    /// The oldest first.
    pub messages: Vec<Vec<i32>>,
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
        self.show_code(work, &mut shown);
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
        let ty = work.channels[channel].1;
        let messages =
            self.contents(work, channel).into_iter().map(|message| format!("<{}>", self.joined(ty, &message)));
        format!("[{}]", messages.collect::<Vec<_>>().join(" "))
    }

    /// The fields of a message.
    fn joined(&self, ty: ChannelTypeId, values: &[i32]) -> String {
        let mtypes = &self.model.channel_types[ty].mtypes;
        let field = |(at, value): (usize, &i32)| self.name_of(*value, mtypes.get(at).copied().flatten());
        values.iter().enumerate().map(field).collect::<Vec<_>>().join(",")
    }

    fn contents(&self, work: &Work, channel: usize) -> Vec<Vec<i32>> {
        let (at, ty): (usize, ChannelTypeId) = work.channels[channel];
        let len = if self.model.channel_types[ty].capacity == 0 { 0 } else { work.bytes[at] as usize };
        (0..len).map(|slot| self.message(work, channel, slot)).collect()
    }

    /// What each channel is called and holds, by its number.
    pub fn channels(&self, state: &[u8]) -> Vec<Channel> {
        let work = Work::new(self.model, state);
        let mut channels = Vec::new();
        self.name_channels(&work, &self.model.globals, "", &mut channels);
        for process in 0..work.processes.len() {
            let frame = &self.model.proctypes[work.position(process).0].frame;
            self.name_channels(&work, frame, &format!("{process}."), &mut channels);
        }
        channels
    }

    fn name_channels(&self, work: &Work, frame: &Frame, prefix: &str, channels: &mut Vec<Channel>) {
        let first = channels.len();
        for position in 0..frame.channels.len() {
            let contents = self.contents(work, first + position);
            channels.push(Channel { name: format!("channel {}", first + position + 1), messages: contents });
        }
        for init in &frame.init {
            let FrameInit::Channel(place, position) = init else { continue };
            if let Some(var) = frame.vars.iter().find(|var| var.place == *place) {
                channels[first + *position as usize].name = format!("{prefix}{}", var.name);
            }
        }
    }

    /// The channel and message that a process sends with a transition, if it sends.
    pub fn sent(&self, state: &[u8], process: u8, transition: &Transition) -> Option<(usize, String)> {
        let Step::Send { channel, args, .. } = &transition.step else { return None };
        let mut work = Work::new(self.model, state);
        let channel = self.channel(&mut work, process, channel).ok()?;
        let values = args.iter().map(|arg| self.eval(&mut work, process, arg).unwrap_or(0));
        let values = values.collect::<Vec<_>>();
        Some((channel, self.joined(work.channels[channel].1, &values)))
    }

    /// The channel that a process takes a message from with a transition, if it does.
    pub fn received(&self, state: &[u8], process: u8, transition: &Transition) -> Option<usize> {
        let Step::Receive(receive) = &transition.step else { return None };
        self.channel(&mut Work::new(self.model, state), process, &receive.channel).ok()
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
            Step::Code(piece) => {
                let mut output = Vec::new();
                // Whatever comes of it is told elsewhere.
                let _ = self.execute(&mut work, process, *piece, transition.span, Some(&mut output));
                String::from_utf8_lossy(&output).into_owned()
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
