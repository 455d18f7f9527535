// Handshakes inside atomic sequences hand control over.
// states: 45
chan r = [0] of { byte }; chan s = [0] of { byte }; byte x, y;
active proctype P() { atomic { x = 1; r!1; x = 2; s!2; x = 3 } }
active proctype Q() { byte z; atomic { r?z; y = 1; y = 2 }; s?z; y = 3 }
active proctype R() { byte n; do :: n < 2 -> n++ :: n == 2 -> break od }
