// Counting loops over ranges and arrays, and `select`.
// states: 52
byte a[3]; byte i, s, v;
active proctype P() {
    for (i : 1 .. 3) { s = s + i };
    for (i in a) { a[i] = i; if :: i == 1 -> break :: else fi };
    select (v : 2 .. 5);
    select (s : v .. v + 1);
}
