// What a trace asks for is wrong as soon as another process has moved.
// run: check => violated assertion
// run: check --reduce sleep => violated assertion
// run: check --reduce none => violated assertion
chan one = [1] of { byte };
byte n = 1;
trace { one!_; one?eval(n) }
active proctype P() { byte x; one!1; one?x } // fails
active proctype R() { n = 2 }
active proctype Awake() { bool b; do :: b = !b od }
