//! `unpick library`: the support table, made from the models themselves.

use crate::failure::Outcome;
use crate::output::say;

pub fn run() -> Outcome<u8> {
    say(&unpick_front_c::models::support_table());
    Ok(0)
}
