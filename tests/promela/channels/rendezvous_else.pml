// `else` beside a handshake: possible only without a partner.
// states: 61
// invalid-ends: 2
chan r = [0] of { byte }; byte x;
active proctype P() { byte i; do :: i < 3 -> i++; if :: r!i :: else -> x = 9 fi :: i == 3 -> break od }
active proctype Q() { byte z; r?z; x = z; r?z; x = z }
