// Who waits for a C11 condition has to hold the mutex.
// run: check
// verdict: violated unlock-error
#include <threads.h>

int main(void) {
    mtx_t mutex;
    cnd_t changed;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    cnd_wait(&changed, &mutex); // fails
    return 0;
}
