// Channels as parameters: a ring in which everybody has two neighbours.
// states: 76
chan w[3] = [1] of { byte }; byte done;
proctype Node(byte me; chan from, to) { byte x; to!me; from?x; to!x; from?x; atomic { done++; assert(done <= 3) } }
init { atomic { run Node(0, w[0], w[1]); run Node(1, w[1], w[2]); run Node(2, w[2], w[0]) } }
