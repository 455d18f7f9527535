//! Embedded C in the text of a model: pieces that steps execute, declarations, and the variables of the model that C
//! text may name.
//!
//! Nothing here gives it a meaning: the crate that joins the languages compiles the texts and hands the result back as an
//! [`EmbeddedCode`](crate::embedded::EmbeddedCode).

use std::sync::Arc;

use unpick_base::{IdVec, Span, define_id};

use super::{ProctypeId, Scalar, Scope};

define_id! {
    /// A piece of C that steps execute.
    pub struct PieceId("code");
}

/// All C of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// `c_code` in processes and `c_expr`, each place once.
    pub pieces: IdVec<PieceId, Piece>,
    /// `c_decl`, and `c_code` outside of processes, in order.
    pub texts: Vec<TopLevel>,
    /// `c_state` and `c_track`, in order.
    pub states: Vec<CState>,
    /// Record types of the model, in order.
    pub records: Vec<Record>,
    /// Global variables, hidden ones too.
    pub globals: Vec<Declared>,
    /// Variables of each process type.
    pub locals: Vec<Vec<Declared>>,
    /// Where states hold the number of the C memory, once there is room for it.
    pub memory: Option<MemoryPlace>,
}

/// Where states hold the number of the C memory; see [`embedded`](crate::embedded).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPlace {
    /// Bytes from the first global variable.
    pub at: u32,
    /// Bytes from the first hidden variable, for the number of the whole memory, if some of it tells no states apart.
    pub hidden_at: Option<u32>,
}

/// C text and where it lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// As it is written.
    pub text: Arc<str>,
    /// Where.
    pub span: Span,
}

/// What a step executes or looks at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// `c_expr`: it has a value, and no effects.
    pub is_expression: bool,
    /// What should hold before.
    pub precondition: Option<Text>,
    /// The statements or the expression.
    pub text: Text,
    /// Whose local variables it may name.
    pub owner: Option<ProctypeId>,
}

/// C text outside of processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopLevel {
    /// `c_decl`: it comes before the types of the model.
    pub is_declaration: bool,
    /// The text.
    pub text: Text,
}

/// `c_state` or `c_track`: two or three strings, without their quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CState {
    /// Whether it is `c_track`.
    pub is_track: bool,
    /// The strings.
    pub texts: Vec<Text>,
    /// Where.
    pub span: Span,
}

/// A record type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its name.
    pub name: Arc<str>,
    /// Its fields; offsets are those in a state.
    pub fields: Vec<Declared>,
    /// Bytes of one in a state.
    pub size: u32,
}

/// A variable or field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// Its name.
    pub name: Arc<str>,
    /// What it holds.
    pub ty: DeclaredType,
    /// How many, if it is an array.
    pub count: Option<u32>,
    /// In which frame; that of the whole for fields.
    pub scope: Scope,
    /// Bytes from the first variable of the frame, or from the start of the record.
    pub offset: u32,
    /// Where it was declared.
    pub span: Span,
}

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredType {
    /// A number.
    Scalar(Scalar),
    /// A record, by its position.
    Record(usize),
}

/// How many numbers processes can have.
pub const MAX_PROCESSES: usize = 255;

/// The C names under which the parts of a model are compiled, and found again.
pub mod names {
    use super::PieceId;

    /// The global variables of the model.
    pub const NOW: &str = "now";
    /// Gives C data that belong to the model their first values.
    pub const START: &str = "__unpick_begin";
    /// Mentions all objects, so that none is left out.
    pub const OBJECTS: &str = "__unpick_objects";

    /// A piece.
    pub fn piece(piece: PieceId) -> String {
        format!("__unpick_piece_{}", piece.0)
    }

    /// Its precondition.
    pub fn precondition(piece: PieceId) -> String {
        format!("__unpick_precondition_{}", piece.0)
    }

    /// The variables of a process of a type; with a number, of the process with this number.
    pub fn object(proctype: usize, process: Option<usize>) -> String {
        match process {
            Some(process) => format!("__unpick_process_{proctype}_{process}"),
            None => format!("__unpick_process_{proctype}"),
        }
    }

    /// Gives C data of a process of a type their first values.
    pub fn process_start(proctype: usize) -> String {
        format!("__unpick_begin_{proctype}")
    }

    /// Where data lie that a `c_track` names, by its position among `c_state` and `c_track`.
    pub fn track(state: usize) -> String {
        format!("__unpick_track_{state}")
    }

    /// How many bytes they have.
    pub fn track_size(state: usize) -> String {
        format!("__unpick_size_{state}")
    }
}

impl Code {
    /// Whether C data belong to each process of a type with this name.
    pub fn has_data(&self, proctype: &str) -> bool {
        self.states.iter().any(|state| state.local_to() == Some(proctype))
    }
}

impl CState {
    /// The process type that a `c_state` is local to.
    pub fn local_to(&self) -> Option<&str> {
        if self.is_track {
            return None;
        }
        let name = self.texts.get(1)?.text.trim().strip_prefix("Local")?.trim();
        Some(if name == "init" { ":init:" } else { name })
    }

    /// Whether it tells no states apart.
    pub fn is_unmatched(&self) -> bool {
        match self.is_track {
            true => self.texts.get(2).is_some_and(|text| text.text.trim() == "UnMatched"),
            false => self.texts.get(1).is_some_and(|text| text.text.trim() == "Hidden"),
        }
    }

    /// The name that a `c_state` declares: the last word before brackets.
    pub fn name(&self) -> &str {
        let declared = self.texts.first().map_or("", |text| text.text.trim());
        let declared = declared.split('[').next().unwrap_or(declared).trim_end();
        let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
        let start = declared.rfind(|letter| !is_part(letter)).map_or(0, |at| at + 1);
        &declared[start..]
    }
}
