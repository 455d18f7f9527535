// A value that may be indeterminate is left to the interpreter.
// run: check --engine flat
// verdict: violated uninitialized
// stdout: "engine":"explicit instead of flat"
#include <pthread.h>

static void *work(void *argument)
{
    int *value = argument;
    if (*value) // fails
        return argument;
    return 0;
}

int main(void)
{
    pthread_t thread;
    int value;
    pthread_create(&thread, 0, work, &value);
    pthread_join(thread, 0);
    return 0;
}
