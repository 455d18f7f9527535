// Bit-fields cut what they are given; an enumeration is a number with names.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

enum colour { RED, GREEN, BLUE };

struct flags {
    unsigned int level : 3;
    unsigned int ready : 1;
    enum colour colour;
};

static struct flags flags;

int main(void)
{
    int i;
    flags.colour = GREEN;
    for (i = 0; i < 9; i++)
        flags.level++;
    flags.ready = 3;
    if (flags.colour == GREEN)
        flags.colour = BLUE;
    assert(flags.level == 1 && flags.ready == 1);
    assert(flags.colour == BLUE);
    return 0;
}
