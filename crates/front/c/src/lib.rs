//! C to IR: lexer, parser, semantic analysis, canonical printer, lowering, library models.
#![forbid(unsafe_code)]

pub mod ast;
pub mod builtin;
pub mod consteval;
pub mod layout;
pub mod lexer;
pub mod parser;
pub mod printer;
pub mod session;
pub mod syntax;
pub mod types;
