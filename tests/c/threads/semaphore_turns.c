// Two threads take turns.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int turn;

static void *answer(void *argument) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&ping);
        assert(turn == 2 * i + 1);
        turn++;
        sem_post(&pong);
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&thread, 0, answer, 0);
    for (int i = 0; i < 2; i++) {
        assert(turn == 2 * i);
        turn++;
        sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(thread, 0);
    assert(turn == 4);
    return 0;
}
