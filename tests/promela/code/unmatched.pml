// Data that are tracked but not matched tell no states apart.
// run: check
// verdict: verified
// states: 4
c_decl { int n; }
c_track "&n" "sizeof(int)" "UnMatched"
byte x;
active proctype P() { do :: x == 0 -> c_code { n = n < 1000 ? n + 1 : n; now.x = 1; } :: x == 1 -> x = 0 od }
