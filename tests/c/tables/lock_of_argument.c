// What a thread gets by a pointer to anything is not in the model, so its locks are not: the verdict names them.
// run: check --tabled => unknown `pthread_mutex_lock(&j->from->m)`
// run: check => violated deadlock
#include <pthread.h>

struct account {
    pthread_mutex_t m;
    int balance;
};
struct job {
    struct account *from, *to;
};

static struct account a = {PTHREAD_MUTEX_INITIALIZER, 1}, b = {PTHREAD_MUTEX_INITIALIZER, 1};

static void *work(void *argument) {
    struct job *j = argument;
    pthread_mutex_lock(&j->from->m);
    pthread_mutex_lock(&j->to->m); // fails
    j->from->balance--;
    j->to->balance++;
    pthread_mutex_unlock(&j->to->m);
    pthread_mutex_unlock(&j->from->m);
    return 0;
}

int main(void) {
    struct job there = {&a, &b}, back = {&b, &a};
    pthread_t s, t;
    pthread_create(&s, 0, work, &there);
    pthread_create(&t, 0, work, &back);
    pthread_join(s, 0); // fails
    pthread_join(t, 0);
    return 0;
}
