//! `unpick library`: the support table, made from the models themselves.

use crate::failure::Outcome;

pub fn run() -> Outcome<u8> {
    print!("{}", unpick_front_c::models::support_table());
    Ok(0)
}
