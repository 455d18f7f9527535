// Operators on 32 bits.
// states: 93
int x = 5, y = -3, z;
active proctype P() {
    z = x / y; z = x % y; z = x << 2; z = y >> 1; z = x & 6 | 8 ^ 3; z = (x > y -> 10 : 20);
    z = !x + ~y - -x; z = x == 5 && y != 5 || z; z = (x < 6) * (y >= -3) + (x <= 4);
    z = 'a'; z = true + false + skip
}
active proctype Q() { z = 100; x = 6 }
