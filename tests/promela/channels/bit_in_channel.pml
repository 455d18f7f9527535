// A channel of bits keeps bits.
// run: check => verified
chan q = [1] of { bool };
byte x;
init { q!2; q?x; assert(x == 0) }
