// Behind the end of a range there is nothing.
// run: check --config board.toml
// verdict: violated null-dereference
#include <stdint.h>

int main(void)
{
    return *(volatile uint32_t *)0x50000000 == 1; // fails
}
