typedef In { bit b; unsigned u : 5; short s[2] = -3 };
typedef Out { In in[2]; int big; chan k = [1] of { byte } };
mtype:fruit = { apple, pear };
mtype:fruit f = pear;
Out o, many[2];
hidden byte h;
show int wide = 70000;
local pid who;
bool flags[4] = { true, false };
init {
    byte x = 255;
    x++;
    Out late;
    many[1].in[x].s[1] = o.in[0].s[0] * 2 - (wide >> 3 | 7);
    o.big = (x -> -1 : ~wide ^ 'a');
    late.in[1].u = 33 % 7;
    o.k!3; o.k?x;
    assert(late.in[1].u < 32 && f != apple || flags[3]);
    printf("%d %e %c\n", x, f, 'q'); printm(f)
}
