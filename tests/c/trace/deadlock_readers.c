// A reader who wants to write waits for the readers, of whom it is one.
// run: check
// verdict: violated deadlock
// stdout: waits for &table, which it holds itself
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_wrlock(&table); // fails
    pthread_rwlock_unlock(&table);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, upgrade, 0);
    pthread_create(&two, 0, upgrade, 0);
    pthread_join(one, 0); // fails
    pthread_join(two, 0);
    return 0;
}
