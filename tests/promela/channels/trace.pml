// A trace that allows what happens: a and b take turns.
// states: 18
mtype = { a, b };
chan q = [2] of { mtype, byte };
trace { end: do :: q!a(_); q?a(_); q!b(3); q?b(_) od }
active proctype P() { byte i; do :: i < 2 -> q!a(i); empty(q) -> q!b(3); empty(q) -> i++ :: i == 2 -> break od }
active proctype R() { byte x; end: do :: q?a(x) :: q?b(x) od }
