//! The Promela front end (SPIN 6.5): lexer, parser, printer, semantic analysis, and automata of the processes.
#![forbid(unsafe_code)]

pub mod embed;
pub mod flow;
pub mod lexer;
pub mod parser;
pub mod printer;
pub mod sema;
pub mod session;
pub mod stream;
pub mod syntax;

use unpick_automaton::Model;

/// Parses one text of the session. What is wrong with it lies in the session's diagnostics.
pub fn parse(session: &mut session::Session, text_index: usize) -> syntax::Model {
    parser::Parser::new(session, text_index).model()
}

/// Parses and checks one text of the session; `None` if there is an error in its diagnostics.
pub fn compile(session: &mut session::Session, text_index: usize) -> Option<Model> {
    let n_errors = session.diagnostics.n_errors();
    let tree = parse(session, text_index);
    if session.diagnostics.n_errors() > n_errors {
        return None;
    }
    let model = sema::check(session, &tree);
    (session.diagnostics.n_errors() == n_errors).then_some(model)
}
