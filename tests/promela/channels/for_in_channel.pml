// A loop over the messages of a channel.
// states: 76
typedef M { byte v }
chan q = [3] of { M }; byte sum;
active proctype P() { M m; m.v = 1; q!m; m.v = 4; q!m; for (m in q) { sum = sum + m.v } }
active proctype Q() { sum = 10 }
