// More elements than are told apart.
// states: 42
// faults: 5
byte u[700];
proctype Has(byte me) { byte y; y = u[600 + me / 2]; u[600 + me / 2] = y + 1; assert(u[600 + me / 2] == y + 1) }
init { atomic { run Has(2); run Has(3) } }
