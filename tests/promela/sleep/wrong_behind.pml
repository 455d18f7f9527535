// What goes wrong in a process that sleeps goes wrong where it was awake.
// states: 117
// faults: 8
byte a, b;
active proctype Fails() { a = 1; a = 2; assert(b < 3) }
active proctype Counts() { b = 1; b = 2; b = 3 }
active proctype Ticks() { byte i; do :: i < 2 -> i++ :: else -> break od }
