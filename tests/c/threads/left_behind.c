// A thread looks at a variable of main, which may have returned.
// run: check --property memory
// with: --reduce none | --reduce global-access | --reduce superstep
// verdict: violated use-after-free
#include <threads.h>
static int worker1(void *argument) {
    int *place = argument;
    int u = 0;
    u = *place; // fails
    return u;
}
int main(void) {
    int local = 0;
    thrd_t t1;
    thrd_create(&t1, worker1, &local);
    return 0;
}
