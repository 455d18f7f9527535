//! Formulas and their automata: against the meaning of formulas, and against SPIN.

mod against_spin;
mod guards;
mod limits;
mod notation;
mod oracle;
mod random;
mod stuttering;
