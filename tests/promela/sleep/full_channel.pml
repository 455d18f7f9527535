// A message is taken out of a full channel: who waits to send must not sleep behind it.
// states: 65
chan c = [1] of { byte }; byte ticks;
active proctype Sends() { c!1; c!2; c!3 }
active proctype Takes() { byte x; c?x; c?x; c?x }
active proctype Ticks() { do :: ticks < 3 -> ticks++ :: else -> break od }
