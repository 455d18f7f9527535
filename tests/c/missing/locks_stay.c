// A lock inside an object that is handed over stays a lock, and pointers stay where they point.
// run: check
// verdict: verified
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    struct queue *next;
    int length;
};

void inspect(struct queue *queue);

int main(void) {
    struct queue last = {PTHREAD_MUTEX_INITIALIZER, 0, 0}, first = {PTHREAD_MUTEX_INITIALIZER, &last, 1};
    inspect(&first);
    pthread_mutex_lock(&first.lock);
    first.next->length++;
    pthread_mutex_unlock(&first.lock);
    return 0;
}
