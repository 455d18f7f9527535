// Staying in an accepted state for ever counts.
// run: check --property acceptance => violated ltl
byte x;
active proctype one() { x = 1; accept: x == 0 } // fails
