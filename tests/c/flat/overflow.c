// A sum overflows only if both threads have added before anybody takes away.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated overflow
// stdout: "engine":"flat"
#include <limits.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum = INT_MAX - 3;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    sum += 2; // fails
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    sum -= 2;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, add, 0);
    pthread_create(&other, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
