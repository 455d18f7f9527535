// Without handlers a mask keeps nobody away: threads on other processors run on, and the verdict says so.
// run: check
// verdict: violated data-race
// assumption: no interrupt handler is named
#include <pthread.h>

static int count;

static void *add(void *unused)
{
    __asm__ volatile("cli" ::: "memory");
    count++; // fails
    __asm__ volatile("sti" ::: "memory");
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
