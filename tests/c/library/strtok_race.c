// `strtok` of two threads shares the rest of the text; `strtok_r` does not.
// run: check --library-races --property race => violated data-race
// run: check --library-races -DSAFE --property race => verified
#include <pthread.h>
#include <string.h>

static void *split(void *unused) {
    char text[] = "a b";
#ifdef SAFE
    char *rest;
    strtok_r(text, " ", &rest);
#else
    strtok(text, " "); // fails
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, split, 0);
    split(0);
    pthread_join(thread, 0);
    return 0;
}
