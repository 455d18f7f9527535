//! The C front end against the C compiler: layout, constants, printed programs, models of the library.

mod consteval;
mod front;
mod layout;
mod models_against_libc;
mod models_analyse;
mod printer;
mod random;
