// Global variables of every type in C, read and written.
// run: check --reduce none
// verdict: verified
// states: 9
typedef Pair { byte left; short right[2]; bool ok }
byte x = 3; bool b; bit flags[4]; unsigned u : 5; short s; int big[3]; Pair p; mtype = { red, green }; mtype m = green;
chan q = [2] of { byte };
active proctype P() {
    c_code {
        now.x = now.x + 2; now.b = 1; now.flags[2] = 1; now.u = 37; now.s = -7; now.big[1] = -70000;
        now.p.left = 200; now.p.right[1] = now.s; now.p.ok = now.b; now.m = now.m + 1;
    };
    assert(x == 5 && b && flags[2] == 1 && u == 5 && s == -7 && big[1] == -70000);
    assert(p.left == 200 && p.right[1] == -7 && p.ok && m == red);
    q!x;
    c_code { now.x = 300; now.b = 2; now.big[2] = now.q; };
    assert(x == 44 && !b && big[2] == 1 && q?[5]);
    q?_
}
