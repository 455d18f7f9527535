// What a register said a moment ago need not hold any more.
// run: check --config board.toml
// verdict: violated assertion
#include <assert.h>
#include <stdint.h>

#define STATUS (*(volatile uint32_t *)0x40001000)

int main(void)
{
    if (STATUS == 1)
        assert(STATUS == 1); // fails
    return 0;
}
