// A `select` over more values than SPIN writes out.
// states: 410
byte v; int w;
active proctype P() { select (v : 0 .. 40); w = v * 2; select (v : 1 .. 3) }
