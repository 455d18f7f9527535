// A fork after handlers were set is no verdict.
// run: check
// verdict: unknown fork
#include <pthread.h>
#include <unistd.h>

static void nothing(void)
{
}

int main(void)
{
    pthread_atfork(nothing, 0, 0);
    return fork() < 0;
}
