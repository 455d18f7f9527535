// A process can end only when those behind it have: it must not sleep behind the end of the next one.
// states: 96
byte seen;
active proctype Looks() { do :: seen < 3 -> seen = seen + (_nr_pr > 1) + 1 :: else -> break od }
active proctype First() { skip }
active proctype Second() { skip }
active proctype Third() { skip }
