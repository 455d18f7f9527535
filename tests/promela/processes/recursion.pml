// Processes that make processes and wait for them.
// states: 43
chan back = [3] of { byte };
proctype Fact(byte n; chan p) { chan c = [1] of { byte }; byte r; if :: n <= 1 -> p!1 :: else -> run Fact(n - 1, c); c?r; p!n * r fi }
init { byte x; run Fact(4, back); back?x; assert(x == 24) }
