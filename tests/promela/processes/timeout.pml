// Timeouts: true only when nothing else is possible.
// states: 20
byte x, n; chan q = [1] of { byte };
active proctype P() { do :: q?x -> n++ :: timeout -> break od; x = 9 }
active proctype Q() { q!1; q!2; timeout -> x = 7 }
