// The last message is one that the trace does not allow.
// states: 9
// faults: 2
mtype = { a, b };
chan q = [2] of { mtype };
trace { end: do :: q!a; q!b od }
active proctype P() { q!a; q!b; q!b }
active proctype R() { end: do :: q?_ od }
