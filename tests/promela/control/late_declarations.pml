// Declarations behind statements are assignments of their own.
// states: 194
byte g;
typedef T { byte a; int b[2] }
active [2] proctype P() {
    byte a = 3;
    g++;
    byte b, c = a + 1, d[2];
    T t;
    d[1] = c;
    { int e; e = b; g = e + d[1] };
    t.b[1] = g
}
