// Values are cut to the width of their variables.
// states: 311
bit b; bool c; byte d = 254; short e = 32766; int f = 2147483646; unsigned g : 3 = 6;
bit ba[2];
active proctype P() {
    b = 2; b = 3; c = 7; ba[1] = 2; ba[0] = 257;
    d++; d++; d++;
    e++; e++; e = e - 1;
    f++; f++; f--;
    g++; g++; g--; g--;
    d = -1; e = 70000; g = 13
}
active proctype Q() { b = !b; d = ~d }
