/* Every array of four numbers below four is sorted once, and looked at. */
active proctype tester() {
    chan back = [0] of { int };
    byte at;

    do
    :: at < N ->
        if
        :: v[at] = 0
        :: v[at] = 1
        :: v[at] = 2
        :: v[at] = 3
        fi;
        at++
    :: at == N -> break
    od;
    at = 0;
    run quicksort(0, N - 1, back);
    back ? _;
    assert(v[0] <= v[1] && v[1] <= v[2] && v[2] <= v[3])
}
