//! Channels between threads: descriptors as channel names, which is sound only where both ends of a channel are in the
//! program.
//!
//! `read(0, ...)` without a writer is input, and `write(1, ...)` without a reader is output: the first may
//! give anything, the second never waits. So a row for one end counts only as long as there is a row for the other end.

use crate::calls::{End, channel_end, constant, external_calls};
use crate::code::FragmentId;
use crate::context::Context;
use crate::effect::ObjectId;
use crate::pattern::Bindings;
use crate::plan::Plan;
use crate::rules::{Cause, Decision, Decisions, Origin};
use crate::table::Mapping;

/// Standard input, output and error output.
const STANDARD: std::ops::RangeInclusive<i128> = 0..=2;

/// One end of a channel that a built-in row speaks of.
pub struct ChannelUse {
    /// The call.
    pub fragment: FragmentId,
    /// Which end.
    pub end: End,
    /// The number of the descriptor, if it is always the same.
    pub descriptor: Option<i128>,
}

impl ChannelUse {
    /// Whether the two may be the ends of one channel.
    fn may_connect(&self, other: &ChannelUse) -> bool {
        self.end != other.end
            && match (self.descriptor, other.descriptor) {
                (Some(one), Some(other)) => one == other,
                (Some(one), None) | (None, Some(one)) => !STANDARD.contains(&one),
                (None, None) => true,
            }
    }

    /// Whether the two are the ends of one channel for sure.
    pub fn connects(&self, other: &ChannelUse) -> bool {
        self.end != other.end && self.descriptor.is_some() && self.descriptor == other.descriptor
    }
}

/// All ends of channels in what processes may execute.
pub fn uses(context: &Context<'_>, plan: &Plan, decisions: &Decisions) -> Vec<ChannelUse> {
    let mut uses = Vec::new();
    for (id, decision) in decisions.plain.iter_enumerated() {
        let fragment = &context.code.fragments[id];
        let is_row = matches!((&decision.origin, &decision.mapping), (Origin::Library(_), Mapping::Text(_)));
        if !is_row || fragment.function.is_some_and(|function| !plan.is_live(function)) {
            continue;
        }
        for call in external_calls(context, id) {
            let end = call.name.as_deref().and_then(channel_end);
            if let (Some(end), Some(descriptor)) = (end, call.args.first()) {
                let descriptor = constant(context, fragment.unit, *descriptor);
                uses.push(ChannelUse { fragment: id, end, descriptor });
            }
        }
    }
    uses
}

/// Takes rows back for ends whose other end is missing; whether there was one.
pub fn lose(context: &Context<'_>, plan: &Plan, decisions: &mut Decisions) -> bool {
    let uses = uses(context, plan, decisions);
    let lonely = uses.iter().filter(|this| !uses.iter().any(|other| this.may_connect(other)));
    let mut has_changed = false;
    for lonely in lonely {
        has_changed = true;
        let why = match lonely.end {
            End::Sends => "nobody in the program receives it",
            End::Receives => "nobody in the program sends it",
        };
        let origin = Origin::BuiltIn;
        let decision = Decision { mapping: Mapping::Print, origin, why: why.into(), bindings: Bindings::new() };
        decisions.plain[lonely.fragment] = decision;
        let effects = &context.code.fragments[lonely.fragment].effects;
        let objects: Vec<ObjectId> = effects.defs.iter().chain(&effects.havoc).copied().collect();
        for object in objects {
            let cause = Cause { fragment: Some(lonely.fragment), why: why.into(), from: None };
            decisions.lost.entry(object).or_insert(cause);
        }
    }
    has_changed
}
