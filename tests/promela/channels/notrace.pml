// What must not happen happens in one of the orders.
// states: 6
// faults: 1
mtype = { a, b };
chan q = [2] of { mtype, byte };
notrace { q!a(_); q?a(_); q!b(3) }
active proctype P() { q!a(1); q!b(3) }
active proctype R() { byte x; end: do :: q?a(x) :: q?b(x) od }
