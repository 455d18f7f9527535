//! Threads, atomic regions, channels.
