// A rendezvous is the sender's move: it has to come if the sender could always make it, but nobody is unfair to one who
// only waits to receive.
// run: check --property sends => violated ltl
// run: check --property sends --fair => verified
// run: check --property receives => violated ltl
// run: check --property receives --fair => violated ltl
chan h = [0] of { byte };
chan k = [0] of { byte };
byte x, y, z;
active proctype sender() { h!1; y = 1 }
active proctype both() { do :: x = 0 :: h?x :: k!1 od }
active proctype receiver() { k?x; z = 1 }
ltl sends { <>(y == 1) } // fails
ltl receives { <>(z == 1) } // fails
