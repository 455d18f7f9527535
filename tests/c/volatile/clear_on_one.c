// Writing ones clears flags, writing zeros leaves them.
// run: check --config board.toml
// verdict: verified
#include <assert.h>
#include <stdint.h>

#define FLAGS (*(volatile uint8_t *)0x40004000)

int main(void)
{
    uint8_t before = FLAGS;
    FLAGS = 0x0f;
    assert(FLAGS == (before & 0xf0));
    FLAGS = 0;
    assert(FLAGS == (before & 0xf0));
    FLAGS = 0xff;
    assert(FLAGS == 0);
    return 0;
}
