// A search for claims alone is not kept on disk, and it is said instead of leaving it aside.
// run: check --property p --checkpoint kept.unpick
// exit: 2
// stderr: only claims are asked for
byte x;
active proctype one() { x = 1 }
ltl p { <> (x == 1) }
