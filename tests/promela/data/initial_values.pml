// Initial values: of globals, of arrays, of locals that use parameters and globals.
// states: 50
byte n = 3; byte a[4] = 5; byte c[3] = { 1, 2, 3 }; int m = n + 4;
proctype R(byte p) { byte x = p + 1; byte y = x * 2; byte z[2] = y; n = x + y + z[1] }
init { run R(4); n = 10; run R(n + c[2] + a[3]); m = 0 }
