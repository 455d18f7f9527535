//! What the keys of the screen do, for the help screen.

/// Keys and what they do; an empty key begins a group.
pub(super) const KEYS: &[(&str, &str)] = &[
    ("", "moving"),
    ("space j down", "the next step, of whichever thread"),
    ("k up", "the step before"),
    ("n", "over: the thread's next step that is not inside a call from here"),
    ("o", "out: the thread's next step after its function has returned"),
    ("b", "back: undo, or the thread's step before, calls passed over"),
    ("t T", "the next and the previous step of this thread"),
    ("0 ... 9", "the next step of that thread"),
    ("] [", "the next and the previous switch of threads"),
    ("g G home end", "the first and the last step"),
    (": 12, : t12", "step 12; the next step of thread 12"),
    ("", "looking"),
    ("/ NAME", "the next step that changes a variable of that name; f F again, backwards"),
    ("w EXPR", "watch a C expression; W drops the last one"),
    ("a", "all steps, or only those that bear on the failure"),
    ("tab", "the next pane; page up and down scroll it, z shows it alone"),
    ("? h", "this"),
    ("q esc ctrl-c", "quit"),
    ("", "reading"),
    ("> !", "the thread came on because the other could not; although it could (preemption)"),
    ("1 -> 2", "in `values`: what the step at hand is about to change"),
];
