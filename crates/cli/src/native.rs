//! A recorded execution as a C test: the program with calls at the recorded points, the turns, and what makes the
//! compiled program take them.

mod build;
mod judge;
mod text;

pub use build::{build, run};
pub use judge::{Native, judge, sanitizers};
pub use text::{NativeTest, write_test};
