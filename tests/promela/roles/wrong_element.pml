// Two processes that meet in one element though their parameters differ.
// states: 154
// faults: 21
byte u[3];
proctype Has(byte me) { byte x; x = u[me / 2]; u[me / 2] = x + 1; assert(u[me / 2] == x + 1) }
init { atomic { run Has(0); run Has(1); run Has(2) } }
