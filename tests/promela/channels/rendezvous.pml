// Handshakes: matched values, several partners, choices.
// states: 4955
// invalid-ends: 17
chan r = [0] of { byte, byte }; byte x, y;
active proctype P() { do :: x < 4 -> if :: r!1, x :: r!2, x fi :: x >= 4 -> break od }
active [2] proctype Q() { byte z; do :: r?1, z -> x++ :: r?2, eval(x) -> x = x + 2 :: x > 4 -> break od; y++ }
