// C code on both sides of a rendezvous; it is nobody's partner.
// run: check --reduce none
// verdict: verified
// states: 9
c_decl { int n; }
c_track "&n" "sizeof(int)"
chan q = [0] of { byte };
byte x;
active proctype P() { c_code { n = 4; }; q!3; c_code { n = n + now.x; } }
active proctype Q() { do :: q?x -> break :: c_code { n = n; } od; c_code { n = n; } }
