// A register that behaves like memory, and one that always says the same.
// run: check --config board.toml
// verdict: verified
#include <assert.h>
#include <stdint.h>

#define SCRATCH (*(volatile uint32_t *)0x40002000)
#define IDENTITY (*(volatile uint32_t *)0x40003000)

int main(void)
{
    SCRATCH = 42;
    assert(SCRATCH == 42);
    uint32_t identity = IDENTITY;
    IDENTITY = 5;
    assert(IDENTITY == identity);
    return 0;
}
