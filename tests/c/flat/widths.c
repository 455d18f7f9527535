// Numbers of other widths than 32 bits wrap around and extend as C says.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: verified
// stdout: "engine":"flat"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic unsigned char byte = 250;
static _Atomic signed char small = 120;
static _Atomic unsigned short word = 65530;
static _Atomic unsigned int wide = 0xfffffff0u;
static _Atomic long total;

static void *work(void *unused)
{
    byte += 10;
    small += 10;
    word += 10;
    wide += 0x20;
    total -= 5;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(byte == 14);
    assert(small == -116);
    assert(word == 14);
    assert(wide == 0x30);
    assert(wide < 0xfffffff0u && wide - 0x40u > 0x7fffffffu);
    assert(total == -10 && total / 3 == -3 && total % 3 == -1 && total >> 1 == -5);
    assert((unsigned char)(byte << 5) == 192 && (small & 0x7f) == 12 && (int)(word >> 1) == 7);
    return 0;
}
