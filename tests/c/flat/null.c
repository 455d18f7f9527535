// A pointer is taken back while another thread goes through it.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated null-dereference
// stdout: "engine":"flat"
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int value = 3;
static _Atomic int *_Atomic shared = &value;

static void *look(void *unused)
{
    if (shared)
        *shared = 4; // fails
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    shared = 0;
    pthread_join(thread, 0);
    return 0;
}
