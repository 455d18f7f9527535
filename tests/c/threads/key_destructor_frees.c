// A destructor that frees what the thread freed already.
// run: check
// verdict: violated double-free
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *run(void *argument) {
    char *own = malloc(1);
    pthread_setspecific(key, own);
    free(own);
    pthread_exit(argument); // fails
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, free);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}
