// A function of a file beside the model, which goes wrong there.
// run: check
// verdict: violated division-by-zero
// stdout: "file":"included.h","line":4
c_decl {
    \#include "included.h"
}
byte x = 2;
active proctype P() { do :: x = x - 1; c_code { now.y = share(now.x); } od }
int y;
