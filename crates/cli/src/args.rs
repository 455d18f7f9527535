//! The command line: every flag with its words, and nothing of what it does.

mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use self::values::{
    DataArg, EngineArg, ExtractTo, HashArg, MissingArg, ReduceArg, SearchArg, StoreArg, TargetArg, TraceArg,
    VolatileArg,
};

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "unpick",
    version,
    about = "Checks C by looking at every behaviour that matters",
    long_about = "Checks C by looking at every behaviour that matters.\n\nunpick takes C sources as they are, explores every \
                  execution of the program, and either says what it verified and on which assumptions, or shows the \
                  failing execution on your own lines.",
    after_help = "Examples:\n  unpick check ring.c                     look for a failing execution, or prove there is \
                  none\n  unpick check --entry parse parser.c     check one function with any arguments\n  unpick simulate \
                  hello.c                 run one execution\n\nExit codes: 0 verified, 1 violated, 2 wrong command or \
                  input, 3 unknown.",
    propagate_version = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore every execution and give a verdict
    #[command(
        after_help = "Examples:\n  unpick check queue.c\n  unpick check -I include src/*.c --property default,leak\n  \
                            unpick check --entry handle_packet --time 2m --json proto.c\n\nThe last line is `verdict: \
                            verified`, `verdict: violated (KIND at FILE:LINE)` or `verdict: unknown (REASON)`."
    )]
    Check(Box<CheckArgs>),
    /// Run one execution, choosing unknown values at random
    #[command(
        after_help = "Examples:\n  unpick simulate hello.c\n  unpick simulate --seed 7 dice.c\n  unpick simulate --verbose \
                            protocol.pml\n  unpick simulate --interactive protocol.pml\n\nA program without \
                            unknown inputs behaves as if compiled: same output, same exit status."
    )]
    Simulate(Box<SimulateArgs>),
    /// Write the model that is checked
    #[command(
        after_help = "Examples:\n  unpick extract --to ir queue.c -o queue.ir\n  unpick extract --to c queue.c\n  unpick \
                            extract --to promela --table protocol.map protocol.c -o protocol.pml\n  unpick extract --to promela --data c \
                            queue.c -o queue.pml\n  unpick extract --to states \
                            peterson.pml -o states.svg\n  unpick extract --to automaton --ltl '[](p -> <> q)' -o p.svg"
    )]
    Extract(Box<ExtractArgs>),
    /// List every statement and condition with what it means in a Promela model
    #[command(
        after_help = "Examples:\n  unpick table protocol.c -o protocol.map\n  unpick table --table protocol.map --explain \
                            12 protocol.c\n\nRows are `FRAGMENT <tab> print|comment|hide|keep|true|false|PROMELA`; see \
                            docs/tables.md."
    )]
    Table(Box<TableArgs>),
    /// Present a trace saved with `check --save-trace`
    #[command(
        after_help = "Examples:\n  unpick check --save-trace bug.json queue.c\n  unpick show bug.json\n  unpick show --tui \
                      bug.json\n  unpick show --verify bug.json\n  unpick show --trail protocol.pml.trail protocol.pml"
    )]
    Show(ShowArgs),
    /// Make the compiled program do what a saved trace says, and see whether it fails
    #[command(
        after_help = "Example:\n  unpick check --save-trace bug.json queue.c\n  unpick replay bug.json\n  unpick replay \
                      bug.json --keep queue_bug.c\n\nExit codes: 0 the failure happened, 2 wrong command or input, 3 it \
                      did not happen."
    )]
    Replay(Box<ReplayArgs>),
    /// Serve a saved trace to a debugger's client (Debug Adapter Protocol on stdin and stdout)
    #[command(after_help = "Example:\n  unpick dap bug.json\n\nEditors start it themselves; see docs/editors.md.")]
    Dap {
        /// The saved trace, if `launch` does not name one
        trace: Option<PathBuf>,
    },
    /// Show findings in an editor (Language Server Protocol on stdin and stdout)
    #[command(
        after_help = "Example:\n  unpick lsp --time 20s -- -Iinclude\n\nEditors start it themselves; see docs/editors.md."
    )]
    Lsp(LspArgs),
    /// List the library functions unpick has models of
    #[command(after_help = "Example:\n  unpick library > docs/library.md")]
    Library,
    /// Print a shell completion script
    #[command(after_help = "Example:\n  unpick completions bash > ~/.local/share/bash-completion/completions/unpick")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder
    #[command(after_help = "Example:\n  unpick man ~/.local/share/man/man1")]
    Man {
        /// The folder; it must exist
        folder: PathBuf,
    },
}

/// What the sources are and how they are to be read.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// Sources: .c .h (preprocessed with $CC -E), .i (taken as they are), .ir, or one model: .pml .prom .pm
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Function where execution starts [default: main]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Add a folder to the header search path
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro: NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "MACRO")]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "MACRO")]
    pub undefines: Vec<String>,
    /// Read a header before each source; `-include FILE` works too
    #[arg(long = "include", value_name = "FILE")]
    pub includes: Vec<PathBuf>,
    /// Language standard for the preprocessor; `-std=c11` works too
    #[arg(long = "std", value_name = "STD")]
    pub std: Option<String>,
    /// Data model [default: lp64]
    #[arg(long, value_name = "TARGET")]
    pub target: Option<TargetArg>,
    /// Take compiler flags (and, without FILE, the sources) from a compilation database
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// Make missing headers, unknown types and undeclared names errors instead of assumptions
    #[arg(long)]
    pub strict: bool,
    /// Let malloc and its kin fail
    #[arg(long)]
    pub malloc_fails: bool,
    /// Let calls fail that start threads or make locks, keys and semaphores
    #[arg(long)]
    pub library_fails: bool,
    /// Let calls of library functions race that C does not promise to be free of races (rand, strtok, localtime, ...)
    #[arg(long)]
    pub library_races: bool,
    /// Let waits for condition variables end only when they are signalled
    #[arg(long)]
    pub no_spurious: bool,
    /// What functions without a body do: write any value through their pointer arguments, leave memory alone, or be an
    /// error [default: havoc]
    #[arg(long, value_name = "HOW")]
    pub missing: Option<MissingArg>,
    /// Arguments of main: any (number and contents, up to a length), none, or the words given [default: any; none for
    /// simulate]
    #[arg(long = "args", value_name = "WORDS", allow_hyphen_values = true)]
    pub arguments: Option<String>,
    /// Let the hardware call a function at any moment: FUNCTION, FUNCTION:PRIORITY or FUNCTION:PRIORITY:COUNT
    #[arg(long, value_name = "HANDLER")]
    pub isr: Vec<String>,
    /// Let every read of a variable of static storage give any value
    #[arg(long, value_name = "NAME")]
    pub volatile_any: Vec<String>,
    /// What accesses to volatile numbers and pointers are: plain ones, which race, or relaxed atomic ones
    #[arg(long, value_enum, value_name = "KIND")]
    pub volatile: Option<VolatileArg>,
    /// Read options from this file instead of the unpick.toml beside the first source
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// These come out of a file, not from the user.
    #[arg(skip)]
    pub is_recorded: bool,
    /// Show every option's value and where it comes from, then stop
    #[arg(long)]
    pub print_config: bool,
}

#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Check the Promela model that the harness in unpick.toml describes; --table does so too
    #[arg(long)]
    pub tabled: bool,
    /// With a table: where a violation is none of the program, take rows back and check again
    #[arg(long)]
    pub refine: bool,
    /// What to look for, comma-separated: assertion memory leak overflow termination ..., or a kind such as
    /// out-of-bounds; `default` stands for the default set; or a property file, FILE.prp
    #[arg(long, value_name = "LIST")]
    pub property: Option<String>,
    /// Claim that a formula of linear temporal logic holds for every execution, as in '[]<>(ready)'; propositions are
    /// C expressions over globals or names of functions (may be repeated)
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// Claim that a C expression over globals, or a function, is true in every state (may be repeated)
    #[arg(long, value_name = "EXPR")]
    pub invariant: Vec<String>,
    /// Let formulas speak only of executions in which no thread waits for ever although it could go on
    #[arg(long)]
    pub fair: bool,
    /// Stop after this long: 90s, 10m, 2h [default: 15m]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Stop when this much memory is used: 500M, 8G [default: three quarters of the machine]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Do not follow executions beyond this many choices
    #[arg(long, value_name = "N")]
    pub depth: Option<u64>,
    /// Do not follow a loop beyond this many iterations
    #[arg(long, value_name = "N")]
    pub unwind: Option<u64>,
    /// Try an unknown input's values one by one only if there are at most this many [default: 65536]
    #[arg(long, value_name = "N")]
    pub enumerate: Option<u64>,
    /// Try threads and values in another order, the same one for the same number
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Do not follow executions with more threads at once than this [default: 16]
    #[arg(long, value_name = "N")]
    pub threads: Option<u64>,
    /// Follow only executions in which a thread is left at most N times although it could go on
    #[arg(long, value_name = "N", conflicts_with_all = ["switches", "shortest", "all"])]
    pub preemptions: Option<u32>,
    /// Follow only executions with at most N changes of thread
    #[arg(long, value_name = "N", conflicts_with_all = ["shortest", "all"])]
    pub switches: Option<u32>,
    /// Show a failing execution with as few changes of thread as possible
    #[arg(long, conflicts_with = "all")]
    pub shortest: bool,
    /// Take two states for the same if this function writes and returns the same in both; what is not found is then no
    /// proof
    #[arg(long = "abstract", value_name = "FUNCTION", conflicts_with_all = ["ltl", "invariant"])]
    pub abstraction: Option<String>,
    /// Leave a global out when states are compared; what is not found is then no proof (may be repeated)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ltl", "invariant"])]
    pub unmatched: Vec<String>,
    /// Go on after a violation and list all that differ in kind or line
    #[arg(long)]
    pub all: bool,
    /// How many searches may run at the same time; the answer does not depend on it [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub workers: Option<u64>,
    /// How a program of several threads is searched [default: explicit; claims that take more than a little work: flat]
    #[arg(long, value_name = "HOW")]
    pub engine: Option<EngineArg>,
    /// How to thin out the interleavings of threads [default: auto]
    #[arg(long, value_name = "HOW")]
    pub reduce: Option<ReduceArg>,
    /// Cache steps of threads (transition cache) once a search has N states; proofs stay proofs [default: 8000]
    #[arg(long, alias = "table-from", value_name = "N")]
    pub cache_steps_from: Option<u64>,
    /// How the states of a model, or flat states of a program, are kept [default: auto]
    #[arg(long, value_name = "HOW")]
    pub store: Option<StoreArg>,
    /// Which states of a model, or flat states of a program, come first [default: breadth]
    #[arg(long, value_name = "ORDER")]
    pub search: Option<SearchArg>,
    /// How the states of a model, or flat states of a program, are hashed [default: auto]
    #[arg(long, value_name = "HOW")]
    pub hash: Option<HashArg>,
    /// Hash incrementally, compute every hash from scratch too, and tell how many differ
    #[arg(long)]
    pub audit_hash: bool,
    /// Keep the search through a model or flat states in this file, now and then and when it is stopped
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often: 30s, 10m [default: 5m]
    #[arg(long, value_name = "TIME", requires = "checkpoint")]
    pub checkpoint_every: Option<String>,
    /// Go on with a search that was kept with --checkpoint, and keep it there
    #[arg(long, value_name = "FILE", conflicts_with = "checkpoint")]
    pub resume: Option<PathBuf>,
    /// How much of a failing execution to show [default: short]
    #[arg(long, value_name = "HOW")]
    pub trace: Option<TraceArg>,
    /// Columns of a line of output [default: those of the terminal, or 100]
    #[arg(long, value_name = "N")]
    pub width: Option<u16>,
    /// List which locks were taken while others were held; circles among them are reported in any case
    #[arg(long)]
    pub lock_order: bool,
    /// Save the failing execution
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,
    #[command(flatten)]
    pub files: FileArgs,
    /// Draw where control can go, with what was explored: .svg, or .dot for Graphviz
    #[arg(long, value_name = "FILE")]
    pub flow: Option<PathBuf>,
    /// Do not fail because of what an earlier run has found: the file is what it wrote with --sarif
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Put one JSON document on stdout instead of text
    #[arg(long)]
    pub json: bool,
    /// Put one JSON object on a line for each event: start, progress, finding, verdict, end
    #[arg(long, conflicts_with = "json")]
    pub json_events: bool,
    /// No progress line
    #[arg(long, short)]
    pub quiet: bool,
    /// Stop after reading the sources: errors, or nothing
    #[arg(long)]
    pub syntax_only: bool,
}

/// Files that are written besides what is printed; any of them together.
#[derive(Args, Debug, Default)]
pub struct FileArgs {
    /// Write a page to look at in a browser; it needs no network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the failing execution, or the order of locks, as a graph for dot; as a sequence chart if FILE ends in .svg
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Write a witness for the competitions on software verification: .graphml (version 1.0) or .yml (version 2)
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the properties as test cases in JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Seed for unknown values, and for who goes on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Choose each step of a model yourself
    #[arg(long, short)]
    pub interactive: bool,
    /// Follow an execution of a model: a trace that `check --save-trace` wrote, or a .trail of SPIN (needs `spin`)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["interactive", "seed"])]
    pub guide: Option<PathBuf>,
    /// Compile and run the C code of the model, which following a trail of such a model needs; only for models that you
    /// trust
    #[arg(long, requires = "guide")]
    pub run_model_code: bool,
    /// Stop after this long: 90s, 10m, 2h
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Stop a program after this many choices of values and threads
    #[arg(long, value_name = "N")]
    pub depth: Option<u64>,
    /// Stop a model after this many steps [default: 100000]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Show each step of a model
    #[arg(long, short)]
    pub verbose: bool,
    /// Show a model's messages and output as a chart with a column for each process; every step with --verbose
    #[arg(long)]
    pub chart: bool,
    /// Write the execution of a model as a graph for dot; as a sequence chart if FILE ends in .svg
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Columns of a line of the chart [default: those of the terminal, or 100]
    #[arg(long, value_name = "N")]
    pub width: Option<u16>,
}

/// How a Promela model is made out of C.
#[derive(Args, Debug, Default)]
pub struct ModelArgs {
    /// What statements and conditions mean in the model
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Defaults for classes of statements, and restrictions of objects
    #[arg(long, value_name = "FILE")]
    pub preferences: Option<PathBuf>,
    /// A function that runs as a process: NAME, NAME*COUNT or NAME(VALUES) (may be repeated)
    #[arg(long = "process", value_name = "FUNCTION")]
    pub processes: Vec<String>,
    /// Keep choices that are none, and what can never happen
    #[arg(long)]
    pub no_simplify: bool,
    /// How the model holds data: `promela` has variables, pointers as numbers, and leaves out what does not fit; `c` keeps
    /// the program's own objects as embedded C [default: promela]
    #[arg(long, value_name = "LANGUAGE")]
    pub data: Option<DataArg>,
}

#[derive(Args, Debug)]
pub struct TableArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Keep the rows of --table, add new entries, and list what is new, changed or orphaned
    #[arg(long, conflicts_with_all = ["explain", "audit", "stats"])]
    pub refresh: bool,
    /// Name the rule that decides on the entries of a line, or on the entry with this text
    #[arg(long, value_name = "LINE|ENTRY", conflicts_with_all = ["audit", "stats"])]
    pub explain: Option<String>,
    /// Say what each entry does to the behaviours of the program, and why
    #[arg(long, conflicts_with = "stats")]
    pub audit: bool,
    /// Count entries, rows and lines of the model
    #[arg(long)]
    pub stats: bool,
    /// Write here instead of stdout
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ExtractArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Form of the model
    #[arg(long, value_name = "FORM", default_value = "ir")]
    pub to: ExtractTo,
    /// A formula, for --to never and --to automaton (may be repeated)
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// Draw no picture with more nodes than this [default: 400]
    #[arg(long, value_name = "N")]
    pub most: Option<usize>,
    /// Write here instead of stdout; pictures are SVG if FILE ends in .svg, otherwise text for dot
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The saved trace; with --trail the model
    pub trace: PathBuf,
    /// A trail that a verifier made by SPIN has left for the model (needs `spin`); shown on the lines of the C source if
    /// the model was extracted from one
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    pub trail: Option<PathBuf>,
    /// Compile and run the C code of the model, which following a trail of such a model needs; only for models that you
    /// trust
    #[arg(long, requires = "trail")]
    pub run_model_code: bool,
    /// Define a macro of the model: NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "MACRO", requires = "trail")]
    pub defines: Vec<String>,
    #[command(flatten)]
    pub files: FileArgs,
    /// Step through it on the whole screen: forwards, backwards, over and out of calls, with stacks, values, the heap and
    /// watched expressions; `?` lists the keys
    #[arg(long, conflicts_with_all = ["verify", "how", "width", "trail"])]
    pub tui: bool,
    /// Execute it again with the sources as they are now; exit code 3 if it goes another way
    #[arg(long)]
    pub verify: bool,
    /// How much of it to show: what bears on the failure, or everything
    #[arg(long = "trace", value_name = "HOW", default_value = "short")]
    pub how: TraceArg,
    /// Columns of a line of output [default: those of the terminal, or 100]
    #[arg(long, value_name = "N")]
    pub width: Option<u16>,
}

#[derive(Args, Debug)]
pub struct LspArgs {
    /// Stop a check after this long
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub time: String,
    /// Further flags for each `unpick check`, after --
    #[arg(last = true, value_name = "FLAG")]
    pub flags: Vec<String>,
}

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The saved trace
    pub trace: PathBuf,
    /// The sources and flags of the check; without FILE, the C files that the trace speaks of
    #[command(flatten)]
    pub input: InputArgs,
    /// Keep the test, a C file with everything it needs
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// Run it this often; every run has to fail
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub times: u32,
}

/// Compilers take `-std=c11` and `-include FILE` with one dash; so do we.
pub fn with_compiler_spellings(args: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    args.map(|arg| match arg.to_str() {
        Some("-include") => "--include".into(),
        Some(text) if text.starts_with("-std=") => format!("-{text}").into(),
        Some(_) | None => arg,
    })
    .collect()
}
