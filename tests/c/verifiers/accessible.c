// Questions about memory: how much can be read or written behind a pointer.
// run: check
// verdict: violated assertion
#include <stdlib.h>

int main(void) {
    int a[3] = {1, 2, 3};
    char *p = malloc(4);
    if (!p)
        return 0;
    __CPROVER_assert(__CPROVER_r_ok(a, sizeof a) && __CPROVER_w_ok(&a[1], 8) && __CPROVER_rw_ok(&a[2]), "inside");
    __CPROVER_assert(!__CPROVER_r_ok(&a[1], 9) && !__CPROVER_r_ok((char *)0, 1) && !__CPROVER_w_ok("text", 1), "outside");
    __CPROVER_assert(__CPROVER_POINTER_OFFSET(&a[2]) == 8 && __CPROVER_OBJECT_SIZE(&a[2]) == 12, "parts");
    __CPROVER_assert(__CPROVER_same_object(a, &a[2]) && !__CPROVER_same_object(a, p), "objects");
    free(p);
    __CPROVER_assert(__CPROVER_r_ok(p, 1), "freed"); // fails
    return 0;
}
