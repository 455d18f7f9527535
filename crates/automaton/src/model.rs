//! Models as data: extended finite automata, processes as graphs of locations and guarded transitions over a state
//! vector.
//!
//! One transition is one step of SPIN: a statement with what makes it executable and what it changes. Names
//! are gone; variables are places in frames, channels are numbers, labels are flags of locations. Nothing here
//! knows how states are searched; [`interp`](crate::interp) says what each part means.
//!
//! # State
//!
//! A state is a byte vector: the hidden variables, the global frame, the channels of global variables, then
//! for every process, oldest first, its frame and the channels made with it. Frames of process types and
//! channels have fixed sizes, so the vector is cut up by reading it from the front. Numbers are little-endian.
//!
//! * global frame: number of processes (1 byte), `_last` (1 byte if used), then its variables;
//! * process frame: process type (1 byte), location (2 bytes), priority (1 byte if used), then its variables;
//! * channel: number of messages (1 byte), then capacity times the fields of a message. A rendezvous channel
//!   holds nothing. Unused slots are zero. Which type a channel has follows from who made it.
//!
//! Channels are numbered from 1 in the order of the vector; 0 is no channel. A process number is its position.

use std::sync::Arc;

use unpick_base::{IdVec, Span, define_id};

use crate::code;
use crate::embedded::EmbeddedCode;
use crate::{Binary, Probe, Unary};

define_id! {
    /// A place in the text of one process.
    pub struct LocationId("l");
    /// A process type; `init` is one.
    pub struct ProctypeId("p");
    /// What channels made by one declaration have in common.
    pub struct ChannelTypeId("c");
}

/// A checked model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Variables of all processes.
    pub globals: Frame,
    /// How many bytes before the global frame are for hidden variables, which tell no states apart.
    pub hidden_size: u32,
    /// Kinds of channels.
    pub channel_types: IdVec<ChannelTypeId, ChannelType>,
    /// Process types in order of their text.
    pub proctypes: IdVec<ProctypeId, Proctype>,
    /// The processes that exist at the start, oldest first.
    pub start: Vec<(ProctypeId, u8)>,
    /// Never claims, and the automata of negated formulas, in order of their text.
    pub claims: Vec<Claim>,
    /// `trace` and `notrace`: automata over sends and receives.
    pub traces: Vec<(bool, Automaton)>,
    /// The names of `mtype` values: set (empty for the unnamed one) and names, the first of which is 1.
    pub mtypes: Vec<(Arc<str>, Vec<Arc<str>>)>,
    /// Whether `_last` is part of the state.
    pub has_last: bool,
    /// Whether priorities are used; then they are part of the state, and only the highest may run.
    pub has_priority: bool,
    /// Whether a `d_step` that cannot go on was never begun; else that is an error, as in SPIN.
    pub undoes: bool,
    /// Whether a claim runs beside it and is counted among the processes; see [`Model::beside_claim`].
    pub is_beside_claim: bool,
    /// Whether C text occurs.
    pub has_code: bool,
    /// The C text.
    pub code: code::Code,
    /// What the C text means, once it is compiled.
    pub embedded: Option<Arc<dyn EmbeddedCode>>,
}

impl Model {
    /// How many bytes of the global frame come before its variables.
    pub fn global_head(&self) -> usize {
        1 + usize::from(self.has_last) + if self.traces.is_empty() { 0 } else { 2 }
    }

    /// How many bytes of a process frame come before its variables.
    pub fn process_head(&self) -> usize {
        3 + usize::from(self.has_priority)
    }
}

/// Variables that live together, and the channels made with them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// How many bytes the variables take; the head of the frame comes before them.
    pub size: u32,
    /// Channels made when the frame is made, in order.
    pub channels: Vec<ChannelTypeId>,
    /// What happens when the frame is made, in order. Everything else starts at zero.
    pub init: Vec<FrameInit>,
    /// Its variables, for the display of states.
    pub vars: Vec<VarInfo>,
}

/// A variable, for the display of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarInfo {
    /// Its name; fields and elements are written out.
    pub name: Arc<str>,
    /// Where it lies.
    pub place: Place,
    /// The set of an `mtype`, by position in [`Model::mtypes`].
    pub mtype: Option<usize>,
    /// Where it was declared.
    pub span: Span,
}

/// One initialisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameInit {
    /// The place gets a value.
    Value(Place, Expr),
    /// The place gets the number of the frame's channel with this position.
    Channel(Place, u32),
}

/// A kind of channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelType {
    /// How many messages fit; 0 is a rendezvous.
    pub capacity: u32,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
    /// The sets of `mtype` that fields belong to, by position in [`Model::mtypes`].
    pub mtypes: Vec<Option<usize>>,
    /// Where it was declared.
    pub span: Span,
}

impl ChannelType {
    /// How many bytes a message takes.
    pub fn message_size(&self) -> u32 {
        self.fields.iter().map(|field| field.size()).sum()
    }

    /// How many bytes the channel takes in a state.
    pub fn size(&self) -> u32 {
        1 + self.capacity * self.message_size()
    }
}

/// How a number is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// One bit in a byte.
    Bit,
    /// One byte without sign: `byte`, `mtype`, `chan`, `pid`, and bits in arrays.
    Byte,
    /// Two bytes with sign.
    Short,
    /// Four bytes with sign.
    Int,
    /// So many bits without sign.
    Unsigned(u8),
}

impl Scalar {
    /// How many bytes it takes.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Bit | Scalar::Byte => 1,
            Scalar::Short => 2,
            Scalar::Int => 4,
            Scalar::Unsigned(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
        }
    }

    /// What is left of a value when it is kept so.
    pub fn cut(self, value: i32) -> i32 {
        match self {
            Scalar::Bit => value & 1,
            Scalar::Byte => value & 0xff,
            Scalar::Short => i32::from(value as i16),
            Scalar::Int => value,
            Scalar::Unsigned(bits) => value & ((1_i64 << bits) - 1) as i32,
        }
    }
}

/// Where a variable lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// In which frame.
    pub scope: Scope,
    /// Bytes from the first variable of the frame.
    pub offset: u32,
    /// What indices add.
    pub indices: Vec<Index>,
    /// How the value is kept.
    pub scalar: Scalar,
}

impl Place {
    /// The bytes that it may take, whatever its indices are.
    pub fn extent(&self) -> (u32, u32) {
        let (mut from, mut to) = (self.offset, self.offset + self.scalar.size());
        for Index { expr, count, stride, .. } in &self.indices {
            match expr {
                Expr::Const(value) if (0..*count as i32).contains(value) => {
                    from += *value as u32 * stride;
                    to += *value as u32 * stride;
                }
                _ => to += count.saturating_sub(1) * stride,
            }
        }
        (from, to)
    }
}

/// In which frame a variable lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The global frame.
    Global,
    /// The hidden variables.
    Hidden,
    /// The frame of the process that takes the step.
    Local,
    /// Nowhere: what is written to `_` is lost.
    Nowhere,
}

/// An index: the value times the stride is added to the offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    /// The index.
    pub expr: Expr,
    /// It has to be below.
    pub count: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Where it is written.
    pub span: Span,
}

/// An expression; all values are 32 bits with sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number.
    Const(i32),
    /// A variable.
    Load(Box<Place>),
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `_priority`
    Priority,
    /// An operator before its operand.
    Unary(Unary, Box<Expr>),
    /// An operator between its operands. `&&` and `||` look at the right only if needed.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Condition, yes, no.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// Makes a process; its number, or 0 if there are too many.
    Run(Box<Run>),
    /// How many messages a channel holds.
    Len(Box<Expr>),
    /// Whether a channel is full or empty.
    Probe(Probe, Box<Expr>),
    /// Whether a receive could be done.
    Poll(Box<Receive>),
    /// Whether the process with this number could take a step.
    Enabled(Box<Expr>),
    /// The priority of the process with this number.
    GetPriority(Box<Expr>),
    /// The location of the process with this number.
    PcValue(Box<Expr>),
    /// Whether nothing else can happen.
    Timeout,
    /// Whether no process is at a progress location.
    NonProgress,
    /// Whether a process of this type is at the location.
    RemoteLabel(ProctypeId, Option<Box<Expr>>, LocationId),
    /// A variable of a process of this type: the place lies in its frame.
    RemoteVar(ProctypeId, Option<Box<Expr>>, Box<Place>),
    /// The value of a C expression.
    Code(code::PieceId, Span),
}

/// `run`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Which process type.
    pub proctype: ProctypeId,
    /// One value for each parameter.
    pub args: Vec<Expr>,
    /// With which priority.
    pub priority: u8,
    /// Where it is written.
    pub span: Span,
}

/// A receive, or the test whether one could be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receive {
    /// The number of the channel.
    pub channel: Expr,
    /// The first message that matches instead of the oldest.
    pub is_random: bool,
    /// The message stays.
    pub is_copy: bool,
    /// One for each field of a message.
    pub args: Vec<Match>,
    /// Where it is written.
    pub span: Span,
}

/// What happens with a field of a received message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Match {
    /// It is kept here.
    Store(Place),
    /// It has to be equal.
    Equal(Expr),
}

/// What a transition needs and does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing: `skip`, jumps.
    Skip,
    /// Nothing, if no other transition of the location can be taken.
    Else,
    /// Needs the value to be other than zero.
    Condition(Expr),
    /// Keeps a value.
    Assign(Place, Expr),
    /// Puts a message into a channel, or hands it over. Needs room, or a partner.
    Send {
        /// The number of the channel.
        channel: Expr,
        /// The message goes before the first that is not smaller.
        is_sorted: bool,
        /// The message.
        args: Vec<Expr>,
    },
    /// Takes a message. Needs one that matches.
    Receive(Receive),
    /// Goes wrong if the value is zero.
    Assert(Expr),
    /// Prints; the text with its quotes.
    Printf(Arc<str>, Vec<Expr>),
    /// Prints the name of an `mtype` value of the set with this position.
    Printm(Expr, Option<usize>),
    /// Process, priority.
    SetPriority(Expr, Expr),
    /// Executes C statements.
    Code(code::PieceId),
    /// Runs from the location on until it leaves the `d_step`, taking the first transition that can be taken at
    /// each; needs one at the first location, and it is an error if there is none later (but see [`Model::undoes`]).
    DStep(LocationId),
    /// The process ends; it has to be the youngest.
    End,
}

/// A transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// What it needs and does.
    pub step: Step,
    /// Where it leads; nowhere when the process ends.
    pub target: Option<LocationId>,
    /// No other process may take a step before the process took another one or cannot.
    pub is_atomic: bool,
    /// Transitions of an escape come first; when one was taken, only those with the same number may be taken too.
    pub escape: Option<LocationId>,
    /// The statement, numbered within the process type: copies in several locations have the same number.
    pub statement: u32,
    /// Where it is written.
    pub span: Span,
}

/// A place in the text of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// What can be done here, in order; `else` last.
    pub transitions: Vec<Transition>,
    /// The process may stay here for ever.
    pub is_end: bool,
    /// Being here infinitely often is accepted.
    pub is_accept: bool,
    /// Being here is progress.
    pub is_progress: bool,
    /// Inside a `d_step`.
    pub is_in_d_step: bool,
    /// Where it is written.
    pub span: Span,
}

/// Locations and where to begin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The locations; number 0 is none, so that a remote look at a process that does not exist finds none.
    pub locations: IdVec<LocationId, Location>,
    /// Where it begins.
    pub start: Option<LocationId>,
    /// Labels and their locations.
    pub labels: Vec<(Arc<str>, LocationId)>,
}

/// A process type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proctype {
    /// Its name; `:init:` for `init`.
    pub name: Arc<str>,
    /// Its variables; parameters first.
    pub frame: Frame,
    /// Where arguments go.
    pub params: Vec<Place>,
    /// It may only take steps while this holds.
    pub provided: Option<Expr>,
    /// Whether two transitions that can be taken at once are an error.
    pub is_deterministic: bool,
    /// What it does.
    pub automaton: Automaton,
    /// Where it was declared.
    pub span: Span,
}

/// What should not happen: a never claim, or a formula whose negation the automaton accepts.
///
/// The claim moves before every step of the processes, and has to. It is violated when it comes to a location that
/// is an end, when an assertion of it fails, and when accepting locations are visited infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name.
    pub name: Arc<str>,
    /// The formula that it was made of, as text.
    pub formula: Option<Arc<str>>,
    /// What it watches; it has no variables.
    pub automaton: Automaton,
    /// Whether it is known that repetitions of states make no difference to it, as reductions need.
    pub is_stutter_invariant: bool,
    /// Where it was declared.
    pub span: Span,
}
