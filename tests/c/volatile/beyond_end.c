// A register of which only the first half is there.
// run: check --config board.toml
// verdict: violated out-of-bounds
#include <stdint.h>

int main(void)
{
    return *(volatile uint64_t *)0x40002000 == 1; // fails
}
