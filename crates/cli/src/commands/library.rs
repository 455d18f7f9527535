//! `unpick library`: the support table, made from the models themselves.

use crate::commands::check::say;
use crate::failure::Outcome;

pub fn run() -> Outcome<u8> {
    say(&unpick_front_c::models::support_table());
    Ok(0)
}
