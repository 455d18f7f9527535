// An initialiser that divides by zero is blamed on the declaration, before anything runs.
// run: check => violated division-by-zero
int x = 1 / 0; // fails
active proctype p() { x = 2 }
