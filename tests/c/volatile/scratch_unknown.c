// Before anything is written to it, a register holds any value.
// run: check --config board.toml
// verdict: violated assertion
#include <assert.h>
#include <stdint.h>

#define SCRATCH (*(volatile uint32_t *)0x40002000)

int main(void)
{
    assert(SCRATCH == 0); // fails
    return 0;
}
