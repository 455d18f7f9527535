// Names of mtype: one set, more sets, numbers from the end.
// states: 30
// invalid-ends: 1
mtype = { a, b, c }; mtype = { d }; mtype:fruit = { apple, pear };
mtype m = b; mtype:fruit f = pear; chan q = [2] of { mtype, mtype:fruit };
active proctype P() { q!m, f; m = a; f = apple; q!d, f; assert(a == 3 && c == 1 && d == 4 && pear == 1) }
active proctype Q() { do :: q?b, f :: q?d, apple -> break od; printm(m) }
