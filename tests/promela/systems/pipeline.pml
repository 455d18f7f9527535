// Stages that pass numbers on, some of them by handshake.
// states: 693
chan a = [2] of { byte }; chan b = [0] of { byte }; chan c = [2] of { byte }; byte out;
active proctype Source() { byte i; for (i : 1 .. 4) { a!i } }
active proctype Double() { byte v; end: do :: a?v -> b!v * 2 od }
active proctype Add() { byte v; end: do :: b?v -> c!v + 1 od }
active proctype Sink() { byte v, n; do :: n < 4 -> c?v; out = out + v; n++ :: else -> break od }
