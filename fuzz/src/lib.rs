//! From bytes to the inputs of the fuzz targets, and how long these run.
#![forbid(unsafe_code)]

pub mod c_text;
pub mod effort;
pub mod pipeline;
pub mod promela_text;
pub mod soup;
