byte x;
active [2] proctype A() {
    byte i;
accept_here:
    do
    :: x = 1 - x; i++
    :: x == 1 -> progress: skip
    :: timeout -> break
    od;
done: skip
}
ltl one { []<> (x == 1) && !<>[](A[0]@done) }
ltl { ((x == 0) U (x == 1)) -> <> (A[1]:i > 2 || _nr_pr == 1) }
never {
T0: do
    :: (x == 1) && enabled(0) -> goto accept
    :: true
    od;
accept:
    do :: !(x == 1) && _last == 0 :: np_ od
}
