//! Objects, pointers, lives.
