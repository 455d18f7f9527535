// Each thread works on the record that it is given.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>
#include <pthread.h>

struct job {
    int input, output;
};

static struct job jobs[2];

static void *work(void *argument)
{
    struct job *job = argument;
    int value = job->input;
    job->output = value * value;
    return 0;
}

int main(void)
{
    pthread_t one, other;
    jobs[0].input = 3;
    jobs[1].input = 4;
    pthread_create(&one, 0, work, &jobs[0]);
    pthread_create(&other, 0, work, &jobs[1]);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(jobs[0].output == 9 && jobs[1].output == 16);
    return 0;
}
