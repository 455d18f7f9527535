// Several processes of one type from the start.
// states: 145
byte x;
active [3] proctype P() { byte y; y = x; x = y + 1 }
