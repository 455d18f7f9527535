// Printing an open input costs nothing in a check: its text does not matter.
// run: check
// verdict: verified
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    printf("%d %s\n", x, "text");
    fprintf(stderr, "%x\n", (unsigned)x);
    putchar(x);
    return 0;
}
