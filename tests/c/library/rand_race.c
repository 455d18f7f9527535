// C lets `rand` of two threads race; the models do so where one asks for it.
// run: check --library-races --property race => violated data-race
// run: check --property race => verified
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *unused) {
    rand(); // fails
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, draw, 0);
    rand(); // fails
    pthread_join(thread, 0);
    return 0;
}
