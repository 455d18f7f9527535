//! Matching of messages: sends and receives numbered, for the arrows between processes.

use unpick_automaton::Transition;
use unpick_automaton::interp::{Channel, Machine, Move, Successor};

use crate::{Message, Step};

/// The messages that wait; see the module.
#[derive(Default)]
pub(super) struct MessageMatching {
    /// By channel, in the order of its messages.
    waiting: Vec<Vec<Message>>,
    /// Handed over in the step at hand.
    in_hand: Option<Message>,
    n_sent: u64,
}

impl MessageMatching {
    /// Notes what a process sends or receives with a transition.
    pub(super) fn pass(
        &mut self,
        machine: &Machine<'_>,
        before: &[u8],
        next: &Successor,
        (moved, transition): (&Move, &Transition),
        told: &mut Step,
    ) {
        if let Some((channel, text)) = machine.sent(before, moved.process, transition) {
            let (before, after) = (machine.channels(before), machine.channels(&next.state));
            self.n_sent += 1;
            let name = before.get(channel).map(|channel| channel.name.clone()).unwrap_or_default();
            let message = Message { id: self.n_sent, channel: name, text };
            told.sent.push(message.clone());
            if next.moves.len() == 2 {
                self.in_hand = Some(message);
                return;
            }
            let slot = first_difference(before.get(channel), after.get(channel));
            let waiting = self.queue(channel);
            waiting.insert(slot.min(waiting.len()), message);
        } else if let Some(channel) = machine.received(before, moved.process, transition) {
            if let Some(message) = self.in_hand.take() {
                told.received.push(message);
                return;
            }
            let (before, after) = (machine.channels(before), machine.channels(&next.state));
            let len = |channels: &[Channel]| channels.get(channel).map(|channel| channel.messages.len());
            let is_taken = len(&before) > len(&after);
            let slot = first_difference(before.get(channel), after.get(channel));
            let waiting = self.queue(channel);
            if is_taken && slot < waiting.len() {
                told.received.push(waiting.remove(slot));
            } else if let Some(message) = waiting.first() {
                told.received.push(message.clone());
            }
        }
    }

    fn queue(&mut self, channel: usize) -> &mut Vec<Message> {
        if channel >= self.waiting.len() {
            self.waiting.resize(channel + 1, Vec::new());
        }
        &mut self.waiting[channel]
    }
}

/// The slot in which a message came or went.
fn first_difference(before: Option<&Channel>, after: Option<&Channel>) -> usize {
    let (Some(before), Some(after)) = (before, after) else { return 0 };
    let pairs = before.messages.iter().zip(&after.messages);
    pairs.take_while(|(before, after)| before == after).count()
}
