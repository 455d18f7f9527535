//! Round trips and mistakes.
