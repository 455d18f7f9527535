// Processes made by processes; they end youngest first.
// states: 79
byte n, done;
proctype W(byte id) { n = n + id; done++ }
init { atomic { run W(1); run W(2) }; run W(4); done == 3; n = 0 }
