// Functions of C know the global variables; what is local is handed to them.
// run: check --reduce none
// verdict: verified
// states: 6
c_decl { static int twice(int v) { return v + v; } }
int x = 1;
c_code { void enlarge(int by, unsigned char *to) { now.x = twice(now.x) + by; *to = by; } }
active proctype P() { byte l; c_code { enlarge(5, &PP->l); }; assert(x == 7 && l == 5); c_code { enlarge(1, &PP->l); }; assert(x == 15) }
