// Memory that nobody has written holds one value for all threads.
// run: check --property assertion
// with: --reduce none | --reduce global-access | --reduce superstep | --reduce dpor
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *cell;
static int seen[2];

static void *look(void *at) {
    *(int *)at = *cell == 5;
    return 0;
}

int main(void) {
    pthread_t a, b;
    cell = malloc(sizeof *cell);
    if (!cell) return 0;
    pthread_create(&a, 0, look, &seen[0]);
    pthread_create(&b, 0, look, &seen[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen[0] == seen[1]);
    return 0;
}
