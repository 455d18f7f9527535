// xr and xs change no states without reductions.
// states: 18
chan q = [2] of { byte }; byte x;
active proctype P() { xs q; q!1; q!2; q!3 }
active proctype Q() { xr q; byte y; do :: q?y; x = x + y :: x == 6 -> break od }
