// Tracked C data: as many states as SPIN stores.
// run: check
// verdict: verified
// states: 30
c_decl { int n; short pair[2]; }
c_track "&n" "sizeof(int)"
c_track "pair" "sizeof(pair)" "Matched"
byte x;
active proctype P() { do :: c_code { n = (n + 1) % 3; pair[now.x] = n; } :: x = 1 - x od }
