// Memory that another step has given back.
// run: check
// verdict: violated use-after-free
c_decl {
    \#include <stdlib.h>
    int *cell;
}
active proctype P() { c_code { cell = malloc(sizeof *cell); *cell = 1; }; c_code { free(cell); } }
active proctype Q() {
    (c_expr { cell });
    c_code { *cell = 2; } // fails
}
