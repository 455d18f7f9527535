// The same join with the default properties.
// run: check
// verdict: violated unlock-error
#include <pthread.h>

int main(void) {
    return pthread_join((pthread_t)77, 0); // fails
}
