//! How bytes are shown to people; execution never looks here.

use super::{BitRange, ShapeId, Ty};

/// How bytes are shown to people: the source type.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// An integer.
    Int {
        /// Spelling of the type.
        name: String,
        /// Bytes.
        size: u8,
        /// Shown with a sign.
        is_signed: bool,
    },
    /// A character.
    Char {
        /// Shown with a sign where not printable.
        is_signed: bool,
    },
    /// `_Bool`.
    Bool,
    /// A floating number.
    Float(Ty),
    /// A pointer.
    Pointer(Option<ShapeId>),
    /// A pointer to a function.
    Code,
    /// An array.
    Array {
        /// Shape of an element.
        element: ShapeId,
        /// How many.
        len: u64,
        /// Bytes of one element.
        stride: u64,
    },
    /// A struct or union.
    Record {
        /// `struct point`.
        name: String,
        /// Members overlap.
        is_union: bool,
        /// Members in order.
        fields: Vec<ShapeField>,
    },
    /// An enumeration.
    Enum {
        /// `enum colour`.
        name: String,
        /// Bytes.
        size: u8,
        /// Shown with a sign where no name fits.
        is_signed: bool,
        /// Values and names.
        names: Vec<(i128, String)>,
    },
    /// Bytes without a better description.
    Opaque {
        /// Bytes.
        size: u64,
    },
}

/// A member of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct ShapeField {
    /// Its name; empty for anonymous members.
    pub name: String,
    /// Bytes from the start.
    pub offset: u64,
    /// Set for bit-fields.
    pub bits: Option<BitRange>,
    /// Its shape.
    pub shape: ShapeId,
}
