// run: check
// verdict: verified
// A comparison keeps the increment in range for every input.
#include <limits.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < INT_MAX) x++;
    return 0;
}
