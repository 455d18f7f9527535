// A fair execution may end while threads are left, and the program confirms it.
// run: check --tabled --fair --ltl <>(b==3) => violated ltl
#include <pthread.h>
int get(void);
int b;
static void *other(void *x) {
    if (get()) // fails
        b = 1;
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    return 0; // fails
}
