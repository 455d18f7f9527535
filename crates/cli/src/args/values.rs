//! Values of flags that are one word of a few.

use clap::ValueEnum;
use serde::Deserialize;

#[derive(ValueEnum, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum DataArg {
    /// Variables of Promela
    Promela,
    /// Embedded C
    C,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingArg {
    /// What their pointer arguments lead to becomes any value
    Havoc,
    /// They leave memory alone
    Keep,
    /// They are an error
    Fail,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VolatileArg {
    /// As C has it: no protection from races
    Plain,
    /// As kernels use it
    Atomic,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetArg {
    /// x86-64 System V: long and pointers have 64 bits
    Lp64,
    /// i386 System V: long and pointers have 32 bits
    Ilp32,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceArg {
    /// What suits the property
    Auto,
    /// Threads may switch before every instruction
    None,
    /// Every state, but steps that commute in one order only; for models and --engine flat, else as none
    Sleep,
    /// Threads may switch before every access to shared memory
    GlobalAccess,
    /// Threads run on as long as their accesses do not conflict with those of others
    Superstep,
    /// Dynamic partial-order reduction: only threads whose steps do not commute are interleaved
    Dpor,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineArg {
    /// On the interpreter
    Explicit,
    /// All inputs at once, by symbolic execution and SAT; for programs of one thread
    Sat,
    /// As models are, by native code over flat states on all cores, if the program fits; else as usual
    Flat,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreArg {
    /// Plain as long as they fit, then compressed, then a few bits each
    Auto,
    /// Every state as it is
    Exact,
    /// Every state, with what states have in common kept once
    Tree,
    /// A signature of 64 bits for each state; no proof
    Compact,
    /// Three bits in a large array for each state; no proof
    Bitstate,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchArg {
    /// Those that few steps lead to: the shortest failing execution
    Breadth,
    /// Those found last: soon at what lies deep
    Depth,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HashArg {
    /// As is faster for states as long as those of the model
    Auto,
    /// The whole state at every step
    Full,
    /// What a step has changed
    Incremental,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TraceArg {
    /// Every step
    Full,
    /// What led to the failure
    Short,
    /// Only the failing line
    None,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractTo {
    /// The intermediate representation that is explored
    Ir,
    /// The program as unpick understood it, as canonical C
    C,
    /// A model for SPIN and for unpick, as precise as the table makes it
    Promela,
    /// A never claim for SPIN, for the negation of each formula of --ltl
    Never,
    /// A picture of all states of a small program or model
    States,
    /// A picture of where control can go; `check --flow` adds where it went
    Flow,
    /// A picture of the automaton of each formula of --ltl, or of the claims of a model
    Automaton,
}
