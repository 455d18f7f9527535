// A leader is elected in a ring.
// states: 630
chan q[3] = [3] of { byte, byte }; byte leaders;
proctype node(chan in, out; byte mynumber) {
    byte nr, maximum = mynumber, neighbour; bit active_ = 1, know;
    out!1, mynumber;
end:
    do
    :: in?1, nr -> if :: active_ -> if :: nr != maximum -> out!2, nr; neighbour = nr :: else -> know = 1; out!3, nr fi :: else -> out!1, nr fi
    :: in?2, nr -> if :: active_ -> if :: neighbour > nr && neighbour > maximum -> maximum = neighbour; out!1, neighbour :: else -> active_ = 0 fi :: else -> out!2, nr fi
    :: in?3, nr -> if :: nr != mynumber :: else -> leaders++; assert(leaders == 1) fi; if :: know :: else -> out!3, nr fi; break
    od
}
init { atomic { run node(q[0], q[1], 2); run node(q[1], q[2], 3); run node(q[2], q[0], 1) } }
