//! The command line as users, editors and machines meet it. Files under `tests/` are run by the other binary, `files`.

mod bad_input;
mod claims;
mod commands;
mod dap;
mod embedded;
mod events;
mod faults;
mod hostile;
mod limits;
mod lsp;
mod models;
mod pages;
mod pictures;
mod replay;
mod saved_models;
mod short_traces;
mod side_files;
mod simulate_models;
mod table_cases;
mod table_confirmed;
mod table_models;
mod tables;
mod trace_values;
mod tui;
mod tutorial;
mod vscode;
