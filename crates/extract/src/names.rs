//! Names of C objects in Promela: unchanged wherever SPIN and the C compiler behind it allow.

use std::collections::HashSet;

use unpick_front_promela::lexer::Keyword;
use unpick_front_promela::syntax::Name;

/// Words that the verifier which SPIN generates uses itself, or that SPIN knows without listing them.
const TAKEN: &[&str] = &[
    "_",
    "_last",
    "_nr_pr",
    "_pid",
    "_priority",
    "STDIN",
    "c_code",
    "c_decl",
    "c_expr",
    "in",
    "now",
    "State",
    "Trans",
    "uchar",
    "ushort",
    "ulong",
    "unsigned",
    "signed",
    "char",
    "long",
    "float",
    "double",
    "struct",
    "union",
    "enum",
    "void",
    "const",
    "volatile",
    "static",
    "extern",
    "auto",
    "register",
    "sizeof",
    "switch",
    "case",
    "default",
    "while",
    "continue",
    "X",
    "U",
    "V",
    "W",
    "always",
    "eventually",
    "until",
    "release",
    "weakuntil",
    "implies",
    "equivalent",
    "nr_pr",
    "BASE",
    "SYNC",
    "ASYNC",
    "MA",
    "NFAIR",
    "MEMLIM",
    "VECTORSZ",
    "II",
    "JJ",
    "PP",
    "restrict",
    "typeof",
    "asm",
    "bool",
    "complex",
    // Macros of headers that the generated verifier includes.
    "errno",
    "sa_handler",
    "sa_sigaction",
    "st_atime",
    "st_ctime",
    "st_mtime",
    "stderr",
    "stdin",
    "stdout",
    "unix",
    "linux",
];

/// The name itself, or with a stroke behind it if it means something else.
pub fn allowed(name: &str) -> String {
    // SPIN knows no dollars in names.
    let name = name.replace('$', "_");
    let is_taken = Keyword::of(&name).is_some() || TAKEN.contains(&name.as_str());
    if is_taken || name.starts_with("si_") { format!("{name}_") } else { name }
}

/// Whether headers that the generated verifier includes define a record with this name.
pub fn is_system_record(name: &str) -> bool {
    matches!(
        name,
        "fd_set"
            | "itimerval"
            | "rlimit"
            | "rusage"
            | "sigaction"
            | "stat"
            | "timespec"
            | "timeval"
            | "timezone"
            | "tm"
            | "tms"
    )
}

/// Whether the verifier that SPIN writes has a record with this name.
pub fn is_verifier_record(name: &str) -> bool {
    matches!(
        name,
        "State"
            | "Trans"
            | "Trail"
            | "H_el"
            | "BFS_Trail"
            | "BFS_State"
            | "SV_Hold"
            | "Svtack"
            | "Edge"
            | "Vertex"
            | "EV_Hold"
    ) || name.starts_with(['P', 'Q', 'C']) && name[1..].chars().all(|letter| letter.is_ascii_digit())
}

/// The names of one scope and of those around it.
#[derive(Clone, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// An unused name close to this one.
    pub fn fresh(&mut self, wanted: &str) -> Name {
        let base = allowed(wanted);
        let mut name = base.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        Name::from(name)
    }

    /// Takes a name that stands for something already.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }
}
