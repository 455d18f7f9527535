// Ending a thread while cleanup handlers are pushed has no model.
// run: check
// verdict: unknown cleanup handlers
#include <pthread.h>

static void clean(void *argument) { (void)argument; }

static void *run(void *argument) {
    pthread_cleanup_push(clean, 0);
    pthread_exit(argument);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}
