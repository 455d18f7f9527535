// One index is a parameter, the other is computed: a row that two processes may have in common.
// states: 52
// faults: 5
typedef R { byte x[3] } R r[3]; byte i;
proctype Has(byte me) { byte y; i = 1; y = r[me / 2].x[i]; r[me / 2].x[i] = y + 1; assert(r[me / 2].x[i] == y + 1) }
init { atomic { run Has(0); run Has(1) } }
