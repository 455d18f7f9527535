// Where no process is left, nobody asks how far the trace came.
// states: 7
chan q = [1] of { bool };
trace { q!_; q?_ }
active proctype P() { q!true }
active proctype R() { skip }
