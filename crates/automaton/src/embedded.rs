//! Interface of embedded C: a trait for pieces that are executed over the variables of a model.
//!
//! This floor does not know what C means. The compiler of the texts of [`code`](crate::code) hands its result back as
//! an [`EmbeddedCode`], and the interpreter lends it the current state as [`Frames`].

use std::fmt;

use unpick_base::{Span, ViolationKind};

use crate::code::PieceId;
use crate::interp::Fault;
use crate::{Place, ProctypeId, Scalar, Scope};

/// The parts of a state that code reads and writes.
pub trait Frames {
    /// A number in a frame.
    fn get(&self, scope: Scope, process: u8, offset: u32, scalar: Scalar) -> i32;
    /// Changes it.
    fn set(&mut self, scope: Scope, process: u8, offset: u32, scalar: Scalar, value: i32);
    /// How many processes there are.
    fn n_processes(&self) -> i32;
    /// Which process moved last.
    fn last(&self) -> i32;
}

/// The executor of code: a process with its type, or a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The number of the process.
    pub process: u8,
    /// Its type; none for a claim.
    pub proctype: Option<ProctypeId>,
}

/// A C object, for the display of states.
pub struct ShownData {
    /// The process that it belongs to; none for shared data.
    pub process: Option<u8>,
    /// Its name in C.
    pub name: String,
    /// Its value in C notation.
    pub value: String,
}

/// What went wrong in C code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeFault {
    /// The kind of violation; none if it is only that nothing is known from here on.
    pub kind: Option<ViolationKind>,
    /// What to tell the user.
    pub message: String,
    /// The file, as the user named it.
    pub file: String,
    /// From one; 0 if there is no place.
    pub line: u32,
    /// From one.
    pub column: u32,
    /// The C function, if it is one of the user's.
    pub function: Option<String>,
}

/// Compiled C of a model. What its data are is part of each state: in the frames lies the number of a memory.
pub trait EmbeddedCode: Send + Sync {
    /// Gives C data their first values; part of making the first state.
    fn start(&self, frames: &mut dyn Frames) -> Result<(), Fault>;
    /// Gives the C data of a new process their first values.
    fn start_process(&self, frames: &mut dyn Frames, caller: Caller) -> Result<(), Fault>;
    /// Forgets the C data of a process that ends.
    fn end_process(&self, frames: &mut dyn Frames, caller: Caller) -> Result<(), Fault>;
    /// Executes statements; false if they do not want to be executed. Who wants what they print gets it.
    fn execute(
        &self,
        frames: &mut dyn Frames,
        caller: Caller,
        piece: PieceId,
        span: Span,
        output: Option<&mut Vec<u8>>,
    ) -> Result<bool, Fault>;
    /// The value of an expression.
    fn value(&self, frames: &dyn Frames, caller: Caller, piece: PieceId, span: Span) -> Result<i32, Fault>;
    /// All data of C that users have declared.
    fn shown(&self, frames: &dyn Frames, processes: &[Caller]) -> Vec<ShownData>;
    /// What went wrong, by the number in [`FaultKind::Code`](crate::interp::FaultKind::Code).
    fn fault(&self, number: u32) -> Option<CodeFault>;
    /// All faults so far, of every caller.
    fn faults(&self) -> Vec<CodeFault>;
    /// How many bytes the memories take.
    fn bytes(&self) -> u64;
    /// Whether starting and ending a process of this type changes C data.
    fn has_data(&self, proctype: ProctypeId) -> bool;
    /// Variables of the model that some piece may read or write.
    fn touched(&self) -> Vec<Place>;
    /// Whether some piece may ask how many processes there are.
    fn counts_processes(&self) -> bool;
    /// Leaves assertions in C code out.
    fn without_assertions(&mut self);
    /// All of what it means, as text: two with the same text are equal.
    fn text(&self) -> String;
}

impl PartialEq for dyn EmbeddedCode {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for dyn EmbeddedCode {}

impl fmt::Debug for dyn EmbeddedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
