//! The subcommands (`check`, `simulate`, ...), one file each.

pub mod check;
pub mod dap;
pub mod extract;
pub mod generate;
pub mod library;
pub mod lsp;
pub mod replay;
pub mod show;
pub mod simulate;
pub mod table;
