//! The C front end: lexer, parser, semantic analysis, canonical printer, lowering to IR, library models.
#![forbid(unsafe_code)]

pub mod ast;
pub mod builtin;
pub mod consteval;
pub mod intrinsic;
pub mod layout;
pub mod lexer;
mod library_name;
pub mod lower;
pub mod models;
pub mod parser;
pub mod printer;
pub mod sema;
pub mod session;
pub mod syntax;
pub mod types;

/// Parses and analyses one text of the session.
pub fn analyse(session: &mut session::Session, text_index: usize) -> ast::Unit {
    let name = session.sources.text(text_index).name.clone();
    let mut parser = parser::Parser::new(session, text_index);
    let mut sema = sema::Sema::new(session, &name);
    while let Some(decl) = parser.next_external(session) {
        sema.external(session, decl);
    }
    sema.finish(session)
}

/// Analyses the texts as the units of one program, links and lowers them; library models join as needed.
pub fn compile(
    session: &mut session::Session,
    text_indices: &[usize],
    options: &lower::LowerOptions,
) -> Option<unpick_ir::program::Program> {
    let n_errors = session.diagnostics.n_errors();
    let units = text_indices.iter().map(|index| analyse(session, *index)).collect();
    if session.diagnostics.n_errors() > n_errors {
        return None;
    }
    lower::lower(session, units, options)
}
