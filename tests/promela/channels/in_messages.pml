// Channels in messages and as parameters; channels made by processes.
// states: 56
chan ask = [1] of { chan, byte }; byte got;
proctype Server() { chan back; byte n; end: do :: ask?back, n -> back!n + 1 od }
proctype Client(byte n; chan to) { chan mine = [1] of { byte }; to!mine, n; mine?got }
init { run Server(); run Client(1, ask); run Client(5, ask) }
