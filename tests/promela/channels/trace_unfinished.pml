// Processes are at their ends, but the trace waits for one more message.
// states: 5
// invalid-ends: 1
mtype = { a, b };
chan q = [1] of { mtype };
trace { q!a; q!b; q!a }
active proctype P() { q!a; q!b }
active proctype R() { end: do :: q?a :: q?b od }
