byte n, a[3];
inline step(v) { v = (v + 1) % 3 }
proctype P(byte me; bool last) provided (n < 9) {
    byte i = me;
again:
    atomic { n < 5 -> n++; step(i) };
    d_step { if :: i == 0 -> a[i] = 1 :: else -> a[0] = i fi; n = n };
    { n = n + 1; do :: a[1]++ :: break od } unless { n > 6 -> goto over };
    for (i : 0 .. 2) { a[i] = i }
    for (i in a) { if :: a[i] > 1 -> break :: else fi }
    select (i : 1 .. 3);
    if :: i == 2 -> goto again :: else -> skip fi;
over:
end_here: a[2] == 9
}
init { pid p; p = run P(1, true); atomic { run P(2, false); run P(0, p == 1) } (_nr_pr == 1) }
