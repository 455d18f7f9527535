// Who is awake waits for who sleeps: a state in which only sleepers can go on is no end.
// states: 33
byte a, b, c;
active proctype Oldest() { a = 1; a = 2; a = 3 }
active proctype Middle() { b = 1; b = 2; a == 3 -> b = 3 }
active proctype Youngest() { c = 1; b == 3 -> c = 2 }
