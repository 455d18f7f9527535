// Threads of C have no place beside processes.
// run: check
// verdict: unknown starts threads
c_decl {
    \#include <pthread.h>
    pthread_t thread;
    void *body(void *arg) { return arg; }
}
active proctype P() { c_code { pthread_create(&thread, 0, body, 0); } }
