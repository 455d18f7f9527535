// What a thread assumes later does not excuse what another one does before.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int flag;

static void *set(void *unused)
{
    flag = 1;
    __VERIFIER_assume(0);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, set, 0);
    assert(!flag); // fails
    return 0;
}
