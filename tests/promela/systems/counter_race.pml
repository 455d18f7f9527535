// Many processes that count without a lock.
// states: 7902
byte n, finished;
active [3] proctype P() { byte t; t = n; n = t + 1; t = n; n = t + 1; finished++ }
