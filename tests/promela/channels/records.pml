// Records in messages.
// states: 24
typedef M { byte kind; int val[2]; bit last }
chan q = [2] of { M }; byte sum;
active proctype P() { M m; m.kind = 1; m.val[1] = 7; q!m; m.last = 1; m.kind = 2; q!m }
active proctype Q() { M n; do :: q?n -> sum = sum + n.val[1]; if :: n.last -> break :: else fi od }
