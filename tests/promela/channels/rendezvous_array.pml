// Handshakes on arrays of channels and through channel variables.
// states: 8
chan r[2] = [0] of { byte }; chan c; byte x;
active proctype P() { c = r[1]; c!3; r[0]!4 }
active proctype Q() { byte z; do :: r[0]?z -> x = z; break :: r[1]?z -> x = z od }
