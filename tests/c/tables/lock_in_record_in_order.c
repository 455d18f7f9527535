// Transfers that lock the accounts in the same order.
// run: check --tabled => verified
// run: check => verified
#include <pthread.h>
#include <assert.h>

struct account { pthread_mutex_t m; int balance; };
static struct account a = { PTHREAD_MUTEX_INITIALIZER, 10 }, b = { PTHREAD_MUTEX_INITIALIZER, 10 };

static void transfer(struct account *from, struct account *to, int n) {
    pthread_mutex_lock(&from->m);
    pthread_mutex_lock(&to->m);
    from->balance -= n;
    to->balance += n;
    pthread_mutex_unlock(&to->m);
    pthread_mutex_unlock(&from->m);
}
static void *one(void *unused) { transfer(&a, &b, 1); return 0; }
static void *two(void *unused) { transfer(&a, &b, 2); return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a.balance + b.balance == 20);
    return 0;
}
