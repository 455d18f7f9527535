// A thread that waits for itself.
// run: check
// verdict: violated deadlock
// stdout: no thread can go on: thread 0 waits for &lock, which it holds itself
#include <pthread.h>

int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); // fails
    return 0;
}
