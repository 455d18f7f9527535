// C expressions as guards, as values, negated, joined, and as pointers that are only tested.
// run: check --reduce none
// verdict: verified
// states: 15
c_decl { int data = 7; int *where = &data; int *nowhere; }
byte x;
active proctype P() {
    x = c_expr { data / 2 } + 1;
    assert(x == 4);
    if :: !c_expr { where } -> assert(false) :: c_expr { nowhere } -> assert(false) :: else -> x = 1 fi;
    if :: c_expr { where } && c_expr { *where == 7 } -> x = 2 fi;
    c_expr { now.x == 2 };
    do :: c_expr { now.x < 4 } -> x++ :: else -> break od;
    assert(x == 4)
}
