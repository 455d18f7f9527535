// Sorted sends, random receives, copies.
// states: 47
chan q = [4] of { byte, byte }; byte x, y, z;
active proctype P() { q!!3, 1; q!!1, 2; q!!2, 9; q!!1, 1; q!0, 0 }
active proctype Q() { q??2, x; q?<y, z>; q??<1, z>; q??[3, 1] -> q??y, eval(x - 8); q?y, z }
