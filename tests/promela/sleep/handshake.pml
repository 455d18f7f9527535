// A step that touches nothing brings a partner to where it waits: who offers must not sleep behind it.
// states: 47
chan c = [0] of { byte }; byte ticks;
active proctype Sends() { c!1; c!2 }
active proctype Takes() { byte x; x = 5; c?x; x = x + 1; c?x }
active proctype Ticks() { do :: ticks < 3 -> ticks++ :: else -> break od }
