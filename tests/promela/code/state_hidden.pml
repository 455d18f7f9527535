// Data that are hidden tell no states apart: the loop closes though they change.
// run: check
// verdict: verified
// states: 4
c_state "int n" "Hidden" "1"
byte x;
active proctype P() { do :: x == 0 -> c_code { n = n < 1000 ? n + 1 : n; now.x = 1; } :: x == 1 -> x = 0 od }
