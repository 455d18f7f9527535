// A C11 mutex nobody holds cannot be unlocked.
// run: check
// verdict: violated unlock-error
// stdout: a mutex is unlocked that is not locked
#include <threads.h>

int main(void) {
    mtx_t mutex;
    mtx_init(&mutex, mtx_recursive);
    mtx_unlock(&mutex); // fails
    return 0;
}
