// Tests of channels: len, full, empty, and looking at the next message.
// states: 22
chan q = [2] of { byte }; byte x;
active proctype P() { q!1; nfull(q) -> q!2; empty(q) -> x = len(q) + 5 }
active proctype Q() { byte y; full(q); q?[1] && len(q) == 2 -> q?y; nempty(q); !q?[1] -> q?y; x = y }
