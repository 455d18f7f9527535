// A mutex that is initialised anew while it is locked protects nothing.
// run: check --property race
// with: --reduce none | --reduce global-access | --reduce superstep | --reduce dpor
// verdict: violated data-race
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *p(void *u) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return u; } // fails
static void *q(void *u) { pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); return u; } // fails
int main(void) { pthread_t a, b; pthread_create(&a, 0, p, 0); pthread_create(&b, 0, q, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
