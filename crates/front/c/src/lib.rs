//! The C front end: lexer, parser, semantic analysis, canonical printer; the sources of the library models.
#![forbid(unsafe_code)]

pub mod ast;
pub mod builtin;
pub mod consteval;
pub mod intrinsic;
pub mod layout;
pub mod lexer;
mod library_name;
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
