// Hints change nothing, and fences of x86 and Arm are fences of C11: the flag publishes the data.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *unused)
{
    data = 42;
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    __asm__ __volatile__("sev");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int i = 0; i < 2; i++) {
        __asm__ __volatile__("rep; nop" ::: "memory");
        if (atomic_load_explicit(&flag, memory_order_relaxed)) {
            __asm__ __volatile__("dmb ish" ::: "memory");
            assert(data == 42);
        }
        __asm__("nop\n\tpause");
    }
    pthread_join(thread, 0);
    return 0;
}
