// Remote references to labels and variables.
// states: 27
// invalid-ends: 3
byte x;
active proctype P() { byte n; n = 1; here: x = 1; n = 2; there: x = 2 }
active proctype Q() { P@here; x = 5; P[0]@there && P[0]:n == 2; x = P:n + 6 }
