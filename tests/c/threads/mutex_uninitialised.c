// A mutex in automatic storage has to be initialised.
// run: check
// verdict: violated uninitialized
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutex_lock(&mutex); // fails
    return 0;
}
