// A thread that runs in circles on its own does not keep the others from going wrong.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static int flag;

static void *circle(void *unused)
{
    flag = 1;
    for (int i = 0;; i ^= 1) {
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, circle, 0);
    assert(!flag); // fails
    return 0;
}
