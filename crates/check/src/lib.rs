//! From a loaded input and a question to an answer that may be shown: passes down, engines in a portfolio, evidence back
//! up, replay, judgement.
//!
//! No engine is known here, and no front end: the table of engines is handed in, and the caller has loaded the subject
//! of the question. Nothing here prints, opens files or asks the time; a [`Control`](unpick_system::Control) does what of that is
//! needed.
#![forbid(unsafe_code)]

mod capped;
mod claimed;
pub mod claims;
pub mod confirm;
pub mod fingerprint;
mod judge;
pub mod model;
mod portfolio;
pub mod program;
mod translated;
mod turns;

pub use portfolio::{first_able, portfolio};
