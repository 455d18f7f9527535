// Threads that write different elements through pointers do not race; objects of the stack may be shared.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: verified
// stdout: "engine":"flat"
#include <assert.h>
#include <pthread.h>

struct job {
    int from, to, sum;
    char done;
};

static int numbers[4] = {1, 2, 3, 4};

static void *work(void *argument)
{
    struct job *job = argument;
    for (int i = job->from; i < job->to; i++)
        job->sum += numbers[i];
    job->done = 1;
    return job;
}

int main(void)
{
    pthread_t threads[2];
    struct job jobs[2];
    for (int i = 0; i < 2; i++) {
        struct job job = {2 * i, 2 * i + 2, 0, 0};
        jobs[i] = job;
        pthread_create(&threads[i], 0, work, &jobs[i]);
    }
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert(result == &jobs[i] && jobs[i].done);
        sum += jobs[i].sum;
    }
    assert(sum == 10);
    return 0;
}
