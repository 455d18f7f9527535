// Whether `else` can be taken depends on what the options beside it read.
// states: 540
byte x, n;
active proctype Chooses() { do :: n < 4 -> if :: x == 1 -> n = n + 2 :: else -> n++ fi :: else -> break od }
active proctype Writes() { x = 1; x = 0; x = 1 }
active proctype Ticks() { byte i; do :: i < 2 -> i++ :: else -> break od }
