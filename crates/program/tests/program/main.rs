//! Programs: the examples of their text form, and random ones.

mod examples;
mod random_programs;
