// Hidden variables of the model are globals of C.
// run: check --reduce none
// verdict: verified
// states: 5
hidden byte h = 3;
byte x;
active proctype P() { c_code { now.x = h + 1; h = 9; }; assert(x == 4 && h == 9); x = 0 }
