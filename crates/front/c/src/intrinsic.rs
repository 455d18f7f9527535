//! Intrinsics of verifiers: our own, those of the competitions (SV-COMP), of CBMC and of ESBMC.
//!
//! Names with the prefixes of verifiers are never unknown functions: a source that uses one expects a meaning, so one
//! without a meaning here is an error with a suggestion. `docs/intrinsics.md` lists them for users.

use crate::builtin::Builtin;
use crate::models;

/// Prefixes that belong to verifiers.
const RESERVED: &[&str] = &["__VERIFIER_", "__CPROVER_", "__ESBMC_"];

/// Names of verifiers that mean something without being in a table: calls that are findings, functions that the program
/// has to define, and words of the grammar.
const ELSEWHERE: &[&str] = &[
    "__VERIFIER_error",
    "__CPROVER_forall",
    "__CPROVER_exists",
    "__CPROVER_printf",
    "__CPROVER_input",
    "__CPROVER_output",
    "__CPROVER_cover",
    "__CPROVER_fence",
    "__CPROVER_ASYNC_1",
];

/// Intrinsics that programs declare like functions, with the type they have if undeclared. A `__VERIFIER_nondet_` of
/// another type has to be declared, which says what the type is.
pub fn intrinsic(name: &str) -> Option<(Builtin, &'static str)> {
    let stems = ["__VERIFIER_nondet_", "__unpick_nondet_"];
    if let Some(suffix) = stems.iter().find_map(|stem| name.strip_prefix(stem))
        && let Some((_, signature)) = NONDET.iter().find(|(known, _)| *known == suffix)
    {
        return Some((Builtin::Nondet, signature));
    }
    INTRINSICS.iter().find(|(known, ..)| *known == name).map(|(_, builtin, signature)| (*builtin, *signature))
}

/// Whether a declared function stands for any value of its result type, whatever the type is called.
pub fn is_nondet_family(name: &str) -> bool {
    name.strip_prefix("__VERIFIER_nondet_").is_some_and(|rest| !rest.is_empty())
}

/// The error for an undefined name of a verifier: a message, and what may be meant. `None` for other
/// names and for those that have a meaning.
pub fn unknown(name: &str) -> Option<(String, String)> {
    if !RESERVED.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    if intrinsic(name).is_some() || ELSEWHERE.contains(&name) || models::file_for(name).is_some() {
        return None;
    }
    let message = format!("`{name}` looks like a function of a verifier, but nothing is known by this name");
    let known = names().min_by_key(|known| (distance(known, name), known.len()));
    let help = match known.filter(|known| distance(known, name) <= name.len() / 3) {
        Some(known) => format!("did you mean `{known}`? docs/intrinsics.md lists all; or define the function"),
        None => "docs/intrinsics.md lists all that have a meaning; or define the function".to_owned(),
    };
    Some((message, help))
}

/// All names of other verifiers that have a meaning.
pub fn names() -> impl Iterator<Item = String> {
    let tabled = INTRINSICS.iter().map(|(name, ..)| (*name).to_owned());
    let nondet = NONDET.iter().map(|(suffix, _)| format!("__VERIFIER_nondet_{suffix}"));
    let modelled = models::FILES.iter().flat_map(|file| file.text.lines()).filter_map(|line| {
        let (name, _) = line.strip_prefix("/// __CPROVER_")?.split_once(": ")?;
        Some(format!("__CPROVER_{name}"))
    });
    let elsewhere = ELSEWHERE.iter().map(|name| (*name).to_owned());
    let all = tabled.chain(nondet).chain(modelled).chain(elsewhere);
    all.filter(|name| RESERVED.iter().any(|prefix| name.starts_with(prefix)))
}

/// How many letters have to change to make one name the other.
pub fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

use Builtin as B;

const INTRINSICS: &[(&str, Builtin, &str)] = &[
    ("__VERIFIER_assume", B::Assume, "v i"),
    ("__VERIFIER_assert", B::Assert, "v i"),
    ("__VERIFIER_atomic_begin", B::AtomicBegin, "v"),
    ("__VERIFIER_atomic_end", B::AtomicEnd, "v"),
    ("__VERIFIER_nondet_memory", B::UnpickMemAny, "v v* z"),
    ("__CPROVER_assume", B::Assume, "v b"),
    ("__CPROVER_assert", B::Assert, "v b Kc*"),
    ("__CPROVER_precondition", B::Assert, "v b Kc*"),
    ("__CPROVER_postcondition", B::Assert, "v b Kc*"),
    ("__CPROVER_atomic_begin", B::AtomicBegin, "v"),
    ("__CPROVER_atomic_end", B::AtomicEnd, "v"),
    ("__CPROVER_havoc_slice", B::UnpickMemAny, "v v* z"),
    ("__ESBMC_assume", B::Assume, "v b"),
    ("__ESBMC_assert", B::Assert, "v b Kc*"),
    ("__ESBMC_atomic_begin", B::AtomicBegin, "v"),
    ("__ESBMC_atomic_end", B::AtomicEnd, "v"),
    ("__unpick_assume", B::Assume, "v b"),
    ("__unpick_assert", B::Assert, "v b Kc*"),
    ("__unpick_atomic_begin", B::AtomicBegin, "v"),
    ("__unpick_atomic_end", B::AtomicEnd, "v"),
    ("__unpick_nondet_memory", B::UnpickMemAny, "v v* z"),
    ("__unpick_alloc", B::UnpickAlloc, "v* z z i"),
    ("__unpick_free", B::UnpickFree, "v v*"),
    ("__unpick_object_size", B::UnpickObjectSize, "z Kv*"),
    ("__unpick_memcpy", B::UnpickMemcpy, "v* v* Kv* z"),
    ("__unpick_memmove", B::UnpickMemmove, "v* v* Kv* z"),
    ("__unpick_memset", B::UnpickMemset, "v* v* i z"),
    ("__unpick_memany", B::UnpickMemAny, "v v* z"),
    ("__unpick_writable", B::UnpickWritable, "z Kv*"),
    ("__unpick_output", B::UnpickOutput, "v i Kv* z"),
    ("__unpick_exit", B::UnpickExit, "v i"),
    ("__unpick_abort", B::UnpickAbort, "v"),
    ("__unpick_fail", B::UnpickFail, "v Kc* Kc*"),
    ("__unpick_unmodelled", B::UnpickUnmodelled, "v Kc*"),
    ("__unpick_note", B::UnpickNote, "v Kc*"),
    ("__unpick_option", B::UnpickOption, "i Kc*"),
    ("__unpick_sqrt", B::UnpickSqrt, "d d"),
    ("__unpick_floor", B::UnpickFloor, "d d"),
    ("__unpick_ceil", B::UnpickCeil, "d d"),
    ("__unpick_trunc", B::UnpickTrunc, "d d"),
    ("__unpick_round", B::UnpickRound, "d d"),
    ("__unpick_rint", B::UnpickRint, "d d"),
    ("__unpick_fmod", B::UnpickFmod, "d d d"),
    ("__unpick_wait", B::UnpickWait, "v i"),
    ("__unpick_spawn", B::UnpickSpawn, "i v* v* v* v*"),
    ("__unpick_self", B::UnpickSelf, "i"),
    ("__unpick_long_jump", B::UnpickLongJump, "v v* i"),
    ("__unpick_end_thread", B::UnpickEndThread, "v"),
    ("__unpick_ended", B::UnpickEnded, "i i"),
    ("__unpick_progress", B::UnpickProgress, "v"),
    ("__unpick_taken", B::UnpickTaken, "v v* i"),
    ("__unpick_got", B::UnpickGot, "v v* i"),
    ("__unpick_disable_interrupts", B::UnpickDisableInterrupts, "i"),
    ("__unpick_enable_interrupts", B::UnpickEnableInterrupts, "v"),
    ("__unpick_given_back", B::UnpickGivenBack, "v v* i"),
];

/// What may stand behind `__VERIFIER_nondet_`, and its type.
const NONDET: &[(&str, &str)] = &[
    ("bool", "b"),
    ("_Bool", "b"),
    ("char", "c"),
    ("schar", "C"),
    ("s8", "C"),
    ("S8", "C"),
    ("uchar", "h"),
    ("unsigned_char", "h"),
    ("u8", "h"),
    ("U8", "h"),
    ("short", "s"),
    ("s16", "s"),
    ("S16", "s"),
    ("ushort", "H"),
    ("u16", "H"),
    ("U16", "H"),
    ("int", "i"),
    ("s32", "i"),
    ("S32", "i"),
    ("uint", "u"),
    ("unsigned", "u"),
    ("unsigned_int", "u"),
    ("u32", "u"),
    ("U32", "u"),
    ("long", "l"),
    ("ulong", "m"),
    ("sector_t", "m"),
    ("longlong", "L"),
    ("s64", "L"),
    ("S64", "L"),
    ("loff_t", "L"),
    ("ulonglong", "M"),
    ("u64", "M"),
    ("U64", "M"),
    ("int128", "q"),
    ("uint128", "Q"),
    ("float", "f"),
    ("double", "d"),
    ("size_t", "z"),
    ("pointer", "v*"),
    ("pchar", "v*"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_all_names_of_other_verifiers() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/intrinsics.md");
        let page = std::fs::read_to_string(page).expect("the page should be there");
        for name in names().filter(|name| !name.starts_with("__VERIFIER_nondet_")) {
            assert!(page.contains(&format!("`{name}")), "{name} is missing in docs/intrinsics.md");
        }
        for (suffix, _) in NONDET {
            assert!(
                page.contains(&format!("`{suffix}`")),
                "__VERIFIER_nondet_{suffix} is missing in docs/intrinsics.md"
            );
        }
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let (_, help) = unknown("__VERIFIER_asume").expect("it has no meaning");
        assert!(help.contains("`__VERIFIER_assume`"), "{help}");
        let (_, help) = unknown("__CPROVER_havoc_objects").expect("it has no meaning");
        assert!(help.contains("`__CPROVER_havoc_object`"), "{help}");
        for known in ["__VERIFIER_nondet_int", "__CPROVER_w_ok", "__VERIFIER_error", "__my_function", "nondet_int"] {
            assert_eq!(unknown(known), None);
        }
    }
}
