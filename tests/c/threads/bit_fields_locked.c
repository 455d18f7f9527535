// All bit-fields of a memory location are read and written under one lock.
// run: check
// verdict: verified
#include <pthread.h>

struct state {
    int is_open;
    unsigned kind : 8, count : 16, rest : 8;
};

static struct state state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count_up(void *arg)
{
    pthread_mutex_lock(&lock);
    state.count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
    pthread_mutex_lock(&lock);
    int is_five = state.rest == 5;
    pthread_mutex_unlock(&lock);
    return is_five ? arg : NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, count_up, NULL);
    pthread_create(&other, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
