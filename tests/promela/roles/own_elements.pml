// Elements under a parameter, under _pid, and under something computed from both; the last reads all of them.
// states: 208
byte u[4], t[5];
proctype Has(byte me) { u[me] = 1; t[_pid] = u[(me + 1) % 2]; u[me] = u[me] + 1; assert(u[me] == 2) }
init { byte k; atomic { run Has(0); run Has(1) } _nr_pr == 1 -> do :: k < 4 -> assert(u[k] == 2 || k > 1); k++ :: else -> break od }
