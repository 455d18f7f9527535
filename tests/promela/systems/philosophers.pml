// Dining philosophers who may starve together.
// states: 81
// invalid-ends: 1
chan fork[4] = [1] of { bit };
proctype Phil(byte left, right) { do :: fork[left]?_; fork[right]?_; fork[left]!1; fork[right]!1 od }
init { atomic { byte i; for (i : 0 .. 3) { fork[i]!1 }; run Phil(0, 1); run Phil(1, 2); run Phil(2, 3); run Phil(3, 0) } }
