inline give(to, what) { byte t; t = what; to!t; hand(to) }
inline hand(from) { if :: from?got :: else fi }
chan q[2] = [2] of { byte };
byte got;
active [2] proctype P() {
    give(q[_pid], 2 + 1);
    give(q[1 - _pid], got);
    assert(got <= 3)
}
