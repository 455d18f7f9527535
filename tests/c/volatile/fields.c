// Bit-fields over a register.
// run: check --config board.toml
// verdict: violated assertion
#include <assert.h>
#include <stdint.h>

struct status {
    uint32_t is_ready : 1;
    uint32_t level : 3;
};

#define STATUS ((volatile struct status *)0x40001000)

int main(void)
{
    if (STATUS->is_ready) {
        unsigned level = STATUS->level;
        assert(level < 8);
        assert(level != 5); // fails
    }
    return 0;
}
