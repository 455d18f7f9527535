//! Promela, the language of SPIN 6.5: lexer, parser, printer, checking, and automata of the processes.
#![forbid(unsafe_code)]

pub mod lexer;
pub mod parser;
pub mod printer;
pub mod session;
pub mod stream;
pub mod syntax;

/// Parses one text of the session. What is wrong with it lies in the session's diagnostics.
pub fn parse(session: &mut session::Session, text_index: usize) -> syntax::Model {
    parser::Parser::new(session, text_index).model()
}
