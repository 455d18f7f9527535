// What a trace asks for is wrong as long as another process has not moved.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan one = [1] of { byte };
byte n = 2;
trace { one!_; one?eval(n) }
active proctype P() { byte x; one!1; one?x } // fails
active proctype R() { n = 1 }
