// An object that another file defines starts with the value that is given there.
// run: check --tabled
// run: check
// files: ../link/other.c
// verdict: verified
#include <assert.h>

extern int shared;

int main(void) {
    assert(shared == 3);
    return 0;
}
