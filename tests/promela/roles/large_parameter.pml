// A parameter that is too large for a role of its own.
// states: 33
byte u[3];
proctype Has(byte me) { u[me - 200] = 1; u[(me - 199) % 3] = 2; u[me - 200] = u[me - 200] + 1 }
init { atomic { run Has(200); run Has(201) } }
